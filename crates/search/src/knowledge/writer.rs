//! The only writer of [`Knowledge`]: what a run adds to it.
//!
//! In: a run, and why it was made. Out: what the strategies are told about it ([`RunFacts`]).

use super::{Knowledge, Made, Novelty, Run};
use crate::expressions::Expressions;
use crate::goal::{Aim, Branch, Flip, RunId, Site};
use crate::joint::{self, Alignment};
use crate::mutate::Token;
use crate::path::{Common, Path, Step};
use crate::words::Compared;
use crate::{hash_of, Budget, CutShort, Glimpse, Traced};
use crate::{Pair, Side};
use parallax_execute::TestCase;
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// Test cases that came as close to the change as any that are kept.
const MAX_NEARBY: usize = 64;
/// Paths that are forgotten between two looks at how much is left.
const FORGOTTEN_AT_ONCE: usize = 16;
/// The versions part seldom at a place if they did on so many runs at most.
const RARE: u32 = 8;

/// Why a run was made, as far as it matters for what is learned from it.
#[derive(Clone, Debug, Default)]
pub struct Purpose {
    pub made: Made,
    pub is_seed: bool,
    pub generation: u32,
    pub depth: u32,
    /// The versions were made to part.
    pub parted: bool,
    /// What it is to reach in the end.
    pub aim: Option<Rc<Aim>>,
    /// It is the run `made.of` in another shape.
    pub is_shape: bool,
}

/// What strategies are told about a run.
pub struct RunFacts {
    pub id: RunId,
    /// It is worth asking everything about it.
    pub is_worth: bool,
    pub is_seed: bool,
    pub aim: Option<Rc<Aim>>,
    /// For a test case of another shape: the run that it comes from.
    pub shape_of: Option<RunId>,
    /// What it was compared with, and which texts no run was compared with before.
    pub compared: Compared,
    pub fresh: Vec<Token>,
    /// Which conditions of the versions correspond; empty for runs of little worth.
    pub alignment: Alignment,
}

/// What a coverage run did that none before it had done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glimpsed {
    Nothing,
    /// An edge was taken more often than ever.
    Something,
    /// It executed code of the program that none did, came closer to the change, or infected the state in a new way.
    Striking,
}

impl Knowledge<'_> {
    /// Takes in a run.
    pub fn take_in(
        &mut self,
        test: TestCase,
        purpose: Purpose,
        traced: &Pair<Traced>,
        maps: Pair<&ProgramMap>,
        (expressions, budget): (&mut Expressions, &Budget),
    ) -> RunFacts {
        let mut novelty = Novelty::default();
        let (mut compared, mut fresh) = (Compared::new(), Vec::new());
        let paths = Pair::from_fn(|side| {
            let mut met = self.hints.learn(&traced[side].trace, &traced[side].inputs);
            compared.append(&mut met.compared);
            fresh.append(&mut met.fresh);
            let path = Path::of(&traced[side], maps[side], &mut self.common[side], expressions, budget);
            self.note_coverage(side, &traced[side], &path, &mut novelty);
            path
        });
        let taken = traced.as_ref().map(|t| t.trace.edges_taken().collect::<Vec<_>>());
        novelty.infects = self.note_favourite(&test, &taken);
        // How often a run that was cut did something says only how long it may run.
        let is_cut = traced.iter().any(|(_, traced)| traced.cost.cut != CutShort::No);
        novelty.news &= !is_cut || novelty.first;
        self.note_nearby(&test, novelty.closest);
        if purpose.is_seed {
            self.note_unmatched(&paths);
        }
        let parts = parting(&paths, &self.unmatched);
        novelty.parted = parts.filter(|at| self.parts_rarely(&paths, *at) || purpose.parted);
        novelty.through = novelty.reaches() && self.through.insert(set_of_ways(&paths));
        if novelty.through {
            self.corpus.reaching.push(test.clone());
        }
        if novelty.is_something() || self.runs.is_empty() {
            self.corpus.all.push(test.clone());
        }
        let is_worth = novelty.is_something() || purpose.depth > 0;
        let alignment = if is_worth { joint::align(&paths.old, &paths.new) } else { Alignment::default() };
        let shape_of = purpose.made.of.filter(|_| purpose.is_shape);
        let Purpose { made, is_seed, generation, depth, aim, .. } = purpose;
        let last = Pair::from_fn(|side| {
            let own = |step: &Step| !step.is_guard && !self.guide.is_libc(side, step);
            paths[side].steps.iter().rposition(own)
        });
        let id = RunId(self.runs.len());
        self.by_test.insert(test.clone(), id);
        self.path_bytes += paths.iter().map(|(_, path)| path.bytes()).sum::<u64>();
        self.runs.push(Run { test, paths, depth, last, novelty, generation, made });
        RunFacts { id, is_worth, is_seed, aim, shape_of, compared, fresh, alignment }
    }

    fn note_coverage(&mut self, side: Side, traced: &Traced, path: &Path, novelty: &mut Novelty) {
        let closest = self.guide.closest(side, traced.trace.edges_taken());
        novelty.closest[side] = closest;
        novelty.first |= traced.trace.edges_taken().any(|(edge, _)| self.is_new_edge(side, edge));
        novelty.news |= self.coverage.add_edges(side, traced.trace.edges_taken());
        for step in &path.steps {
            let branch = Branch { site: Site { side, number: step.site }, way: step.way };
            novelty.news |= self.coverage.add_way(branch, step.context);
        }
        novelty.news |= closest < self.nearest[side];
    }

    /// A run that executed something for the first time, and that all strategies have been told of.
    pub fn note_first(&mut self, run: RunId) {
        if self.run(run).novelty.first {
            self.firsts.push(self.run(run).test.clone());
        }
    }

    /// Takes in a coverage run.
    pub fn glimpse(&mut self, test: &TestCase, both: &Pair<Glimpse>) -> Glimpsed {
        let (mut new, mut striking) = (false, false);
        for (side, glimpse) in both.iter() {
            let taken = || glimpse.taken.iter().copied();
            striking |= taken()
                .any(|(edge, _)| self.is_new_edge(side, edge) && !self.coverage.has_glimpsed(side, edge));
            new |= self.coverage.glimpse_edges(side, taken());
            striking |= self.guide.closest(side, taken()) < self.nearest[side];
        }
        striking |= self.note_favourite(test, &both.as_ref().map(|glimpse| glimpse.taken.clone()));
        let is_cut = both.iter().any(|(_, glimpse)| glimpse.cost.cut != CutShort::No);
        match (striking, new && !is_cut) {
            (true, _) => Glimpsed::Striking,
            (false, true) => Glimpsed::Something,
            (false, false) => Glimpsed::Nothing,
        }
    }

    /// A way between blocks of the program itself that was never taken by a run that was traced.
    fn is_new_edge(&self, side: Side, edge: u32) -> bool {
        !self.coverage.has_edge(side, edge) && !self.guide.is_edge_of_libc(side, edge)
    }

    /// Keeps the test case if it is the smallest that does something. True if the versions did some unchanged code differently often
    /// where they never had.
    fn note_favourite(&mut self, test: &TestCase, taken: &Pair<Vec<(u32, u8)>>) -> bool {
        for (side, taken) in taken.iter() {
            let own = taken.iter().filter(|(edge, _)| !self.guide.is_edge_of_libc(side, *edge));
            self.corpus.smallest.offer(test, own.map(|(edge, _)| (side, *edge)));
        }
        self.corpus.infected.offer(test, self.guide.infected(taken))
    }

    /// Keeps test cases that came as close to the change as any.
    fn note_nearby(&mut self, test: &TestCase, closest: Pair<u32>) {
        let nearer = Side::BOTH.into_iter().any(|side| closest[side] < self.nearest[side]);
        if nearer {
            self.corpus.nearby.clear();
        }
        self.nearest = Pair::from_fn(|side| self.nearest[side].min(closest[side]));
        if nearer || closest == self.nearest && self.corpus.nearby.len() < MAX_NEARBY {
            self.corpus.nearby.push(test.clone());
        }
    }

    fn note_unmatched(&mut self, paths: &Pair<Path>) {
        let unmatched = joint::align(&paths.old, &paths.new).unmatched;
        for (side, path) in paths.iter() {
            self.unmatched[side].extend(unmatched[side].iter().map(|at| path.steps[*at].site));
        }
    }

    /// Have the versions parted here on few runs so far? Where they do on every run, one of them only asks more.
    fn parts_rarely(&mut self, paths: &Pair<Path>, at: Pair<usize>) -> bool {
        let place = Pair::from_fn(|side| paths[side].steps.get(at[side]).map(|step| step.site));
        let times = self.partings.entry(place).or_default();
        *times += 1;
        *times <= RARE
    }

    /// The same flip was proposed once more.
    pub fn note_proposed(&mut self, flip: &Flip) {
        *self.asked.times.entry(flip.key.clone()).or_default() += 1;
    }

    /// A value is wanted of a branch. True the first time.
    pub fn note_value(&mut self, flip: &Flip) -> bool {
        let value = self.step(flip).others[flip.other];
        self.asked.values.insert((flip.key.branch(), value))
    }

    /// Drops paths of runs, those of least worth first, until all of them together take no more than this: those that brought nothing new, then
    /// those that only did something more often, then the others; of equals the oldest first.
    pub fn forget_least(&mut self, most: u64) -> HashSet<RunId> {
        let mut order: Vec<(u8, usize)> =
            (0..self.runs.len()).map(|run| (worth(&self.runs[run]), run)).collect();
        order.sort_unstable();
        let mut forgotten = HashSet::new();
        for (_, run) in order {
            let paths = std::mem::take(&mut self.runs[run].paths);
            let bytes = paths.iter().map(|(_, path)| path.bytes()).sum::<u64>();
            drop(paths);
            if bytes > 0 {
                self.path_bytes -= bytes;
                forgotten.insert(RunId(run));
            }
            // What is shared goes with the last path that has it; looking for that takes long.
            if forgotten.len() % FORGOTTEN_AT_ONCE == 0 {
                self.common = std::mem::take(&mut self.common).map(Common::without_unused);
                if self.bytes() <= most {
                    break;
                }
            }
        }
        forgotten
    }

    /// Drops all paths and what is about their expressions.
    pub fn forget_paths(&mut self) {
        self.runs.iter_mut().for_each(|run| run.paths = Pair::default());
        (self.common, self.path_bytes) = (std::mem::take(&mut self.common).map(Common::without_unused), 0);
        self.asked.values.clear();
    }
}

/// What the path of a run is worth.
fn worth(run: &Run) -> u8 {
    match &run.novelty {
        novelty if novelty.is_near() => 3,
        novelty if novelty.first => 2,
        novelty => u8::from(novelty.news || run.depth > 0),
    }
}

/// The first conditions, one of each version, that come out differently. `unmatched`: sites of conditions that only one version has.
fn parting(paths: &Pair<Path>, unmatched: &Pair<HashSet<u32>>) -> Option<Pair<usize>> {
    let (mut i, mut j) = (0, 0);
    loop {
        let (a, b) = (paths.old.steps.get(i), paths.new.steps.get(j));
        let alike = |a: &Step, b: &Step| a.is_call() && b.is_call() || a.holds == b.holds;
        match (a, b) {
            (Some(a), Some(b)) if alike(a, b) => (i, j) = (i + 1, j + 1),
            (Some(a), _) if unmatched.old.contains(&a.site) => i += 1,
            (_, Some(b)) if unmatched.new.contains(&b.site) => j += 1,
            (Some(a), Some(b)) if a.way == b.way => (i, j) = (i + 1, j + 1),
            (None, None) => return None,
            _ => return Some(Pair::new(i, j)),
        }
    }
}

/// Which ways were taken, whatever the order, as a hash.
fn set_of_ways(paths: &Pair<Path>) -> u64 {
    let ways = paths.iter().flat_map(|(side, path)| path.steps.iter().map(move |s| (side, s.site, s.way)));
    hash_of(&ways.collect::<BTreeSet<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::tests::branch;

    fn path(steps: &[Step]) -> Path {
        Path { steps: steps.to_vec(), ..Path::default() }
    }

    #[test]
    fn versions_part_where_the_same_question_gets_another_answer() {
        let none = Pair::default();
        let old = path(&[branch(1, true, 1), branch(2, false, 2), branch(3, true, 3)]);
        let new = path(&[branch(1, true, 1), branch(2, true, 4)]);
        assert_eq!(parting(&Pair::new(old.clone(), new), &none), Some(Pair::new(1, 1)));
        assert_eq!(parting(&Pair::new(old.clone(), old.clone()), &none), None);
        let shorter = path(&[branch(1, true, 1), branch(2, false, 2)]);
        assert_eq!(parting(&Pair::new(old, shorter), &none), Some(Pair::new(2, 2)));
    }

    #[test]
    fn a_question_that_only_one_version_asks_on_a_seed_already_does_not_part_them() {
        let old = path(&[branch(1, true, 1), branch(3, false, 3)]);
        let new = path(&[branch(1, true, 1), branch(9, true, 9), branch(3, false, 3)]);
        let paths = Pair::new(old, new);
        assert_eq!(parting(&paths, &Pair::new(HashSet::new(), HashSet::from([9]))), None);
        assert_eq!(parting(&paths, &Pair::default()), Some(Pair::new(1, 1)));
    }
}
