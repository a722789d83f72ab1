//! Putting questions to the solver, and what follows from its answers.

use super::*;
use crate::expressions::Answer;
use crate::goal::{Asking, Differ};
use crate::hash_of;
use crate::inputs;
use crate::joint::Alignment;
use crate::knowledge::Class;
use crate::question::{asking, Question};
use crate::solvers::{Prepared, Solved};
use crate::strategies::Answered;
use parallax_solve::Limit;

/// The size of a formula from which on a question counts as expensive.
const EXPENSIVE: u64 = 600;
/// Which part of the steps for a query is enough for those of little worth, and for the first attempt at the others.
const IMPATIENCE: u64 = 10;
/// Steps of the solver without an answer that count as much as a node of a formula.
const STEPS_PER_NODE: u64 = 2500;

/// A flip that is asked for on its own path.
fn own_flip(goal: &Goal) -> Option<&Flip> {
    match goal {
        Goal::Flip(flip) if flip.how.relaxed.is_none() => Some(flip),
        _ => None,
    }
}

/// A goal that is a question: who thought of it, and in whose lane it waited, whose effort it is.
pub(super) struct Waiting {
    pub by: StrategyId,
    pub lane: StrategyId,
    pub goal: Goal,
    pub question: Question,
}

impl Engine<'_> {
    /// Puts a round of questions to the solver, and takes in what it answers.
    pub(super) fn ask(&mut self, round: Vec<(Waiting, Prepared)>, solvers: &Solvers) -> Vec<Planned> {
        let (asked, prepared): (Vec<Waiting>, Vec<Prepared>) = round.into_iter().unzip();
        let costs: Vec<u64> = prepared.iter().map(|question| question.cost).collect();
        let solved = solvers.solve(&self.expressions.terms, prepared);
        let answers = asked.into_iter().zip(solved).zip(costs);
        answers.filter_map(|((asked, solved), cost)| self.take_answer(asked, solved, cost)).collect()
    }

    /// Makes a goal a question for the solver, and has its strategy pay for it.
    pub(super) fn prepare(&mut self, Waiting { by, lane, goal, question }: Waiting) -> (Waiting, Prepared) {
        let patient = asking(&goal).is_some_and(|how| how.patient);
        // A quick answer at first, so that hard questions do not keep easy ones waiting.
        let steps = self.settings.query_steps / if patient { 1 } else { IMPATIENCE };
        let limit = Limit { steps, time: self.budget.left().min(self.settings.query_time) };
        let test = &self.known.run(question.run).test;
        let prepared = self.expressions.prepare(&question.holds, question.wants, test);
        let about = match &goal {
            Goal::Flip(flip) => hash_of(&flip.key.branch().site),
            Goal::Differ(differ) => differ.question.goal,
            Goal::Try(_) => 0,
        };
        self.scheduler.pay(Work::Question, lane, prepared.cost + 1);
        (Waiting { by, lane, goal, question }, Prepared { about, limit, ..prepared })
    }

    fn take_answer(&mut self, asked: Waiting, solved: Solved, mut cost: u64) -> Option<Planned> {
        let Waiting { by, lane, goal, question } = asked;
        let Solved { answer, steps, is_late } = solved;
        if matches!(answer, Answer::Unknown) {
            let more = steps / STEPS_PER_NODE;
            cost += more;
            self.scheduler.pay(Work::Question, lane, more);
        }
        self.accounting.stats.solver_steps += steps;
        self.accounting.stats.late_queries += u64::from(is_late && !self.budget.is_over());
        self.account(by, &goal, &answer, cost);
        let test = match &answer {
            Answer::Sat(changes) => Some(inputs::with_changes(&self.known.run(question.run).test, changes)),
            _ => None,
        };
        let answered = Answered { goal: &goal, question: &question, answer: &answer, test: test.as_ref() };
        for id in self.portfolio.ids() {
            let out = self.ask_strategy(id, |strategy, see, out| strategy.answered(&answered, see, out));
            self.propose(id, out);
        }
        match answer {
            Answer::Sat(_) => self.follow(by, goal, &question, test?),
            Answer::Unsat(_) => {
                self.refuse(&goal, "no input takes the other side on any path that was tried");
                None
            }
            Answer::Unknown => {
                self.refuse(&goal, "the solver gave no answer within its limit");
                self.ask_patiently(by, goal);
                None
            }
        }
    }

    fn account(&mut self, by: StrategyId, goal: &Goal, answer: &Answer, cost: u64) {
        let stats = &mut self.accounting.stats;
        stats.queries += 1;
        match answer {
            Answer::Sat(_) => stats.sat += 1,
            Answer::Unsat(_) => stats.unsat += 1,
            Answer::Unknown => stats.unknown += 1,
        }
        let of_strategy = &mut self.accounting.by_strategy[by.0];
        of_strategy.queries += 1;
        of_strategy.effort += cost + 1;
        self.thought += cost;
        if let Some(flip) = own_flip(goal) {
            let asked = &mut self.known.asked;
            *asked.about.entry(flip.key.branch().site).or_default() += 1;
            if cost > EXPENSIVE {
                // Others like it shall wait, whatever the answer.
                *asked.failures.entry(flip.key.branch()).or_default() += 1;
            }
        }
    }

    /// The test case that an answer stands for, if it is new.
    fn follow(&mut self, by: StrategyId, goal: Goal, question: &Question, test: TestCase) -> Option<Planned> {
        if self.known.tried.insert(&test) {
            return Some(self.planned_answer(by, goal, question, test));
        }
        let known = self.known.by_test.get(&test).copied();
        if let (Goal::Flip(flip), Some(run)) = (&goal, known) {
            self.revisit(run, flip.depth);
        }
        None
    }

    fn planned_answer(&self, by: StrategyId, goal: Goal, question: &Question, test: TestCase) -> Planned {
        let parted = |run: RunId| self.known.run(run).novelty.parted.is_some();
        let made = Made { by: Some(by), first_by: None, of: Some(question.run) };
        let relaxed = asking(&goal).and_then(|how| how.relaxed.clone());
        if let Some(relaxed) = relaxed {
            let (aim, depth) = (relaxed.aim.clone(), relaxed.depth);
            let parted = aim.wants.is_none() || parted(aim.run);
            let purpose = Purpose { made, depth, parted, aim: Some(aim), ..Purpose::default() };
            return Planned { test, purpose, work: Work::Question, flip: None, judge_anyway: false };
        }
        match goal {
            Goal::Flip(flip) => {
                let (depth, parted, aim) = (flip.depth, parted(flip.run), flip.aim.clone());
                let purpose = Purpose { made, depth, parted, aim, ..Purpose::default() };
                let flip = Some((flip, question.over_numbers));
                Planned { test, purpose, work: Work::Question, flip, judge_anyway: false }
            }
            _ => {
                let purpose = Purpose { made, parted: true, ..Purpose::default() };
                Planned { test, purpose, work: Work::Question, flip: None, judge_anyway: true }
            }
        }
    }

    /// Something in the way was flipped, and what is behind it is known already: the question is put again from there.
    fn revisit(&mut self, run: RunId, depth: u32) {
        if depth > self.known.run(run).depth {
            self.known.runs[run.0].depth = depth;
            self.offer_open_branches(run, false, &Alignment::default());
        }
    }

    fn refuse(&mut self, goal: &Goal, reason: &'static str) {
        if let Some(flip) = own_flip(goal) {
            let branch = flip.key.branch();
            self.known.asked.refused.insert(branch.site, reason);
            *self.known.asked.failures.entry(branch).or_default() += 1;
        }
    }

    /// The question is put once more, later and with all the steps there are, if it is worth that: what leads to new code of the program or tells
    /// the versions apart.
    fn ask_patiently(&mut self, by: StrategyId, goal: Goal) {
        if asking(&goal).is_none_or(|how| how.patient || how.relaxed.is_some()) {
            return;
        }
        let patient = |how: Asking| Asking { patient: true, ..how };
        match goal {
            Goal::Flip(flip) => {
                let is_worth =
                    self.known.class_in_itself(&flip) <= Class::Obstacle && self.known.is_own(&flip);
                if is_worth {
                    let how = patient(flip.how.clone());
                    self.offer(Flip { how, ..flip }, Some(by));
                }
            }
            Goal::Differ(differ) => {
                let wants = differ.question.over_numbers.unwrap_or(differ.question.differs);
                let test = &self.known.run(differ.run).test;
                let effort = self.expressions.effort(wants, test, self.settings.random_seed);
                let goal = Goal::Differ(Differ { how: patient(differ.how.clone()), ..differ });
                let score = [effort * IMPATIENCE, 0, 0];
                self.frontier.push(goal, Some(by), false, vec![(by, score)]);
            }
            Goal::Try(_) => {}
        }
    }
}
