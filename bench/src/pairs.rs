//! Pairs of inputs: does one that fulfils the path condition of the other take its path?
//!
//! In: a program and some inputs of it. Out: how many pairs were tried, on how many the promise applies, and every
//! pair that breaks it.
//!
//! The promise applies to a pair if nothing was made concrete, escaped, was cut or forked away in the trace of the
//! first, and every condition of that trace holds on the second, lengths included. Inputs that take a path that
//! was not seen before become first inputs themselves.

use crate::mutate::Mutator;
use crate::path::Path;
use crate::twins::{Subject, SubjectError};
use parallax_execute::TestCase;
use parallax_trace::format::{FLAG_FORKED, FLAG_THREADS};
use parallax_trace::request::{Input, Source};
use parallax_trace::{Event, Trace};
use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Second inputs made from one first input.
const PAIRS_EACH: usize = 24;
/// First inputs that wait to be looked at.
const MAX_WAITING: usize = 400;
/// Counterexamples kept in words.
const MAX_SHOWN: usize = 5;

/// What came out of the pairs of one program.
#[derive(Default, Debug)]
pub struct Tally {
    pub pairs: usize,
    /// Pairs to which the promise applies.
    pub premise: usize,
    /// Those that kept it.
    pub same: usize,
    /// First inputs looked at, different paths seen.
    pub firsts: usize,
    pub paths: usize,
    /// First inputs left out because something was lost in their trace.
    pub lossy: usize,
    /// Conditions that the runs recorded, and those that contradict their own run.
    pub conditions: usize,
    pub violations: usize,
    pub counterexamples: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.pairs += other.pairs;
        self.premise += other.premise;
        self.same += other.same;
        self.firsts += other.firsts;
        self.paths += other.paths;
        self.lossy += other.lossy;
        self.conditions += other.conditions;
        self.violations += other.violations;
        self.counterexamples.extend(other.counterexamples);
    }
}

/// Tries pairs until the promise applied to `wanted` of them, or `most` pairs have been tried.
pub fn explore(
    subject: &mut Subject,
    seeds: &[TestCase],
    wanted: usize,
    most: usize,
    random: &mut fastrand::Rng,
) -> Result<Tally, SubjectError> {
    let mut search =
        Search { tally: Tally::default(), seen: HashSet::new(), waiting: seeds.iter().cloned().collect() };
    let mut tried = VecDeque::new();
    while search.tally.premise < wanted && search.tally.pairs < most {
        // When every path has had its turn, the first inputs come round again: other pairs.
        let Some(first) = search.waiting.pop_front().or_else(|| tried.pop_front()) else { break };
        let before = search.tally.pairs;
        search.first(subject, &first, random)?;
        if search.tally.pairs > before {
            tried.push_back(first);
        }
    }
    search.tally.paths = search.seen.len();
    Ok(search.tally)
}

struct Search {
    tally: Tally,
    seen: HashSet<Path>,
    waiting: VecDeque<TestCase>,
}

impl Search {
    /// All pairs of one first input.
    fn first(
        &mut self,
        subject: &mut Subject,
        test: &TestCase,
        random: &mut fastrand::Rng,
    ) -> Result<(), SubjectError> {
        let (_, inputs) = subject.run_symbolic(test)?;
        let trace = subject.trace(&inputs)?.into_owned();
        self.check(subject, &trace, test);
        let path = Path::of(&trace, &subject.map);
        self.seen.insert(path.clone());
        if lost(&trace) {
            self.tally.lossy += 1;
            return self.neighbours(subject, &trace, random);
        }
        self.tally.firsts += 1;
        let mutator = Mutator::new(&trace, &subject.map.sites, random);
        for other in (0..PAIRS_EACH).filter_map(|_| mutator.mutate(random)) {
            self.tally.pairs += 1;
            let applies = trace.holds_on(&other, &subject.map.sites, false);
            let taken = self.second(subject, &other)?;
            if applies {
                self.tally.premise += 1;
                match path.difference(&taken, &subject.map) {
                    None => self.tally.same += 1,
                    Some(reason) => self.broken(&subject.name, &inputs, &other, &reason),
                }
            }
        }
        Ok(())
    }

    /// A trace that lost something makes no promise, but may lead to ones that do.
    fn neighbours(
        &mut self,
        subject: &mut Subject,
        trace: &Trace,
        random: &mut fastrand::Rng,
    ) -> Result<(), SubjectError> {
        let mutator = Mutator::new(trace, &subject.map.sites, random);
        for other in (0..PAIRS_EACH / 4).filter_map(|_| mutator.mutate(random)) {
            self.second(subject, &other)?;
        }
        Ok(())
    }

    fn second(&mut self, subject: &mut Subject, inputs: &[Input]) -> Result<Path, SubjectError> {
        let test = test_case(inputs);
        let (_, inputs) = subject.run_symbolic(&test)?;
        let trace = subject.trace(&inputs)?;
        let path = Path::of(&trace, &subject.map);
        self.check(subject, &trace, &test);
        if !self.seen.contains(&path) && self.waiting.len() < MAX_WAITING {
            self.seen.insert(path.clone());
            self.waiting.push_back(test);
        }
        Ok(path)
    }

    /// Part (a): the conditions of a run against its own input.
    fn check(&mut self, subject: &Subject, trace: &Trace, test: &TestCase) {
        let violations = trace.check_self(&subject.map.sites);
        self.tally.conditions += trace.conditions(&subject.map.sites).len();
        let found = violations.len() + trace.header().inconsistent as usize;
        self.tally.violations += found;
        if found > 0 && self.tally.counterexamples.len() < MAX_SHOWN {
            let text = format!("{}: {test:?} contradicts itself: {:?}", subject.name, violations.first());
            self.tally.counterexamples.push(text);
        }
    }

    fn broken(&mut self, program: &str, first: &[Input], second: &[Input], reason: &str) {
        if self.tally.counterexamples.len() < MAX_SHOWN {
            let show = |inputs: &[Input]| -> Vec<String> {
                inputs.iter().map(|i| i.bytes.escape_ascii().to_string()).collect()
            };
            let text = format!("{program}: {:?} and {:?}: {reason}", show(first), show(second));
            self.tally.counterexamples.push(text);
        }
    }
}

/// Was anything lost, so that the path condition is not all there is?
fn lost(trace: &Trace) -> bool {
    let dropped = trace.events().any(|event| match event {
        Event::Escape { .. } => true,
        Event::Concrete { label, .. } => label != 0,
        _ => false,
    });
    dropped || trace.is_cut() || trace.flag(FLAG_FORKED) || trace.flag(FLAG_THREADS)
}

fn test_case(inputs: &[Input]) -> TestCase {
    let mut test = TestCase::default();
    for input in inputs {
        let bytes = input.bytes.clone();
        match &input.source {
            Source::Argument(_) => test.argv.push(bytes),
            Source::Stdin => test.stdin = bytes,
            Source::File(path) => test.files.push((OsStr::from_bytes(path).into(), bytes)),
            Source::Env(name) => test.env.push((name.clone(), bytes)),
        }
    }
    test
}
