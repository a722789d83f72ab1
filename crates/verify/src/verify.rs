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
use parallax_trace::request::Source;
use parallax_trace::sites::ProgramMap;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
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
    pub partitioning: Partitioning,
    /// How long an input is is only seen by meeting its end: the programs call nothing that says it otherwise.
    pub lengths_are_read: bool,
}

/// What is one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioning {
    /// A pair of paths, or the part of it on which the outputs are the same, or differ.
    Paths,
    /// What several of these have in common; see [`crate::merge`].
    Slices,
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
    Done {
        shape: Shape,
        certificates: Vec<(&'static str, String)>,
    },
}

/// What came of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeResult {
    pub shape: Shape,
    pub explored: Explored,
    /// The number of a result that holds for this shape, too: the versions do not come to the end of what is longer here.
    pub covered_by: Option<usize>,
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

impl Outcome {
    /// A result of which no run came to the end of anything that is longer in this shape.
    fn covering(&self, shape: &Shape, settings: &Settings) -> Option<usize> {
        let covers = |result: &ShapeResult| {
            let (known, ends) = (&result.shape, &result.explored.ends);
            let fits = |source: Source, known: usize, here: usize| {
                known == here || (known < here && !ends.contains(&source))
            };
            let file = |((path, known), (_, here)): (&(PathBuf, usize), &(PathBuf, usize))| {
                fits(Source::File(path.as_os_str().as_bytes().to_vec()), *known, *here)
            };
            result.explored.is_complete()
                && known.arguments == shape.arguments
                && fits(Source::Stdin, known.stdin.unwrap_or(0), shape.stdin.unwrap_or(0))
                && known.files.iter().zip(&shape.files).all(file)
        };
        let explored = |result: &ShapeResult| result.covered_by.is_none();
        let mut results = self.shapes.iter().enumerate().filter(|(_, result)| explored(result));
        results.find(|(_, result)| settings.lengths_are_read && covers(result)).map(|(number, _)| number)
    }
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
            if let Some(covering) = outcome.covering(&shape, settings) {
                let explored = outcome.shapes[covering].explored.clone();
                outcome.shapes.push(ShapeResult { shape, explored, covered_by: Some(covering) });
                continue;
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
            outcome.shapes.push(ShapeResult { shape, explored, covered_by: None });
            outcome.counters = prover.counters;
        }
        if of_size.is_cut {
            outcome.unexplored_from.get_or_insert(size);
        }
    }
    Ok(outcome)
}

fn one(
    tools: &mut Tools,
    first: &TestCase,
    shape: &Shape,
    journal: &[Entry],
) -> Result<Explored, HarnessError> {
    (tools.tell)(News::Shape(shape.clone()));
    let base = shape.base(first);
    let mut explorer = Explorer::new(tools, shape, journal);
    let explored = explorer.run(base.clone(), journal)?;
    explorer.merge(&base);
    let certificates =
        if explorer.tools.settings.certificates { explorer.certificates(&base) } else { vec![] };
    (tools.tell)(News::Done { shape: shape.clone(), certificates });
    Ok(explored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::Effort;
    use parallax_search::Varied;
    use std::time::Duration;

    #[test]
    fn a_shape_is_covered_by_one_whose_ends_are_not_met() {
        let shape = |stdin| Shape { arguments: Some(vec![1]), stdin: Some(stdin), files: vec![] };
        let effort = Effort { steps: 1, time: Duration::ZERO, formula: 1, deadline: Instant::now() };
        let bounds = Bounds { varied: Varied::default(), least: 0, most: 9, shapes: 9 };
        let settings = Settings {
            bounds,
            effort,
            samples: 0,
            partitioning: Partitioning::Paths,
            random_seed: 1,
            certificates: false,
            lengths_are_read: true,
        };
        let result = |ends: &[Source]| {
            let explored = Explored { ends: ends.iter().cloned().collect(), ..Explored::default() };
            ShapeResult { shape: shape(2), explored, covered_by: None }
        };
        let with = |result| Outcome { shapes: vec![result], ..Outcome::default() };
        let ended = with(result(&[Source::Stdin]));
        let open = with(result(&[Source::Argument(1)]));
        assert_eq!(
            (ended.covering(&shape(3), &settings), open.covering(&shape(3), &settings)),
            (None, Some(0))
        );
        assert_eq!(open.covering(&shape(1), &settings), None, "a shorter one");
        let unsure = Settings { lengths_are_read: false, ..settings };
        assert_eq!(open.covering(&shape(3), &unsure), None);
    }
}
