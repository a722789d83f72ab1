//! How much work a run may do: a multiple of what runs of this program usually do, and more only when lighter inputs have nothing left.
//!
//! In: what runs cost, counted ([`Cost`]), and test cases whose runs were cut. Out: the limit for the next runs, and the test cases that
//! are worth running again with a larger one.
//!
//! Always holds: everything here is counted, so that the same runs are cut whatever the machine is busy with; a test case that was cut waits or
//! is counted as dropped.

use super::Planned;
use crate::{Cost, CutShort, Pair};
use std::collections::{BTreeMap, VecDeque};

/// Test cases that wait for a larger limit.
const MAX_WAITING: usize = 512;
/// How much larger each limit is than the one before it, and how many there are.
const GROWTH: u64 = 8;
const MAX_LEVEL: u32 = 5;
/// Lighter inputs have nothing left when so many runs in a row brought nothing new.
const DRY: u64 = 1000;
/// Test cases in a batch that were cut before.
const AGAIN: usize = 8;
/// Native runs of test cases that were cut are slow: so many at first, and one for so many runs.
const FIRST_JUDGED: u64 = 4;
const RUNS_PER_JUDGED: u64 = 128;
/// One version did much more than the other if it did so many times as much.
const UNEVEN: u64 = 4;

/// What runs may do; settings of the search.
#[derive(Clone, Copy, Debug)]
pub struct RunWork {
    /// As a multiple of what runs of the program usually do.
    pub factor: u64,
    /// At least this much.
    pub least: u64,
}

impl Default for RunWork {
    fn default() -> RunWork {
        RunWork { factor: 16, least: 1_000_000 }
    }
}

/// See the module.
pub(super) struct Allowance {
    settings: RunWork,
    /// How many complete runs did so much work, by powers of two.
    usual: BTreeMap<u32, u64>,
    level: u32,
    waiting: VecDeque<Planned>,
    again: VecDeque<Planned>,
    runs: u64,
    in_vain: u64,
    judged: u64,
    /// Test cases for which there was no room.
    pub dropped: u64,
}

impl Allowance {
    pub fn new(settings: RunWork) -> Allowance {
        Allowance {
            settings,
            usual: BTreeMap::new(),
            level: 0,
            waiting: VecDeque::new(),
            again: VecDeque::new(),
            runs: 0,
            in_vain: 0,
            judged: 0,
            dropped: 0,
        }
    }

    /// What the next run may do; 0 for no limit, before any run has ended.
    pub fn limit(&self) -> u64 {
        if self.runs == 0 {
            return 0;
        }
        // Where every run was cut by the clock nothing is usual.
        let usual = self.median().unwrap_or(0);
        let first = self.settings.factor.saturating_mul(usual).max(self.settings.least);
        first.saturating_mul(GROWTH.saturating_pow(self.level))
    }

    /// The upper end of what the median of the complete runs did.
    fn median(&self) -> Option<u64> {
        let half = self.usual.values().sum::<u64>().div_ceil(2);
        let mut seen = 0;
        let median = self.usual.iter().find(|(_, count)| {
            seen += **count;
            seen >= half
        });
        median.map(|(bits, _)| 1u64.checked_shl(*bits).unwrap_or(u64::MAX))
    }

    /// Takes in what both runs of a test case cost. `has_news`: they showed something new.
    pub fn note(&mut self, costs: Pair<Cost>, has_news: bool) {
        for (_, cost) in costs.iter().filter(|(_, cost)| cost.cut == CutShort::No) {
            *self.usual.entry(u64::BITS - cost.work.leading_zeros()).or_default() += 1;
        }
        self.runs += 1;
        self.in_vain = if has_news { 0 } else { self.in_vain + 1 };
        self.judged += u64::from(is_uneven(costs) && self.may_judge());
    }

    /// May a test case whose runs are cut be judged natively, where each run may take as long as its time limit?
    pub fn may_judge(&self) -> bool {
        self.judged < FIRST_JUDGED + self.runs / RUNS_PER_JUDGED
    }

    /// A test case was cut: it waits for a larger limit.
    pub fn keep(&mut self, planned: Planned) {
        if self.waiting.len() >= MAX_WAITING {
            self.dropped += 1;
        } else if self.level < MAX_LEVEL {
            self.waiting.push_back(planned);
        }
    }

    /// Have lighter inputs nothing left, although some brought something not long ago?
    pub fn is_dry(&self) -> bool {
        self.in_vain >= DRY
    }

    /// Allows more, if anything waits for it.
    pub fn grow(&mut self) -> bool {
        if self.waiting.is_empty() || self.level >= MAX_LEVEL {
            return false;
        }
        self.level += 1;
        self.in_vain = 0;
        self.again.append(&mut self.waiting);
        true
    }

    /// Test cases of the next batch that were cut before.
    pub fn next(&mut self) -> Vec<Planned> {
        let count = self.again.len().min(AGAIN);
        self.again.drain(..count).collect()
    }
}

/// Did one version do much more than the other, so that it was cut and the other was not? Where the clock cut it, not all that it did is counted (a
/// loop without a branch, one of libc's): then that alone says so.
pub fn is_uneven(costs: Pair<Cost>) -> bool {
    let much_less = |a: Cost, b: Cost| {
        let is_more = b.cut == CutShort::Clock || a.work.saturating_mul(UNEVEN) <= b.work;
        a.cut == CutShort::No && b.cut != CutShort::No && is_more
    };
    much_less(costs.old, costs.new) || much_less(costs.new, costs.old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Work;
    use crate::knowledge::writer::Purpose;
    use parallax_execute::TestCase;

    fn done(work: u64) -> Pair<Cost> {
        let cost = Cost { work, cut: CutShort::No };
        Pair::new(cost, cost)
    }

    fn planned() -> Planned {
        let (test, purpose) = (TestCase::default(), Purpose::default());
        Planned { test, purpose, work: Work::Glimpse, flip: None, judge_anyway: false }
    }

    #[test]
    fn runs_may_do_a_multiple_of_what_is_usual_and_no_single_one_changes_that() {
        let mut allowance = Allowance::new(RunWork { factor: 10, least: 100 });
        assert_eq!(allowance.limit(), 0);
        allowance.note(done(3), true);
        assert_eq!(allowance.limit(), 100);
        (0..9).for_each(|_| allowance.note(done(1000), true));
        assert_eq!(allowance.limit(), 10 * 1024);
        allowance.note(done(1 << 40), true);
        assert_eq!(allowance.limit(), 10 * 1024);
    }

    #[test]
    fn what_was_cut_runs_again_with_more_when_nothing_else_brings_news() {
        let mut allowance = Allowance::new(RunWork { factor: 1, least: 100 });
        allowance.note(done(10), true);
        assert!(!allowance.grow(), "nothing waits");
        allowance.keep(planned());
        (0..DRY).for_each(|_| allowance.note(done(10), false));
        assert!(allowance.is_dry() && allowance.next().is_empty());
        assert!(allowance.grow() && !allowance.is_dry());
        assert_eq!((allowance.limit(), allowance.next().len()), (100 * GROWTH, 1));
    }

    #[test]
    fn the_limit_ends_growing_and_the_list_too() {
        let mut allowance = Allowance::new(RunWork::default());
        (0..MAX_WAITING + 3).for_each(|_| allowance.keep(planned()));
        assert_eq!(allowance.dropped, 3);
        let levels = std::iter::repeat_with(|| {
            allowance.keep(planned());
            allowance.grow()
        });
        assert_eq!(levels.take(100).filter(|grew| *grew).count(), MAX_LEVEL as usize);
    }

    #[test]
    fn only_what_is_uneven_is_judged_and_not_often() {
        let mut allowance = Allowance::new(RunWork::default());
        let cut = Cost { work: 1000, cut: CutShort::Work };
        let uneven = Pair::new(Cost { work: 250, cut: CutShort::No }, cut);
        assert!(is_uneven(uneven) && !is_uneven(Pair::new(cut, cut)) && !is_uneven(done(9)));
        assert!(!is_uneven(Pair::new(Cost { work: 251, cut: CutShort::No }, cut)));
        let late = Cost { work: 1, cut: CutShort::Clock };
        assert!(is_uneven(Pair::new(Cost { work: 1, cut: CutShort::No }, late)));
        assert!(!is_uneven(Pair::new(late, late)));
        let judged = |allowance: &mut Allowance| {
            let may = allowance.may_judge();
            allowance.note(uneven, false);
            may
        };
        let times = (0..1024).filter(|_| judged(&mut allowance)).count() as u64;
        assert!((FIRST_JUDGED..=FIRST_JUDGED + 1024 / RUNS_PER_JUDGED).contains(&times), "{times}");
    }
}
