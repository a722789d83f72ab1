//! Putting questions to the solver, and what follows from its answers.

use super::*;
use crate::ask::Solved;
use crate::inputs::Changes;
use crate::path::Step;

/// Obstacles removed in a row on the way to one goal.
pub(super) const MAX_OBSTACLES: u32 = 12;
/// The size of a formula from which on a question counts as expensive.
const EXPENSIVE: u64 = 600;
/// Which part of the time for a query is enough for those of little worth, and for the first attempt at the others.
pub(super) const IMPATIENCE: u32 = 10;
/// What a millisecond counts that gave no answer, in nodes of formulas.
const NODES_PER_MILLISECOND: u64 = 1_000_000 / FORMULA_NODE_NS;
/// By how much a flip is worse that needs more time.
pub(super) const SLOW: u32 = 2;
/// By how many branches a flip may lead farther from the change than its run came, to be one that matters.
const GATE: u32 = 1;
/// Conditions of a core that are looked at, and other ways of each.
const MAX_CORE: usize = 8;

/// A question as it is put to the solver.
pub(super) struct Asked {
    pub record: usize,
    /// What must stay as it is, and the place of each among the conditions of the path or paths.
    pub holds: Vec<ExprId>,
    pub places: Vec<usize>,
    pub wants: ExprId,
    /// See [`crate::numbers`].
    over_numbers: bool,
}

impl Engine<'_> {
    /// An obstacle was removed, and what is behind it is known already: the question is put again from there.
    fn revisit(&mut self, record: usize, depth: u32) {
        if depth > self.records[record].depth {
            self.records[record].depth = depth;
            self.ask_about(record, false);
        }
    }

    /// What a question comes to over numbers, if it has that form, or else over bytes.
    fn question(&self, ask: &Ask) -> Asked {
        self.question_over_numbers(ask).unwrap_or_else(|| self.question_over_bytes(ask))
    }

    /// The conditions that must stay as they are.
    pub(super) fn kept(&self, ask: &Ask) -> Vec<&Step> {
        match ask {
            Ask::Flip(flip, _) => {
                let record = &self.records[flip.record];
                let own = &record.paths[flip.side as usize].steps[..flip.step];
                let other = &record.paths[1 - flip.side as usize].steps;
                // Behind the place where the versions parted: they shall still part.
                let behind = record.is_behind(flip.side, flip.step);
                let parted = record.brought.parted.filter(|_| behind);
                let parted = parted.map_or(0, |at| at[1 - flip.side as usize] + 1);
                own.iter().chain(other.iter().take(parted)).collect()
            }
            Ask::Joint(record, question) => {
                let [old, new] = &self.records[*record].paths;
                let (old, new) = (&old.steps[..question.prefix[0]], &new.steps[..question.prefix[1]]);
                old.iter().chain(new).collect()
            }
        }
    }

    fn question_over_bytes(&self, ask: &Ask) -> Asked {
        let holds: Vec<ExprId> = self.kept(ask).iter().map(|s| s.holds).collect();
        let (record, wants) = match ask {
            Ask::Flip(flip, _) => (flip.record, self.step(flip).others[flip.other]),
            Ask::Joint(record, question) => (*record, question.differs),
        };
        Asked { record, places: (0..holds.len()).collect(), holds, wants, over_numbers: false }
    }

    fn question_over_numbers(&self, ask: &Ask) -> Option<Asked> {
        let (record, wants) = match ask {
            Ask::Flip(flip, _) if flip.exact => return None,
            Ask::Flip(flip, _) => (flip.record, *self.step(flip).written.as_ref()?.others.get(flip.other)?),
            Ask::Joint(record, question) => (*record, question.over_numbers?),
        };
        let kept = self.kept(ask);
        let (places, holds) =
            (0..).zip(kept).filter_map(|(place, step)| Some((place, step.holds_over_numbers()?))).unzip();
        Some(Asked { record, places, holds, wants, over_numbers: true })
    }

    pub(super) fn step(&self, flip: &Flip) -> &Step {
        &self.records[flip.record].paths[flip.side as usize].steps[flip.step]
    }

    /// Puts a question to the solver, `holds` being what must stay as it is; counts it and its answer, and pays for its size.
    pub(super) fn put(&mut self, ask: &Ask, asked: &Asked, holds: &[ExprId], time: Duration) -> Solved {
        let test = &self.records[asked.record].test;
        let solved = self.mind.solve(holds, asked.wants, test, time);
        self.queue.pay(matches!(ask, Ask::Joint(..)), solved.cost);
        self.stats.queries += 1;
        match solved.answer {
            Answer::Sat(_) => self.stats.sat += 1,
            Answer::Unsat(_) => self.stats.unsat += 1,
            Answer::Unknown => self.stats.unknown += 1,
        }
        solved
    }

    pub(super) fn answer(&mut self, ask: Ask) -> Option<(TestCase, Origin)> {
        let asked = self.question(&ask);
        let time = self.time_for(&ask);
        let mut solved = self.put(&ask, &asked, &asked.holds, time);
        if matches!(solved.answer, Answer::Unknown) {
            let waited = time.as_millis() as u64 * NODES_PER_MILLISECOND;
            self.queue.pay(matches!(ask, Ask::Joint(..)), waited);
            solved.cost += waited;
        }
        self.thought_ns += solved.cost * FORMULA_NODE_NS;
        self.paid += solved.cost + 1;
        if let Ask::Flip(_, key) = &ask {
            *self.spent.entry(key.site()).or_default() += 1;
        }
        if let (Ask::Flip(_, key), true) = (&ask, solved.cost > EXPENSIVE) {
            // Others like it shall wait, whatever the answer.
            *self.vain.entry(key.branch()).or_default() += 1;
        }
        match solved.answer {
            Answer::Sat(changes) => self.follow(ask, &asked, &changes),
            Answer::Unsat(core) => {
                let places: Vec<usize> = core.iter().map(|number| asked.places[*number]).collect();
                self.remove_obstacles(&ask, &asked, &places);
                let relaxed = self.relax(&ask, &asked, core);
                self.refuse(ask, "no input takes the other side on any path that was tried");
                relaxed
            }
            Answer::Unknown => {
                self.ask_patiently(&ask);
                self.refuse(ask, "the solver gave no answer in time");
                None
            }
        }
    }

    /// The test case that an answer stands for, if it is new.
    fn follow(&mut self, ask: Ask, asked: &Asked, changes: &Changes) -> Option<(TestCase, Origin)> {
        let test = &self.records[asked.record].test;
        let new = inputs::with_changes(test, changes);
        if changes.numbers.is_empty() && self.is_about_text(&ask) {
            let inserted = inputs::with_inserted(test, &changes.bytes);
            if let Some(inserted) = inserted.filter(|t| inputs::longest(t) <= self.settings.max_input) {
                let parted = self.records[asked.record].brought.parted.is_some();
                self.queue.try_inserted(Try {
                    generation: 0,
                    test: inserted,
                    parted,
                    of: Some(asked.record),
                });
            }
        }
        if let Ask::Flip(flip, key) = &ask {
            self.ask_for_another_callee(flip, key, &new);
        }
        let origin = match ask {
            Ask::Flip(flip, key) => Origin::Flip { flip, key, over_numbers: asked.over_numbers },
            Ask::Joint(record, question) => {
                if asked.over_numbers && !self.mind.is_constant(question.differs) {
                    let exact = joint::Question { over_numbers: None, ..(*question).clone() };
                    self.ask_joint(record, exact);
                }
                Origin::Joint
            }
        };
        if self.queue.is_new(&new) {
            return Some((new, origin));
        }
        if let (Origin::Flip { flip, .. }, Some(known)) = (&origin, self.by_test.get(&new)) {
            self.revisit(*known, flip.depth);
        }
        None
    }

    /// A call goes to a function that was not called before: which others are there?
    fn ask_for_another_callee(&mut self, flip: &Flip, key: &FlipKey, found: &TestCase) {
        let Some(address) = self.step(flip).calls else { return };
        let function = self.mind.value(address, found);
        let k = flip.side as usize;
        let step = &mut self.records[flip.record].paths[k].steps[flip.step];
        self.callees[k].entry(step.site).or_default().insert(function);
        step.others[flip.other] = self.mind.and_not(step.others[flip.other], address, function);
        self.queue.ask_on(flip.clone(), key.clone());
    }

    /// A branch of the program itself, not of the libc functions that it uses.
    fn is_about_text(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Flip(flip, _) => {
                let step = self.step(flip);
                !self.guide.is_libc(flip.side, step)
            }
            Ask::Joint(..) => false,
        }
    }

    /// Informed path regeneration (seed 003): the conditions of the path that contradict what is wanted are
    /// flipped themselves, and the question is put again from where that leads. Departs from the seed in taking
    /// the conditions from the solver's unsatisfiable core, and in doing the same for joint questions.
    fn remove_obstacles(&mut self, ask: &Ask, asked: &Asked, core: &[usize]) {
        if !self.is_goal(ask) {
            return;
        }
        let (record, of_old, goal) = match ask {
            Ask::Flip(flip, _) => {
                let step = self.step(flip);
                let all = if flip.side == Side::Old { usize::MAX } else { 0 };
                (flip.record, all, (step.site as u64) << 1 | flip.side as u64)
            }
            Ask::Joint(record, question) => (*record, question.prefix[0], question.goal),
        };
        let depth = self.records[record].depth + 1;
        if depth > MAX_OBSTACLES {
            return;
        }
        // Behind the place where the versions part, conditions of the other version follow: those stay.
        let own = if let Ask::Flip(flip, _) = ask { flip.step } else { usize::MAX };
        let mut obstacles: Vec<usize> = self.neighbours(ask, asked).into_iter().take(MAX_CORE / 2).collect();
        obstacles.extend(core.iter().rev().take(MAX_CORE));
        obstacles.retain(|index| *index < own);
        let aim = Some(self.aim_of(ask));
        for index in &obstacles {
            let (side, step) =
                if *index < of_old { (Side::Old, *index) } else { (Side::New, index - of_old.min(*index)) };
            for other in 0..self.records[record].paths[side as usize].steps[step].others.len().min(MAX_CORE) {
                let obstacle = &self.records[record].paths[side as usize].steps[step];
                let key = FlipKey::new(side, obstacle, other).towards(goal, obstacle);
                if self.queue.times(&key) > 0 {
                    continue;
                }
                let flip = Flip { depth, aim: aim.clone(), ..Flip::new(record, side, step, other) };
                self.ask_flip(Class::Obstacle, flip, key);
            }
        }
    }

    /// Is it worth leaving the path for this question?
    pub(super) fn is_goal(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Flip(flip, key) => key.is_new_way(self.class_of(flip)),
            Ask::Joint(..) => true,
        }
    }

    /// The value may be computed from too few or too many bytes (`atoi` of two digits is never 300), and how many is
    /// decided by conditions on the bytes around them, which no core shows. Those conditions, nearest first.
    fn neighbours(&self, ask: &Ask, asked: &Asked) -> Vec<usize> {
        if asked.over_numbers {
            return vec![];
        }
        let hidden = match ask {
            Ask::Flip(flip, _) => &self.step(flip).hidden,
            Ask::Joint(_, question) => &question.hidden,
        };
        self.mind.nearest(&asked.holds, asked.wants, hidden)
    }

    pub(super) fn class_of(&self, flip: &Flip) -> Class {
        if self.records[flip.record].is_behind(flip.side, flip.step) {
            return Class::Behind;
        }
        if flip.alone {
            return Class::Alone;
        }
        let class = self.class(flip.side, self.step(flip), flip.other);
        if class < Class::Guard && self.is_gate(flip) {
            return class.min(Class::NewWay);
        }
        class
    }

    /// No run executes the change, and this flip is of one that came closest, where it came closest: whatever was seen there
    /// elsewhere (the loop went round once more in another place), here it may be what is missing.
    fn is_gate(&self, flip: &Flip) -> bool {
        if !self.collection.reaching.is_empty() || !self.is_nearest(flip.record) {
            return false;
        }
        let closest = self.records[flip.record].brought.closest[flip.side as usize];
        match self.guide.leads_to(flip, self.step(flip)) {
            Distance::Branches(n) => n <= closest.saturating_add(GATE),
            _ => false,
        }
    }

    fn refuse(&mut self, ask: Ask, reason: &'static str) {
        if let Ask::Flip(flip, key) = ask {
            let site = self.step(&flip).site;
            self.refused.insert((flip.side, site), reason);
            *self.vain.entry(key.branch()).or_default() += 1;
        }
    }

    /// The question is put once more, later and with all the time there is, if it is worth that.
    fn ask_patiently(&mut self, ask: &Ask) {
        match ask {
            Ask::Joint(record, question) if !question.patient => {
                self.ask_joint(*record, joint::Question { patient: true, ..(**question).clone() });
            }
            Ask::Flip(flip, key) if !flip.patient && self.is_worth_time(ask) => {
                let flip = Flip { patient: true, ..flip.clone() };
                self.ask_flip(self.class_of(&flip), flip, key.clone());
            }
            _ => {}
        }
    }

    /// What leads to new code of the program or tells the versions apart may take its time; the rest is only worth a quick answer.
    fn is_worth_time(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Joint(..) => true,
            Ask::Flip(flip, _) => {
                self.class_of(flip) <= Class::Obstacle && !self.guide.is_libc(flip.side, self.step(flip))
            }
        }
    }

    /// A quick answer at first, so that hard questions do not keep easy ones waiting.
    fn time_for(&self, ask: &Ask) -> Duration {
        let patient = match ask {
            Ask::Joint(_, question) => question.patient,
            Ask::Flip(flip, _) => flip.patient,
        };
        let time = self.settings.query_time / if patient { 1 } else { IMPATIENCE };
        self.budget.left().min(time)
    }
}
