//! The test cases of a batch: answers of the solver, test cases of another shape that are traced, and others of which only the coverage is looked
//! at, as many as balance what the engine has thought.

use super::answers::Waiting;
use super::*;
use crate::frontier::Kind;
use crate::goal::Try;
use crate::joint::Alignment;
use crate::knowledge::Class;
use crate::question::Question;
use crate::solvers::Prepared;

/// Answers wanted from the solver for one batch, and test cases that are traced beside them.
const ANSWERS: usize = 10;
const TRACES: usize = 5;
/// Test cases of which only the coverage is looked at: so many at least, and more where there is much to think about, so that the workers have
/// something to do meanwhile.
const GLIMPSES: usize = 24;
const MAX_GLIMPSES: usize = 240;
/// So many of the questions of a batch are asked however little they promise.
const POOR_ANSWERS: usize = 2;
/// Questions that are put to the solver at once, and how often for one batch.
const ROUND: usize = 8;
const MAX_ROUNDS: usize = 50;

impl Engine<'_> {
    pub(super) fn next_batch(&mut self, solvers: &Solvers) -> Vec<Planned> {
        self.keep_within_bound();
        if self.allowance.is_dry() {
            self.allowance.grow();
        }
        let mut batch = Vec::new();
        for _ in 0..MAX_ROUNDS {
            if batch.len() >= ANSWERS || self.budget.is_over() {
                break;
            }
            let round = self.next_round(batch.len());
            if round.is_empty() {
                break;
            }
            batch.extend(self.ask(round, solvers));
        }
        batch.extend((0..TRACES).map_while(|_| self.next_try(Work::Trace)).collect::<Vec<_>>());
        if !self.known.runs.is_empty() {
            let wanted = (std::mem::take(&mut self.thought) / GLIMPSE_EFFORT) as usize;
            let wanted = wanted.clamp(GLIMPSES, MAX_GLIMPSES);
            batch.extend((0..wanted).map_while(|_| self.next_try(Work::Glimpse)).collect::<Vec<_>>());
        }
        batch.extend(self.allowance.next());
        batch
    }

    /// The questions to be put next. `answers`: how many the batch has.
    fn next_round(&mut self, answers: usize) -> Vec<(Waiting, Prepared)> {
        let mut round = Vec::new();
        while round.len() < ROUND {
            let Some((by, lane, goal)) = self.next_question(answers + round.len() >= POOR_ANSWERS) else {
                break;
            };
            // One whose path was forgotten asks nothing.
            if let Some(question) = Question::of(&goal, &self.known) {
                round.push(self.prepare(Waiting { by, lane, goal, question }));
            }
        }
        round
    }

    /// The question to be put next, who thought of it and in whose lane it waited.
    fn next_question(&mut self, only_good: bool) -> Option<(StrategyId, StrategyId, Goal)> {
        for id in self.scheduler.order(Work::Question) {
            let strategy = &self.portfolio.entries[id.0].strategy;
            let worst = if only_good { strategy.poor() } else { u64::MAX };
            let now = |age, goal: &Goal| match goal {
                Goal::Flip(flip) => strategy.score(flip, age, &self.known),
                _ => None,
            };
            if let Some((by, goal)) = self.frontier.pop((id, Kind::Question), worst, &now) {
                self.scheduler.serve(Work::Question, id);
                return Some((by, id, goal));
            }
        }
        None
    }

    /// The test case to be tried next.
    fn next_try(&mut self, work: Work) -> Option<Planned> {
        for id in self.scheduler.order(work) {
            if let Some(next) = self.next_try_of(id) {
                self.scheduler.serve(work, id);
                self.scheduler.pay(work, id, 1);
                return Some(self.planned(id, next, work));
            }
        }
        None
    }

    /// What waits in a strategy's lane, or what it makes.
    fn next_try_of(&mut self, id: StrategyId) -> Option<Try> {
        while let Some((_, goal)) = self.frontier.pop((id, Kind::Try), u64::MAX, &|_, _| None) {
            let Goal::Try(next) = goal else { continue };
            if self.known.tried.insert(&next.test) || next.is_rerun {
                return Some(next);
            }
        }
        let mut made = None;
        self.ask_strategy(id, |strategy, see, _| made = strategy.make(see));
        made.filter(|next| self.known.tried.insert(&next.test))
    }

    fn planned(&self, by: StrategyId, next: Try, work: Work) -> Planned {
        let parted = |of: RunId| self.known.run(of).novelty.parted.is_some();
        let purpose = Purpose {
            made: Made { by: Some(by), first_by: next.made_by, of: next.of },
            generation: next.generation,
            parted: !next.is_rerun && next.of.is_some_and(parted),
            is_shape: !next.is_rerun,
            ..Purpose::default()
        };
        Planned { test: next.test, purpose, work, flip: None, judge_anyway: false }
    }

    /// Offers what a run left open to all strategies. `is_worth`: all of it, else only what no run was asked.
    pub(super) fn offer_open_branches(&mut self, run: RunId, is_worth: bool, alignment: &Alignment) {
        let paths = &self.known.run(run).paths;
        // Up to where the versions do the same, a flip of one is a flip of the other; and where one only asks more.
        let common = paths.old.steps.iter().zip(&paths.new.steps).take_while(|(a, b)| a.is_like(b)).count();
        let parted = self.known.run(run).novelty.parted.map_or(usize::MAX, |at| at.new);
        let is_same = |step: usize| {
            step < common || is_worth && step < parted && alignment.alone.new.binary_search(&step).is_err()
        };
        let same: Vec<bool> = (0..paths.new.steps.len()).map(is_same).collect();
        for side in Side::BOTH {
            for mut flip in self.known.flips(run, side, &alignment.alone[side]) {
                let is_other = self.is_another_question(&flip);
                if is_other {
                    flip.again = 0;
                }
                if side == Side::New && same[flip.step] {
                    self.known.note_proposed(&flip);
                } else if is_worth || is_other || self.known.times(&flip.key) == 0 {
                    self.offer(flip, None);
                }
            }
        }
    }

    /// A way of the program that was never taken, wanted before if at all of another value: on a path on which the same variable was
    /// computed otherwise.
    fn is_another_question(&mut self, flip: &Flip) -> bool {
        self.known.class_of_way(flip.side, self.known.step(flip), flip.other) == Class::NewWay
            && self.known.is_own(flip)
            && self.known.note_value(flip)
    }
}
