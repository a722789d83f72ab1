//! Programs with which a search has little to do: every run is cut, or the versions differ on every input.

use super::*;
use crate::{search, Memory};
use parallax_trace::synth::Synth;

const RUNS: u64 = 1500;

/// Every run does nothing that can be seen, and costs this.
struct Odd {
    cost: fn(Side, u64) -> Cost,
    verdict: Verdict,
    /// Judging takes this long.
    delay: Duration,
}

impl Harness for Odd {
    fn trace(&mut self, side: Side, _: &TestCase, work: u64) -> Result<Traced, HarnessError> {
        let digest = side as u64 * u64::from(self.verdict != Verdict::Same);
        let cost = (self.cost)(side, work);
        Ok(Traced { trace: Synth::new(vec![]).trace(), inputs: vec![], digest, cost })
    }
    fn glimpse(&mut self, side: Side, test: &TestCase, work: u64) -> Result<Glimpse, HarnessError> {
        let Traced { digest, cost, .. } = self.trace(side, test, work)?;
        Ok(Glimpse { taken: vec![], digest, cost })
    }
    fn judge(&mut self, _: &TestCase) -> Result<Verdict, HarnessError> {
        std::thread::sleep(self.delay);
        Ok(self.verdict.clone())
    }
}

/// The outcome, and how often a difference was told: the first time, and again.
fn searched(cost: fn(Side, u64) -> Cost, verdict: Verdict, delay: Duration) -> (Outcome, [u64; 2]) {
    let map = ProgramMap::default();
    let memory = Memory { most: u64::MAX, used: || 0, trim: || () };
    let budget = Budget {
        deadline: Instant::now() + Duration::from_secs(600),
        runs: Some(RUNS),
        interrupt: parallax_execute::Interrupt::new(),
        memory,
    };
    let harness = || -> Box<dyn Harness> { Box::new(Odd { cost, verdict: verdict.clone(), delay }) };
    let mut told = [0, 0];
    let outcome = search(
        vec![TestCase::with_args(["a", "1 2 3"])],
        vec![harness(), harness()],
        (Pair::new(&map, &map), &Plan::default()),
        &Settings::default(),
        &budget,
        &mut |progress| match progress {
            Progress::Difference(_) => told[0] += 1,
            Progress::Again { .. } => told[1] += 1,
            Progress::Status(_) | Progress::Reached(_) => {}
        },
    );
    (outcome.unwrap(), told)
}

#[test]
fn a_program_on_which_every_run_is_cut_is_searched_within_growing_limits_and_all_is_counted() {
    let cost = |_: Side, work: u64| Cost {
        work: if work == 0 { 1 << 40 } else { work },
        cut: if work == 0 { CutShort::Clock } else { CutShort::Work },
    };
    let (outcome, told) = searched(cost, Verdict::Same, Duration::ZERO);
    let stats = &outcome.stats;
    // The first test case has no limit yet; no other waits for the clock.
    assert_eq!((stats.late_runs, told), (2, [0, 0]), "{stats:?}");
    assert_eq!(stats.cut_runs, 2 * (stats.runs - 1), "{stats:?}");
}

#[test]
fn versions_that_differ_on_every_input_are_one_difference_and_the_search_goes_on() {
    let verdict = Verdict::Different { signature: "always".to_owned() };
    let (outcome, told) = searched(|_, _| Cost::default(), verdict, Duration::from_micros(200));
    assert_eq!(told[0], 1);
    assert_eq!(told[0] + told[1], outcome.stats.runs, "every verdict was waited for");
}
