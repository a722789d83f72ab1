//! What a worker of the search has test cases run with.
//!
//! In: test cases. Out: traces of the symbolic builds, verdicts about the native ones.
//!
//! Always holds: for every difference that the search is told of, the runs that show it are kept until it is
//! taken in (see [`Findings`]).

use crate::engine;
use crate::learnt::LearntRules;
use crate::losses::Losses;
use crate::natives::{limited, Natives, NoRun};
use crate::reached::Reached;
use parallax_execute::{Executor, Limits, TestCase};
use parallax_oracle::{judge, Case, Causes, Flaky, Judgement, Rules};
use parallax_search::{Glimpse, Lab, LabError, Side, Snapshot, Traced, Verdict};
use parallax_trace::synth::Synth;
use parallax_trace::Trace;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

const OUT_OF_TIME: &str = "the time was up";

/// Differences that have been seen, with the runs that show them.
#[derive(Default)]
pub struct Findings {
    /// Groups that have been taken in.
    known: BTreeSet<String>,
    /// The others, by group and test case: which one the search will announce is its own affair.
    waiting: BTreeMap<String, HashMap<TestCase, Case>>,
}

impl Findings {
    fn add(&mut self, case: Case) {
        let group = case.group();
        if !self.known.contains(&group) {
            self.waiting.entry(group).or_default().insert(case.test.clone(), case);
        }
    }

    /// The case that belongs to an announced difference. From now on its kind is known.
    pub fn take(&mut self, group: &str, test: &TestCase) -> Option<Case> {
        self.known.insert(group.to_owned());
        self.waiting.remove(group)?.remove(test)
    }
}

/// What all labs share.
pub struct Shared {
    pub rules: LearntRules,
    pub limits: Limits,
    pub causes: Causes,
    pub reached: Reached,
    findings: Mutex<Findings>,
    losses: Mutex<Losses>,
    latest: Mutex<Snapshot>,
}

impl Shared {
    pub fn new(rules: Rules, limits: Limits, causes: Causes, reached: Reached) -> Shared {
        Shared {
            rules: LearntRules::new(rules),
            limits,
            causes,
            reached,
            findings: Mutex::default(),
            losses: Mutex::default(),
            latest: Mutex::default(),
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

    /// How far the search was when it last told.
    pub fn latest(&self) -> MutexGuard<'_, Snapshot> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One worker's executors.
pub struct VersionsLab {
    pub natives: Natives,
    pub symbolic: [Executor; 2],
    pub shared: Arc<Shared>,
    pub deadline: Instant,
}

impl Lab for VersionsLab {
    fn trace(&mut self, side: Side, test: &TestCase) -> Result<Traced, LabError> {
        let traced = limited(&self.shared.limits, Some(self.deadline)).and_then(|(limits, _)| {
            let executor = &mut self.symbolic[side as usize];
            let run = executor.run(test, &limits)?;
            Ok(Traced { digest: self.shared.rules.now().digest(&run), ..self.decoded(side) })
        });
        let traced = unless_broken(traced, nothing)?;
        self.shared.losses().note(side, &traced.trace);
        if side == Side::New {
            self.shared.reached.note(&traced.trace, test);
        }
        Ok(traced)
    }

    fn glimpse(&mut self, side: Side, test: &TestCase) -> Result<Glimpse, LabError> {
        let glimpse = limited(&self.shared.limits, Some(self.deadline)).and_then(|(limits, _)| {
            let executor = &mut self.symbolic[side as usize];
            let run = executor.run_unobserved(test, &limits)?;
            let digest = self.shared.rules.now().digest(&run);
            Ok(Glimpse { digest, taken: self.taken(side) })
        });
        unless_broken(glimpse, || Glimpse { taken: vec![], digest: 0 })
    }

    fn judge(&mut self, test: &TestCase) -> Result<Verdict, LabError> {
        let case = match judge(&mut self.natives, &self.shared.rules.now(), test, &|_| true) {
            Ok(Judgement::Different(case)) => case,
            other => return self.not_different(other),
        };
        let cause = self.cause(test)?;
        let case = Case { cause, ..*case };
        if self.shared.findings().known.contains(&case.group()) {
            return self.taken_in(case);
        }
        // What would be an entry of its own has to stand the whole confirmation.
        match judge(&mut self.natives, &self.shared.rules.now(), test, &|_| false) {
            Ok(Judgement::Different(again)) => self.taken_in(Case { cause: case.cause, ..*again }),
            other => self.not_different(other),
        }
    }
}

impl VersionsLab {
    fn taken_in(&self, case: Case) -> Result<Verdict, LabError> {
        if Instant::now() >= self.deadline {
            // A cause that was looked for in half a trace would be a group of its own.
            return Ok(Verdict::Unusable { reason: OUT_OF_TIME.to_owned() });
        }
        self.shared.rules.learn(&case.unstable);
        let signature = case.group();
        self.shared.findings().add(case);
        Ok(Verdict::Different { signature })
    }

    fn not_different(&self, judged: Result<Judgement, NoRun>) -> Result<Verdict, LabError> {
        match judged {
            Ok(Judgement::Flaky(Flaky { reason, unstable })) => {
                self.shared.rules.learn(&unstable);
                Ok(Verdict::Unusable { reason: reason.to_owned() })
            }
            Ok(_) => Ok(Verdict::Same),
            Err(NoRun::Impossible(reason)) => Ok(Verdict::Unusable { reason }),
            Err(NoRun::OutOfTime) => Ok(Verdict::Unusable { reason: OUT_OF_TIME.to_owned() }),
            Err(NoRun::Broken(error)) => Err(LabError(error.to_string())),
        }
    }

    /// The change behind a difference on this test case.
    pub fn cause(&mut self, test: &TestCase) -> Result<Option<String>, LabError> {
        let old = self.trace(Side::Old, test)?;
        let new = self.trace(Side::New, test)?;
        Ok(self.shared.causes.of(&old.trace, &new.trace))
    }

    /// The edges that the last run took.
    fn taken(&self, side: Side) -> Vec<(u32, u8)> {
        let arena = self.symbolic[side as usize].arena();
        let Ok(inputs) = engine::inputs(arena) else { return vec![] };
        Trace::decode(arena.bytes(), &inputs).map_or_else(|_| vec![], |trace| trace.edges_taken().collect())
    }

    /// The trace that the last run left. One that the program wrote over says nothing.
    fn decoded(&self, side: Side) -> Traced {
        let arena = self.symbolic[side as usize].arena();
        let Ok(inputs) = engine::inputs(arena) else { return nothing() };
        match Trace::decode(arena.bytes(), &inputs) {
            Ok(trace) => Traced { trace: trace.into_owned(), inputs, digest: 0 },
            Err(_) => nothing(),
        }
    }
}

/// A run that could not be has shown nothing; only a broken laboratory ends the search.
fn unless_broken<T>(seen: Result<T, NoRun>, nothing: impl FnOnce() -> T) -> Result<T, LabError> {
    match seen {
        Ok(seen) => Ok(seen),
        Err(NoRun::OutOfTime | NoRun::Impossible(_)) => Ok(nothing()),
        Err(NoRun::Broken(error)) => Err(LabError(error.to_string())),
    }
}

/// The trace of a run that recorded nothing.
fn nothing() -> Traced {
    Traced { trace: Synth::new(Vec::new()).trace(), inputs: Vec::new(), digest: 0 }
}
