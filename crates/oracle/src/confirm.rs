//! Is a difference the program's own, or chance?
//!
//! In: two first runs that differ, and a [`Runner`] that makes more of them under other conditions. Out: what is left of the
//! difference, if anything, and in what the versions differed from themselves meanwhile.
//!
//! Always holds: what is left was seen in every run of every round. In each of its aspects either both versions did the same
//! each time, parts that are known to vary left out; or one of them did, and the other never did that. A program that tosses a
//! coin passes with a probability of at most 4^(1-n) with n runs of each version, whatever the coin
//! (`docs/decisions/0024-chance.md`).

use crate::aspect::{Aspect, Aspects};
use crate::judge::{Room, Runner, Trial, Which};
use crate::mask::Unstable;
use crate::rules::Rules;
use crate::stability::unstable;
use parallax_execute::{Outcome, Run, TestCase};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// A version that hangs is believed to if the other one takes no more than this part of the time limit.
const FAR_BELOW: u32 = 2;
/// A version that hangs is given so many times the time that the other one took, in every round but the first.
const HANGING: u32 = 16;
/// But at least this.
const HANGING_LEAST: Duration = Duration::from_millis(200);

/// What is known of a difference so far.
pub(crate) struct Confirmation<'c> {
    test: &'c TestCase,
    /// Before anything was learnt here.
    rules: &'c Rules,
    /// With what was learnt here.
    masked: Rules,
    /// The first run of each version.
    pub first: [Run; 2],
    /// What each version gets in a round.
    rooms: [Room; 2],
    /// Aspects in which all runs of this version were alike, and none of the other one was like them.
    constant: [Aspects; 2],
    pub unstable: Vec<(Which, Unstable)>,
    /// Decides which version runs first in a round.
    random: fastrand::Rng,
}

impl<'c> Confirmation<'c> {
    pub fn new(rules: &'c Rules, test: &'c TestCase, first: [Run; 2]) -> Confirmation<'c> {
        let differing = rules.differing(&first[0], &first[1]);
        let rooms = [0, 1].map(|i| match first[i].outcome {
            Outcome::TimedOut => Room::Short((first[1 - i].wall * HANGING).max(HANGING_LEAST)),
            Outcome::TooMuchMemory | Outcome::TooManyProcesses => Room::Usual,
            _ => Room::Ample,
        });
        let mut hasher = DefaultHasher::new();
        test.hash(&mut hasher);
        Confirmation {
            test,
            rules,
            masked: rules.clone(),
            first,
            rooms,
            constant: [differing.clone(), differing],
            unstable: Vec::new(),
            random: fastrand::Rng::with_seed(hasher.finish()),
        }
    }

    /// One version is out of time, and the other one was not far from it: that says nothing.
    pub fn is_near_limit(&self) -> bool {
        let [old, new] = &self.first;
        let near = |late: &Run, other: &Run| {
            late.outcome == Outcome::TimedOut
                && other.outcome != Outcome::TimedOut
                && other.wall * FAR_BELOW >= late.wall
        };
        near(old, new) || near(new, old)
    }

    /// A run that met a limit is made again with much more room: a version that is only a little slower than the other one is
    /// no difference.
    pub fn give_room<R: Runner>(&mut self, runner: &mut R) -> Result<(), R::Error> {
        for (which, i) in [(Which::Old, 0), (Which::New, 1)] {
            if !met_limit(&self.first[i]) || self.first[i].outcome == self.first[1 - i].outcome {
                continue;
            }
            let again = runner.again(which, self.test, Trial { round: 0, room: Room::Ample })?;
            if again.outcome != self.first[i].outcome {
                self.first[i] = again;
                self.rooms[i] = Room::Ample;
            }
        }
        let differing = self.rules.differing(&self.first[0], &self.first[1]);
        self.constant = [differing.clone(), differing];
        Ok(())
    }

    /// Runs both versions once more, in any order. `false`: a run was lost.
    pub fn round<R: Runner>(&mut self, runner: &mut R, round: u32) -> Result<bool, R::Error> {
        // In any order, so that nothing that changes with time or with the number of a run goes with the version.
        let order = if self.random.bool() { [Which::Old, Which::New] } else { [Which::New, Which::Old] };
        for which in order {
            let room = self.rooms[which as usize];
            let again = runner.again(which, self.test, Trial { round, room })?;
            if again.outcome == Outcome::Lost {
                return Ok(false);
            }
            self.learn(which, &again);
        }
        Ok(true)
    }

    fn learn(&mut self, which: Which, again: &Run) {
        let (this, other) = (which as usize, 1 - which as usize);
        let from_itself = self.rules.differing(&self.first[this], again);
        let from_other = self.rules.differing(&self.first[other], again);
        self.constant[this].retain(|aspect| !from_itself.contains(aspect));
        self.constant[other].retain(|aspect| from_other.contains(aspect));
        let mut found = unstable(&self.masked, &self.first[this], again);
        found.iter().for_each(|part| self.masked.leave_out(part));
        // What was learnt before may stand in the way of what was learnt now.
        for aspect in self.masked.differing(&self.first[this], again) {
            self.masked.leave_out(&Unstable::whole(aspect));
            found.push(Unstable::whole(aspect));
        }
        self.unstable.extend(found.into_iter().map(|part| (which, part)));
    }

    /// The aspects in which the versions still differ.
    pub fn left(&self) -> Aspects {
        self.rules_now().differing(&self.first[0], &self.first[1])
    }

    /// The rules by which they differ.
    pub fn rules_now(&self) -> Rules {
        let mut rules = self.rules.clone();
        self.looked_past().for_each(|(_, part)| rules.leave_out(part));
        rules
    }

    /// Everything unstable, but for that of a version which is the only one of the two: that is a difference itself.
    pub fn looked_past(&self) -> impl Iterator<Item = &(Which, Unstable)> {
        let stable = self.masked.differing(&self.first[0], &self.first[1]);
        let one_sided = move |aspect: &Aspect| {
            !stable.contains(aspect) && self.constant.iter().any(|constant| constant.contains(aspect))
        };
        self.unstable.iter().filter(move |(_, part)| !one_sided(&part.aspect))
    }
}

fn met_limit(run: &Run) -> bool {
    matches!(run.outcome, Outcome::TimedOut | Outcome::TooMuchMemory | Outcome::TooManyProcesses)
}
