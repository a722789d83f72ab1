//! `definitions`: where a decision in the way of a target looks at no input, the places that define what it looks at are executed first (definition
//! switching with a stack of intermediate targets, Marinescu and Cadar 2013, section 3.4; [`crate::intermediate`]).
//!
//! Departs from KATCH in what a definition is (fields, elements, results, pointers to functions, through calls: `parallax_plan`), and in how one is executed *again* with another value. A
//! parser that recognises a word character by character, in a loop or by a table, executes the same code for each: what tells runs apart is how much of an input was recognised.
//! So branches that lead to a definition are flipped whatever was covered before, once for each beginning of the input; what the solver wants written is also put before what
//! stands there, so that words grow; and where a flip changed a byte, the next one is on the byte behind it (the bound of generational search, Godefroid, Levin and
//! Molnar 2008). Branches share the effort by how near they lead.

use super::{About, Answered, Context, GlimpsedTest, Proposals, Strategy};
use crate::expressions::Answer;
use crate::frontier::Score;
use crate::goal::{Branch, Flip, FlipKey, Goal, GoalId, RunId, Site, Try};
use crate::inputs;
use crate::intermediate::Stack;
use crate::knowledge::writer::{Glimpsed, RunFacts};
use crate::knowledge::{Knowledge, Run};
use crate::parts::{self, Part};
use crate::path::Step;
use crate::{hash_of, Side};
use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// Flips proposed for one run.
const MAX_FLIPS: usize = 32;
/// A branch on the same byte as one that leads nearer counts as so far.
const NEIGHBOUR: u64 = 3;
/// By how much farther everything is counted: what is twice as far gets a little less than half as much.
const NEAREST: u64 = 2;
/// So many characters are a word.
const WORD: u64 = 3;
/// Test cases that a word is put into when it is complete.
const MAX_BASES: usize = 3;
/// So many equal bytes in a row are no part of a word.
const MAX_EQUAL: usize = 3;
/// So that shares are whole numbers.
const SHARES: u64 = 64;
/// How much more what comes behind a word gets.
const AFTER_WORD: u64 = 8;
/// How far behind a changed byte a word goes on.
const NEXT: u32 = 1;
/// Test cases whose place is remembered.
const MAX_GROWN: usize = 20_000;
/// Targets are blocks of the new version.
const SIDE: Side = Side::New;

/// A place in an input.
type Place = (Source, u32);

#[derive(Default)]
pub struct Definitions {
    stack: Stack,
    /// Something was executed that the stack does not know of.
    is_old: bool,
    begun: bool,
    /// What was asked, with all of the input before it.
    asked: HashSet<u64>,
    /// How often a way of a branch was asked for.
    times: HashMap<Branch, u64>,
    /// The bytes that it compares input with: where there are several, words are recognised.
    bytes: HashMap<Branch, HashSet<u8>>,
    /// Test cases made here, and how.
    grown: HashMap<TestCase, Grown>,
    /// The latest test cases that executed something for the first time.
    bases: VecDeque<RunId>,
}

/// A test case that a flip made.
#[derive(Clone, Debug)]
struct Grown {
    /// The byte that was changed.
    place: Place,
    branch: Branch,
    /// How many flips in a row took the same way of the same branch, each on the byte behind the last.
    streak: u64,
    /// The way of that branch led nearer to something.
    leads: bool,
    /// How long the word was that ended there.
    word: u64,
}

/// A flip that is worth something.
struct Candidate {
    step: usize,
    other: usize,
    /// How far it leads, if it leads nearer to anything.
    far: u64,
    leads: bool,
    /// The first byte that it is about.
    place: Option<Place>,
    /// `None`: of a run that no flip of this strategy made.
    going_on: Option<GoingOn>,
}

/// How a flip goes on where another left off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct GoingOn {
    /// How long the word is that it goes on with, or that it ends.
    word: u64,
    /// See [`Grown::streak`].
    streak: u64,
}

impl Strategy for Definitions {
    fn about(&self) -> About {
        About {
            name: "definitions",
            summary: "Executes first what defines the flags, states and pointers that keep a target from being executed, and puts the words together that do.",
            paper: "Marinescu and Cadar 2013",
        }
    }

    fn learn(&mut self, facts: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let run = see.known.run(facts.id);
        if run.novelty.first || self.is_old || !self.begun {
            (self.is_old, self.begun) = (false, true);
            let coverage = &see.known.coverage;
            self.stack.update(&see.known.guide, &|edge| coverage.has_glimpsed(SIDE, edge));
        }
        let changed = self.grown.remove(&run.test);
        if !self.stack.targets.is_empty() && (changed.is_some() || facts.is_seed || run.novelty.first) {
            if changed.as_ref().is_some_and(|changed| changed.word >= WORD) {
                self.put_into_bases(facts.id, see, out);
            }
            self.flip(facts.id, changed, see, out);
        }
        if facts.is_seed || run.novelty.first {
            self.bases.push_front(facts.id);
            self.bases.truncate(MAX_BASES);
        }
    }

    fn glimpsed(&mut self, run: &GlimpsedTest, _out: &mut Proposals) {
        self.is_old |= run.what == Glimpsed::Striking;
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        let Goal::Flip(flip) = answered.goal else { return };
        if decode(flip).is_none() || answered.is_relaxed() {
            return;
        }
        *self.times.entry(flip.key.branch()).or_default() += 1;
        let run = see.known.run(flip.run);
        let step = &run.paths[SIDE].steps[flip.step];
        let Some(place) = place(step, flip.other, see) else { return };
        let only = see.expressions.only_byte(step.others[flip.other]);
        let bytes = match (answered.answer, only) {
            (Answer::Sat(changes), _) if changes.numbers.is_empty() => changes.bytes.clone(),
            // What else was asked of the byte was asked of another byte.
            (Answer::Unsat(_), Some(byte)) => BTreeMap::from([(place.clone(), byte)]),
            _ => return,
        };
        let over = inputs::with_bytes(&run.test, &bytes);
        if is_repetition(&over, &place) || self.grown.len() >= MAX_GROWN {
            return;
        }
        let grown = self.grown(flip, place);
        let inserted = inputs::with_inserted(&run.test, &bytes);
        for test in inserted.into_iter().chain([over]) {
            if inputs::longest(&test) <= see.settings.max_input {
                self.grown.insert(test.clone(), grown.clone());
                let score = [MAX_STREAK - grown.streak.max(grown.word), 0, flip.run.0 as u64];
                // The answer itself is run anyway, and proposed in vain.
                out.add(Goal::Try(Try { of: Some(flip.run), ..Try::new(test) }), false, score);
            }
        }
    }

    fn score(&self, flip: &Flip, _age: GoalId, _known: &Knowledge) -> Option<Score> {
        let (far, _, going_on) = decode(flip)?;
        let times = self.times.get(&flip.key.branch()).copied().unwrap_or(0);
        let run = flip.run.0 as u64;
        // What was begun is finished first, in the oldest test case; then comes what was new last.
        let turn = going_on.map_or(u64::MAX - run, |on| MAX_STREAK - on.word);
        // What is compared with ever other bytes is where words are recognised, and a word that was begun there is finished.
        let bytes = self.bytes.get(&flip.key.branch()).map_or(1, HashSet::len) as u64;
        let is_word = bytes > 1 && going_on.is_some_and(|on| on.streak > 1);
        let after_word = if going_on.is_some_and(|on| on.word >= WORD) { AFTER_WORD } else { 1 };
        let share = if is_word { 0 } else { times * (NEAREST + far) * SHARES / bytes / after_word };
        Some([share, turn, run])
    }

    fn forget(&mut self) {
        self.asked.clear();
        self.grown.clear();
    }
}

/// A longer word is as good as one of so many characters.
const MAX_STREAK: u64 = 255;
/// What this strategy's flips are on the way to is how far they lead, whether they do, and how long a word they go on with. Other goals are smaller numbers.
const GOALS: u64 = 1 << 40;

fn goal(candidate: &Candidate) -> u64 {
    let packed = candidate.going_on.map_or(0, |on| 1 + 2 * (on.streak * (MAX_STREAK + 1) + on.word));
    GOALS + (candidate.far << 24) + (packed << 1) + u64::from(candidate.leads)
}

/// How far a flip leads, whether it leads nearer to something, how it goes on. `None` for a flip of another strategy.
fn decode(flip: &Flip) -> Option<(u64, bool, Option<GoingOn>)> {
    let goal = flip.key.goal()?.checked_sub(GOALS).filter(|goal| *goal < GOALS)?;
    let packed = goal >> 1 & 0x7f_ffff;
    let (streak, word) = (packed / 2 / (MAX_STREAK + 1), packed / 2 % (MAX_STREAK + 1));
    Some((goal >> 24, goal & 1 == 1, (packed % 2 == 1).then_some(GoingOn { word, streak })))
}

impl Definitions {
    /// How the test cases that answer a flip come about.
    fn grown(&self, flip: &Flip, place: Place) -> Grown {
        let (_, leads, going_on) = decode(flip).unwrap_or_default();
        let GoingOn { streak, word } = going_on.unwrap_or_default();
        let word = if streak == 0 { word } else { 0 };
        Grown { place, branch: flip.key.branch(), streak, leads, word }
    }

    /// A run recognised a word and what ends it: the part of its test case that is new, in those that executed something for the first time.
    fn put_into_bases(&self, id: RunId, see: &Context, out: &mut Proposals) {
        for base in &self.bases {
            let test = &see.known.run(*base).test;
            for part in parts::new_in(id, see.known) {
                let own = Part { bytes: vec![], ..part.clone() };
                for test in part.put_into(test, &own, see.settings.max_input) {
                    let goal = Try { of: Some(*base), ..Try::new(test) };
                    out.add(Goal::Try(goal), false, [MAX_STREAK - WORD, 0, id.0 as u64]);
                }
            }
        }
    }

    fn flip(&mut self, id: RunId, changed: Option<Grown>, see: &mut Context, out: &mut Proposals) {
        let run = see.known.run(id);
        let mut found = self.candidates(run, changed.as_ref(), see);
        found.sort_by_key(|c| (std::cmp::Reverse(c.going_on), c.far, std::cmp::Reverse(c.step)));
        let mut left = MAX_FLIPS;
        for candidate in found {
            let Candidate { step, other, .. } = candidate;
            let at = &run.paths[SIDE].steps[step];
            let before = candidate.place.as_ref().map(|place| (place, beginning(run, place)));
            if left == 0
                || !self.asked.insert(hash_of(&(at.site, at.other_ways[other], at.others[other], before)))
            {
                continue;
            }
            left -= 1;
            let branch = Branch { site: Site { side: SIDE, number: at.site }, way: at.other_ways[other] };
            if let Some(byte) = see.expressions.only_byte(at.others[other]) {
                self.bytes.entry(branch).or_default().insert(byte);
            }
            let key = FlipKey::new(SIDE, at, other).towards(goal(&candidate), at);
            let flip = Flip { depth: run.depth, ..Flip::new(id, SIDE, (step, other), key) };
            let score = self.score(&flip, GoalId(0), see.known).unwrap_or_default();
            out.add(Goal::Flip(flip), false, score);
        }
    }

    /// Ways that lead nearer to an intermediate target, and other ways of conditions on the same bytes. Of a test case that a flip made: on the byte that was changed and the
    /// next.
    fn candidates(&self, run: &Run, changed: Option<&Grown>, see: &Context) -> Vec<Candidate> {
        let (mut found, mut others) = (Vec::new(), Vec::new());
        let mut places = HashSet::new();
        for (number, step) in run.paths[SIDE].steps.iter().enumerate() {
            let Some(block) = see.known.guide.ended_by(SIDE, step.site) else { continue };
            let leads = self.stack.leads(block);
            for other in 0..step.others.len() {
                let place = place(step, other, see);
                let branch =
                    Branch { site: Site { side: SIDE, number: step.site }, way: step.other_ways[other] };
                let going_on = changed.map(|changed| going_on(changed, branch, place.as_ref()));
                if going_on == Some(None) {
                    continue;
                }
                let lead = leads.iter().filter(|lead| step.leads.get(other) == Some(&lead.way));
                let far = lead.map(|lead| u64::from(lead.distance + lead.level)).min();
                let (leads, going_on) = (far.is_some(), going_on.flatten());
                let far = far.unwrap_or(NEIGHBOUR);
                let candidate = Candidate { step: number, other, far, leads, place, going_on };
                if leads {
                    places.extend(candidate.place.clone());
                    found.push(candidate);
                } else if changed.is_none_or(|changed| changed.leads) && !see.known.guide.is_libc(SIDE, step)
                {
                    others.push(candidate);
                }
            }
        }
        found.extend(
            others.into_iter().filter(|c| c.place.as_ref().is_some_and(|place| places.contains(place))),
        );
        found
    }
}

/// How a flip goes on where a test case was changed; `None` if it does not.
fn going_on(changed: &Grown, branch: Branch, place: Option<&Place>) -> Option<GoingOn> {
    let (source, offset) = place?;
    let last = &changed.place;
    if *source != last.0 || !(last.1..=last.1 + NEXT).contains(offset) {
        return None;
    }
    let word = (changed.streak + 1).min(MAX_STREAK);
    Some(match (*offset > last.1, branch == changed.branch) {
        (true, true) => GoingOn { word, streak: word },
        (true, false) => GoingOn { word, streak: 0 },
        // What ends a word may be one of several bytes.
        (false, _) => GoingOn { word: changed.word, streak: 0 },
    })
}

/// Does the same byte stand before a place as at it, and before that, and so on?
fn is_repetition(test: &TestCase, (source, offset): &Place) -> bool {
    let bytes = inputs::bytes(test, source).unwrap_or(&[]);
    let last = bytes.get(..=*offset as usize).and_then(|bytes| bytes.last_chunk::<MAX_EQUAL>());
    last.is_some_and(|last| last.iter().all(|byte| *byte == last[0]))
}

/// What of an input is before a place.
fn beginning<'r>(run: &'r Run, (source, offset): &Place) -> Option<&'r [u8]> {
    let bytes = inputs::bytes(&run.test, source)?;
    bytes.get(..(*offset as usize).min(bytes.len()))
}

/// The first byte that a flip is about.
fn place(step: &Step, other: usize, see: &Context) -> Option<Place> {
    let (input, offset) = see.expressions.first_byte(step.others[other])?;
    Some((see.expressions.source(input)?, offset))
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use crate::inputs::Changes;

    #[test]
    fn a_word_grows_where_a_branch_leads_nearer_to_a_target() {
        let mut lab = Laboratory::with_map(laboratory::branching_map(), laboratory::target_at_the_end());
        let mut definitions = Definitions::default();
        let steps = [lab.step(0, 0, b'a', true), lab.step(1, 1, b'b', false)];
        let run = lab.run("ax", &steps);
        let flips = laboratory::flips(lab.learn(&mut definitions, &run));
        assert_eq!(flips[0].step, 1, "what leads nearest comes first");
        let goal = Goal::Flip(flips[0].clone());
        let changes = Changes { bytes: [((Source::Stdin, 1), b'b')].into(), ..Changes::default() };
        let grown = laboratory::inputs(lab.answered(&mut definitions, &goal, &Answer::Sat(changes)));
        assert_eq!(grown, ["abx", "ab"]);
        let refused = laboratory::inputs(lab.answered(&mut definitions, &goal, &Answer::Unsat(vec![])));
        assert_eq!(
            refused,
            ["abx", "ab"],
            "what contradicts an earlier look at the byte is tried all the same"
        );
    }
}
