//! How far each change got on the inputs that were followed, and why no further.
//!
//! In: followed runs ([`Followed`]), one after the other. Out: for each change of the comparison the furthest rung below `visible`, the test that shows
//! it, the reason in words; for a difference, the chain from the change to what is seen.
//!
//! Always holds: a rung is one that a followed run showed; "all" counts those runs.

use parallax_follow::{chain, fate, place, what, Fate, Followed, Mark, Pairing, Step};
use parallax_oracle::OR;
use parallax_report::changes::Piece;
use parallax_report::ladder_view::Rung;
use parallax_report::Change;
use std::collections::BTreeMap;

/// Steps of a chain, and changes of a sequence, that are shown.
const STEPS: usize = 8;
const SEQUENCE: usize = 32;
/// Changes that are named as one cause.
const CAUSES: usize = 3;

/// What is known of one change.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    pub rung: Rung,
    /// The test of this rung; none if it is a seed.
    pub test: Option<String>,
    /// What differs, and where.
    seen: String,
    /// Inputs that infect, and what became of it on how many.
    infecting: u64,
    fates: BTreeMap<Fate, u64>,
    /// Inputs on which more became of it than one thing.
    scattered: bool,
}

#[derive(Default)]
pub struct Trails {
    /// By change of the comparison; empty if nothing was followed.
    all: Vec<Trail>,
    /// Test cases that were followed, and those of them not to the end.
    pub followed: u64,
    pub cut: u64,
}

impl Trails {
    /// Takes in one test case. `test`: its name, none for a seed.
    pub fn take(&mut self, pairing: &Pairing, run: &Followed, test: Option<&str>) {
        self.followed += 1;
        self.cut += u64::from(run.cut.is_some());
        self.all.resize(run.tracks.len().max(self.all.len()), Trail::default());
        for (number, track) in run.tracks.iter().enumerate() {
            let Some((rung, mark)) = furthest(track) else { continue };
            let trail = &mut self.all[number];
            trail.infecting += 1;
            if let Some((fate, others)) = fate(&run.graph, pairing, number as u32) {
                *trail.fates.entry(fate).or_default() += 1;
                trail.scattered |= others > 0;
            }
            // Where it came from says more than where it was seen last.
            let mark = track.infected.filter(|_| rung == Rung::Infected).unwrap_or(mark);
            if rung > trail.rung || trail.seen.is_empty() {
                trail.rung = rung;
                trail.test = test.map(str::to_owned);
                trail.seen = seen(pairing, run, mark);
            }
        }
    }

    /// The furthest of some changes.
    pub fn of(&self, numbers: &[usize]) -> Option<&Trail> {
        let trails = numbers.iter().filter_map(|n| self.all.get(*n)).filter(|t| t.rung > Rung::Reached);
        trails.max_by_key(|trail| trail.rung)
    }
}

impl Trail {
    pub fn why(&self) -> String {
        let n = self.infecting;
        let inputs = |k: u64| match (k, n) {
            (1, 1) => "on the one input followed that infects it".to_owned(),
            (k, n) if k == n => format!("on all {n} inputs followed that infect it"),
            (k, n) => format!("on {k} of {n} inputs followed that infect it"),
        };
        let Some((fate, count)) = self.fates.iter().max_by_key(|(_, count)| **count) else {
            return self.seen.clone();
        };
        let more = if self.scattered { ", and goes no further elsewhere" } else { "" };
        format!("{}; {fate} {}{more}", self.seen, inputs(*count))
    }
}

fn furthest(track: &parallax_follow::Track) -> Option<(Rung, Mark)> {
    let propagated = track.propagated.or(track.output).map(|mark| (Rung::Propagated, mark));
    propagated.or_else(|| track.infected.map(|mark| (Rung::Infected, mark)))
}

fn seen(pairing: &Pairing, run: &Followed, mark: Mark) -> String {
    let Some(node) = run.graph.node(mark.node) else { return String::new() };
    let at = place(pairing, mark.at).or_else(|| place(pairing, node.insts));
    let at = at.map_or(String::new(), |place| format!(" at {place}"));
    format!("{}{at}", what(pairing, node))
}

/// The changes whose effect, and nobody else's, left the programs; with the way there.
pub fn visible(pairing: &Pairing, run: &Followed) -> Vec<(u32, Vec<Step>)> {
    let numbers = run.tracks.iter().zip(0u32..);
    let seen = numbers.filter_map(|(track, number)| {
        let end = track.output?.node;
        Some((number, chain(&run.graph, pairing, number, end, STEPS)))
    });
    seen.collect()
}

/// Changes as they are shown, in the order in which a run met them; repeats in a row once.
pub fn sequence(changes: &[Change], met: &[u32]) -> Vec<String> {
    let mut places: Vec<String> =
        met.iter().filter_map(|n| changes.get(*n as usize)).map(Change::place).collect();
    places.dedup();
    places.truncate(SEQUENCE);
    places
}

/// The cause of a difference, where following it showed another one than was guessed: the pieces of source that hold the changes whose effect left the
/// program.
pub fn cause(guess: Option<&str>, changes: &[&Change], pieces: &[Piece]) -> Option<String> {
    let is_right = |guess: &&str| changes.iter().all(|change| change.is_at(guess));
    if changes.is_empty() || changes.len() > CAUSES || guess.filter(is_right).is_some() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for change in changes {
        let piece = pieces.iter().map(Piece::name).find(|name| change.is_at(name))?;
        if !names.contains(&piece) {
            names.push(piece);
        }
    }
    Some(names.join(OR))
}
