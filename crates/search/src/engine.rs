//! Generational concolic search over both versions, with the joint question.
//!
//! In rounds: the solver answers the most promising questions, workers run the test cases that come out (and some
//! of another shape), and what they met becomes new questions. While the workers run one round, the solver works
//! on the next. Results are taken in the order of the orders, and a round depends on those before the last only, so
//! that the search does not depend on timing.

use crate::ask::{Answer, Mind};
use crate::guide::{self, Distance, Distances, Guide};
use crate::havoc;
use crate::joint;
use crate::loops;
use crate::mutate::{self, variants, Hints};
use crate::path::Path;
use crate::queue::{Ask, Class, Course, Flip, FlipKey, Queue, Try, VISIBLE};
use crate::workers::{Done, Order, Seen, Workers};
use crate::*;
use parallax_execute::TestCase;
use parallax_trace::reader::Event;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Instant;

/// Answers wanted from the solver for one round, and test cases of another shape beside them.
const ASKS: usize = 8;
const TRIES: usize = 5;
/// Rounds under way at once.
const ROUNDS: usize = 2;
/// Test cases of another shape and random ones beside them, of which only a glimpse is taken: so many at least, and more where
/// there is much to think about, so that the workers have something to do meanwhile.
const GLIMPSES: usize = 24;
const MAX_GLIMPSES: usize = 240;
/// Nodes of traces and formulas that are thought about in the time that a glimpse takes.
const NODES_PER_GLIMPSE: u64 = 1000;
/// Test cases that came as close to the change as any that are kept.
const MAX_NEARBY: usize = 64;
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
/// So many ways of a site in different calling contexts are worth a look each.
const NEW_CONTEXTS: u32 = 12;
/// By how much the flips of runs that executed something for the first time are better.
const FIRST: u32 = 2;
/// So many conditions are few; a flip on a run with twice as many is a little worse, and so on.
const LONG: usize = 400;
/// The versions part seldom at a place if they did on so many runs at most.
const RARE: u32 = 8;
/// With how many others a test case is crossed that executed something for the first time.
const CROSSED: usize = 4;
/// Changes of shape in a row.
const MAX_GENERATION: u32 = 6;
/// How often a status is told.
const STATUS_EVERY: Duration = Duration::from_millis(500);

mod answers;
mod frontier;
mod summary;

/// A test case that was run, as the search remembers it.
struct Record {
    test: TestCase,
    paths: [Path; 2],
    /// See [`Flip::depth`].
    depth: u32,
    /// Where the versions went different ways, if they were made to, here or on the run this one comes from, or if they
    /// seldom do there. What is left is to make it visible, so the flips behind this place are asked although they were asked elsewhere.
    parted: Option<usize>,
    /// It brought coverage that no run before had, or came closer to the change.
    news: bool,
    /// It was the first to execute some code of the program.
    first: bool,
    /// How close it came to changed code, in each version; see [`Guide::closest`].
    closest: [u32; 2],
}

impl Record {
    /// Is this condition behind the place where the versions parted?
    fn is_behind(&self, step: usize) -> bool {
        self.parted.is_some_and(|at| step > at)
    }
}

/// Why a test case was made.
enum Origin {
    Shape { generation: u32, parted: bool },
    Flip { flip: Flip, key: FlipKey, over_numbers: bool },
    Joint,
    Chance,
}

/// Test cases that are run at the same time.
type Round = Vec<(TestCase, Origin)>;

pub struct Engine<'a> {
    maps: [&'a ProgramMap; 2],
    guide: Guide<'a>,
    /// Test cases that execute changed code, in different ways.
    reaching: Vec<TestCase>,
    /// How close any run came to changed code, in each version.
    nearest: [u32; 2],
    /// The sets of ways that runs through changed code took, as hashes.
    through: HashSet<u64>,
    settings: &'a Settings,
    budget: &'a Budget,
    watch: &'a mut dyn FnMut(Progress),
    mind: Mind,
    queue: Queue,
    records: Vec<Record>,
    by_test: HashMap<TestCase, usize>,
    hints: Hints,
    random: fastrand::Rng,
    turn: usize,
    /// Nodes of traces and formulas since the last round was made.
    nodes: u64,
    /// How often the solver was asked in vain to take a branch another way.
    vain: HashMap<(Side, u32, u64), u32>,
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
    /// Test cases that came as close to the change as any, while none executes it.
    nearby: Vec<TestCase>,
    /// On how many runs the versions went different ways, by the conditions where they did.
    partings: HashMap<[Option<u32>; 2], u32>,
    /// Test cases that executed some code of the program for the first time.
    firsts: Vec<TestCase>,
    signatures: BTreeMap<String, u64>,
    escapes: BTreeMap<String, u64>,
    corpus: Vec<TestCase>,
    stats: Stats,
    /// Results that came before their turn, and whose turn it is.
    arrived: HashMap<usize, Done>,
    taken: usize,
    started: Instant,
    told: Instant,
    trouble: Option<String>,
}

impl<'a> Engine<'a> {
    pub fn new(
        maps: [&'a ProgramMap; 2],
        distances: &'a Distances,
        settings: &'a Settings,
        budget: &'a Budget,
        watch: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let now = Instant::now();
        Engine {
            maps,
            guide: Guide::new(maps, distances),
            reaching: vec![],
            nearest: [u32::MAX; 2],
            through: HashSet::new(),
            settings,
            budget,
            watch,
            mind: Mind::new(settings),
            queue: Queue::default(),
            records: vec![],
            by_test: HashMap::new(),
            hints: Hints::default(),
            random: fastrand::Rng::with_seed(settings.seed),
            turn: 0,
            nodes: 0,
            vain: HashMap::new(),
            spent: HashMap::new(),
            refused: BTreeMap::new(),
            ways: HashSet::new(),
            contexts: HashSet::new(),
            contexts_of: HashMap::new(),
            edges: Default::default(),
            glimpsed: Default::default(),
            striking: VecDeque::new(),
            promising: VecDeque::new(),
            nearby: vec![],
            partings: HashMap::new(),
            firsts: vec![],
            signatures: BTreeMap::new(),
            escapes: BTreeMap::new(),
            corpus: vec![],
            stats: Stats::default(),
            arrived: HashMap::new(),
            taken: 0,
            started: now,
            told: now,
            trouble: None,
        }
    }

    pub fn run(mut self, seeds: Vec<TestCase>, labs: Vec<Box<dyn Lab>>) -> Outcome {
        let workers = Workers::start(labs);
        let mut first: Round = Vec::new();
        for seed in seeds {
            if self.queue.is_new(&seed) {
                first.push((seed, Origin::Shape { generation: 0, parted: false }));
            }
        }
        self.send(&workers, &first);
        let mut under_way = VecDeque::from([first]);
        let ended = loop {
            // Another round is made ready while earlier ones run, so that the workers always have something to do.
            let next = self.next_round();
            let none = next.is_empty();
            if !none {
                self.send(&workers, &next);
                under_way.push_back(next);
            }
            if under_way.len() < ROUNDS && !none {
                continue;
            }
            let Some(round) = under_way.pop_front() else { break Ended::Exhausted };
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

    fn out_of_time(&self) -> bool {
        self.started.elapsed() >= self.budget.time || self.budget.interrupt.is_set()
    }

    fn stop_reason(&self) -> Option<Ended> {
        if self.budget.interrupt.is_set() {
            return Some(Ended::Interrupted);
        }
        if self.started.elapsed() >= self.budget.time {
            return Some(Ended::Time);
        }
        if self.budget.runs.is_some_and(|n| self.stats.runs >= n) {
            return Some(Ended::Runs);
        }
        (self.signatures.len() >= self.settings.max_differences).then_some(Ended::Enough)
    }

    /// Wait for the results of a round and take them in order.
    fn receive(&mut self, workers: &Workers, round: Round) -> Option<Ended> {
        for (test, origin) in round {
            let done = loop {
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
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) if self.out_of_time() => {
                        return self.stop_reason();
                    }
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => self.tell_status(),
                    Err(_) => return Some(Ended::Lab),
                }
            };
            self.taken += 1;
            self.take_verdict(&test, done.verdict);
            match done.seen {
                Seen::All(traced) => self.learn(test, origin, traced),
                Seen::Glimpse(both) => self.glance(test, &both),
            }
        }
        self.tell_status();
        None
    }

    fn tell_status(&mut self) {
        if self.told.elapsed() >= STATUS_EVERY {
            self.told = Instant::now();
            let stats = self.current_stats();
            (self.watch)(Progress::Status(stats));
        }
    }

    /// A random test case that did something new is run again, and looked at.
    fn glance(&mut self, test: TestCase, both: &[Glimpse; 2]) {
        let (mut new, mut first) = (false, false);
        for (k, side) in [Side::Old, Side::New].into_iter().enumerate() {
            for (edge, count) in both[k].taken.iter().copied() {
                first |= self.is_new_edge(side, edge) && !has_edge(&self.glimpsed[k], edge);
                let way = roughly((edge, count));
                new |= !self.edges[k].contains(&way) && self.glimpsed[k].insert(way);
            }
            first |= self.guide.closest(side, both[k].taken.iter().copied()) < self.nearest[k];
        }
        if first {
            self.striking.push_back(test);
        } else if new {
            self.promising.push_back(test);
        }
    }

    /// Take in one test case: coverage, new questions.
    fn learn(&mut self, test: TestCase, origin: Origin, traced: [Traced; 2]) {
        self.stats.traces += 2;
        let mut paths = [Path::default(), Path::default()];
        let mut news = false;
        let mut first = false;
        let mut closest = [u32::MAX; 2];
        for (k, side) in [Side::Old, Side::New].into_iter().enumerate() {
            let traced = &traced[k];
            let words = self.hints.learn(&traced.trace, &traced.inputs);
            for variant in words.iter().flat_map(|word| mutate::word_variants(&test, word)) {
                self.queue.try_out(false, 0, (1, variant, false));
            }
            self.count_losses(traced);
            self.nodes += traced.trace.nodes().len() as u64;
            paths[k] = Path::of(traced, self.maps[k], &mut self.mind);
            first |= self.is_first(side, traced);
            news |= self.new_edges(k, traced);
            news |= self.new_ways(side, &paths[k]);
            closest[k] = self.guide.closest(side, traced.trace.edges_taken());
            news |= closest[k] < self.nearest[k];
        }
        self.note_nearby(&test, closest);
        if let Origin::Flip { flip, key, over_numbers } = &origin {
            self.check_arrival(flip, key, *over_numbers, &paths);
        }
        let (generation, depth, parted) = match &origin {
            Origin::Shape { generation, parted } => (*generation, 0, *parted),
            Origin::Flip { flip, .. } => (0, flip.depth, self.records[flip.record].parted.is_some()),
            Origin::Joint => (0, 0, true),
            Origin::Chance => (0, 0, false),
        };
        let parting = parting(&paths).filter(|at| self.parts_rarely(&paths, *at) || parted);
        let parted = parting.is_some();
        let through = closest.contains(&0) && self.through.insert(set_of_ways(&paths));
        if through {
            self.reaching.push(test.clone());
        }
        if news || parted || through || self.records.is_empty() {
            self.corpus.push(test.clone());
            if generation < MAX_GENERATION {
                let known = (0..2).filter(|k| self.nearest[*k] < u32::MAX);
                let farther = known.map(|k| closest[k] - self.nearest[k]).min().unwrap_or(0);
                self.queue_variants(&test, &paths[1], generation, parted, through, news, farther);
            }
        }
        if first {
            self.cross(&test, through || parted);
        }
        let record = self.records.len();
        self.by_test.insert(test.clone(), record);
        self.records.push(Record { test, paths, depth, parted: parting, news, first, closest });
        self.ask_about(record, news || parted || through || depth > 0);
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

    fn count_losses(&mut self, traced: &Traced) {
        for event in traced.trace.events() {
            match event {
                Event::Escape { function: name, .. } => {
                    self.stats.escapes += 1;
                    *self.escapes.entry(String::from_utf8_lossy(name).into_owned()).or_default() += 1;
                }
                Event::Concrete { .. } => self.stats.concretisations += 1,
                _ => {}
            }
        }
    }

    /// A test case that executed something for the first time: its lines among those of others that did, and theirs among its.
    fn cross(&mut self, test: &TestCase, near: bool) {
        let latest = self.firsts.len().saturating_sub(CROSSED);
        for other in self.firsts.first().into_iter().chain(self.firsts.iter().skip(latest.max(1))) {
            let both = [mutate::with_lines_of(other, test), mutate::with_lines_of(test, other)];
            let short = |t: &TestCase| inputs::longest(t) <= self.settings.max_input;
            for (rank, variant) in both.into_iter().flatten().filter(short).enumerate() {
                self.queue.try_out(near, rank, (1, variant, false));
            }
        }
        self.firsts.push(test.clone());
    }

    /// Have the versions parted here on few runs so far? Where they do on every run, one of them only asks more.
    fn parts_rarely(&mut self, paths: &[Path; 2], at: usize) -> bool {
        let place = [0, 1].map(|k| paths[k].steps.get(at).map(|step| step.site));
        let times = self.partings.entry(place).or_default();
        *times += 1;
        *times <= RARE
    }

    /// Keeps test cases that came as close to the change as any.
    fn note_nearby(&mut self, test: &TestCase, closest: [u32; 2]) {
        let nearer = (0..2).any(|k| closest[k] < self.nearest[k]);
        if nearer {
            self.nearby.clear();
        }
        (0..2).for_each(|k| self.nearest[k] = self.nearest[k].min(closest[k]));
        if nearer || closest == self.nearest && self.nearby.len() < MAX_NEARBY {
            self.nearby.push(test.clone());
        }
    }

    /// Does a run execute code of the program that none before it did?
    fn is_first(&self, side: Side, traced: &Traced) -> bool {
        traced.trace.edges_taken().any(|(edge, _)| self.is_new_edge(side, edge))
    }

    /// A way between blocks of the program itself that was never taken.
    fn is_new_edge(&self, side: Side, edge: u32) -> bool {
        !has_edge(&self.edges[side as usize], edge) && !self.guide.is_edge_of_libc(side, edge)
    }

    fn new_edges(&mut self, k: usize, traced: &Traced) -> bool {
        let before = self.edges[k].len();
        self.edges[k].extend(traced.trace.edges_taken().map(roughly));
        self.edges[k].len() > before
    }

    fn new_ways(&mut self, side: Side, path: &Path) -> bool {
        let mut new = false;
        for step in &path.steps {
            new |= self.ways.insert((side, step.site, step.way));
            if self.contexts.insert((side, step.site, step.context, step.way)) {
                // Recursion makes contexts without end, which are no news after a while.
                let contexts = self.contexts_of.entry((side, step.site)).or_default();
                *contexts += 1;
                new |= *contexts <= NEW_CONTEXTS;
            }
        }
        new
    }

    /// Did the run go where the solver said it would?
    fn check_arrival(&mut self, flip: &Flip, key: &FlipKey, over_numbers: bool, paths: &[Path; 2]) {
        let from = &self.records[flip.record].paths[flip.side as usize];
        let now = &paths[flip.side as usize];
        let step = &from.steps[flip.step];
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

/// How many conditions come out alike in both versions before one does not.
fn parting(paths: &[Path; 2]) -> Option<usize> {
    let [old, new] = paths;
    let alike = old.steps.iter().zip(&new.steps).take_while(|(a, b)| a.way == b.way).count();
    (alike < old.steps.len().max(new.steps.len())).then_some(alike)
}

/// Are two paths the same up to a step, and different there?
fn same_way(a: &Path, b: &Path, step: usize) -> bool {
    b.steps.len() > step
        && a.steps[..step].iter().zip(&b.steps).all(|(a, b)| a.site == b.site && a.way == b.way)
        && a.steps[step].site == b.steps[step].site
        && a.steps[step].way != b.steps[step].way
}

/// Which ways were taken, whatever the order, as a hash.
fn set_of_ways(paths: &[Path; 2]) -> u64 {
    let set: BTreeSet<(usize, u32, u64)> =
        (0..2).flat_map(|k| paths[k].steps.iter().map(move |s| (k, s.site, s.way))).collect();
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hash::hash(&set, &mut hasher);
    std::hash::Hasher::finish(&hasher)
}

/// How many binary digits a number has.
fn magnitude(n: u32) -> u32 {
    u32::BITS - n.leading_zeros()
}

/// Is an edge in a set, however often it was taken?
fn has_edge(edges: &BTreeSet<(u32, u8)>, edge: u32) -> bool {
    edges.range((edge, 0)..(edge + 1, 0)).next().is_some()
}

/// An edge, and how often it was taken, roughly.
fn roughly((edge, count): (u32, u8)) -> (u32, u8) {
    (edge, bucket(count))
}

/// Counts of an edge as AFL sees them: 1, 2, 3, 4–7, 8–15, …
fn bucket(count: u8) -> u8 {
    match count {
        0..=3 => count,
        n => 8 - n.leading_zeros() as u8 + 1,
    }
}
