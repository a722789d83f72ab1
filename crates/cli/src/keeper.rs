//! Makes tests smaller beside the search.
//!
//! In: differences as they are found. Out: smaller tests in the ledger.
//!
//! Always holds: a smaller test shows the same difference, confirmed as any other; the last one is done, or given up, at the deadline.

use crate::ledger::Ledger;
use crate::natives::Natives;
use parallax_execute::{Interrupt, TestCase};
use parallax_oracle::{judge, minimise, Case, Judgement, Rules, Step};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much goes into one test.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub time: Duration,
    pub runs: u32,
}

/// A thread's work: until the sender is gone, or the time is up.
pub struct Keeper<'k> {
    pub natives: Natives,
    pub rules: &'k Rules,
    pub ledger: &'k Mutex<Ledger>,
    pub effort: Effort,
    pub deadline: Instant,
    pub interrupt: Interrupt,
}

impl Keeper<'_> {
    pub fn work(mut self, incoming: Receiver<(usize, Case)>) {
        for (number, case) in incoming {
            if let Some(smaller) = self.smaller(&case) {
                let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = ledger.set_case(number, &smaller) {
                    eprintln!("parallax: {error}");
                }
            }
        }
    }

    fn smaller(&mut self, case: &Case) -> Option<Case> {
        let end = self.deadline.min(Instant::now() + self.effort.time);
        self.natives.deadline = Some(end);
        let mut runs = 0;
        let effort = self.effort;
        let small = minimise(&case.test, &mut |candidate| {
            if runs >= effort.runs || Instant::now() >= end || self.interrupt.is_set() {
                return Step::Stop;
            }
            runs += 1;
            self.step(candidate, &case.signature)
        });
        if small == case.test {
            return None;
        }
        // Once more, as a difference that is new.
        self.natives.deadline = Some(self.deadline);
        self.judged(&small, false).filter(|found| found.signature == case.signature)
    }

    fn step(&mut self, candidate: &TestCase, signature: &str) -> Step {
        match self.judged(candidate, true) {
            Some(found) if found.signature == signature => Step::Same,
            _ => Step::Other,
        }
    }

    fn judged(&mut self, test: &TestCase, known: bool) -> Option<Case> {
        match judge(&mut self.natives, self.rules, test, &|_| known) {
            Ok(Judgement::Different(case)) => Some(*case),
            _ => None,
        }
    }
}
