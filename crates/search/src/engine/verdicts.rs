//! Verdicts come later than what the symbolic builds showed, and nobody waits for them: a native run may take as long as its time limit, and what looks
//! like a difference is run many times.
//!
//! In: test cases that are being judged, and verdicts, in any order. Out: differences, told in the order of their test cases, and what they are worth
//! to the strategies that found them.
//!
//! Always holds: a verdict counts for the scheduler when so many more results have been taken in, neither sooner nor later: so that what is proposed does
//! not depend on how long it took.

use super::*;
use std::collections::HashSet;

/// Results that are taken in before a verdict counts.
const LATER: usize = 300;

/// A test case that is being judged.
struct Judged {
    test: TestCase,
    made: Made,
    work: Work,
}

/// See the module.
#[derive(Default)]
pub(super) struct Verdicts {
    waiting: BTreeMap<usize, Judged>,
    /// Verdicts that are told after those about earlier test cases.
    held: BTreeMap<usize, (Judged, Verdict)>,
    /// Verdicts about test cases that are not taken in yet.
    early: HashMap<usize, Verdict>,
    /// What differences are worth, by the number of the test case: to whom, for what work, and their signature.
    gains: BTreeMap<usize, (StrategyId, Work, String)>,
    rewarded: HashSet<String>,
}

impl Verdicts {
    /// Must the next result wait for a verdict?
    pub fn are_due(&self, taken: usize) -> bool {
        self.waiting.first_key_value().is_some_and(|(number, _)| number + LATER <= taken)
    }

    pub fn are_waited_for(&self) -> bool {
        !self.waiting.is_empty()
    }
}

impl Engine<'_> {
    /// The result of this test case is taken in, and a verdict will come.
    pub(super) fn await_verdict(&mut self, number: usize, planned: &Planned) {
        let judged = Judged { test: planned.test.clone(), made: planned.purpose.made, work: planned.work };
        match self.verdicts.early.remove(&number) {
            Some(verdict) => self.hold_verdict(number, judged, verdict),
            None => drop(self.verdicts.waiting.insert(number, judged)),
        }
    }

    pub(super) fn verdict_arrived(&mut self, number: usize, verdict: Verdict) {
        match self.verdicts.waiting.remove(&number) {
            Some(judged) => self.hold_verdict(number, judged, verdict),
            None => drop(self.verdicts.early.insert(number, verdict)),
        }
    }

    /// Takes all verdicts before which none is missing.
    fn hold_verdict(&mut self, number: usize, judged: Judged, verdict: Verdict) {
        self.verdicts.held.insert(number, (judged, verdict));
        let missing = self.verdicts.waiting.first_key_value().map_or(usize::MAX, |(first, _)| *first);
        while let Some(entry) = self.verdicts.held.first_entry().filter(|entry| *entry.key() < missing) {
            let (number, (judged, verdict)) = entry.remove_entry();
            self.take_verdict(number, judged, verdict);
        }
    }

    fn take_verdict(&mut self, number: usize, Judged { test, made, work }: Judged, verdict: Verdict) {
        let Verdict::Different { signature } = verdict else { return };
        if let Some(by) = made.by {
            self.verdicts.gains.insert(number, (by, work, signature.clone()));
        }
        let count = self.accounting.signatures.entry(signature.clone()).or_default();
        *count += 1;
        if *count > 1 {
            return (self.watch)(Progress::Again { signature });
        }
        if let Some(by) = made.by {
            self.accounting.by_strategy[by.0].differences += 1;
        }
        // Numbers begin with 0; how many others were tried until the verdict came is a matter of time.
        let (after, runs) = (self.clock.started.elapsed(), number as u64 + 1);
        let found = Found { test, signature, after, runs, strategies: self.chain(made) };
        (self.watch)(Progress::Difference(found));
    }

    /// Rewards those who found differences long enough ago.
    pub(super) fn reward_for_differences(&mut self) {
        while let Some(entry) = self.verdicts.gains.first_entry().filter(|e| e.key() + LATER <= self.taken) {
            let (by, work, signature) = entry.remove();
            if self.verdicts.rewarded.insert(signature) {
                self.scheduler.reward(work, by, scheduler::GAIN_OF_DIFFERENCE);
            }
        }
    }

    /// At an end that nothing hurries, all verdicts are waited for.
    pub(super) fn finish_judging(&mut self, workers: &Workers) -> Option<Ended> {
        while self.verdicts.are_waited_for() {
            if let Some(ended) = self.stop_reason() {
                return Some(ended);
            }
            if let Err(ended) = self.receive_one(workers) {
                return Some(ended);
            }
        }
        None
    }

    /// The strategies that led from a seed to a test case, step by step.
    pub(super) fn chain(&self, made: Made) -> Vec<&'static str> {
        let mut chain: Vec<&'static str> = Vec::new();
        let mut at = Some(made);
        while let Some(Made { by: Some(by), first_by, of }) = at {
            chain.extend([Some(by), first_by].into_iter().flatten().map(|id| self.portfolio.name(id)));
            at = of.map(|RunId(run)| self.known.runs[run].made);
        }
        chain.reverse();
        chain
    }
}
