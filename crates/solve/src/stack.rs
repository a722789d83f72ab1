//! The stack of layers, and the order they stand in.
//!
//! In: a query. Out: an answer, checked, and counts of what each layer did.
//!
//! Always holds: a model that leaves the stack has been evaluated on the constraints; a layer's model on
//! which they do not hold is counted against it and becomes [`Unknown::WrongModel`]. A query costs no more
//! than its limit of steps, up to what one layer does between two looks at it; the clock is the last resort.

use crate::layers::*;
use crate::query::*;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// One way of answering, or of making a query easier for the layers below.
pub trait Layer {
    fn name(&self) -> &'static str;
    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer;
    /// Drops everything remembered of the pool used so far.
    fn forget(&mut self) {}
}

/// What one layer did.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayerStatistics {
    pub queries: u64,
    /// Answers given upward.
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Queries handed on to the layers below.
    pub passed: u64,
    /// Models of this layer on which the constraints do not hold. Anything but 0 is a bug.
    pub wrong_models: u64,
    /// Without the layers below.
    pub time: Duration,
}

struct Slot {
    layer: Box<dyn Layer>,
    statistics: LayerStatistics,
}

/// The layers below a layer.
pub struct Below<'s> {
    slots: &'s mut [Slot],
    calls: u64,
    time: Duration,
}

impl Below<'_> {
    /// Asks the next layer; with none left there is no answer.
    pub fn check(&mut self, query: &Query, budget: &Budget) -> Answer {
        self.calls += 1;
        let Some((slot, rest)) = self.slots.split_first_mut() else {
            let why = if budget.is_over() { Unknown::Limit } else { Unknown::GaveUp };
            return Answer::Unknown(why);
        };
        let start = Instant::now();
        let mut below = Below { slots: rest, calls: 0, time: Duration::ZERO };
        let mut answer = slot.layer.check(query, budget, &mut below);
        let own = below.calls == 0;
        let statistics = &mut slot.statistics;
        if own && matches!(&answer, Answer::Sat(model) if !query.holds_on(model)) {
            statistics.wrong_models += 1;
            answer = Answer::Unknown(Unknown::WrongModel);
        }
        statistics.queries += 1;
        statistics.passed += below.calls;
        match answer {
            Answer::Sat(_) => statistics.sat += 1,
            Answer::Unsat(_) => statistics.unsat += 1,
            Answer::Unknown(_) => statistics.unknown += 1,
        }
        let spent = start.elapsed();
        statistics.time += spent.saturating_sub(below.time);
        self.time += spent;
        answer
    }
}

/// See the module.
pub struct Stack {
    slots: Vec<Slot>,
    pool: Option<u64>,
    wrong_models: u64,
    spent: u64,
}

impl Stack {
    /// Layers from the top, which sees a query first, to the bottom.
    pub fn new(layers: Vec<Box<dyn Layer>>) -> Stack {
        let slots = layers.into_iter().map(|layer| Slot { layer, statistics: Default::default() });
        Stack { slots: slots.collect(), pool: None, wrong_models: 0, spent: 0 }
    }

    /// What each layer did, top first.
    pub fn statistics(&self) -> impl Iterator<Item = (&'static str, &LayerStatistics)> {
        self.slots.iter().map(|slot| (slot.layer.name(), &slot.statistics))
    }

    /// Queries and answers of the stack as a whole: those of its first layer.
    pub fn totals(&self) -> LayerStatistics {
        self.slots.first().map(|slot| slot.statistics).unwrap_or_default()
    }

    /// Steps of the last query.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Models that were wrong, of any layer or of several together. Anything but 0 is a bug.
    pub fn wrong_models(&self) -> u64 {
        self.wrong_models + self.slots.iter().map(|s| s.statistics.wrong_models).sum::<u64>()
    }
}

impl Solver for Stack {
    fn check(&mut self, query: &Query, limit: &Limit) -> Answer {
        if self.pool != Some(query.pool.id()) {
            self.slots.iter_mut().for_each(|slot| slot.layer.forget());
            self.pool = Some(query.pool.id());
        }
        let budget = Budget::start(limit);
        let mut below = Below { slots: &mut self.slots, calls: 0, time: Duration::ZERO };
        let answer = below.check(query, &budget);
        self.spent = budget.spent();
        match answer {
            Answer::Sat(model) if !query.holds_on(&model) => {
                self.wrong_models += 1;
                Answer::Unknown(Unknown::WrongModel)
            }
            Answer::Unknown(_) if budget.is_late() => Answer::Unknown(Unknown::Late),
            answer => answer,
        }
    }
}

/// What of the standard stack can be chosen.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Models tried again on each query, newest first.
    pub models: usize,
    /// Unsat cores remembered.
    pub cores: usize,
    /// Evaluation steps spent on trying models again on one query.
    pub model_steps: usize,
    /// Evaluation steps spent on trying all combinations of byte values rather than asking a solver.
    pub combination_steps: u64,
    /// Evaluation steps spent on inputs that differ from the seed in one byte or two.
    pub near_steps: usize,
    /// Evaluation steps spent on a random walk, where a solver has divisions or products to understand, and on one where walks
    /// have been successful.
    pub walk_steps: usize,
    pub long_walk_steps: usize,
    /// Evaluation steps spent on a local search, where there is floating point.
    pub descend_steps: usize,
    /// Part of what is left of the limit that the first of the two solvers may use.
    pub first_share: f64,
    /// Gates of one query in the bit-blaster.
    pub gates: usize,
    /// Evaluation steps spent on one model to bring bytes back to the seed's values.
    pub restore_steps: usize,
    /// Bytes of a model for which the bit-blaster is asked whether they could keep the seed's value.
    pub seed_attempts: usize,
    /// Rounds of lemmas about floating point in the bit-blaster.
    pub refinements: usize,
    /// Where to write every query as SMT-LIB, and how many at most.
    pub record: Option<PathBuf>,
    pub record_at_most: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            models: 32,
            cores: 4096,
            model_steps: 1_000_000,
            combination_steps: 50_000,
            near_steps: 100_000,
            walk_steps: 150_000,
            long_walk_steps: 1_500_000,
            descend_steps: 600_000,
            first_share: 0.8,
            gates: 2_000_000,
            restore_steps: 2_000_000,
            seed_attempts: 16,
            refinements: REFINEMENTS,
            record: None,
            record_at_most: 100_000,
        }
    }
}

/// Part of what is left of the limit that Z3's theory of floating point may use, where there is floating point.
const REAL_SHARE: f64 = 0.5;

/// The order of the layers; `docs/decisions/0006-order-of-solvers.md` has the measurement behind it.
pub fn standard_stack(settings: &Settings) -> Stack {
    let mut layers: Vec<Box<dyn Layer>> = Vec::new();
    if let Some(directory) = &settings.record {
        layers.push(Box::new(Record::new(directory.clone(), settings.record_at_most)));
    }
    layers.push(Box::new(Split));
    layers.push(Box::new(Independence));
    layers.push(Box::new(Restore::new(settings.restore_steps)));
    layers.push(Box::new(ModelReuse::new(settings.models, settings.model_steps)));
    layers.push(Box::new(CoreReuse::new(settings.cores)));
    layers.push(Box::new(OneByte::new(settings.combination_steps)));
    layers.push(Box::new(Interval));
    layers.push(Box::new(Near::new(settings.near_steps)));
    layers.push(Box::new(Descend::new(settings.descend_steps)));
    layers.push(Box::new(Walk::new(settings.walk_steps, settings.long_walk_steps)));
    let blaster = BitBlast::new(settings.gates, settings.first_share, settings.seed_attempts);
    layers.push(Box::new(blaster.with_refinements(settings.refinements)));
    layers.push(Box::new(Z3Real::new(REAL_SHARE)));
    layers.push(Box::new(Z3::new(1.0, Z3Kind::Logic)));
    Stack::new(layers)
}
