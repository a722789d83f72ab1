//! What a worker of the search has test cases run with.
//!
//! In: test cases. Out: traces of the symbolic builds, verdicts about the native ones.
//!
//! Always holds: for every difference that the search is told of, the runs that show it are kept until it is
//! taken in (see [`Findings`]).

use crate::engine;
use crate::losses::Losses;
use crate::natives::{limited, Natives, NoRun};
use crate::reached::Reached;
use parallax_execute::{Executor, Limits, Run, TestCase};
use parallax_oracle::{judge, Case, Causes, Judgement, Rules};
use parallax_search::{Glimpse, Lab, LabError, Side, Snapshot, Traced, Verdict};
use parallax_trace::synth::Synth;
use parallax_trace::Trace;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Differences that have been seen, with the runs that show them.
#[derive(Default)]
pub struct Findings {
    /// Groups that have been taken in.
    known: BTreeSet<String>,
    /// Signatures that have been confirmed.
    confirmed: BTreeSet<String>,
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
        let case = self.waiting.remove(group)?.remove(test)?;
        self.confirmed.insert(case.signature.clone());
        Some(case)
    }
}

/// What all labs share.
pub struct Shared {
    pub rules: Rules,
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
            rules,
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
        let traced = self.observed(side, test).map(|(_, traced)| traced);
        unless_broken(traced, nothing)
    }

    fn glimpse(&mut self, side: Side, test: &TestCase) -> Result<Glimpse, LabError> {
        let glimpse = limited(&self.shared.limits, Some(self.deadline)).and_then(|(limits, _)| {
            let executor = &mut self.symbolic[side as usize];
            let run = executor.run_unobserved(test, &limits)?;
            let digest = self.shared.rules.digest(&run);
            Ok(Glimpse { digest, taken: self.taken(side) })
        });
        unless_broken(glimpse, || Glimpse { taken: vec![], digest: 0 })
    }

    fn judge(&mut self, test: &TestCase) -> Result<Verdict, LabError> {
        let known = |signature: &str| self.shared.findings().confirmed.contains(signature);
        match judge(&mut self.natives, &self.shared.rules, test, &known) {
            Ok(Judgement::Same) => Ok(Verdict::Same),
            Ok(Judgement::Flaky(reason)) | Err(NoRun::Impossible(reason)) => Ok(Verdict::Unusable { reason }),
            Ok(Judgement::Different(mut case)) => {
                case.cause = self.cause(test)?;
                if Instant::now() >= self.deadline {
                    // A cause that was looked for in half a trace would be a group of its own.
                    return Ok(Verdict::Unusable { reason: "the time was up".to_owned() });
                }
                let signature = case.group();
                self.shared.findings().add(*case);
                Ok(Verdict::Different { signature })
            }
            Err(NoRun::OutOfTime) => Ok(Verdict::Unusable { reason: "the time was up".to_owned() }),
            Err(NoRun::Broken(error)) => Err(LabError(error.to_string())),
        }
    }
}

impl VersionsLab {
    /// A run of a symbolic build, with its trace.
    pub fn observed(&mut self, side: Side, test: &TestCase) -> Result<(Run, Traced), NoRun> {
        let (limits, _) = limited(&self.shared.limits, Some(self.deadline))?;
        let run = self.symbolic[side as usize].run(test, &limits)?;
        let digest = self.shared.rules.digest(&run);
        let traced = Traced { digest, ..self.decoded(side) };
        self.shared.losses().note(side, &traced.trace);
        if side == Side::New {
            self.shared.reached.note(&traced.trace, test);
        }
        Ok((run, traced))
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
