//! Makes tests smaller beside the search, and asks the golden version about them.
//!
//! In: entries as they are made. Out: smaller tests in the ledger, with what the golden version makes of them.
//!
//! Always holds: a smaller test shows what the entry comes from, confirmed as any other, or more closely where several changes were candidates;
//! the last one is done, or given up, at the deadline. What was given up stays raw.

use crate::entries::EntryId;
use crate::golden::Golden;
use crate::lab::VersionsLab;
use crate::ledger::{self, Ledger};
use parallax_execute::{Interrupt, TestCase};
use parallax_oracle::{judge, minimise, Case, Judgement, Root, Step};
use parallax_search::Varied;
use std::sync::mpsc::Receiver;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many times longer than a step of making a test smaller the confirmation of the result may take.
const LAST_WORD: u32 = 7;

/// How much goes into one test.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub time: Duration,
    pub runs: u32,
}

/// An entry to be made small.
pub struct Rough {
    pub entry: EntryId,
    pub root: Root,
    pub case: Case,
}

/// A thread's work: until the sender is gone, or the time is up.
pub struct Keeper<'k> {
    pub lab: VersionsLab,
    pub golden: Option<Golden>,
    pub ledger: &'k Mutex<Ledger>,
    pub effort: Effort,
    /// What a smaller test may change.
    pub varied: Varied,
    pub deadline: Instant,
    pub interrupt: Interrupt,
}

/// What became of an attempt to make a test smaller.
struct Made {
    smaller: Option<(Case, Root)>,
    /// It had all the time and runs that it may take.
    done: bool,
}

impl Keeper<'_> {
    pub fn work(mut self, incoming: Receiver<Rough>) {
        for rough in incoming {
            let Made { smaller, done } = self.smaller(&rough);
            let kept = smaller.as_ref().map_or(&rough.case, |(case, _)| case);
            let golden =
                self.golden.as_mut().map(|golden| golden.classify(&self.lab.shared.rules.now(), kept));
            let mut ledger = ledger::lock(self.ledger);
            if let Err(error) = ledger.settle(&rough, smaller.as_ref(), golden, done) {
                eprintln!("parallax: {error}");
            }
        }
    }

    fn smaller(&mut self, rough: &Rough) -> Made {
        let end = self.deadline.min(Instant::now() + self.effort.time);
        self.lab.natives.deadline = Some(end);
        let (mut runs, mut longest, mut cut) = (0, Duration::ZERO, false);
        let effort = self.effort;
        let small = minimise(&rough.case.test, &mut |candidate| {
            let now = Instant::now();
            // The last word, below, takes longer than a step: more repetitions.
            let last = now + longest * LAST_WORD >= self.deadline;
            cut |= last || self.interrupt.is_set();
            if runs >= effort.runs || now >= end || cut {
                return Step::Stop;
            }
            if !self.varied.agree(candidate, &rough.case.test) {
                return Step::Other;
            }
            runs += 1;
            let found = self.judged(candidate, &rough.root, true);
            longest = longest.max(now.elapsed());
            found.map_or(Step::Other, |_| Step::Same)
        });
        if small == rough.case.test {
            return Made { smaller: None, done: !cut };
        }
        // Once more, as a difference that is new.
        self.lab.natives.deadline = Some(self.deadline);
        let smaller = self.judged(&small, &rough.root, false);
        Made { done: !cut && smaller.is_some(), smaller }
    }

    /// A test case that shows what an entry comes from, and what it comes from as far as this one tells.
    fn judged(&mut self, test: &TestCase, root: &Root, known: bool) -> Option<(Case, Root)> {
        let judgement = judge(&mut self.lab.natives, &self.lab.shared.rules.now(), test, &|_| known);
        let Ok(Judgement::Different(mut found)) = judgement else { return None };
        self.lab.look(&mut found);
        if !root.may_show_in(&found) {
            return None;
        }
        self.lab.describe(&mut found).ok()?;
        let shown = root.shows_in(&found)?.clone();
        Some((*found, shown))
    }
}
