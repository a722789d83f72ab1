//! Which changed blocks of the new version have been executed, and by which test.
//!
//! In: what changed, the edges that show it ([`parallax_plan::Destination`]), or any other targets; runs of the new version. Out: the targets of
//! `verdicts.json`; all that was executed.
//!
//! Always holds: of all test cases that reach a target, a seed is named, or else the smallest, whatever the order in which they were run. A block counts as executed when an edge was taken that leads to it
//! over jumps alone.

use crate::changed::{plain, Changed};
use parallax_change::Target;
use parallax_execute::TestCase;
use parallax_model::Program;
use parallax_plan::{Destination, Plan};
use parallax_report::diff_view::TargetView;
use parallax_trace::sites::ProgramMap;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The targets of a comparison while the search runs.
#[derive(Default)]
pub struct Reached {
    /// By target: the edges of the map that lead to it.
    edges: Vec<Vec<u32>>,
    views: Vec<TargetView>,
    seeds: Vec<TestCase>,
    seen: Mutex<Seen>,
}

/// What runs have shown.
#[derive(Default)]
struct Seen {
    /// By target: the best test case that executes it.
    by: Vec<Option<TestCase>>,
    /// By edge of the map: was it ever taken?
    taken: Vec<bool>,
}

impl Reached {
    /// Changed blocks.
    pub fn new(changed: &Changed, plan: &Plan, map: &ProgramMap, seeds: &[TestCase]) -> Reached {
        let edges = |destination: &Destination| destination.edges.clone();
        let edges = plan.versions.new.destinations.iter().map(edges).collect();
        let program = &changed.new.program;
        let views: Vec<TargetView> = changed.targets.iter().map(|t| view(program, t)).collect();
        Reached::of(edges, views, map, seeds)
    }

    /// Any targets, each with the edges of which one is taken whenever it is executed.
    pub fn of(edges: Vec<Vec<u32>>, views: Vec<TargetView>, map: &ProgramMap, seeds: &[TestCase]) -> Reached {
        let seen = Seen { by: vec![None; views.len()], taken: vec![false; map.edges.len()] };
        Reached { edges, views, seeds: seeds.to_vec(), seen: Mutex::new(seen) }
    }

    pub fn edges(&self) -> &[Vec<u32>] {
        &self.edges
    }

    /// By edge of the map: has any run taken it?
    pub fn taken(&self) -> Vec<bool> {
        self.seen().taken.clone()
    }

    /// A run of the new version.
    pub fn note(&self, taken: impl Iterator<Item = (u32, u8)>, test: &TestCase) {
        let taken: BTreeSet<u32> = taken.map(|(edge, _)| edge).collect();
        let mut seen = self.seen();
        for edge in &taken {
            if let Some(known) = seen.taken.get_mut(*edge as usize) {
                *known = true;
            }
        }
        for (by, edges) in seen.by.iter_mut().zip(&self.edges) {
            let executed = || edges.iter().any(|edge| taken.contains(edge));
            let better = || by.as_ref().is_none_or(|known| self.rank(test) < self.rank(known));
            if executed() && better() {
                *by = Some(test.clone());
            }
        }
    }

    /// The changed lines that a run of the new version executed, as `file:line`.
    pub fn lines(&self, trace: &parallax_trace::Trace) -> Vec<String> {
        let taken = trace.coverage();
        let is_taken =
            |edges: &Vec<u32>| edges.iter().any(|e| taken.get(*e as usize).is_some_and(|n| *n > 0));
        let executed = self.views.iter().zip(&self.edges).filter(|(_, edges)| is_taken(edges));
        let mut lines: Vec<String> = executed.map(|(view, _)| view.place()).collect();
        lines.dedup();
        lines
    }

    /// Less is better.
    fn rank<'t>(&self, test: &'t TestCase) -> impl Ord + 't {
        let files: usize = test.files.iter().map(|(_, content)| content.len()).sum();
        let size = test.argv.iter().map(Vec::len).sum::<usize>() + test.stdin.len() + files;
        (!self.seeds.contains(test), test.argv.len() + size, &test.argv, &test.stdin, &test.files, &test.env)
    }

    /// The targets as they stand. `name`: where a test case that is no seed is kept.
    pub fn views<E>(
        &self,
        mut name: impl FnMut(&TestCase) -> Result<String, E>,
    ) -> Result<Vec<TargetView>, E> {
        let mut views = self.views.clone();
        for (view, by) in views.iter_mut().zip(&self.seen().by) {
            match by {
                None => {}
                Some(test) if self.seeds.contains(test) => view.status = "seed".to_owned(),
                Some(test) => {
                    view.status = "reached".to_owned();
                    view.test = Some(name(test)?);
                }
            }
        }
        Ok(views)
    }

    /// What executed a target, each once.
    pub fn tests(&self) -> Vec<TestCase> {
        let mut found: Vec<TestCase> = Vec::new();
        for test in self.seen().by.iter().flatten() {
            if !found.contains(test) {
                found.push(test.clone());
            }
        }
        found
    }

    /// The test cases by target, and the targets' places.
    pub fn found(&self) -> Vec<(TargetView, Option<TestCase>)> {
        self.views.iter().cloned().zip(self.seen().by.iter().cloned()).collect()
    }

    /// Is this one of the seeds?
    pub fn is_seed(&self, test: &TestCase) -> bool {
        self.seeds.contains(test)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // Every entry is written at once.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a target is.
pub fn view(program: &Program, target: &Target) -> TargetView {
    TargetView {
        way: None,
        file: target.file.as_ref().map(|f| plain(f)),
        line: target.line,
        function: program.func(target.func).display_name().to_owned(),
        status: "unreached".to_owned(),
        test: None,
    }
}
