//! Which changed blocks of the new version have been executed, and by which test.
//!
//! In: what changed, the map of the instrumented new version, its runs. Out: the targets of `verdicts.json`.
//!
//! Always holds: of all test cases that reach a target, a seed is named, or else the smallest, whatever the order in which they were run. A block counts as executed when an edge was taken that leads to it
//! over jumps alone.

use crate::changed::{plain, Changed};
use crate::guide;
use parallax_change::Target;
use parallax_execute::TestCase;
use parallax_model::{BlockId, Program};
use parallax_report::diff_view::TargetView;
use parallax_trace::sites::ProgramMap;
use parallax_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};
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
    pub fn new(changed: &Changed, map: &ProgramMap, seeds: &[TestCase]) -> Reached {
        let program = &changed.new.program;
        let blocks = guide::blocks(program, map);
        let place = |n: u32| blocks.get(n as usize).copied().flatten();
        let mut into: BTreeMap<BlockId, Vec<(usize, BlockId)>> = BTreeMap::new();
        for (number, edge) in map.edges.iter().enumerate() {
            if let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) {
                into.entry(to).or_default().push((number, from));
            }
        }
        let before = jumps(program);
        let edges = changed.targets.iter().map(|t| edges_to(t, &into, &before)).collect();
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

    /// What executed a target, each once.
    pub fn tests(&self) -> Vec<TestCase> {
        let mut found: Vec<TestCase> = Vec::new();
        for test in self.by().iter().flatten() {
            if !found.contains(test) {
                found.push(test.clone());
            }
        }
        found
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

/// By block: the blocks that do nothing at their end but jump to it.
fn jumps(program: &Program) -> BTreeMap<BlockId, Vec<BlockId>> {
    let mut before: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
    for block in program.block_ids() {
        if let [to] = program.successors(block) {
            before.entry(*to).or_default().push(block);
        }
    }
    before
}

/// Edges whose being taken means that the target is executed.
fn edges_to(
    target: &Target,
    into: &BTreeMap<BlockId, Vec<(usize, BlockId)>>,
    before: &BTreeMap<BlockId, Vec<BlockId>>,
) -> Vec<usize> {
    let edges = |block: &BlockId| into.get(block).into_iter().flatten();
    if !target.edges.is_empty() {
        let leaving = target.edges.iter().flat_map(edges).filter(|(_, from)| *from == target.block);
        return leaving.map(|(number, _)| *number).collect();
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    let mut pending = vec![target.block];
    while let Some(block) = pending.pop() {
        if seen.insert(block) {
            found.extend(edges(&block).map(|(number, _)| *number));
            pending.extend(before.get(&block).into_iter().flatten());
        }
    }
    found
}
