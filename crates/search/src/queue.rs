//! The frontier: what could be asked or tried next, best first.
//!
//! Two lanes of questions stand side by side: flips, and questions about both versions. Each lane pays for what its
//! questions cost to answer, and the one that has paid less is next, so that hard questions of
//! one kind never keep the other from being asked. Cost is the size of formulas, not time, so that the order is the same
//! in every run.
//!
//! A flip that was asked elsewhere (same branch, calling context, round of its loop) waits behind those that were not;
//! it is not forgotten, because another run may have done before what was missing.
//!
//! Always holds: taking things out is deterministic.

use crate::joint::Question;
use crate::known::Known;
use crate::lane::{Lane, MAX_TRIES};
use crate::path::Step;
use crate::Side;
use parallax_execute::TestCase;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

/// How promising a flip is; the smaller the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Behind the place where the versions have parted, to make it visible.
    Behind,
    /// A condition that only one of the versions has, or has in another form.
    Alone,
    /// A branch that was never seen going the other way.
    NewWay,
    /// An earlier branch that stood in the way of one of these.
    Obstacle,
    /// Seen the other way, but not in this calling context.
    NewContext,
    /// Seen in this context, but not in this round of a loop.
    NewRound,
    /// Divisors, shift amounts and indices that go out of bounds.
    Guard,
}

/// Which branch of which run is to go which other way.
#[derive(Clone, Debug)]
pub struct Flip {
    pub record: usize,
    pub side: Side,
    pub step: usize,
    pub other: usize,
    /// How many obstacles in a row were removed before this one; 0 for an ordinary flip.
    pub depth: u32,
    /// See [`Class::Alone`].
    pub alone: bool,
    /// How often the same flip had been queued before, on other runs.
    pub again: u32,
    /// Ask about bytes even where numbers could be asked about.
    pub exact: bool,
    /// The solver had no quick answer; it gets more time now.
    pub patient: bool,
    /// What is to be reached in the end, if this flip is only on the way there.
    pub aim: Option<Rc<Aim>>,
}

impl Flip {
    /// An ordinary one that is asked for the first time.
    pub fn new(record: usize, side: Side, step: usize, other: usize) -> Flip {
        Flip {
            record,
            side,
            step,
            other,
            depth: 0,
            alone: false,
            again: 0,
            exact: false,
            patient: false,
            aim: None,
        }
    }
}

/// A question that a path could not answer: the path, how much of it in each version, and for a flip the side, site, context
/// and way that was wanted. Or a path that a test case of another shape was to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    pub record: usize,
    pub prefix: [usize; 2],
    pub wants: Option<(Side, u32, u32, u64)>,
    /// After so many flips in a row ([`Flip::depth`]) it is given up.
    pub patience: u32,
}

/// In which order flips are asked. Neither is best for all programs: each gets half of the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// The oldest first; what was asked on many runs waits.
    Broad,
    /// Those of the newest run that brought something new first, its last condition first; what was asked elsewhere is
    /// asked again where the change may have infected the state.
    Deep,
}

impl Course {
    pub const BOTH: [Course; 2] = [Course::Broad, Course::Deep];

    /// When a flip has its turn among others that are worth the same.
    fn turn(self, age: u64) -> u64 {
        match self {
            Course::Broad => age,
            Course::Deep => u64::MAX - age,
        }
    }
}

/// What a flip is worth now.
pub type Rank<'r> = dyn Fn(Course, &Flip, &FlipKey) -> u32 + 'r;

/// Something for the solver.
#[derive(Clone, Debug)]
pub enum Ask {
    Flip(Flip, FlipKey),
    Joint(usize, Rc<Question>),
}

/// Two flips with the same key are the same for the search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FlipKey {
    side: Side,
    site: u32,
    context: u32,
    round: u32,
    /// The way it is to go.
    way: u64,
    /// What the flip is an obstacle to, if it is one.
    goal: Option<u64>,
}

impl FlipKey {
    pub fn new(side: Side, step: &Step, other: usize) -> FlipKey {
        FlipKey {
            side,
            site: step.site,
            context: step.context,
            round: step.round,
            way: step.other_ways[other],
            goal: None,
        }
    }

    /// The branch, and the way it is to go.
    pub fn branch(&self) -> (Side, u32, u64) {
        (self.side, self.site, self.way)
    }

    pub fn site(&self) -> (Side, u32) {
        (self.side, self.site)
    }

    pub fn is_obstacle(&self) -> bool {
        self.goal.is_some_and(|g| g != VISIBLE)
    }

    /// The same flip on the way to a goal; then every round of a loop counts for itself (the third digit of a
    /// number is not the second).
    pub fn towards(self, goal: u64, step: &Step) -> FlipKey {
        FlipKey { goal: Some(goal), round: step.count, ..self }
    }

    /// Is it worth removing obstacles for this flip?
    pub fn is_new_way(&self, class: Class) -> bool {
        class <= Class::NewWay || self.goal.is_some()
    }
}

/// The goal of flips on runs where the versions have parted.
pub const VISIBLE: u64 = u64::MAX;
/// Questions of each lane that wait at most; of more, the least promising are dropped.
const MAX_ASKS: usize = 50_000;

/// A test case to be tried as it is.
#[derive(Clone, Debug)]
pub struct Try {
    /// How many changes of shape away from a seed.
    pub generation: u32,
    pub test: TestCase,
    /// Whether the versions had parted on the run it comes from.
    pub parted: bool,
    /// Which run that was.
    pub of: Option<usize>,
}

impl Try {
    /// One whose origin does not matter.
    pub fn new(generation: u32, test: TestCase) -> Try {
        Try { generation, test, parted: false, of: None }
    }
}

#[derive(Default)]
pub struct Queue {
    /// By age.
    flips: HashMap<u64, (Flip, FlipKey)>,
    /// The same in the order of each [`Course`]: by rank, then by run, then by turn. What is gone from `flips` was taken.
    courses: [BTreeSet<(u32, Reverse<usize>, u64)>; 2],
    /// How many flips were taken.
    taken: usize,
    /// Flips that come before all others, the oldest first, and whether one of them was the last thing to be asked: then others
    /// have their turn.
    first: VecDeque<(Flip, FlipKey)>,
    first_was_asked: bool,
    joint: BTreeMap<(u64, u64), Ask>,
    /// What answering has cost so far, in each lane.
    paid: [u64; 2],
    /// By rank among the changes of the same test case, so that none has to wait for all of another's; those of test
    /// cases that execute the change apart, so that they need not wait for the many others.
    tries: [Lane<(usize, u64)>; 2],
    /// Test cases with one option more, those first whose origin came closest to the change, then those with the fewest
    /// arguments; apart likewise.
    options: [Lane<(u32, usize, u64)>; 2],
    /// Test cases with another word of the program's language, those first whose origin came closest to the change, then the oldest.
    words: Lane<(u32, u64)>,
    /// What solvers wanted written over something, put before it instead; newest last.
    inserted: Vec<Try>,
    age: u64,
    /// How often the same flip was queued, on any run.
    asked: HashMap<FlipKey, u32>,
    /// How often a joint question about the same places was put.
    put: HashMap<u64, u64>,
    known: Known,
}

impl Queue {
    pub fn new(known: Known) -> Queue {
        Queue { known, ..Queue::default() }
    }

    /// How often the same flip was queued, on this or another run.
    pub fn times(&self, key: &FlipKey) -> u32 {
        self.asked.get(key).copied().unwrap_or(0)
    }

    /// The flip need not be asked here: another one gives the same test case.
    pub fn mark(&mut self, key: FlipKey) {
        *self.asked.entry(key).or_default() += 1;
    }

    /// `ranks`: by [`Course`], the smaller the better; they may get worse while the flip waits (see [`Queue::next_ask`]).
    /// `news`: its run brought something new.
    pub fn ask(&mut self, ranks: [u32; 2], news: bool, flip: Flip, key: FlipKey) {
        self.mark(key.clone());
        self.age += 1;
        for course in Course::BOTH {
            let newest = if news && course == Course::Deep { flip.record } else { 0 };
            let turn = course.turn(self.age);
            self.courses[course as usize].insert((ranks[course as usize], Reverse(newest), turn));
        }
        self.flips.insert(self.age, (flip, key));
        if self.flips.len() > MAX_ASKS {
            if let Some((_, _, last)) = self.courses[Course::Broad as usize].pop_last() {
                self.flips.remove(&last);
            }
        }
    }

    /// The same before all others: the way back to something that was aimed at.
    pub fn ask_first(&mut self, flip: Flip, key: FlipKey) {
        self.mark(key.clone());
        self.ask_on(flip, key);
    }

    /// The same where one answer was not all: it is the same question still.
    pub fn ask_on(&mut self, flip: Flip, key: FlipKey) {
        self.first.push_back((flip, key));
    }

    /// `cost`: how hard the question looks. It counts the more, the more often the same places were asked about.
    pub fn ask_joint(&mut self, record: usize, question: Question, cost: u64) {
        let put = self.put.entry(question.goal).or_default();
        *put += 1;
        self.age += 1;
        self.joint.insert((cost * *put, self.age), Ask::Joint(record, Rc::new(question)));
        if self.joint.len() > MAX_ASKS {
            self.joint.pop_last();
        }
    }

    /// The question to be put next. `rank`: what a flip that waited is worth now. A flip of rank `worst` or worse is none.
    pub fn next_ask(&mut self, rank: &Rank, worst: u32) -> Option<Ask> {
        self.first_was_asked = !self.first_was_asked && !self.first.is_empty();
        if self.first_was_asked {
            return self.next_first();
        }
        let next = if self.paid[0] <= self.paid[1] {
            self.next_joint().or_else(|| self.next_flip(rank, worst))
        } else {
            self.next_flip(rank, worst).or_else(|| self.next_joint())
        };
        next.or_else(|| self.next_first())
    }

    fn next_first(&mut self) -> Option<Ask> {
        self.first.pop_front().map(|(flip, key)| Ask::Flip(flip, key))
    }

    fn next_joint(&mut self) -> Option<Ask> {
        self.joint.pop_first().map(|e| e.1)
    }

    /// From one course and the other in turn.
    fn next_flip(&mut self, rank: &Rank, worst: u32) -> Option<Ask> {
        let turns = [Course::BOTH[self.taken % 2], Course::BOTH[(self.taken + 1) % 2]];
        turns.into_iter().find_map(|course| self.next_on(course, rank, worst))
    }

    fn next_on(&mut self, course: Course, rank: &Rank, worst: u32) -> Option<Ask> {
        while self.courses[course as usize].first().is_some_and(|(best, ..)| *best < worst) {
            let (waited_as, newest, turn) = self.courses[course as usize].pop_first()?;
            // Once more is back again.
            let age = course.turn(turn);
            let Some((flip, key)) = self.flips.get(&age) else { continue };
            let now = rank(course, flip, key);
            if now <= waited_as {
                self.taken += 1;
                return self.flips.remove(&age).map(|(flip, key)| Ask::Flip(flip, key));
            }
            self.courses[course as usize].insert((now, newest, turn));
        }
        None
    }

    /// What answering a question has cost.
    pub fn pay(&mut self, is_joint: bool, cost: u64) {
        let (lane, other) = if is_joint { (0, 1) } else { (1, 0) };
        self.paid[lane] += cost;
        // A lane that had nothing to ask has no claim on the time it did not use.
        let idle = if is_joint { self.flips.is_empty() } else { self.joint.is_empty() };
        if idle {
            self.paid[other] = self.paid[lane];
        }
    }

    /// A test case to be tried as it is. `near`: it comes from one that executes the change.
    pub fn try_out(&mut self, near: bool, rank: usize, next: Try) {
        if !self.known.contains(&next.test) {
            self.age += 1;
            self.tries[usize::from(near)].keep((rank, self.age), next);
        }
    }

    /// The same for a test case with something put in; see [`crate::inputs::with_inserted`].
    pub fn try_inserted(&mut self, next: Try) {
        if self.inserted.len() < MAX_TRIES && !self.known.contains(&next.test) {
            self.inserted.push(next);
        }
    }

    /// The same for a test case with one option more.
    pub fn try_option(&mut self, near: bool, farther: u32, next: Try) {
        if !self.known.contains(&next.test) {
            self.age += 1;
            let key = (farther, next.test.argv.len(), self.age);
            self.options[usize::from(near)].keep(key, next);
        }
    }

    /// The same for a test case with another word.
    pub fn try_word(&mut self, farther: u32, next: Try) {
        if !self.known.contains(&next.test) {
            self.age += 1;
            self.words.keep((farther, self.age), next);
        }
    }

    pub fn next_word(&mut self) -> Option<Try> {
        self.words.first_new(|test| self.known.insert(test))
    }

    pub fn next_option(&mut self, near: bool) -> Option<Try> {
        self.options[usize::from(near)].first_new(|test| self.known.insert(test))
    }

    pub fn next_try(&mut self, near: bool) -> Option<Try> {
        self.tries[usize::from(near)].first_new(|test| self.known.insert(test))
    }

    pub fn next_inserted(&mut self) -> Option<Try> {
        while let Some(next) = self.inserted.pop() {
            if self.is_new(&next.test) {
                return Some(next);
            }
        }
        None
    }

    /// Drops all questions: what they are about is forgotten. Of the test cases that wait, the more promising half stays.
    pub fn forget(&mut self) {
        self.flips.clear();
        self.courses = Default::default();
        self.first.clear();
        self.joint.clear();
        self.tries.iter_mut().for_each(Lane::halve);
        self.options.iter_mut().for_each(Lane::halve);
        self.words.halve();
        self.inserted.drain(..self.inserted.len() / 2);
    }

    /// True the first time.
    pub fn is_new(&mut self, test: &TestCase) -> bool {
        self.known.insert(test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flip(record: usize) -> (Flip, FlipKey) {
        let flip = Flip::new(record, Side::Old, 0, 0);
        let key = FlipKey { side: Side::Old, site: 0, context: 0, round: record as u32, way: 0, goal: None };
        (flip, key)
    }

    fn taken(queue: &mut Queue, rank: &Rank, worst: u32) -> Vec<usize> {
        std::iter::from_fn(|| match queue.next_flip(rank, worst)? {
            Ask::Flip(flip, _) => Some(flip.record),
            Ask::Joint(..) => None,
        })
        .collect()
    }

    #[test]
    fn flips_come_from_both_courses_in_turn_and_each_once() {
        let mut queue = Queue::default();
        for record in 1..=5 {
            let (flip, key) = flip(record);
            queue.ask([3, 3], true, flip, key);
        }
        assert_eq!(taken(&mut queue, &|_, _, _| 3, u32::MAX), [1, 5, 2, 4, 3]);
    }

    #[test]
    fn ways_back_come_before_others_but_not_before_all() {
        let mut queue = Queue::default();
        for record in 1..=2 {
            let (flip, key) = flip(record);
            queue.ask([3, 3], true, flip, key);
        }
        for record in 7..=10 {
            let (flip, key) = flip(record);
            queue.ask_first(flip, key);
        }
        let order: Vec<usize> = std::iter::from_fn(|| match queue.next_ask(&|_, _, _| 3, u32::MAX)? {
            Ask::Flip(flip, _) => Some(flip.record),
            Ask::Joint(..) => None,
        })
        .collect();
        assert_eq!(order, [7, 1, 8, 2, 9, 10]);
    }

    #[test]
    fn a_flip_that_got_worse_waits_and_poor_ones_are_left() {
        let mut queue = Queue::default();
        for record in 1..=3 {
            let (flip, key) = flip(record);
            queue.ask([record as u32; 2], false, flip, key);
        }
        let now = |_: Course, flip: &Flip, _: &FlipKey| if flip.record == 1 { 9 } else { flip.record as u32 };
        assert_eq!(taken(&mut queue, &now, 9), [2, 3]);
        assert_eq!(taken(&mut queue, &now, u32::MAX), [1]);
    }
}
