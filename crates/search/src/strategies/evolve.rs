//! `evolve`: a population for each target that is still open, changed and mated towards it (the genetic algorithm of Xu, Kim, Kim, Cohen and Rothermel
//! 2010, algorithm 2).
//!
//! The population are the runs that execute something in the target's function. The better half survives; of its two halves the i-th mates with the i-th; children are changed
//! a little. After some generations the next target has its turn, in the order in which the targets are given. The paper leaves fitness open: here it
//! is the approach level (branches between the condition and the target) plus how far the operands of that condition are from going there, between 0 and
//! 1 (Tracey et al. 1998; McMinn 2004).
//!
//! Departs from the paper in breeding from traced runs only: what a condition compared is in a trace and not in a coverage run, so a condition on values that do not depend on the
//! input has no distance. Crossover is of whole inputs cut in two, because test cases have no chromosomes of one length. It has its turn only
//! in a search that is to execute targets ([`crate::Settings::until_reached`]).

use super::{About, Context, Strategy};
use crate::goal::{RunId, Try};
use crate::havoc::SPECIAL;
use crate::inputs::{bytes, edited, longest, sources};
use crate::knowledge::Run;
use crate::Side;
use fastrand::Rng;
use parallax_execute::TestCase;
use parallax_plan::Distance;
use std::collections::VecDeque;

/// Test cases of a population at most: the newest that reach the function.
const POPULATION: usize = 32;
/// Runs that are looked at for a population.
const LOOKED_AT: usize = 512;
/// Generations for one target before the next has its turn.
const GENERATIONS: u32 = 5;
/// One child in so many is changed after the crossover.
const CHANGED: u32 = 2;
/// Targets that are tried in one turn for one that has a population.
const TRIED: usize = 32;

#[derive(Default)]
pub struct Evolve {
    /// Place in the list of targets.
    at: usize,
    generation: u32,
    /// How far the blocks of the program are from the present target.
    distances: Vec<Distance>,
    children: VecDeque<(RunId, TestCase)>,
}

/// How far a run is from a target; less is better.
type Fitness = (u32, u64);

impl Strategy for Evolve {
    fn about(&self) -> About {
        About {
            name: "evolve",
            summary: "Breeds inputs towards one unexecuted target after the other, by how near they come (in reach and augment).",
            paper: "Xu, Kim, Kim, Cohen and Rothermel 2010",
        }
    }

    fn make(&mut self, see: &mut Context) -> Option<Try> {
        if !see.settings.until_reached {
            return None;
        }
        if self.children.is_empty() {
            self.breed(see);
        }
        let (of, test) = self.children.pop_front()?;
        Some(Try { of: Some(of), ..Try::new(test) })
    }

    fn forget(&mut self) {
        self.children.clear();
    }
}

impl Evolve {
    /// The next generation for the present target, or the first for another.
    fn breed(&mut self, see: &mut Context) {
        for _ in 0..TRIED.min(see.settings.targets.len()) {
            if self.generation >= GENERATIONS || !self.is_open(see) {
                self.turn(see);
                continue;
            }
            if self.generation == 0 {
                self.distances = see.known.guide.plan.versions.new.graph.distances(&self.blocks(see));
            }
            self.generation += 1;
            let mut ranked = self.population(see);
            ranked.sort();
            let known = see.known;
            let parents: Vec<(RunId, &TestCase)> =
                ranked.iter().map(|(_, id)| (*id, &known.run(*id).test)).collect();
            let children = next_generation(&parents, see.random, see.settings.max_input);
            let fresh = children.into_iter().filter(|(_, test)| !see.known.tried.contains(test));
            self.children.extend(fresh);
            if !self.children.is_empty() {
                return;
            }
            self.turn(see);
        }
    }

    fn turn(&mut self, see: &Context) {
        self.at = (self.at + 1) % see.settings.targets.len().max(1);
        self.generation = 0;
    }

    fn edges<'s>(&self, see: &'s Context) -> &'s [u32] {
        see.settings.targets.get(self.at).map_or(&[], Vec::as_slice)
    }

    fn is_open(&self, see: &Context) -> bool {
        let edges = self.edges(see);
        !edges.is_empty() && !edges.iter().any(|edge| see.known.coverage.has_glimpsed(Side::New, *edge))
    }

    /// The blocks from which the target is entered.
    fn blocks(&self, see: &Context) -> Vec<u32> {
        let ways = self.edges(see).iter().filter_map(|edge| see.known.guide.edge(Side::New, *edge));
        ways.map(|(from, _)| from).collect()
    }

    /// The runs that execute something in the target's function, with their fitness.
    fn population(&self, see: &Context) -> Vec<(Fitness, RunId)> {
        let targets = self.blocks(see);
        let guide = &see.known.guide;
        let function = targets.first().and_then(|block| guide.function(Side::New, *block));
        let newest = see.known.runs.iter().enumerate().rev().take(LOOKED_AT);
        let near = newest.filter_map(|(id, run)| {
            let steps = &run.paths.new.steps;
            let inside = steps.iter().any(|step| {
                let block = guide.block_of(Side::New, step.site);
                block.is_some_and(|block| guide.function(Side::New, block) == function)
            });
            inside.then(|| (self.fitness(run, &targets, see), RunId(id)))
        });
        near.take(POPULATION).collect()
    }

    /// The least approach level of the conditions of a run, with the least distance of the operands there.
    fn fitness(&self, run: &Run, targets: &[u32], see: &Context) -> Fitness {
        let guide = &see.known.guide;
        let level = |block: u32| match self.distances.get(block as usize) {
            _ if targets.contains(&block) => 0,
            Some(Distance::Branches(n)) => *n,
            _ => u32::MAX,
        };
        let steps = run.paths.new.steps.iter();
        let placed = steps.filter_map(|step| Some((level(guide.block_of(Side::New, step.site)?), step)));
        let placed: Vec<_> = placed.collect();
        let Some(least) = placed.iter().map(|(level, _)| *level).min() else { return (u32::MAX, u64::MAX) };
        let at_least = placed.iter().filter(|(level, _)| *level == least);
        let gaps = at_least.flat_map(|(_, step)| &step.others);
        (least, gaps.map(|way| see.expressions.gap(*way, &run.test)).min().unwrap_or(u64::MAX))
    }
}

/// The children of a population, the fittest first: the better half survives, the i-th of its first half mates with the i-th of its second.
fn next_generation<'t>(
    ranked: &[(RunId, &'t TestCase)],
    random: &mut Rng,
    max_input: usize,
) -> Vec<(RunId, TestCase)> {
    let survivors = &ranked[..ranked.len().div_ceil(2)];
    let (first, second) = survivors.split_at(survivors.len() / 2);
    let mut children = Vec::new();
    for ((id, one), (_, other)) in first.iter().zip(second) {
        for child in mated(one, other, random) {
            children.push((*id, child));
        }
    }
    // Too few to mate: they change alone.
    let alone = if children.is_empty() { survivors } else { &[] };
    children.extend(alone.iter().map(|(id, test)| (*id, changed(test, random))));
    for (_, child) in &mut children {
        if random.u32(..CHANGED) == 0 {
            *child = changed(child, random);
        }
    }
    children.retain(|(_, child)| longest(child) <= max_input);
    children
}

/// Both ways of putting the beginning of each input of the one before the end of the same input of the other.
fn mated(one: &TestCase, other: &TestCase, random: &mut Rng) -> [TestCase; 2] {
    let (mut first, mut second) = (one.clone(), other.clone());
    for source in sources(one) {
        let (Some(a), Some(b)) = (bytes(one, &source), bytes(other, &source)) else { continue };
        let cut = random.usize(0..=a.len().min(b.len()));
        let (joined, inverse) = ([&a[..cut], &b[cut..]].concat(), [&b[..cut], &a[cut..]].concat());
        first = edited(&first, &source, |bytes| *bytes = joined);
        second = edited(&second, &source, |bytes| *bytes = inverse);
    }
    [first, second]
}

/// One byte of one input is another, is gone, or is there twice.
fn changed(test: &TestCase, random: &mut Rng) -> TestCase {
    let sources = sources(test);
    let source = &sources[random.usize(..sources.len())];
    edited(test, source, |bytes| {
        let new = if random.bool() { random.u8(..) } else { SPECIAL[random.usize(..SPECIAL.len())] };
        if bytes.is_empty() {
            return bytes.push(new);
        }
        let at = random.usize(..bytes.len());
        match random.u8(..4) {
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, new),
            2 => bytes[at] = bytes[at].wrapping_add(random.u8(..9)).wrapping_sub(4),
            _ => bytes[at] = new,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::Laboratory;
    use super::*;

    fn texts(inputs: &[&str]) -> Vec<TestCase> {
        inputs.iter().map(|text| TestCase { stdin: (*text).into(), ..TestCase::default() }).collect()
    }

    #[test]
    fn the_better_half_survives_and_the_ith_mates_with_the_ith() {
        let tests = texts(&["aaaa", "bbbb", "cccc", "dddd", "xxxx", "xxxx", "xxxx", "xxxx"]);
        let ranked: Vec<(RunId, &TestCase)> =
            tests.iter().enumerate().map(|(n, test)| (RunId(n), test)).collect();
        let mut random = Rng::with_seed(3);
        for _ in 0..50 {
            let children = next_generation(&ranked, &mut random, 100);
            assert_eq!(children.len(), 4, "two pairs, two children each");
            for (RunId(parent), child) in children {
                let (one, other) = if parent == 0 { (b'a', b'c') } else { (b'b', b'd') };
                let foreign = child.stdin.iter().filter(|byte| ![one, other].contains(byte)).count();
                assert!(parent < 2 && foreign <= 1, "{:?}", child.stdin);
            }
        }
    }

    #[test]
    fn one_that_is_alone_changes_and_no_child_is_longer_than_allowed() {
        let tests = texts(&["abcdef"]);
        let mut random = Rng::with_seed(1);
        for _ in 0..50 {
            assert_eq!(next_generation(&[(RunId(0), &tests[0])], &mut random, 100).len(), 1);
            assert!(next_generation(&[(RunId(0), &tests[0])], &mut random, 3).is_empty());
        }
        assert!(next_generation(&[], &mut random, 100).is_empty());
    }

    #[test]
    fn where_targets_are_not_what_is_wanted_nothing_is_bred() {
        let mut lab = Laboratory::new();
        lab.run("some words here", &[]);
        assert_eq!(lab.make(&mut Evolve::default()), None);
    }
}
