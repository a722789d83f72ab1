//! Divides effort between strategies: each has a share at first, and more of it while it pays off.
//!
//! Fair queueing: of those that have something to do, the one is next whose effort divided by its weight is least. A strategy that had nothing
//! to do has no claim on the effort it did not use. The weight grows and shrinks with what the strategy's effort has brought compared with
//! that of all others, between half and twice its share at first.
//!
//! In: what work costs and what it brought. Out: who is next. All of it is counted, nothing is clocked.

use crate::goal::StrategyId;
use crate::knowledge::writer::Glimpsed;
use crate::knowledge::Novelty;
use crate::strategies::Portfolio;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Question,
    Trace,
    Glimpse,
}

/// How much weights change at most.
const MOST: f64 = 2.0;
/// Effort that every strategy is taken to have spent before, in shares of an average strategy's, so that luck at the beginning counts little.
const PRIOR: f64 = 0.25;
/// After so much gain, what was gained before counts half.
const MEMORY: f64 = 400.0;

/// What a run is worth to the strategy that made it.
pub fn gain_of_run(novelty: &Novelty) -> f64 {
    let new = if novelty.first { 4.0 } else { 0.0 };
    let near = if novelty.through || novelty.infects { 2.0 } else { 0.0 };
    new + near + if novelty.news { 1.0 } else { 0.0 }
}

pub fn gain_of_glimpse(what: Glimpsed) -> f64 {
    match what {
        Glimpsed::Nothing => 0.0,
        Glimpsed::Something => 1.0,
        Glimpsed::Striking => 4.0,
    }
}

/// A difference that was not known.
pub const GAIN_OF_DIFFERENCE: f64 = 16.0;

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    weight: f64,
    /// Effort divided by weight.
    time: f64,
    effort: f64,
    gain: f64,
}

/// The accounts of one kind of work.
#[derive(Clone, Debug, Default)]
struct Queue {
    accounts: Vec<Account>,
    now: f64,
}

impl Queue {
    fn order(&self) -> Vec<StrategyId> {
        let mut order: Vec<StrategyId> =
            (0..self.accounts.len()).filter(|n| self.accounts[*n].weight > 0.0).map(StrategyId).collect();
        order.sort_by(|a, b| self.accounts[a.0].time.total_cmp(&self.accounts[b.0].time));
        order
    }

    fn pay(&mut self, id: StrategyId, effort: f64) {
        let boost = self.boost(id);
        let account = &mut self.accounts[id.0];
        if account.weight > 0.0 {
            account.time = account.time.max(self.now) + effort / (account.weight * boost);
        }
        account.effort += effort;
    }

    /// How much better or worse than others a strategy pays off.
    fn boost(&self, id: StrategyId) -> f64 {
        let all = self.accounts.iter().filter(|account| account.weight > 0.0);
        let (count, effort, gain) =
            all.fold((0.0, 0.0, 0.0), |(n, e, g), a| (n + 1.0, e + a.effort, g + a.gain));
        if effort <= 0.0 {
            return 1.0;
        }
        let prior = PRIOR * effort / count;
        let average = gain / effort;
        let account = &self.accounts[id.0];
        let rate = (account.gain + prior * average) / (account.effort + prior);
        if average > 0.0 {
            (rate / average).sqrt().clamp(1.0 / MOST, MOST)
        } else {
            1.0
        }
    }

    fn reward(&mut self, id: StrategyId, gain: f64) {
        self.accounts[id.0].gain += gain;
        if self.accounts.iter().map(|account| account.gain).sum::<f64>() > MEMORY {
            for account in &mut self.accounts {
                account.gain /= 2.0;
                account.effort /= 2.0;
            }
        }
    }
}

/// See the module.
pub struct Scheduler {
    questions: Queue,
    traces: Queue,
    glimpses: Queue,
}

impl Scheduler {
    pub fn new(portfolio: &Portfolio) -> Scheduler {
        let queue = |weight: fn(&crate::strategies::Weights) -> u32| Queue {
            accounts: portfolio
                .entries
                .iter()
                .map(|entry| Account { weight: weight(&entry.weights).into(), ..Account::default() })
                .collect(),
            now: 0.0,
        };
        Scheduler {
            questions: queue(|w| w.questions),
            traces: queue(|w| w.traces),
            glimpses: queue(|w| w.glimpses),
        }
    }

    fn queue(&mut self, work: Work) -> &mut Queue {
        match work {
            Work::Question => &mut self.questions,
            Work::Trace => &mut self.traces,
            Work::Glimpse => &mut self.glimpses,
        }
    }

    /// Who is next, and who is if that one has nothing to do.
    pub fn order(&mut self, work: Work) -> Vec<StrategyId> {
        self.queue(work).order()
    }

    /// A strategy is given its turn: those that were asked before it had nothing to do.
    pub fn serve(&mut self, work: Work, id: StrategyId) {
        let queue = self.queue(work);
        queue.now = queue.now.max(queue.accounts[id.0].time);
    }

    pub fn pay(&mut self, work: Work, id: StrategyId, effort: u64) {
        self.queue(work).pay(id, effort as f64);
    }

    pub fn reward(&mut self, work: Work, id: StrategyId, gain: f64) {
        if gain > 0.0 {
            self.queue(work).reward(id, gain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(weights: &[f64]) -> Queue {
        let accounts = weights.iter().map(|weight| Account { weight: *weight, ..Account::default() });
        Queue { accounts: accounts.collect(), now: 0.0 }
    }

    /// Serves so often, with work of the same cost for everybody that `has` any; how often each was served.
    fn served(queue: &mut Queue, turns: usize, has: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut times = vec![0; queue.accounts.len()];
        for _ in 0..turns {
            let Some(id) = queue.order().into_iter().find(|id| has(id.0)) else { break };
            queue.now = queue.now.max(queue.accounts[id.0].time);
            queue.pay(id, 1.0);
            times[id.0] += 1;
        }
        times
    }

    #[test]
    fn effort_is_divided_by_weight_and_nobody_without_weight_has_any() {
        assert_eq!(served(&mut queue(&[1.0, 2.0, 0.0, 1.0]), 400, |_| true), [100, 200, 0, 100]);
    }

    #[test]
    fn who_had_nothing_to_do_has_no_claim_on_what_it_did_not_use() {
        let mut queue = queue(&[1.0, 1.0]);
        assert_eq!(served(&mut queue, 100, |id| id == 0), [100, 0]);
        let later = served(&mut queue, 100, |_| true);
        assert!(later[1] <= 55, "{later:?}");
    }

    #[test]
    fn what_pays_off_gets_more_but_never_more_than_twice_its_share() {
        let mut queue = queue(&[1.0, 1.0]);
        for _ in 0..300 {
            served(&mut queue, 1, |_| true);
            queue.reward(StrategyId(0), 1.0);
        }
        let times = served(&mut queue, 1000, |_| true);
        assert!(times[0] > 600 && times[0] <= 810, "{times:?}");
    }
}
