//! Generational concolic search over both versions, with the joint question.
//!
//! In rounds: the solver answers the most promising questions, workers run the test cases that come out (and some
//! of another shape), and what they met becomes new questions. While the workers run one round, the solver works
//! on the next. Results are taken in the order of the orders, and a round depends on those before the last only, so
//! that the search does not depend on timing.

use crate::ask::{Answer, ExprId, Mind};
use crate::collection::Collection;
use crate::guide::{self, Distance, Guide};
use crate::havoc;
use crate::joint;
use crate::known::Known;
use crate::loops;
use crate::mutate::{self, variants, Hints};
use crate::path::{Callees, Path};
use crate::queue::{Aim, Ask, Class, Course, Flip, FlipKey, Queue, Try, VISIBLE};
use crate::sequences::Vocabulary;
use crate::tree::Tree;
use crate::words::Compared;
use crate::workers::{Done, Order, Seen, Workers};
use crate::*;
use parallax_execute::TestCase;
use parallax_trace::reader::Event;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Answers wanted from the solver for one round, and test cases of another shape beside them.
const ASKS: usize = 8;
const TRIES: usize = 5;
/// Answers of a round that come from the tree of executions at most, and which part of what other questions cost those of the tree may.
const TREE_ASKS: usize = 4;
const TREE_PART: u64 = 4;
/// Rounds under way at once.
const ROUNDS: usize = 2;
/// Test cases of another shape and random ones beside them, of which only a glimpse is taken: so many at least, and more where
/// there is much to think about, so that the workers have something to do meanwhile.
const GLIMPSES: usize = 24;
const MAX_GLIMPSES: usize = 240;
/// How long it takes, about, to take in a node of a trace, to solve a node of a formula, and to take a glimpse, in nanoseconds.
const TRACE_NODE_NS: u64 = 500;
const FORMULA_NODE_NS: u64 = 25_000;
const GLIMPSE_NS: u64 = 500_000;
/// By how much changes of shape wait for each branch that their test case is farther from the change than others.
const FAR: usize = 8;
/// By how much they wait if it brought nothing new.
const NO_NEWS: usize = 64;
/// So many of the questions of a round are asked however little they promise, others only if their rank is better than this.
const POOR_ASKS: usize = 2;
const POOR: u32 = 2 * (Class::NewRound as u32 + FOREIGN_ROUND);
/// Random test cases drawn before giving up because all were known.
const CHANCES: usize = 100;
/// Questions put to the solver for one round at most.
const MAX_QUESTIONS: usize = 400;
/// Every so many test cases are judged natively although the symbolic builds behaved alike.
const JUDGE_EVERY: u64 = 16;
/// By how much a flip is worse that was asked on another run, if its own run brought nothing new.
const STALE: u32 = 3;
/// By how much another round of a loop in libc is worse: what the text is, words and numbers find out faster.
const FOREIGN_ROUND: u32 = 5;
/// So many questions about one site are few; the others get their turn before twice as many.
const SPENT: u32 = 32;
/// The same behind the place where the versions have parted, where the same loop is met on every run.
const SPENT_BEHIND: u32 = 8;
/// By how much the flips of runs that executed something for the first time are better.
const FIRST: u32 = 2;
/// By how much the flip of a run's last condition is better: it may have been what ended the run.
const LAST: u32 = 3;
/// So many conditions are few; a flip on a run with twice as many is a little worse, and so on.
const LONG: usize = 400;
/// The part of the memory that traces may take which wait to be looked at.
const TRACES_PART: u64 = 4;
/// How often a status is told.
const STATUS_EVERY: Duration = Duration::from_millis(500);

mod answers;
mod frontier;
mod learn;
mod memory;
mod relax;
mod summary;

use learn::Brought;

/// A test case that was run, as the search remembers it.
struct Record {
    test: TestCase,
    paths: [Path; 2],
    /// See [`Flip::depth`].
    depth: u32,
    /// The last condition of the program itself in each version: after it the run did what ends it.
    last: [Option<usize>; 2],
    brought: Brought,
}

impl Record {
    /// Is this condition behind the place where the versions parted?
    fn is_behind(&self, side: Side, step: usize) -> bool {
        self.brought.parted.is_some_and(|at| step > at[side as usize])
    }
}

/// Why a test case was made.
enum Origin {
    Seed,
    Shape {
        generation: u32,
        parted: bool,
        of: Option<usize>,
    },
    Flip {
        flip: Flip,
        key: FlipKey,
        over_numbers: bool,
    },
    /// See [`relax`].
    Relaxed {
        aim: Rc<Aim>,
        depth: u32,
    },
    Joint,
    Chance,
}

/// Test cases that are run at the same time.
type Round = Vec<(TestCase, Origin)>;

pub struct Engine<'a> {
    maps: [&'a ProgramMap; 2],
    guide: Guide<'a>,
    collection: Collection,
    /// How close any run came to changed code, in each version.
    nearest: [u32; 2],
    /// The sets of ways that runs through changed code took, as hashes.
    through: HashSet<u64>,
    settings: &'a Settings,
    budget: &'a Budget,
    watch: &'a mut dyn FnMut(Progress),
    mind: Mind,
    queue: Queue,
    tree: Tree,
    records: Vec<Record>,
    by_test: HashMap<TestCase, usize>,
    hints: Hints,
    /// The first test cases that brought anything, and what their runs were compared with.
    plain: Vec<(TestCase, Compared)>,
    vocabulary: Vocabulary,
    random: fastrand::Rng,
    turn: usize,
    /// How long was thought, about, since the last round was made. Not measured: the search must not depend on it.
    thought_ns: u64,
    /// What questions have cost, with those of the tree.
    paid: u64,
    /// How often the solver was asked in vain to take a branch another way.
    vain: HashMap<(Side, u32, u64), u32>,
    /// What was asked of which values, see [`Engine::is_another_question`].
    wanted: HashSet<((Side, u32, u64), ExprId)>,
    /// How often it was asked without the conditions that contradict it, by goal.
    relaxed: HashMap<u64, u32>,
    /// How often it was asked about a site at all.
    spent: HashMap<(Side, u32), u32>,
    refused: BTreeMap<(Side, u32), &'static str>,
    ways: HashSet<(Side, u32, u64)>,
    contexts: HashSet<(Side, u32, u32, u64)>,
    /// How many of these belong to a site.
    contexts_of: HashMap<(Side, u32), u32>,
    edges: [BTreeSet<(u32, u8)>; 2],
    /// The same, of random test cases.
    glimpsed: [BTreeSet<(u32, u8)>; 2],
    /// Random test cases that are worth a closer look: those that executed code of the program that none before did, or
    /// came closer to the change, and the others that did something new.
    striking: VecDeque<TestCase>,
    promising: VecDeque<TestCase>,
    /// Conditions that one version has and the other has not, on a seed already: compilers see to that, and the versions are not
    /// parted by it.
    extras: [HashSet<u32>; 2],
    callees: [Callees; 2],
    /// On how many runs the versions went different ways, by the conditions where they did.
    partings: HashMap<[Option<u32>; 2], u32>,
    /// Test cases that executed some code of the program for the first time.
    firsts: Vec<TestCase>,
    signatures: BTreeMap<String, u64>,
    escapes: BTreeMap<String, u64>,
    stats: Stats,
    /// Results that came before their turn, and whose turn it is.
    arrived: HashMap<usize, Done>,
    taken: usize,
    started: Instant,
    told: Instant,
    /// When it was last looked how much memory is used.
    looked: Instant,
    trouble: Option<String>,
}

impl<'a> Engine<'a> {
    pub fn new(
        maps: [&'a ProgramMap; 2],
        chart: &'a Chart,
        settings: &'a Settings,
        budget: &'a Budget,
        watch: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let now = Instant::now();
        Engine {
            maps,
            guide: Guide::new(maps, chart),
            collection: Collection::default(),
            nearest: [u32::MAX; 2],
            through: HashSet::new(),
            settings,
            budget,
            watch,
            mind: Mind::new(settings),
            queue: Queue::default(),
            tree: Tree::default(),
            records: vec![],
            by_test: HashMap::new(),
            hints: Hints::default(),
            plain: vec![],
            vocabulary: Vocabulary::default(),
            random: fastrand::Rng::with_seed(settings.seed),
            turn: 0,
            thought_ns: 0,
            paid: 0,
            vain: HashMap::new(),
            wanted: HashSet::new(),
            relaxed: HashMap::new(),
            spent: HashMap::new(),
            refused: BTreeMap::new(),
            ways: HashSet::new(),
            contexts: HashSet::new(),
            contexts_of: HashMap::new(),
            edges: Default::default(),
            glimpsed: Default::default(),
            striking: VecDeque::new(),
            promising: VecDeque::new(),
            extras: Default::default(),
            callees: Default::default(),
            partings: HashMap::new(),
            firsts: vec![],
            signatures: BTreeMap::new(),
            escapes: BTreeMap::new(),
            stats: Stats::default(),
            arrived: HashMap::new(),
            taken: 0,
            started: now,
            told: now,
            looked: now,
            trouble: None,
        }
    }

    pub fn run(mut self, seeds: Vec<TestCase>, labs: Vec<Box<dyn Lab>>) -> Outcome {
        let workers = Workers::start(labs, self.budget.memory.most / TRACES_PART);
        self.queue = Queue::new(Known::new(self.settings.varied, &seeds));
        let mut first: Round = Vec::new();
        for seed in seeds {
            if self.queue.is_new(&seed) {
                first.push((seed, Origin::Seed));
            }
        }
        self.send(&workers, &first);
        let mut under_way = VecDeque::from([first]);
        let ended = loop {
            // Another round is made ready while earlier ones run, so that the workers always have something to do.
            let mut next = if self.runs_left() > 0 { self.next_round() } else { vec![] };
            next.truncate(self.runs_left());
            let none = next.is_empty();
            if !none {
                self.send(&workers, &next);
                under_way.push_back(next);
            }
            if under_way.len() < ROUNDS && !none {
                continue;
            }
            let Some(round) = under_way.pop_front() else {
                break if self.runs_left() > 0 { Ended::Exhausted } else { Ended::Runs };
            };
            if let Some(ended) = self.receive(&workers, round).or_else(|| self.stop_reason()) {
                break ended;
            }
        };
        workers.stop();
        self.finish(ended)
    }

    fn send(&mut self, workers: &Workers, round: &[(TestCase, Origin)]) {
        for (test, origin) in round {
            let glimpse = matches!(origin, Origin::Chance);
            let now_and_then = self.stats.runs % JUDGE_EVERY == 0 || self.stats.runs < JUDGE_EVERY;
            let judge_anyway = matches!(origin, Origin::Joint) || now_and_then && !glimpse;
            let number = self.stats.runs as usize;
            workers.send(Order { number, test: test.clone(), judge_anyway, glimpse });
            self.stats.runs += 1;
        }
    }

    /// How many test cases may still be run.
    fn runs_left(&self) -> usize {
        self.budget.runs.map_or(usize::MAX, |most| most.saturating_sub(self.stats.runs) as usize)
    }

    fn out_of_time(&self) -> bool {
        self.budget.is_over()
    }

    fn stop_reason(&self) -> Option<Ended> {
        if self.budget.interrupt.is_set() {
            return Some(Ended::Interrupted);
        }
        if self.budget.left().is_zero() {
            return Some(Ended::Time);
        }
        self.settings.enough.load(Ordering::Relaxed).then_some(Ended::Enough)
    }

    /// Wait for the results of a round and take them in order.
    fn receive(&mut self, workers: &Workers, round: Round) -> Option<Ended> {
        for (test, origin) in round {
            let done = loop {
                if self.out_of_time() {
                    return self.stop_reason();
                }
                if let Some(done) = self.arrived.remove(&self.taken) {
                    break done;
                }
                match workers.results.recv_timeout(Duration::from_millis(50)) {
                    Ok(result) => match result.done {
                        Ok(done) => drop(self.arrived.insert(result.number, done)),
                        Err(LabError(why)) => {
                            self.trouble = Some(why);
                            let interrupted = self.budget.interrupt.is_set();
                            return Some(if interrupted { Ended::Interrupted } else { Ended::Lab });
                        }
                    },
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => self.tell_status(),
                    Err(_) => return Some(Ended::Lab),
                }
            };
            self.taken += 1;
            workers.took(&done);
            self.take_verdict(&test, done.verdict);
            match done.seen {
                Seen::All(traced) => self.learn(test, origin, traced),
                Seen::Glimpse(both) => self.glance(test, &both),
            }
            if self.is_out_of_memory() {
                return Some(Ended::Memory);
            }
        }
        self.tell_status();
        None
    }

    fn tell_status(&mut self) {
        if self.told.elapsed() >= STATUS_EVERY {
            self.told = Instant::now();
            let snapshot = self.snapshot();
            (self.watch)(Progress::Status(snapshot));
        }
    }

    fn take_verdict(&mut self, test: &TestCase, verdict: Option<Verdict>) {
        let Some(Verdict::Different { signature }) = verdict else { return };
        let count = self.signatures.entry(signature.clone()).or_default();
        *count += 1;
        if *count > 1 {
            return (self.watch)(Progress::Again { signature });
        }
        let after = self.started.elapsed();
        (self.watch)(Progress::Difference { test: test.clone(), signature, after, runs: self.taken as u64 });
    }

    /// Did the run go where the solver said it would?
    fn check_arrival(&mut self, flip: &Flip, key: &FlipKey, over_numbers: bool, paths: &[Path; 2]) {
        let from = &self.records[flip.record].paths[flip.side as usize];
        let now = &paths[flip.side as usize];
        // Its path may be forgotten by now.
        let Some(step) = from.steps.get(flip.step) else { return };
        let arrived = match over_numbers {
            // More digits are more conditions: the way there is not the same.
            true => now
                .steps
                .iter()
                .any(|s| s.site == step.site && s.context == step.context && s.way != step.way),
            false => same_way(from, now, flip.step),
        };
        // A guard that fails ends the run or takes another object: there is no step to show it.
        if arrived || step.is_guard {
            return;
        }
        self.stats.divergences += 1;
        if over_numbers {
            let flip = Flip { exact: true, ..flip.clone() };
            self.ask_flip(self.class_of(&flip), flip, key.clone());
        }
    }
}

/// Are two paths the same up to a step, and different there?
fn same_way(a: &Path, b: &Path, step: usize) -> bool {
    b.steps.len() > step
        && a.steps[..step].iter().zip(&b.steps).all(|(a, b)| a.site == b.site && a.way == b.way)
        && a.steps[step].site == b.steps[step].site
        && a.steps[step].way != b.steps[step].way
}

/// How many binary digits a number has.
fn magnitude(n: u32) -> u32 {
    u32::BITS - n.leading_zeros()
}
