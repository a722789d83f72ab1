//! Which changed blocks of the new version have been executed, and by which test.
//!
//! In: what changed, the edges that show it ([`parallax_plan::Destination`]), runs of the new version. Out: the targets of `verdicts.json`.
//!
//! Always holds: of all test cases that reach a target, a seed is named, or else the smallest, whatever the order in which they were run. A block counts as executed when an edge was taken that leads to it
//! over jumps alone.

use crate::changed::{plain, Changed};
use parallax_change::Target;
use parallax_execute::TestCase;
use parallax_model::Program;
use parallax_plan::{Destination, Plan};
use parallax_report::diff_view::TargetView;
use parallax_trace::Trace;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The targets of a comparison while the search runs.
#[derive(Default)]
pub struct Reached {
    /// By target: the edges of the map that lead to it.
    edges: Vec<Vec<usize>>,
    views: Vec<TargetView>,
    seeds: Vec<TestCase>,
    by: Mutex<Vec<Option<TestCase>>>,
}

impl Reached {
    pub fn new(changed: &Changed, plan: &Plan, seeds: &[TestCase]) -> Reached {
        let edges = |destination: &Destination| destination.edges.iter().map(|edge| *edge as usize).collect();
        let edges = plan.versions.new.destinations.iter().map(edges).collect();
        let program = &changed.new.program;
        let views: Vec<TargetView> = changed.targets.iter().map(|t| view(program, t)).collect();
        let by = Mutex::new(vec![None; views.len()]);
        Reached { edges, views, seeds: seeds.to_vec(), by }
    }

    /// A run of the new version.
    pub fn note(&self, trace: &Trace, test: &TestCase) {
        let taken = trace.coverage();
        for (by, edges) in self.by().iter_mut().zip(&self.edges) {
            let executed = || edges.iter().any(|e| taken.get(*e).is_some_and(|n| *n > 0));
            let better = || by.as_ref().is_none_or(|known| self.rank(test) < self.rank(known));
            if executed() && better() {
                *by = Some(test.clone());
            }
        }
    }

    /// The changed lines that a run of the new version executed, as `file:line`.
    pub fn lines(&self, trace: &Trace) -> Vec<String> {
        let taken = trace.coverage();
        let is_taken = |edges: &Vec<usize>| edges.iter().any(|e| taken.get(*e).is_some_and(|n| *n > 0));
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
        for (view, by) in views.iter_mut().zip(self.by().iter()) {
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

    fn by(&self) -> MutexGuard<'_, Vec<Option<TestCase>>> {
        // Every entry is written at once.
        self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn view(program: &Program, target: &Target) -> TargetView {
    TargetView {
        file: target.file.as_ref().map(|f| plain(f)),
        line: target.line,
        function: program.func(target.func).display_name().to_owned(),
        status: "unreached".to_owned(),
        test: None,
    }
}
