//! The exploration of one shape.
//!
//! In: a shape and a test case of it. Out: partitions, and what is left.
//!
//! Algorithm 1 of Böhme 2014 with whole path conditions: a test case is run on both versions, the conditions of both are put into the [`Tree`],
//! the pair of paths is [classified](crate::classify), and every side that nobody has gone to is asked for, in the order in which they were met.
//!
//! Always holds: an input of the shape is in exactly one partition or in the rest of an open node; a node is closed only when two solvers say
//! that nothing else leads on from it.

use crate::bench::{Bench, Seen};
use crate::certificate;
use crate::count::{self, Count};
use crate::differ;
use crate::names::Names;
use crate::partition::{Entry, Kept, Partition, Status};
use crate::prover::{Proof, Prover};
use crate::shape::{self, Shape};
use crate::trail::Trail;
use crate::tree::{Grown, NodeId, Tree};
use crate::verify::{News, Partitioning, Settings};
use parallax_execute::{Interrupt, TestCase};
use parallax_search::{HarnessError, Pair, Side};
use parallax_solve::{ExprId, Pool, Var};
use parallax_trace::format::Op;
use parallax_trace::request::Source;
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Instant;

/// What explorations of several shapes share.
pub struct Tools<'t> {
    pub bench: &'t mut dyn Bench,
    pub maps: Pair<&'t ProgramMap>,
    pub settings: &'t Settings,
    pub prover: &'t mut Prover,
    pub interrupt: &'t Interrupt,
    pub random: &'t mut fastrand::Rng,
    pub tell: &'t mut dyn FnMut(News),
}

/// What came of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explored {
    pub traces: u64,
    /// Inputs that a solver gave and that did not go where they were to.
    pub divergences: u64,
    /// Nodes whose rest could not be decided, and those that were not come to.
    pub undecided: BTreeMap<String, u64>,
    pub open: u64,
    /// Inputs whose end a run met.
    pub ends: BTreeSet<Source>,
}

impl Explored {
    /// Is every input in a partition?
    pub fn is_complete(&self) -> bool {
        self.open == 0 && self.undecided.is_empty()
    }
}

/// A partition of the tree.
pub(crate) struct Placed {
    pub leaf: NodeId,
    pub holds: Vec<ExprId>,
    /// True where the outputs differ.
    pub differs: ExprId,
    /// The conditions that the programs themselves met, without those of the libc functions that Parallax brings.
    pub own: Vec<ExprId>,
    pub partition: Partition,
}

/// See the module.
pub(crate) struct Explorer<'e, 't> {
    pub tools: &'e mut Tools<'t>,
    pub shape: &'e Shape,
    pub bytes: Vec<(Source, u32)>,
    pub pool: Pool,
    pub names: Names,
    /// Hold on every input of the shape.
    pub domain: Vec<ExprId>,
    tree: Tree,
    queue: VecDeque<NodeId>,
    pub placed: Vec<Placed>,
    /// What an earlier exploration found, by the bytes of the first witness of each leaf; and what it closed.
    known: HashMap<Vec<u8>, Vec<Kept>>,
    closed: BTreeSet<(Vec<usize>, usize)>,
    pub explored: Explored,
}

impl<'e, 't> Explorer<'e, 't> {
    pub fn new(tools: &'e mut Tools<'t>, shape: &'e Shape, journal: &[Entry]) -> Explorer<'e, 't> {
        let (mut pool, mut names) = (Pool::new(), Names::default());
        let bytes = shape.bytes();
        let mut domain = Vec::new();
        for (source, offset) in bytes.iter().filter(|(source, _)| !shape::may_be_nul(source)) {
            let input = names.number(source);
            let byte = pool.byte(Var { input, offset: *offset });
            let nul = pool.constant(8, 0);
            domain.push(pool.binary(Op::Ne, byte, nul));
        }
        let (mut known, mut closed) = (HashMap::new(), BTreeSet::new());
        for entry in journal.iter().filter(|entry| entry.shape() == shape) {
            match entry {
                Entry::Leaf { partitions, .. } => {
                    if let Some(first) = partitions.first() {
                        known.insert(first.bytes.clone(), partitions.clone());
                    }
                }
                Entry::Closed { way, edges, .. } => drop(closed.insert((way.clone(), *edges))),
            }
        }
        Explorer {
            tools,
            shape,
            bytes,
            pool,
            names,
            domain,
            tree: Tree::new(),
            queue: VecDeque::new(),
            placed: Vec::new(),
            known,
            closed,
            explored: Explored::default(),
        }
    }

    /// Explores until everything is known or a limit ends it. `journal`: for the order in which an earlier exploration met its leaves.
    pub fn run(&mut self, base: TestCase, journal: &[Entry]) -> Result<Explored, HarnessError> {
        let shape = self.shape;
        for entry in journal.iter().filter(|entry| entry.shape() == shape) {
            if let Entry::Leaf { partitions, .. } = entry {
                if let Some(first) = partitions.first() {
                    let test = self.with_bytes(&base, &first.bytes);
                    self.process(test)?;
                }
            }
        }
        if self.placed.is_empty() {
            self.process(base.clone())?;
        }
        while let Some(node) = self.queue.pop_front() {
            if self.is_over() {
                self.queue.push_front(node);
                break;
            }
            if !self.tree.is_full(node) {
                self.ask_for_rest(node, &base)?;
            }
        }
        self.explored.open += self.queue.iter().filter(|node| !self.tree.is_full(**node)).count() as u64;
        Ok(self.explored.clone())
    }

    pub fn is_over(&self) -> bool {
        self.tools.interrupt.is_set() || Instant::now() >= self.tools.settings.effort.deadline
    }

    /// The test case with these bytes where it varies.
    fn with_bytes(&self, base: &TestCase, bytes: &[u8]) -> TestCase {
        let mut test = base.clone();
        for ((source, offset), value) in self.bytes.iter().zip(bytes) {
            shape::set_byte(&mut test, source, *offset, *value);
        }
        test
    }

    /// An input on which none of the known edges of a node is taken.
    fn ask_for_rest(&mut self, node: NodeId, base: &TestCase) -> Result<(), HarnessError> {
        let (way, edges) = (self.tree.way(node), self.tree.edges(node));
        if self.closed.contains(&(way.clone(), edges)) {
            self.keep(Entry::Closed { shape: self.shape.clone(), way, edges });
            return Ok(());
        }
        let all = [self.domain.clone(), self.tree.prefix(node)].concat();
        let not = self.tree.taken(node);
        match self.tools.prover.ask(&self.pool, &self.names, base, &all, &not) {
            Proof::Never => self.keep(Entry::Closed { shape: self.shape.clone(), way, edges }),
            Proof::Unknown(_) if self.is_over() => self.queue.push_front(node),
            Proof::Unknown(why) => *self.explored.undecided.entry(why).or_default() += 1,
            Proof::Holds(test) => {
                self.process(*test)?;
                if self.tree.edges(node) == edges {
                    self.explored.divergences += 1;
                    let why = "an input did not go where its conditions lead".to_owned();
                    *self.explored.undecided.entry(why).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    pub fn keep(&mut self, entry: Entry) {
        (self.tools.tell)(News::Entry(entry));
    }

    /// Runs both versions and takes in what they did.
    fn process(&mut self, test: TestCase) -> Result<(), HarnessError> {
        let mut trails = Vec::new();
        let mut lines = BTreeSet::new();
        for side in Side::BOTH {
            let seen = self.tools.bench.trace(side, &test)?;
            self.explored.traces += 1;
            if !seen.was_made {
                self.explored.open += 1;
                return Ok(());
            }
            lines.extend(seen.lines.iter().cloned());
            trails.push(self.trail(side, &seen));
        }
        let [old, new] = [&trails[0], &trails[1]];
        self.explored.ends.extend(old.ends.iter().chain(&new.ends).cloned());
        // What was asked before is answered the same: loops on one condition end here, and what both versions ask is asked once.
        let mut asked = HashSet::new();
        let steps: Vec<_> = [(Side::Old, old), (Side::New, new)]
            .into_iter()
            .flat_map(|(side, trail)| trail.steps.iter().map(move |step| (side, step)))
            .filter(|(_, step)| asked.insert(step.holds))
            .collect();
        match self.tree.insert(&steps) {
            Grown::Known(_) => Ok(()),
            Grown::Contradiction(node) => {
                self.weaken(node);
                Ok(())
            }
            Grown::Leaf { leaf, open } => {
                self.queue.extend(open);
                let known = self.known.get(&self.bytes_of(&test)).cloned();
                self.settle(leaf, test, Pair::new(old, new), lines.into_iter().collect(), known)
            }
        }
    }

    fn trail(&mut self, side: Side, seen: &Seen) -> Trail {
        let map = self.tools.maps[side];
        Trail::of(&seen.traced, &seen.ended, map, &mut self.names, &mut self.pool)
    }

    pub fn bytes_of(&self, test: &TestCase) -> Vec<u8> {
        self.bytes.iter().map(|(source, offset)| shape::byte(test, source, *offset).unwrap_or(0)).collect()
    }

    /// Runs whose conditions are the same did not do the same: nothing below that place is shown.
    fn weaken(&mut self, node: NodeId) {
        let why = "the versions did not do the same on inputs with the same conditions";
        for at in 0..self.placed.len() {
            let placed = &mut self.placed[at];
            let is_new =
                self.tree.is_below(placed.leaf, node) && placed.partition.kept.weak.insert(why.to_owned());
            if is_new {
                placed.partition.kept.status = Status::Weak;
                if self.tools.settings.partitioning == Partitioning::Paths {
                    let partition = placed.partition.clone();
                    (self.tools.tell)(News::Weakened(Box::new(partition)));
                }
            }
        }
        *self.explored.undecided.entry(why.to_owned()).or_default() += 1;
    }

    /// A partition is known.
    pub fn place(&mut self, placed: Placed) {
        if self.tools.settings.partitioning == Partitioning::Paths {
            (self.tools.tell)(News::Partition(Box::new(placed.partition.clone())));
        }
        self.placed.push(placed);
    }

    pub fn count(&self, holds: &[ExprId]) -> Count {
        count::count(&self.pool, &self.names, holds, &self.bytes)
    }

    /// That no input is in two partitions, and, of a complete exploration, that each is in one.
    pub fn certificates(&mut self, base: &TestCase) -> Vec<(&'static str, String)> {
        let pool = &mut self.pool;
        let (mut before, mut twice) = (pool.truth(false), pool.truth(false));
        for placed in &self.placed {
            let mut member = pool.truth(true);
            for expr in &placed.holds {
                member = pool.binary(Op::And, member, *expr);
            }
            let both = pool.binary(Op::And, before, member);
            twice = pool.binary(Op::Or, twice, both);
            before = pool.binary(Op::Or, before, member);
        }
        let outside = pool.not(before);
        let mut list = Vec::new();
        let mut add = |name, wanted: ExprId, what: &str| {
            // What simplification has decided needs no solver.
            if pool.as_const(wanted) != Some(0) {
                let holds = [&self.domain[..], &[wanted]].concat();
                list.push((name, certificate::script(pool, &self.names, base, &holds, false, what)));
            }
        };
        add("disjoint", twice, "no input is in two partitions");
        if self.explored.is_complete() {
            add("cover", outside, "every input is in a partition");
        }
        list
    }
}

/// What a side prints, for people.
pub(crate) fn outputs(trails: &Pair<&Trail>, pool: &Pool, names: &Names) -> Pair<Vec<(u32, String)>> {
    Pair::new(differ::shown(trails.old, pool, names), differ::shown(trails.new, pool, names))
}
