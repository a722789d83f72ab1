//! Keeping within the memory that Parallax itself may use.
//!
//! In: how much is used now, and how much may be ([`Memory`]). Out: a search that has forgotten its paths and expressions, and learns them
//! again from the test cases that matter most; or, if that frees too little, the end of the search.
//!
//! Always holds: what was found, what was executed and which test cases were tried is not forgotten.

use super::*;
use crate::corpus::Corpus;
use std::collections::HashSet;

/// How often it is looked how much is used.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The part of the bound that is made free.
const ROOM_PART: u64 = 4;
/// Test cases of each kind that are looked at again.
const LOOKED_AT_AGAIN: usize = 32;

impl Engine<'_> {
    /// Keeps what is counted of paths and expressions within the bound: paths of least worth go first, and if that is not enough everything. What
    /// decides is counted, so that it depends on nothing but what was tried.
    pub(super) fn keep_within_bound(&mut self) {
        let most = self.settings.search_memory;
        let expressions = self.expressions.bytes();
        if self.known.bytes() + expressions <= most {
            return;
        }
        // Not again at once.
        let wanted = most - most / ROOM_PART;
        if expressions > wanted {
            return self.start_over();
        }
        let gone = self.known.forget_least(wanted - expressions);
        self.accounting.stats.forgotten_paths += gone.len() as u64;
        self.frontier.forget_runs(&gone);
    }

    /// Is as much memory in use as there may be, although everything that can be was forgotten?
    pub(super) fn is_out_of_memory(&mut self) -> bool {
        if self.clock.looked_at_memory.elapsed() < LOOK_EVERY {
            return false;
        }
        self.clock.looked_at_memory = Instant::now();
        if !self.budget.memory.is_used_up() {
            return false;
        }
        self.start_over();
        (self.budget.memory.trim)();
        self.clock.looked_at_memory = Instant::now();
        self.budget.memory.is_used_up()
    }

    /// Forgets all paths, expressions and questions. Test cases that matter are looked at again, as if they were new.
    fn start_over(&mut self) {
        self.accounting.stats.fresh_starts += 1;
        self.known.forget_paths();
        self.expressions = Expressions::new(self.portfolio.has("numbers"));
        self.frontier.forget_questions();
        self.portfolio.entries.iter_mut().for_each(|entry| entry.strategy.forget());
        let Corpus { all, reaching, nearby, smallest, infected } = &self.known.corpus;
        let lists = [infected.list(), reaching, nearby, smallest.list(), all];
        let again = lists.into_iter().flat_map(|list| list.iter().rev().take(LOOKED_AT_AGAIN));
        let mut seen = HashSet::new();
        let again: Vec<TestCase> = again.filter(|test| seen.insert(*test)).cloned().collect();
        for test in again {
            let made = Made::default();
            let glimpsed = GlimpsedTest { test: &test, made, what: Glimpsed::Something };
            for id in self.portfolio.ids() {
                let mut out = Proposals::default();
                self.portfolio.entries[id.0].strategy.glimpsed(&glimpsed, &mut out);
                self.propose(id, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{search, Memory};
    use parallax_trace::synth::Synth;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Every run does nothing.
    struct Idle;

    impl Harness for Idle {
        fn trace(&mut self, _: Side, _: &TestCase, _: u64) -> Result<Traced, HarnessError> {
            Ok(Traced { trace: Synth::new(vec![]).trace(), inputs: vec![], digest: 0, cost: Cost::default() })
        }
        fn glimpse(&mut self, _: Side, _: &TestCase, _: u64) -> Result<Glimpse, HarnessError> {
            std::thread::sleep(Duration::from_millis(1));
            Ok(Glimpse { taken: vec![], digest: 0, cost: Cost::default() })
        }
        fn judge(&mut self, _: &TestCase) -> Result<Verdict, HarnessError> {
            Ok(Verdict::Same)
        }
    }

    fn searched(memory: Memory) -> Outcome {
        let map = ProgramMap::default();
        let budget = Budget {
            deadline: Instant::now() + Duration::from_secs(60),
            runs: Some(2000),
            interrupt: parallax_execute::Interrupt::new(),
            memory,
        };
        let seed = TestCase::with_args(["a", "1 2 3"]);
        let harnesses: Vec<Box<dyn Harness>> = vec![Box::new(Idle)];
        search(
            vec![seed],
            harnesses,
            (Pair::new(&map, &map), &parallax_plan::Plan::default()),
            &Settings::default(),
            &budget,
            &mut |_| (),
        )
        .unwrap()
    }

    #[test]
    fn a_search_that_cannot_free_enough_ends() {
        let outcome = searched(Memory { most: 10, used: || 11, trim: || () });
        assert_eq!((outcome.ended, outcome.stats.fresh_starts), (Ended::Memory, 1));
    }

    #[test]
    fn a_search_that_frees_enough_goes_on() {
        static USED: AtomicU64 = AtomicU64::new(11);
        let used = || USED.load(Ordering::Relaxed);
        let outcome = searched(Memory { most: 10, used, trim: || USED.store(3, Ordering::Relaxed) });
        assert_ne!(outcome.ended, Ended::Memory);
        assert_eq!(outcome.stats.fresh_starts, 1);
    }

    #[test]
    fn a_search_whose_time_is_over_ends_at_once() {
        let map = ProgramMap::default();
        let memory = Memory { most: u64::MAX, used: || 0, trim: || () };
        let interrupt = parallax_execute::Interrupt::new();
        let budget = Budget { deadline: Instant::now(), runs: None, interrupt, memory };
        let harnesses: Vec<Box<dyn Harness>> = vec![Box::new(Idle)];
        let seeds = (0..5000).map(|n| TestCase::with_args([n.to_string()])).collect();
        let outcome = search(
            seeds,
            harnesses,
            (Pair::new(&map, &map), &parallax_plan::Plan::default()),
            &Settings::default(),
            &budget,
            &mut |_| (),
        )
        .unwrap();
        assert_eq!((outcome.ended, outcome.stats.traces), (Ended::Time, 0));
    }
}
