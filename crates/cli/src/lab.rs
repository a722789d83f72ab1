//! What a worker of the search has test cases run with.
//!
//! In: test cases. Out: traces of the symbolic builds, verdicts about the native ones.
//!
//! Always holds: for every difference that the search is told of, the runs that show it are kept until it is
//! taken in (see [`Findings`]). An input on which the symbolic builds differ only in a wording that is known is not run again.

use crate::crashes::Crashes;
use crate::cut::Cut;
use crate::engine;
use crate::findings::Findings;
use crate::learnt::LearntRules;
use crate::losses::Losses;
use crate::natives::{limited, Natives, NoRun};
use crate::own_memory::Room;
use crate::reached::Reached;
use parallax_execute::{Executor, Limits, Outcome, Run, TestCase};
use parallax_oracle::{describe, judge, look, Case, Causes, Expectations, Flaky, Judgement, Rules};
use parallax_search::{
    Cost, CutShort, Glimpse, Harness, HarnessError, Pair, Side, Snapshot, Traced, Verdict,
};
use parallax_trace::reader::Event;
use parallax_trace::request::Input;
use parallax_trace::synth::Synth;
use parallax_trace::Trace;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

const OUT_OF_TIME: &str = "the time was up";

/// What all labs share.
pub struct Shared {
    pub rules: LearntRules,
    pub limits: Limits,
    pub causes: Causes,
    pub expectations: Expectations,
    pub reached: Reached,
    findings: Mutex<Findings>,
    losses: Mutex<Losses>,
    latest: Mutex<Snapshot>,
    /// Set when the search has to end: no more differences are wanted, or there is no memory.
    pub enough: Arc<AtomicBool>,
    room: Room,
    /// Runs of which not everything is compared.
    pub cut: Cut,
    /// Some run left something: output, or another end than status 0.
    pub spoke: AtomicBool,
    crashes: Mutex<Crashes>,
}

impl Shared {
    pub fn new(
        rules: Rules,
        limits: Limits,
        (causes, expectations): (Causes, Expectations),
        reached: Reached,
        own_memory: u64,
    ) -> Shared {
        Shared {
            rules: LearntRules::new(rules),
            limits,
            causes,
            expectations,
            reached,
            findings: Mutex::default(),
            losses: Mutex::default(),
            enough: Arc::default(),
            room: Room::new(own_memory),
            cut: Cut::default(),
            spoke: AtomicBool::new(false),
            crashes: Mutex::default(),
            latest: Mutex::default(),
        }
    }

    /// Every run is looked at once.
    pub fn note(&self, run: &Run) {
        self.cut.note(run);
        if run.outcome != Outcome::Exited(0) || !run.stdout.bytes.is_empty() {
            self.spoke.store(true, Ordering::Relaxed);
        }
    }

    pub fn findings(&self) -> MutexGuard<'_, Findings> {
        // Every change of the findings is complete before anything can panic.
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Where symbolic data was lost so far.
    pub fn losses(&self) -> MutexGuard<'_, Losses> {
        self.losses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Crashes of the new version.
    pub fn crashes(&self) -> MutexGuard<'_, Crashes> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far the search was when it last told.
    pub fn latest(&self) -> MutexGuard<'_, Snapshot> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One worker's executors.
pub struct VersionsLab {
    pub natives: Natives,
    /// Builds with sanitizers, where they are wanted.
    pub sanitized: Option<Natives>,
    pub symbolic: Pair<Executor>,
    pub shared: Arc<Shared>,
    pub deadline: Instant,
    /// What the symbolic builds did last, and on which test case.
    pub last: Pair<Option<(TestCase, Run)>>,
}

impl Harness for VersionsLab {
    fn trace(&mut self, side: Side, test: &TestCase, work: u64) -> Result<Traced, HarnessError> {
        let traced = self.traced(side, test, work)?;
        self.note_alike(side);
        Ok(traced)
    }

    fn glimpse(&mut self, side: Side, test: &TestCase, work: u64) -> Result<Glimpse, HarnessError> {
        self.last[side] = None;
        let glimpse = limited(&self.shared.limits, Some(self.deadline)).and_then(|(limits, was_cut)| {
            let executor = &mut self.symbolic[side];
            let run = executor.run_unobserved(test, &Limits { work, ..limits })?;
            let cost = cost(&run, executor);
            self.shared.note(&run);
            let digest = self.shared.rules.now().digest(&run);
            let taken = self.taken(side);
            self.last[side] = Some((test.clone(), run.clone()));
            if side == Side::New {
                self.shared.reached.note(taken.iter().copied(), test);
                if self.is_crash_to_trace(&run, was_cut) {
                    drop(self.observed_within(side, test, work)?);
                    self.last[side] = Some((test.clone(), run));
                }
            }
            Ok(Glimpse { digest, taken, cost })
        });
        let glimpse = unless_broken(glimpse, || Glimpse { taken: vec![], digest: 0, cost: Cost::default() })?;
        self.note_alike(side);
        Ok(glimpse)
    }

    fn judge(&mut self, test: &TestCase) -> Result<Verdict, HarnessError> {
        if let Some(signature) = self.only_known_wording(test) {
            return Ok(Verdict::Different { signature });
        }
        let judged = judge(&mut self.natives, &self.shared.rules.now(), test, &|_| true);
        self.note_astray(test, &judged);
        let mut case = match judged {
            Ok(Judgement::Different(case)) => case,
            other => return self.not_different(other),
        };
        self.describe(&mut case)?;
        if self.shared.findings().known.contains(&case.group()) {
            return self.taken_in(*case);
        }
        // What would be an entry of its own has to stand the whole confirmation.
        match judge(&mut self.natives, &self.shared.rules.now(), test, &|_| false) {
            Ok(Judgement::Different(mut again)) => {
                self.describe(&mut again)?;
                self.taken_in(*again)
            }
            other => self.not_different(other),
        }
    }
}

impl VersionsLab {
    fn taken_in(&self, case: Case) -> Result<Verdict, HarnessError> {
        if Instant::now() >= self.deadline {
            // A cause that was looked for in half a trace would be a group of its own.
            return Ok(Verdict::Unusable { reason: OUT_OF_TIME.to_owned() });
        }
        self.shared.rules.learn(&case.unstable);
        let signature = case.group();
        self.shared.findings().add(case);
        Ok(Verdict::Different { signature })
    }

    fn not_different(&self, judged: Result<Judgement, NoRun>) -> Result<Verdict, HarnessError> {
        match judged {
            Ok(Judgement::Flaky(Flaky { reason, unstable })) => {
                self.shared.rules.learn(&unstable);
                Ok(Verdict::Unusable { reason: reason.to_owned() })
            }
            Ok(_) => Ok(Verdict::Same),
            Err(NoRun::Impossible(reason)) => Ok(Verdict::Unusable { reason }),
            Err(NoRun::OutOfTime) => Ok(Verdict::Unusable { reason: OUT_OF_TIME.to_owned() }),
            Err(NoRun::Broken(error)) => Err(HarnessError(error.to_string())),
        }
    }

    /// What a difference comes from: see [`parallax_oracle::describe`].
    pub fn describe(&mut self, case: &mut Case) -> Result<(), HarnessError> {
        let old = self.traced(Side::Old, &case.test, 0)?;
        let new = self.traced(Side::New, &case.test, 0)?;
        let Shared { rules, expectations, causes, .. } = &*self.shared;
        describe(case, &rules.now(), expectations, causes, [&old.trace, &new.trace]);
        Ok(())
    }

    /// The part of it for which no traces are needed.
    pub fn look(&self, case: &mut Case) {
        look(case, &self.shared.rules.now(), &self.shared.expectations);
    }

    /// A trace; an empty one where no run could be made.
    fn traced(&mut self, side: Side, test: &TestCase, work: u64) -> Result<Traced, HarnessError> {
        let traced = self.observed_within(side, test, work).map(|(_, traced)| traced);
        unless_broken(traced, nothing)
    }

    /// A run of a symbolic build, with its trace.
    pub fn observed(&mut self, side: Side, test: &TestCase) -> Result<(Run, Traced), NoRun> {
        self.observed_within(side, test, 0)
    }

    /// The same of one that may do so much counted work.
    fn observed_within(&mut self, side: Side, test: &TestCase, work: u64) -> Result<(Run, Traced), NoRun> {
        self.last[side] = None;
        let (limits, was_cut) = limited(&self.shared.limits, Some(self.deadline))?;
        let run = self.symbolic[side].run(test, &Limits { work, ..limits })?;
        let cost = cost(&run, &self.symbolic[side]);
        self.shared.note(&run);
        let digest = self.shared.rules.now().digest(&run);
        let traced = Traced { digest, cost, ..self.decoded(side) };
        self.symbolic[side].forget_trace();
        self.last[side] = Some((test.clone(), run.clone()));
        self.shared.losses().note(side, &traced.trace);
        if side == Side::New {
            self.shared.reached.note(traced.trace.edges_taken(), test);
            let site = last_site(&traced.trace);
            self.note_crash(&run, site, test, was_cut);
            self.sanitize(site, test);
        }
        Ok((run, traced))
    }

    /// The two runs of the symbolic builds on one test case, if both were made.
    fn both(&self) -> Option<(&TestCase, [&Run; 2])> {
        let Pair { old: Some((test, old)), new: Some((other, new)) } = &self.last else { return None };
        (test == other).then_some((test, [old, new]))
    }

    /// Counts inputs on which the versions do the same. What was cut says nothing about that.
    fn note_alike(&self, side: Side) {
        let whole = |run: &Run| run.outcome != Outcome::TooMuchWork;
        let alike = |[old, new]: [&Run; 2]| {
            whole(old) && whole(new) && self.shared.rules.now().differing(old, new).is_empty()
        };
        if side == Side::New && self.both().is_some_and(|(_, runs)| alike(runs)) {
            self.shared.findings().note_alike();
        }
    }

    /// Counts inputs on which a symbolic build does not do what the native program does. What varies by itself, or was cut, says nothing about that.
    fn note_astray(&self, test: &TestCase, judged: &Result<Judgement, NoRun>) {
        let Some((_, symbolic)) = self.both().filter(|(last, _)| *last == test) else { return };
        let [Some(old), Some(new)] = &self.natives.last else { return };
        let was_cut = |run: &Run| matches!(run.outcome, Outcome::TimedOut | Outcome::Lost);
        if !matches!(judged, Ok(Judgement::Same | Judgement::Different(_)))
            || [old, new].into_iter().chain(symbolic).any(was_cut)
        {
            return;
        }
        let rules = self.shared.rules.now();
        let is_astray =
            [old, new].iter().zip(symbolic).any(|(native, run)| !rules.differing(native, run).is_empty());
        let mut losses = self.shared.losses();
        losses.compared += 1;
        losses.astray += u64::from(is_astray);
    }

    /// The group of a test case on which nothing differs, in the symbolic builds, but wording that is known already.
    fn only_known_wording(&self, test: &TestCase) -> Option<String> {
        let (_, [old, new]) = self.both().filter(|(last, _)| *last == test)?;
        let aspects = self.shared.rules.now().differing(old, new);
        if aspects.is_empty() {
            return None;
        }
        let mut case = Case::new(test.clone(), old.clone(), new.clone(), aspects, String::new());
        self.look(&mut case);
        let group = case.group();
        let mut findings = self.shared.findings();
        if !case.beyond.is_empty() || !findings.known.contains(&group) {
            return None;
        }
        findings.count(&group, &case);
        Some(group)
    }

    /// The edges that the last run took.
    fn taken(&self, side: Side) -> Vec<(u32, u8)> {
        let arena = self.symbolic[side].arena();
        let Ok(inputs) = engine::inputs(arena) else { return vec![] };
        Trace::decode(arena.bytes(), &inputs).map_or_else(|_| vec![], |trace| trace.edges_taken().collect())
    }

    /// The trace that the last run left. One that the program wrote over says nothing, and one that there is no memory for is not looked at.
    fn decoded(&self, side: Side) -> Traced {
        let arena = self.symbolic[side].arena();
        let Some(_room) = self.shared.room.promise(arena.trace_bytes()) else {
            self.shared.losses().without_room += 1;
            return nothing();
        };
        let decoded = engine::inputs(arena).ok().and_then(|inputs| {
            let trace = Trace::decode(arena.bytes(), &inputs).ok()?.into_owned();
            Some(Traced { trace, ..nothing_of(inputs) })
        });
        decoded.unwrap_or_else(|| {
            self.shared.losses().unreadable += 1;
            nothing()
        })
    }
}

/// A run that could not be has shown nothing; only a broken laboratory ends the search.
fn unless_broken<T>(seen: Result<T, NoRun>, nothing: impl FnOnce() -> T) -> Result<T, HarnessError> {
    match seen {
        Ok(seen) => Ok(seen),
        Err(NoRun::OutOfTime | NoRun::Impossible(_)) => Ok(nothing()),
        Err(NoRun::Broken(error)) => Err(HarnessError(error.to_string())),
    }
}

/// The last place of the program that the trace tells of.
fn last_site(trace: &Trace) -> Option<u32> {
    let site = |event: Event| match event {
        Event::Branch { site, .. }
        | Event::Switch { site, .. }
        | Event::Guard { site, .. }
        | Event::Concrete { site, .. }
        | Event::Escape { site, .. }
        | Event::Output { site, .. } => Some(site),
        _ => None,
    };
    trace.events().filter_map(site).last()
}

/// The trace of a run that recorded nothing.
fn nothing() -> Traced {
    nothing_of(Vec::new())
}

fn nothing_of(inputs: Vec<Input>) -> Traced {
    Traced { trace: Synth::new(Vec::new()).trace(), inputs, digest: 0, cost: Cost::default() }
}

/// What a run cost that has just ended.
fn cost(run: &Run, executor: &Executor) -> Cost {
    let cut = match run.outcome {
        Outcome::TooMuchWork => CutShort::Work,
        Outcome::TimedOut => CutShort::Clock,
        _ => CutShort::No,
    };
    Cost { work: executor.arena().header().work(), cut }
}
