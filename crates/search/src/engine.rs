//! The search itself: strategies propose goals, the frontier keeps them, the scheduler says whose turn it is, the solver answers, workers run,
//! knowledge grows.
//!
//! In batches: while the workers run one, the next is made. The solver answers several questions at once ([`crate::solvers`]). Results are taken in the order of the orders, and a batch depends on those before
//! the last only, so that the search does not depend on timing.
//!
//! Always holds: the engine is the only writer of knowledge, and the only one that calls the solver and the workers.

use crate::expressions::Expressions;
use crate::frontier::{Bounds, Frontier};
use crate::goal::{Flip, Goal, RunId, StrategyId};
use crate::guide::Guide;
use crate::knowledge::writer::{Glimpsed, Purpose};
use crate::knowledge::{Knowledge, Made};
use crate::known::Known;
use crate::outcome::*;
use crate::path::{is_condition, Path};
use crate::permits::Permits;
use crate::scheduler::{self, Scheduler, Work};
use crate::solvers::Solvers;
use crate::strategies::{Context, GlimpsedTest, Portfolio, Proposals};
use crate::workers::{Done, Message, Order, Seen, Workers};
use crate::{Budget, Cost, CutShort, Glimpse, Harness, HarnessError, Settings, Traced, Verdict};
use crate::{Pair, Side};
use parallax_execute::TestCase;
use parallax_plan::Plan;
use parallax_trace::reader::Event;
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod allowance;
mod answers;
mod batch;
mod memory;
mod summary;
mod targets;
mod verdicts;

#[cfg(test)]
mod odd;
#[cfg(test)]
mod repeatable;

use allowance::Allowance;
pub use allowance::{is_uneven, RunWork};
use verdicts::Verdicts;

/// Batches under way at once.
const BATCHES: usize = 2;
/// Every so many test cases are judged natively although the instrumented builds behaved alike.
const JUDGE_EVERY: u64 = 16;
/// The part of the memory that traces may take which wait to be looked at.
const TRACES_PART: u64 = 4;
/// How often a status is told.
const STATUS_EVERY: Duration = Duration::from_millis(500);

/// A test case on its way, and why it was made.
struct Planned {
    test: TestCase,
    purpose: Purpose,
    work: Work,
    /// The flip that it is the answer to, and whether that was about numbers.
    flip: Option<(Flip, bool)>,
    judge_anyway: bool,
}

impl Planned {
    /// The same test case, to be run once more: what was asked for is answered.
    fn again(&self) -> Planned {
        let purpose = Purpose { aim: None, is_shape: false, ..self.purpose.clone() };
        Planned { test: self.test.clone(), purpose, work: self.work, flip: None, judge_anyway: false }
    }
}

pub struct Engine<'a> {
    maps: Pair<&'a ProgramMap>,
    settings: &'a Settings,
    budget: &'a Budget,
    watch: &'a mut dyn FnMut(Progress),
    known: Knowledge<'a>,
    expressions: Expressions,
    portfolio: Portfolio,
    frontier: Frontier,
    scheduler: Scheduler,
    random: fastrand::Rng,
    /// Effort of thinking since the last batch was made, which the workers' effort is to match.
    thought: u64,
    accounting: Accounting,
    allowance: Allowance,
    verdicts: Verdicts,
    /// Results that came before their turn, and whose turn it is.
    arrived: HashMap<usize, Done>,
    taken: usize,
    clock: Clock,
    trouble: Option<String>,
    targets: targets::Targets,
}

/// What is counted for the report.
#[derive(Default)]
struct Accounting {
    stats: Stats,
    by_strategy: Vec<StrategyStats>,
    signatures: BTreeMap<String, u64>,
    escapes: BTreeMap<String, u64>,
}

/// When things were last looked at; nothing that is proposed depends on it.
struct Clock {
    started: Instant,
    told: Instant,
    looked_at_memory: Instant,
}

impl<'a> Engine<'a> {
    pub fn new(
        maps: Pair<&'a ProgramMap>,
        plan: &'a Plan,
        portfolio: Portfolio,
        (settings, budget): (&'a Settings, &'a Budget),
        watch: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let now = Instant::now();
        let guide = Guide::new(maps, plan, portfolio.has("distance"));
        let by_strategy = vec![StrategyStats::default(); portfolio.entries.len()];
        Engine {
            maps,
            settings,
            budget,
            watch,
            known: Knowledge::new(guide, Known::default()),
            expressions: Expressions::new(portfolio.has("numbers")),
            frontier: Frontier::new(portfolio.entries.len(), Bounds::default()),
            scheduler: Scheduler::new(&portfolio),
            portfolio,
            random: fastrand::Rng::with_seed(settings.random_seed),
            thought: 0,
            allowance: Allowance::new(settings.run_work),
            verdicts: Verdicts::default(),
            accounting: Accounting { by_strategy, ..Accounting::default() },
            arrived: HashMap::new(),
            taken: 0,
            clock: Clock { started: now, told: now, looked_at_memory: now },
            trouble: None,
            targets: targets::Targets::new(&settings.targets),
        }
    }

    pub fn run(mut self, seeds: Vec<TestCase>, harnesses: Vec<Box<dyn Harness>>) -> Outcome {
        let (threads, permits) = (harnesses.len(), Arc::new(Permits::new(harnesses.len())));
        let workers = Workers::start(harnesses, self.budget.memory.most / TRACES_PART, &permits);
        let solvers = Solvers::start(threads, self.settings, &permits);
        self.known.tried = Known::new(self.settings.varied, &seeds);
        let mut first = self.seeds(seeds);
        first.truncate(self.runs_left());
        self.send(&workers, &first);
        let mut under_way = VecDeque::from([first]);
        let ended = loop {
            // Another batch is made while earlier ones run, so that the workers always have something to do.
            let mut next = if self.runs_left() > 0 { self.next_batch(&solvers) } else { vec![] };
            next.truncate(self.runs_left());
            let none = next.is_empty();
            if none && under_way.is_empty() && self.runs_left() > 0 && self.allowance.grow() {
                continue;
            }
            if !none {
                self.send(&workers, &next);
                under_way.push_back(next);
            }
            if under_way.len() < BATCHES && !none {
                continue;
            }
            let Some(batch) = under_way.pop_front() else {
                break if self.runs_left() > 0 { Ended::Exhausted } else { Ended::Runs };
            };
            if let Some(ended) = self.receive(&workers, batch).or_else(|| self.stop_reason()) {
                break ended;
            }
        };
        let ended = match ended {
            Ended::Exhausted | Ended::Runs => self.finish_judging(&workers).unwrap_or(ended),
            ended => ended,
        };
        for message in workers.stop() {
            if let Message::Verdict(number, verdict) = message {
                self.verdict_arrived(number, verdict);
            }
        }
        self.finish(ended)
    }

    fn seeds(&mut self, seeds: Vec<TestCase>) -> Vec<Planned> {
        let mut first = Vec::new();
        for test in seeds {
            if self.known.tried.insert(&test) {
                let purpose = Purpose { is_seed: true, ..Purpose::default() };
                first.push(Planned { test, purpose, work: Work::Trace, flip: None, judge_anyway: false });
            }
        }
        first
    }

    fn send(&mut self, workers: &Workers, batch: &[Planned]) {
        for planned in batch {
            let is_glimpse = planned.work == Work::Glimpse;
            let runs = self.accounting.stats.runs;
            let now_and_then = runs % JUDGE_EVERY == 0 || runs < JUDGE_EVERY;
            let judge_anyway = planned.judge_anyway || now_and_then && !is_glimpse;
            let (number, test) = (runs as usize, planned.test.clone());
            let (work, judge_cut) = (self.allowance.limit(), self.allowance.may_judge());
            let is_seed = planned.purpose.is_seed;
            workers.send(Order { number, test, judge_anyway, is_glimpse, work, judge_cut, is_seed });
            self.accounting.stats.runs += 1;
        }
    }

    /// How many test cases may still be run.
    fn runs_left(&self) -> usize {
        self.budget.runs.map_or(usize::MAX, |most| most.saturating_sub(self.accounting.stats.runs) as usize)
    }

    fn stop_reason(&self) -> Option<Ended> {
        if self.budget.interrupt.is_set() {
            return Some(Ended::Interrupted);
        }
        if self.budget.left().is_zero() {
            return Some(Ended::Time);
        }
        if self.has_reached_all() {
            return Some(Ended::Reached);
        }
        self.settings.enough.load(Ordering::Relaxed).then_some(Ended::Enough)
    }

    /// Waits for the results of a batch and takes them in order.
    fn receive(&mut self, workers: &Workers, batch: Vec<Planned>) -> Option<Ended> {
        for planned in batch {
            let done = match self.next_result(workers) {
                Ok(done) => done,
                Err(ended) => return Some(ended),
            };
            workers.took(&done);
            let costs = done.costs();
            if done.is_judged {
                self.await_verdict(self.taken - 1, &planned);
            }
            self.reward_for_differences();
            self.note_cut(&planned, costs);
            let has_news = match done.seen {
                Seen::All(traced) => self.learn(planned, *traced),
                Seen::Glimpse(both) => self.glimpse(planned, &both),
            };
            self.allowance.note(costs, has_news);
            if self.is_out_of_memory() {
                return Some(Ended::Memory);
            }
        }
        self.tell_status();
        None
    }

    fn next_result(&mut self, workers: &Workers) -> Result<Done, Ended> {
        loop {
            if self.budget.is_over() {
                return Err(self.stop_reason().unwrap_or(Ended::Time));
            }
            if !self.verdicts.are_due(self.taken) {
                if let Some(done) = self.arrived.remove(&self.taken) {
                    self.taken += 1;
                    return Ok(done);
                }
            }
            self.receive_one(workers)?;
        }
    }

    /// Waits a moment for what the workers have to say.
    fn receive_one(&mut self, workers: &Workers) -> Result<(), Ended> {
        match workers.results.recv_timeout(Duration::from_millis(50)) {
            Ok(result) => self.sort_in(result),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                self.tell_status();
                Ok(())
            }
            Err(_) => Err(Ended::Harness),
        }
    }

    fn sort_in(&mut self, message: Message) -> Result<(), Ended> {
        match message {
            Message::Done(number, done) => drop(self.arrived.insert(number, done)),
            Message::Verdict(number, verdict) => self.verdict_arrived(number, verdict),
            Message::Broken(HarnessError(why)) => {
                self.trouble = Some(why);
                let interrupted = self.budget.interrupt.is_set();
                return Err(if interrupted { Ended::Interrupted } else { Ended::Harness });
            }
        }
        Ok(())
    }

    fn tell_status(&mut self) {
        if self.clock.told.elapsed() >= STATUS_EVERY {
            self.clock.told = Instant::now();
            let snapshot = self.snapshot();
            (self.watch)(Progress::Status(snapshot));
        }
    }

    /// A test case whose runs were cut may run again with a larger limit.
    fn note_cut(&mut self, planned: &Planned, costs: Pair<Cost>) {
        let count = |cut| costs.iter().filter(|(_, cost)| cost.cut == cut).count() as u64;
        let stats = &mut self.accounting.stats;
        stats.late_runs += count(CutShort::Clock);
        stats.cut_runs += count(CutShort::Work);
        if count(CutShort::Work) > 0 {
            self.allowance.keep(planned.again());
        }
    }

    /// Takes in a coverage run. True if it showed something new.
    fn glimpse(&mut self, planned: Planned, both: &Pair<Glimpse>) -> bool {
        let Planned { test, purpose, .. } = planned;
        let made = purpose.made;
        self.note_targets(&test, &purpose, both.new.taken.iter().copied());
        let what = self.known.glimpse(&test, both);
        if let Some(by) = made.by {
            let stats = &mut self.accounting.by_strategy[by.0];
            stats.glimpsed += 1;
            stats.effort += GLIMPSE_EFFORT;
            self.scheduler.reward(Work::Glimpse, by, scheduler::gain_of_glimpse(what));
        }
        if what == Glimpsed::Nothing {
            return false;
        }
        let seen = GlimpsedTest { test: &test, made, what };
        for id in self.portfolio.ids() {
            let mut out = Proposals::default();
            self.portfolio.entries[id.0].strategy.glimpsed(&seen, &mut out);
            self.propose(id, out);
        }
        true
    }

    /// Takes in a run, and asks all strategies what follows from it. True if it showed something new.
    fn learn(&mut self, planned: Planned, traced: Pair<Traced>) -> bool {
        let Planned { test, purpose, work, flip, .. } = planned;
        self.accounting.stats.traces += 2;
        let (made, is_seed) = (purpose.made, purpose.is_seed);
        let nodes: u64 = traced.iter().map(|(_, traced)| traced.trace.nodes().len() as u64).sum();
        self.thought += nodes / NODES_OF_TRACE;
        traced.iter().for_each(|(_, traced)| self.count_losses(traced));
        self.note_targets(&test, &purpose, traced.new.trace.edges_taken());
        let facts =
            self.known.take_in(test, purpose, &traced, self.maps, (&mut self.expressions, self.budget));
        drop(traced);
        if let Some(by) = made.by {
            let novelty = &self.known.run(facts.id).novelty;
            let stats = &mut self.accounting.by_strategy[by.0];
            stats.traced += 1;
            stats.effort += nodes / NODES_OF_TRACE + GLIMPSE_EFFORT;
            stats.new_edges += u64::from(novelty.first);
            self.scheduler.reward(work, by, scheduler::gain_of_run(novelty));
        }
        if let Some((flip, over_numbers)) = flip {
            self.check_arrival(&flip, over_numbers, facts.id);
        }
        if !is_seed && !self.settings.reuse {
            return self.known.run(facts.id).novelty.is_something();
        }
        for id in self.portfolio.ids() {
            let out = self.ask_strategy(id, |strategy, see, out| strategy.learn(&facts, see, out));
            self.propose(id, out);
        }
        self.known.note_first(facts.id);
        self.offer_open_branches(facts.id, facts.is_worth, &facts.alignment);
        self.known.run(facts.id).novelty.is_something()
    }

    /// Lets a strategy see and propose.
    fn ask_strategy(
        &mut self,
        id: StrategyId,
        ask: impl FnOnce(&mut dyn crate::strategies::Strategy, &mut Context, &mut Proposals),
    ) -> Proposals {
        let mut out = Proposals::default();
        let (settings, budget) = (self.settings, self.budget);
        let (expressions, random) = (&mut self.expressions, &mut self.random);
        let mut see = Context { known: &self.known, expressions, random, settings, budget };
        ask(self.portfolio.entries[id.0].strategy.as_mut(), &mut see, &mut out);
        out
    }

    fn count_losses(&mut self, traced: &Traced) {
        let Accounting { stats, escapes, .. } = &mut self.accounting;
        for event in traced.trace.events() {
            match event {
                Event::Escape { function: name, .. } => {
                    stats.escapes += 1;
                    *escapes.entry(String::from_utf8_lossy(name).into_owned()).or_default() += 1;
                }
                Event::Concrete { reason, .. } if !is_condition(reason) => stats.concretisations += 1,
                _ => {}
            }
        }
    }

    /// Did the run go where the solver said it would?
    fn check_arrival(&mut self, flip: &Flip, over_numbers: bool, run: RunId) {
        let from = &self.known.run(flip.run).paths[flip.side];
        let now = &self.known.run(run).paths[flip.side];
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
        self.accounting.stats.divergences += 1;
        for id in self.portfolio.ids() {
            let mut out = Proposals::default();
            self.portfolio.entries[id.0].strategy.diverged(flip, over_numbers, &mut out);
            self.propose(id, out);
        }
    }

    /// Takes what a strategy proposes into the frontier.
    fn propose(&mut self, by: StrategyId, out: Proposals) {
        for proposal in out.list {
            if let Goal::Try(next) = &proposal.goal {
                if !next.is_rerun && self.known.tried.contains(&next.test) {
                    continue;
                }
            }
            self.accounting.by_strategy[by.0].proposals += 1;
            match (proposal.score, proposal.goal) {
                (None, Goal::Flip(flip)) => self.offer(flip, Some(by)),
                (score, goal) => {
                    let score = score.unwrap_or_default();
                    self.frontier.push(goal, Some(by), proposal.near, vec![(by, score)]);
                }
            }
        }
    }

    /// Puts a flip into the lanes of all strategies that want it; if none does, into that of the one who thought of it.
    fn offer(&mut self, flip: Flip, by: Option<StrategyId>) {
        let age = self.frontier.next_id();
        let score = |id: StrategyId| {
            Some((id, self.portfolio.entries[id.0].strategy.score(&flip, age, &self.known)?))
        };
        let mut scores: Vec<_> = self.portfolio.ids().filter_map(score).collect();
        if scores.is_empty() {
            scores.extend(by.map(|by| (by, [0; 3])));
        }
        self.known.note_proposed(&flip);
        for (id, _) in scores.iter().filter(|_| by.is_none()) {
            self.accounting.by_strategy[id.0].proposals += 1;
        }
        if !scores.is_empty() {
            self.frontier.push(Goal::Flip(flip), by, false, scores);
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

/// The unit of effort is a node of a formula that is solved. Nodes of a trace that cost as much to take in as one of these, and what a run
/// of which only the coverage is looked at costs.
const NODES_OF_TRACE: u64 = 50;
const GLIMPSE_EFFORT: u64 = 20;
