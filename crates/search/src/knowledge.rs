//! What the search knows: the runs it has seen, what they covered, the corpus, what was asked and what came of it.
//!
//! In: runs, coverage runs, answers, each once, from the engine ([`writer`]). Out: everything that a strategy may ask.
//!
//! Always holds: only the engine writes; strategies see it through a shared reference.

use crate::corpus::Corpus;
use crate::coverage::Coverage;
use crate::expressions::ExprId;
use crate::goal::{Aim, Branch, Flip, FlipKey, RunId, Site, StrategyId};
use crate::guide::Guide;
use crate::known::Known;
use crate::mutate::Hints;
use crate::path::{Common, Path, Step};
use crate::{Pair, Side};
use parallax_execute::TestCase;
use parallax_plan::Distance;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

pub mod writer;

/// A test case that was run, as the search remembers it.
pub struct Run {
    pub test: TestCase,
    pub paths: Pair<Path>,
    /// See [`Flip::depth`].
    pub depth: u32,
    /// The last condition of the program itself in each version: after it the run did what ends it.
    pub last: Pair<Option<usize>>,
    pub novelty: Novelty,
    /// How many changes of shape away from a seed.
    pub generation: u32,
    pub made: Made,
}

/// Where a test case comes from. A seed comes from nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    pub by: Option<StrategyId>,
    /// Who made it first, if `by` only has it run again.
    pub first_by: Option<StrategyId>,
    pub of: Option<RunId>,
}

impl Run {
    /// Is this condition behind the place where the versions parted?
    pub fn is_behind(&self, side: Side, step: usize) -> bool {
        self.novelty.parted.is_some_and(|at| step > at[side])
    }
}

/// What a run did that none before it had done.
#[derive(Clone, Debug)]
pub struct Novelty {
    /// It covered something for the first time, or came closer to the change.
    pub news: bool,
    /// It was the first to execute some code of the program.
    pub first: bool,
    /// Where the versions went different ways, if they were made to, here or on the run this one comes from, or if they seldom do
    /// there. What is left is to make it visible, so the flips behind this place are asked although they were asked elsewhere.
    pub parted: Option<Pair<usize>>,
    /// It executed the change, and took a set of ways that no other did that executed it.
    pub through: bool,
    /// The versions executed some unchanged code differently often where they never had.
    pub infects: bool,
    /// How close it came to changed code, in each version; see [`Guide::closest`].
    pub closest: Pair<u32>,
}

impl Default for Novelty {
    fn default() -> Novelty {
        let closest = Pair::new(u32::MAX, u32::MAX);
        Novelty { news: false, first: false, parted: None, through: false, infects: false, closest }
    }
}

impl Novelty {
    pub fn reaches(&self) -> bool {
        self.closest.old == 0 || self.closest.new == 0
    }

    /// What is made from it need not wait for what is made from others.
    pub fn is_near(&self) -> bool {
        self.through || self.infects || self.parted.is_some()
    }

    pub fn is_something(&self) -> bool {
        self.news || self.is_near()
    }
}

/// How promising a flip is; the smaller the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Behind the place where the versions have parted, to make it visible.
    Behind,
    /// A condition that only one of the versions has, or has in another form.
    Alone,
    /// A branch that was never seen going the other way.
    NewWay,
    /// An earlier branch that stood in the way of one of these.
    Obstacle,
    /// Seen the other way, but not in this calling context.
    NewContext,
    /// Seen in this context, but not in this round of a loop.
    NewRound,
    /// Divisors, shift amounts and indices that go out of bounds.
    Guard,
}

/// By how many branches a flip may lead farther from the change than its run came, to be one that matters.
const GATE: u32 = 1;

/// What was asked, and what came of it.
#[derive(Default)]
pub struct Asked {
    /// How often the same flip was proposed, on any run.
    pub times: HashMap<FlipKey, u32>,
    /// How often the solver was asked in vain, or at great expense, to take a branch another way.
    pub failures: HashMap<Branch, u32>,
    /// How often it was asked about a site at all.
    pub about: HashMap<Site, u32>,
    /// Which values were asked for at a branch.
    values: HashSet<(Branch, ExprId)>,
    /// Why a site was never seen going the other way.
    pub refused: BTreeMap<Site, &'static str>,
}

/// See the module.
pub struct Knowledge<'a> {
    pub guide: Guide<'a>,
    pub runs: Vec<Run>,
    pub by_test: HashMap<TestCase, RunId>,
    pub coverage: Coverage,
    pub corpus: Corpus,
    pub hints: Hints,
    pub asked: Asked,
    /// Test cases that were tried or are not to be.
    pub tried: Known,
    /// How close any run came to changed code, in each version.
    pub nearest: Pair<u32>,
    /// Test cases that executed some code of the program for the first time.
    pub firsts: Vec<TestCase>,
    /// What the paths of a version share, and bytes that they take beside that.
    common: Pair<Common>,
    path_bytes: u64,
    /// Conditions that one version has and the other has not, on a seed already: compilers see to that, and the versions are not parted by it.
    unmatched: Pair<HashSet<u32>>,
    /// On how many runs the versions went different ways, by the conditions where they did.
    partings: HashMap<Pair<Option<u32>>, u32>,
    /// The sets of ways that runs through changed code took, as hashes.
    through: HashSet<u64>,
}

impl<'a> Knowledge<'a> {
    pub fn new(guide: Guide<'a>, tried: Known) -> Knowledge<'a> {
        Knowledge {
            guide,
            runs: vec![],
            by_test: HashMap::new(),
            coverage: Coverage::default(),
            corpus: Corpus::default(),
            hints: Hints::default(),
            asked: Asked::default(),
            tried,
            nearest: Pair::new(u32::MAX, u32::MAX),
            firsts: vec![],
            common: Pair::default(),
            path_bytes: 0,
            unmatched: Pair::default(),
            partings: HashMap::new(),
            through: HashSet::new(),
        }
    }

    /// Bytes that paths take, about.
    pub fn bytes(&self) -> u64 {
        self.path_bytes + self.common.iter().map(|(_, common)| common.bytes()).sum::<u64>()
    }

    pub fn run(&self, id: RunId) -> &Run {
        &self.runs[id.0]
    }

    /// Is the condition behind these ones part of changed code, in one of the versions?
    pub fn is_changed_here(&self, run: RunId, prefix: Pair<usize>) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let step = self.run(run).paths[side].steps.get(prefix[side]);
            step.is_some_and(|step| self.guide.is_changed(side, step))
        })
    }

    pub fn step(&self, flip: &Flip) -> &Step {
        &self.run(flip.run).paths[flip.side].steps[flip.step]
    }

    /// How much farther from the change a run stayed than others came.
    pub fn farther(&self, closest: Pair<u32>) -> u32 {
        let known = Side::BOTH.into_iter().filter(|side| self.nearest[*side] < u32::MAX);
        known.map(|side| closest[side] - self.nearest[side]).min().unwrap_or(0)
    }

    /// Did no run come closer to the change?
    pub fn is_nearest(&self, run: RunId) -> bool {
        self.farther(self.run(run).novelty.closest) == 0
    }

    /// How often the same flip was proposed, on this or another run.
    pub fn times(&self, key: &FlipKey) -> u32 {
        self.asked.times.get(key).copied().unwrap_or(0)
    }

    /// Is the condition of a flip one of the program itself, not of the libc functions that Parallax brings?
    pub fn is_own(&self, flip: &Flip) -> bool {
        !self.guide.is_libc(flip.side, self.step(flip))
    }

    /// What is new about the other way of a condition.
    pub fn class_of_way(&self, side: Side, step: &Step, other: usize) -> Class {
        let branch = Branch { site: Site { side, number: step.site }, way: step.other_ways[other] };
        if step.is_guard {
            Class::Guard
        } else if !self.coverage.has_way(branch) {
            Class::NewWay
        } else if !self.coverage.has_context(branch, step.context) {
            Class::NewContext
        } else {
            Class::NewRound
        }
    }

    pub fn class_of(&self, flip: &Flip) -> Class {
        if flip.key.is_obstacle() {
            return Class::Obstacle;
        }
        self.class_in_itself(flip)
    }

    /// The class of a flip, whatever it is for.
    pub fn class_in_itself(&self, flip: &Flip) -> Class {
        if self.run(flip.run).is_behind(flip.side, flip.step) {
            return Class::Behind;
        }
        if flip.alone {
            return Class::Alone;
        }
        let class = self.class_of_way(flip.side, self.step(flip), flip.other);
        if class < Class::Guard && self.is_gate(flip) {
            return class.min(Class::NewWay);
        }
        class
    }

    /// No run executes the change, and this flip is of one that came closest, where it came closest: whatever was seen there elsewhere
    /// (the loop went round once more in another place), here it may be what is missing.
    fn is_gate(&self, flip: &Flip) -> bool {
        if !self.corpus.reaching.is_empty() || !self.is_nearest(flip.run) {
            return false;
        }
        let closest = self.run(flip.run).novelty.closest[flip.side];
        match self.guide.leads_to(flip, self.step(flip)) {
            Distance::Branches(n) => n <= closest.saturating_add(GATE),
            _ => false,
        }
    }

    /// All other ways of the conditions of one version's run. `alone`: places of those that the other version has not.
    pub fn flips(&self, run: RunId, side: Side, alone: &[usize]) -> Vec<Flip> {
        let mut list = Vec::new();
        for (index, step) in self.run(run).paths[side].steps.iter().enumerate() {
            let alone = alone.binary_search(&index).is_ok();
            for other in 0..step.others.len() {
                let mut key = FlipKey::new(side, step, other);
                if self.run(run).is_behind(side, index) {
                    key = key.to_propagate(step);
                }
                let again = self.times(&key);
                list.push(Flip { alone, again, ..Flip::new(run, side, (index, other), key) });
            }
        }
        list
    }

    /// What a flip is on the way to, or else itself. `patience`: see [`Aim`].
    pub fn aim_of(&self, flip: &Flip, patience: u32) -> Rc<Aim> {
        flip.aim.clone().unwrap_or_else(|| {
            let mut prefix = Pair::new(0, 0);
            prefix[flip.side] = flip.step;
            let wants = Some((flip.key.branch(), self.step(flip).context));
            Rc::new(Aim { run: flip.run, prefix, wants, patience })
        })
    }
}
