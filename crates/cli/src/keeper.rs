//! Makes tests smaller beside the search, and asks the golden version about them.
//!
//! In: differences as they are found. Out: smaller tests in the ledger, with what the golden version makes of them.
//!
//! Always holds: a smaller test shows the same difference with the same cause, confirmed as any other; the last one is done, or given
//! up, at the deadline.

use crate::golden::Golden;
use crate::lab::VersionsLab;
use crate::ledger::{self, Ledger};
use parallax_execute::{Interrupt, TestCase};
use parallax_oracle::{judge, minimise, Case, Judgement, Step};
use std::sync::mpsc::Receiver;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many times longer than a step of making a test smaller the confirmation of the result may take.
const LAST_WORD: u32 = 6;

/// How much goes into one test.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub time: Duration,
    pub runs: u32,
}

/// A thread's work: until the sender is gone, or the time is up.
pub struct Keeper<'k> {
    pub lab: VersionsLab,
    pub golden: Option<Golden>,
    pub ledger: &'k Mutex<Ledger>,
    pub effort: Effort,
    pub deadline: Instant,
    pub interrupt: Interrupt,
}

impl Keeper<'_> {
    pub fn work(mut self, incoming: Receiver<(usize, Case)>) {
        for (number, case) in incoming {
            let smaller = self.smaller(&case);
            let kept = smaller.as_ref().unwrap_or(&case);
            let golden =
                self.golden.as_mut().map(|golden| golden.classify(&self.lab.shared.rules.now(), kept));
            let mut ledger = ledger::lock(self.ledger);
            if let Err(error) = ledger.improve(number, smaller.as_ref(), golden) {
                eprintln!("parallax: {error}");
            }
        }
    }

    fn smaller(&mut self, case: &Case) -> Option<Case> {
        let end = self.deadline.min(Instant::now() + self.effort.time);
        self.lab.natives.deadline = Some(end);
        let (mut runs, mut longest) = (0, Duration::ZERO);
        let effort = self.effort;
        let small = minimise(&case.test, &mut |candidate| {
            let now = Instant::now();
            // The last word, below, takes longer than a step: more repetitions.
            let last = now + longest * LAST_WORD >= self.deadline;
            if runs >= effort.runs || now >= end || last || self.interrupt.is_set() {
                return Step::Stop;
            }
            runs += 1;
            let found = self.judged(candidate, case, true);
            longest = longest.max(now.elapsed());
            found.map_or(Step::Other, |_| Step::Same)
        });
        if small == case.test {
            return None;
        }
        // Once more, as a difference that is new.
        self.lab.natives.deadline = Some(self.deadline);
        self.judged(&small, case, false)
    }

    /// A test case that is different in the same way, for the same reason.
    fn judged(&mut self, test: &TestCase, like: &Case, known: bool) -> Option<Case> {
        let judgement = judge(&mut self.lab.natives, &self.lab.shared.rules.now(), test, &|_| known);
        let Ok(Judgement::Different(mut found)) = judgement else { return None };
        if found.signature != like.signature {
            return None;
        }
        found.cause = self.lab.cause(test).ok()?;
        (found.cause == like.cause).then_some(*found)
    }
}
