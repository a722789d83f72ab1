//! All shapes, in order of size.
//!
//! In: everything. Out: what came of each shape, and what was not explored.

use crate::bench::Bench;
use crate::explore::{Explored, Explorer, Tools};
use crate::partition::{Entry, Partition};
use crate::prover::{Counters, Effort, Prover};
use crate::shape::{self, Bounds, Shape};
use parallax_execute::{Interrupt, TestCase};
use parallax_search::{HarnessError, Pair};
use parallax_trace::sites::ProgramMap;
use std::time::Instant;

/// Settings, all with defaults in the command line.
#[derive(Clone, Debug)]
pub struct Settings {
    pub bounds: Bounds,
    pub effort: Effort,
    /// Members of each equal partition that are run natively, beside its witness.
    pub samples: usize,
    pub random_seed: u64,
    pub certificates: bool,
}

/// What is told while it happens.
#[derive(Clone, Debug)]
pub enum News {
    Shape(Shape),
    Partition(Box<Partition>),
    /// A partition that was told before is weak now; its witness says which.
    Weakened(Box<Partition>),
    Entry(Entry),
    /// A shape is done, with scripts for a third party.
    Done { shape: Shape, certificates: Vec<(&'static str, String)> },
}

/// What came of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeResult {
    pub shape: Shape,
    pub explored: Explored,
}

/// What came of all.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub shapes: Vec<ShapeResult>,
    /// The smallest size of which not all shapes were explored; `None` if all were.
    pub unexplored_from: Option<usize>,
    /// A size had more shapes than are enumerated.
    pub is_cut: bool,
    pub counters: Counters,
}

/// See the module. `journal`: what an earlier exploration with the same versions and bounds told.
pub fn verify(
    first: &TestCase,
    (bench, maps): (&mut dyn Bench, Pair<&ProgramMap>),
    settings: &Settings,
    journal: &[Entry],
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(News),
) -> Result<Outcome, HarnessError> {
    let mut outcome = Outcome::default();
    let mut prover = Prover::new(settings.effort);
    let mut random = fastrand::Rng::with_seed(settings.random_seed);
    for size in settings.bounds.least..=settings.bounds.most {
        let of_size = shape::of_size(size, first, &settings.bounds);
        outcome.is_cut |= of_size.is_cut;
        for shape in of_size.shapes {
            if interrupt.is_set() || Instant::now() >= settings.effort.deadline {
                outcome.unexplored_from.get_or_insert(size);
                outcome.counters = prover.counters;
                return Ok(outcome);
            }
            let mut tools = Tools {
                bench: &mut *bench,
                maps,
                settings,
                prover: &mut prover,
                interrupt,
                random: &mut random,
                tell: &mut *tell,
            };
            let explored = one(&mut tools, first, &shape, journal)?;
            outcome.shapes.push(ShapeResult { shape, explored });
            outcome.counters = prover.counters;
        }
        if of_size.is_cut {
            outcome.unexplored_from.get_or_insert(size);
        }
    }
    Ok(outcome)
}

fn one(tools: &mut Tools, first: &TestCase, shape: &Shape, journal: &[Entry]) -> Result<Explored, HarnessError> {
    (tools.tell)(News::Shape(shape.clone()));
    let base = shape.base(first);
    let mut explorer = Explorer::new(tools, shape, journal);
    let explored = explorer.run(base.clone(), journal)?;
    let certificates =
        if explorer.tools.settings.certificates { explorer.certificates(&base) } else { vec![] };
    (tools.tell)(News::Done { shape: shape.clone(), certificates });
    Ok(explored)
}
