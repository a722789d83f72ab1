//! Putting questions to the solver, and what follows from its answers.

use super::*;
use crate::ask::ExprId;

/// Obstacles removed in a row on the way to one goal.
const MAX_OBSTACLES: u32 = 12;
/// The size of a formula from which on a question counts as expensive.
const EXPENSIVE: u64 = 600;
/// Conditions of a core that are looked at, and other ways of each.
const MAX_CORE: usize = 8;

impl Engine<'_> {
    /// An obstacle was removed, and what is behind it is known already: the question is put again from there.
    fn revisit(&mut self, record: usize, depth: u32) {
        if depth > self.records[record].depth {
            self.records[record].depth = depth;
            self.ask_about(record, true);
        }
    }

    /// The record a question is about, what must stay as it is, and what is wanted.
    fn question(&self, ask: &Ask) -> (usize, Vec<ExprId>, ExprId) {
        match ask {
            Ask::Flip(flip, _) => {
                let record = &self.records[flip.record];
                let path = &record.paths[flip.side as usize];
                let mut holds: Vec<ExprId> = path.steps[..flip.step].iter().map(|s| s.holds).collect();
                if record.is_behind(flip.step) {
                    // The versions shall still part.
                    let other = &record.paths[1 - flip.side as usize];
                    holds
                        .extend(other.steps.iter().take(record.parted.map_or(0, |p| p + 1)).map(|s| s.holds));
                }
                (flip.record, holds, path.steps[flip.step].others[flip.other])
            }
            Ask::Joint(record, question) => {
                let [old, new] = &self.records[*record].paths;
                let steps = old.steps[..question.prefix[0]].iter().chain(&new.steps[..question.prefix[1]]);
                (*record, steps.map(|s| s.holds).collect(), question.differs)
            }
        }
    }

    pub(super) fn answer(&mut self, ask: Ask) -> Option<(TestCase, Origin)> {
        let (record, holds, wants) = self.question(&ask);
        self.stats.queries += 1;
        let test = &self.records[record].test;
        let solved = self.mind.solve(&holds, wants, test, self.time_left());
        self.queue.pay(matches!(ask, Ask::Joint(..)), solved.cost);
        if let (Ask::Flip(_, key), true) = (&ask, solved.cost > EXPENSIVE) {
            // Others like it shall wait, whatever the answer.
            *self.vain.entry(key.branch()).or_default() += 1;
        }
        match solved.answer {
            Answer::Sat(changes) => {
                self.stats.sat += 1;
                let new = inputs::with_bytes(test, &changes);
                let inserted = inputs::with_inserted(test, &changes);
                let inserted = inserted.filter(|_| self.is_about_text(&ask));
                if let Some(inserted) = inserted.filter(|t| inputs::longest(t) <= self.settings.max_input) {
                    self.queue.try_inserted(inserted, self.records[record].parted.is_some());
                }
                let origin = match ask {
                    Ask::Flip(flip, _) => Origin::Flip(flip),
                    Ask::Joint(..) => Origin::Joint,
                };
                if self.queue.is_new(&new) {
                    return Some((new, origin));
                }
                if let (Origin::Flip(flip), Some(known)) = (&origin, self.by_test.get(&new)) {
                    self.revisit(*known, flip.depth);
                }
                None
            }
            Answer::Unsat(core) => {
                self.stats.unsat += 1;
                self.remove_obstacles(&ask, &core);
                self.refuse(ask, "no input takes the other side on any path that was tried");
                None
            }
            Answer::Unknown => {
                self.stats.unknown += 1;
                self.refuse(ask, "the solver gave no answer in time");
                None
            }
        }
    }

    /// A branch of the program itself, not of the libc functions that it uses.
    fn is_about_text(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Flip(flip, _) => {
                let step = &self.records[flip.record].paths[flip.side as usize].steps[flip.step];
                !self.guide.is_libc(flip.side, step)
            }
            Ask::Joint(..) => false,
        }
    }

    /// Informed path regeneration (seed 003): the conditions of the path that contradict what is wanted are
    /// flipped themselves, and the question is put again from where that leads. Departs from the seed in taking
    /// the conditions from the solver's unsatisfiable core, and in doing the same for joint questions.
    fn remove_obstacles(&mut self, ask: &Ask, core: &[usize]) {
        let (record, of_old, goal) = match ask {
            Ask::Flip(flip, key) if key.is_new_way(self.class_of(flip)) => {
                let step = &self.records[flip.record].paths[flip.side as usize].steps[flip.step];
                let all = if flip.side == Side::Old { usize::MAX } else { 0 };
                (flip.record, all, (step.site as u64) << 1 | flip.side as u64)
            }
            Ask::Joint(record, question) => (*record, question.prefix[0], question.goal),
            Ask::Flip(..) => return,
        };
        let depth = self.records[record].depth + 1;
        if depth > MAX_OBSTACLES {
            return;
        }
        // Behind the place where the versions part, conditions of the other version follow: those stay.
        let own = if let Ask::Flip(flip, _) = ask { flip.step } else { usize::MAX };
        let mut obstacles: Vec<usize> = self.neighbours(ask).into_iter().take(MAX_CORE / 2).collect();
        obstacles.extend(core.iter().rev().take(MAX_CORE));
        obstacles.retain(|index| *index < own);
        for index in &obstacles {
            let (side, step) =
                if *index < of_old { (Side::Old, *index) } else { (Side::New, index - of_old.min(*index)) };
            for other in 0..self.records[record].paths[side as usize].steps[step].others.len().min(MAX_CORE) {
                let obstacle = &self.records[record].paths[side as usize].steps[step];
                let key = FlipKey::new(side, obstacle, other).towards(goal, obstacle);
                let again = self.queue.times(&key);
                let flip = Flip { record, side, step, other, depth, alone: false, again };
                let rank = self.rank(Class::Obstacle, &flip, &key);
                self.queue.ask(rank, flip, key);
            }
        }
    }

    /// The value may be computed from too few or too many bytes (`atoi` of two digits is never 300), and how many is
    /// decided by conditions on the bytes around them, which no core shows. Those conditions, nearest first.
    fn neighbours(&mut self, ask: &Ask) -> Vec<usize> {
        let (_, holds, wants) = self.question(ask);
        let hidden = match ask {
            Ask::Flip(flip, _) => {
                &self.records[flip.record].paths[flip.side as usize].steps[flip.step].hidden
            }
            Ask::Joint(_, question) => &question.hidden,
        };
        self.mind.nearest(&holds, wants, hidden)
    }

    pub(super) fn class_of(&self, flip: &Flip) -> Class {
        if self.records[flip.record].is_behind(flip.step) {
            return Class::Behind;
        }
        if flip.alone {
            return Class::Alone;
        }
        self.class(flip.side, &self.records[flip.record].paths[flip.side as usize].steps[flip.step])
    }

    fn refuse(&mut self, ask: Ask, reason: &'static str) {
        if let Ask::Flip(flip, key) = ask {
            let site = self.records[flip.record].paths[flip.side as usize].steps[flip.step].site;
            self.refused.insert((flip.side, site), reason);
            *self.vain.entry(key.branch()).or_default() += 1;
        }
    }

    fn time_left(&self) -> Duration {
        self.budget.time.saturating_sub(self.started.elapsed()).min(self.settings.query_time)
    }
}
