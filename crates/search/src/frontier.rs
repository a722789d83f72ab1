//! The frontier: goals that wait, each strategy's in the order of its own scores.
//!
//! Every strategy has a lane. A goal may wait in several lanes, and is gone from all of them when one gives it out. In each lane the goals near the
//! change and the others take turns, so that neither waits for all of the other kind.
//!
//! In: goals with scores. Out: the best goal of a lane.
//!
//! Always holds: no lane has more goals than the limit, and their test cases take no more bytes than the limit; of too many, the
//! worst are dropped. Taking goals out is deterministic.

use crate::goal::{Goal, GoalId, RunId, StrategyId};
use crate::inputs;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a goal is worth in a lane: the smaller the better; of equals the older one is better.
pub type Score = [u64; 3];

/// How much may wait.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Goals in a lane.
    pub goals: usize,
    /// Bytes of test cases in a lane.
    pub bytes: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { goals: 50_000, bytes: 64 << 20 }
    }
}

struct Waiting {
    goal: Goal,
    /// Who thought of it; `None`: a run left it open.
    by: Option<StrategyId>,
    near: bool,
    scores: Vec<(StrategyId, Score)>,
}

/// Questions and test cases are asked for apart: nobody waits for the solver who wants a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Question,
    Try,
}

impl Kind {
    fn of(goal: &Goal) -> Kind {
        match goal {
            Goal::Try(_) => Kind::Try,
            Goal::Flip(_) | Goal::Differ(_) => Kind::Question,
        }
    }
}

/// The goals of one strategy: of each kind, far from the change and near it.
#[derive(Default)]
struct Lane {
    parts: [[BTreeSet<(Score, GoalId)>; 2]; 2],
    bytes: usize,
    near_was_last: bool,
}

impl Lane {
    fn len(&self) -> usize {
        self.parts.iter().flatten().map(BTreeSet::len).sum()
    }

    fn worst(&self) -> Option<GoalId> {
        let last = |half: &BTreeSet<(Score, GoalId)>| half.last().copied();
        let all = |near: usize| self.parts.iter().map(move |part| &part[near]);
        let worst = |near: usize| all(near).filter_map(last).max();
        let count = |near: usize| all(near).map(BTreeSet::len).sum::<usize>();
        // Those far from the change go first.
        let shed = if count(1) > count(0) { worst(1) } else { worst(0).or_else(|| worst(1)) };
        shed.map(|(_, id)| id)
    }
}

/// See the module.
pub struct Frontier {
    bounds: Bounds,
    lanes: Vec<Lane>,
    goals: HashMap<GoalId, Waiting>,
    next: u64,
    /// Goals that were dropped because there were too many.
    pub dropped: u64,
}

impl Frontier {
    pub fn new(strategies: usize, bounds: Bounds) -> Frontier {
        let lanes = (0..strategies).map(|_| Lane::default()).collect();
        Frontier { bounds, lanes, goals: HashMap::new(), next: 0, dropped: 0 }
    }

    /// The number that the next goal will have: it is the younger, the larger.
    pub fn next_id(&self) -> GoalId {
        GoalId(self.next)
    }

    /// One more goal. `near`: it comes from a run that executes the change. `scores`: of the lanes it waits in.
    pub fn push(&mut self, goal: Goal, by: Option<StrategyId>, near: bool, scores: Vec<(StrategyId, Score)>) {
        let id = self.next_id();
        self.next += 1;
        let (bytes, kind) = (footprint(&goal), Kind::of(&goal));
        for (strategy, score) in &scores {
            let lane = &mut self.lanes[strategy.0];
            lane.parts[kind as usize][usize::from(near)].insert((*score, id));
            lane.bytes += bytes;
        }
        let lanes: Vec<StrategyId> = scores.iter().map(|(strategy, _)| *strategy).collect();
        self.goals.insert(id, Waiting { goal, by, near, scores });
        lanes.into_iter().for_each(|strategy| self.keep_within_bounds(strategy));
    }

    fn keep_within_bounds(&mut self, strategy: StrategyId) {
        loop {
            let lane = &self.lanes[strategy.0];
            let full = lane.len() > self.bounds.goals || lane.bytes > self.bounds.bytes && lane.len() > 1;
            let Some(worst) = lane.worst().filter(|_| full) else { return };
            self.remove(worst);
            self.dropped += 1;
        }
    }

    fn remove(&mut self, id: GoalId) -> Option<Waiting> {
        let waiting = self.goals.remove(&id)?;
        let (bytes, kind) = (footprint(&waiting.goal), Kind::of(&waiting.goal));
        for (strategy, score) in &waiting.scores {
            let lane = &mut self.lanes[strategy.0];
            lane.parts[kind as usize][usize::from(waiting.near)].remove(&(*score, id));
            lane.bytes -= bytes;
        }
        Some(waiting)
    }

    /// The best goal of a kind in a lane, and who thought of it: whose lane it is, if nobody did. `now`: what it is worth by now; a goal that got worse waits on. Goals of a score of
    /// `worst` or worse are none.
    pub fn pop(
        &mut self,
        (strategy, kind): (StrategyId, Kind),
        worst: u64,
        now: &dyn Fn(GoalId, &Goal) -> Option<Score>,
    ) -> Option<(StrategyId, Goal)> {
        let near_first = !self.lanes[strategy.0].near_was_last;
        for near in [near_first, !near_first] {
            while let Some((score, id)) =
                self.lanes[strategy.0].parts[kind as usize][usize::from(near)].first().copied()
            {
                if score[0] >= worst {
                    break;
                }
                // Every entry of a lane is a goal that waits.
                let Some(waiting) = self.goals.get_mut(&id) else { return None };
                let worth = now(id, &waiting.goal).unwrap_or(score);
                if worth <= score {
                    self.lanes[strategy.0].near_was_last = near;
                    return self.remove(id).map(|waiting| (waiting.by.unwrap_or(strategy), waiting.goal));
                }
                let entry = waiting.scores.iter_mut().find(|(lane, _)| *lane == strategy);
                entry.into_iter().for_each(|(_, known)| *known = worth);
                let half = &mut self.lanes[strategy.0].parts[kind as usize][usize::from(near)];
                half.remove(&(score, id));
                half.insert((worth, id));
            }
        }
        None
    }

    /// Drops the questions about runs whose paths are forgotten.
    pub fn forget_runs(&mut self, runs: &HashSet<RunId>) {
        let is_about = |goal: &Goal| match goal {
            Goal::Flip(flip) => runs.contains(&flip.run),
            Goal::Differ(differ) => runs.contains(&differ.run),
            Goal::Try(_) => false,
        };
        let gone: Vec<GoalId> =
            self.goals.iter().filter(|(_, w)| is_about(&w.goal)).map(|(id, _)| *id).collect();
        gone.into_iter().for_each(|id| drop(self.remove(id)));
    }

    /// Drops all questions, because what they are about is forgotten, and of the test cases of each lane the worse half.
    pub fn forget_questions(&mut self) {
        let questions: Vec<GoalId> =
            self.goals.iter().filter(|(_, w)| !matches!(w.goal, Goal::Try(_))).map(|(id, _)| *id).collect();
        questions.into_iter().for_each(|id| drop(self.remove(id)));
        for strategy in (0..self.lanes.len()).map(StrategyId) {
            for _ in 0..self.lanes[strategy.0].len() / 2 {
                self.lanes[strategy.0].worst().and_then(|id| self.remove(id));
            }
        }
    }
}

/// Bytes that a goal takes, about, beside what all goals take.
fn footprint(goal: &Goal) -> usize {
    match goal {
        Goal::Try(next) => inputs::footprint(&next.test),
        Goal::Flip(_) | Goal::Differ(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::Try;
    use parallax_execute::TestCase;

    const A: StrategyId = StrategyId(0);
    const B: StrategyId = StrategyId(1);

    fn of_bytes(len: usize) -> Goal {
        let test = TestCase { stdin: vec![b'x'; len], ..TestCase::default() };
        Goal::Try(Try::new(test))
    }

    fn frontier(goals: usize, bytes: usize) -> Frontier {
        Frontier::new(2, Bounds { goals, bytes })
    }

    fn lengths(frontier: &mut Frontier, lane: StrategyId) -> Vec<usize> {
        let pop = || frontier.pop((lane, Kind::Try), u64::MAX, &|_, _| None);
        std::iter::from_fn(pop)
            .map(|(_, goal)| match goal {
                Goal::Try(next) => next.test.stdin.len(),
                _ => unreachable!("only test cases were pushed"),
            })
            .collect()
    }

    #[test]
    fn a_goal_is_given_out_once_though_it_waits_in_two_lanes() {
        let mut frontier = frontier(10, 1 << 20);
        for rank in 1..=4u64 {
            frontier.push(
                of_bytes(rank as usize),
                Some(A),
                false,
                vec![(A, [rank, 0, 0]), (B, [9 - rank, 0, 0])],
            );
        }
        let one =
            |frontier: &mut Frontier, lane| match frontier.pop((lane, Kind::Try), u64::MAX, &|_, _| None) {
                Some((_, Goal::Try(next))) => next.test.stdin.len(),
                _ => 0,
            };
        assert_eq!([A, B, A, B, A].map(|lane| one(&mut frontier, lane)), [1, 4, 2, 3, 0]);
    }

    #[test]
    fn every_lane_is_bounded_and_the_worst_are_dropped() {
        let mut frontier = frontier(3, 1 << 20);
        for rank in [5u64, 2, 4, 1, 3] {
            frontier.push(
                of_bytes(rank as usize),
                Some(B),
                false,
                vec![(A, [rank, 0, 0]), (B, [rank, 0, 0])],
            );
        }
        assert_eq!((frontier.dropped, frontier.lanes[1].len()), (2, 3));
        assert_eq!(lengths(&mut frontier, A), [1, 2, 3]);
        assert!(frontier.lanes[1].len() == 0 && frontier.goals.is_empty());
    }

    #[test]
    fn large_test_cases_push_out_the_worst_and_a_single_one_always_has_room() {
        let size = inputs::footprint(&TestCase::default());
        let mut frontier = frontier(10, 3 * (1000 + size));
        (0..5).for_each(|n| frontier.push(of_bytes(1000 - n), Some(A), false, vec![(A, [n as u64, 0, 0])]));
        assert_eq!(lengths(&mut frontier, A), [1000, 999, 998]);
        frontier.push(of_bytes(1 << 20), Some(A), false, vec![(A, [0; 3])]);
        assert_eq!(lengths(&mut frontier, A), [1 << 20]);
    }

    #[test]
    fn goals_near_the_change_take_turns_with_the_others() {
        let mut frontier = frontier(10, 1 << 20);
        for (len, near) in [(1, false), (2, false), (3, false), (4, true), (5, true)] {
            frontier.push(of_bytes(len), Some(A), near, vec![(A, [len as u64, 0, 0])]);
        }
        assert_eq!(lengths(&mut frontier, A), [4, 1, 5, 2, 3]);
    }

    #[test]
    fn a_goal_that_got_worse_waits_and_poor_ones_are_left() {
        let mut frontier = frontier(10, 1 << 20);
        (1..=3).for_each(|n| frontier.push(of_bytes(n), Some(A), false, vec![(A, [n as u64, 0, 0])]));
        let now = |_: GoalId, goal: &Goal| match goal {
            Goal::Try(next) if next.test.stdin.len() == 1 => Some([9, 0, 0]),
            _ => None,
        };
        let mut pop = |worst| frontier.pop((A, Kind::Try), worst, &now).map(|(_, goal)| footprint(&goal));
        let size = |len: usize| Some(footprint(&of_bytes(len)));
        assert_eq!([pop(9), pop(9), pop(9), pop(u64::MAX)], [size(2), size(3), None, size(1)]);
    }
}
