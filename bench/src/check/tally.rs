//! How often each claim of the model was tested, and how often it failed.

use std::collections::BTreeMap;

/// What the model claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// A block is followed by one of its successors.
    Edge,
    /// The immediate dominator of a block has run before it, in the same activation.
    Dominator,
    /// The immediate post-dominator of a block has run after it, when the function returns.
    PostDominator,
    /// A call through a pointer leads to one of its callees in the call graph.
    Callee,
    /// A function that is entered was called, or handed outside.
    Entry,
    /// Nothing runs behind a call that does not return.
    NoReturn,
    /// The object that an access touches is one that its pointer can point to.
    Object,
    /// And so is the place in the object.
    Field,
    /// Who wrote last what a load reads is among its reaching definitions.
    Writer,
    /// Whatever influenced an executed instruction is in its static backward slice.
    Slice,
}

pub const CLAIMS: [(Claim, &str); 10] = [
    (Claim::Edge, "control-flow edges"),
    (Claim::Dominator, "dominators"),
    (Claim::PostDominator, "post-dominators"),
    (Claim::Callee, "callees of pointers"),
    (Claim::Entry, "entries of functions"),
    (Claim::NoReturn, "calls that return"),
    (Claim::Object, "objects of accesses"),
    (Claim::Field, "places in objects"),
    (Claim::Writer, "last writers"),
    (Claim::Slice, "dynamic in static slices"),
];

/// Failures kept in words.
const EXAMPLES: usize = 12;

#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub runs: u64,
    pub events: u64,
    /// Runs of which the trace was cut.
    pub cut: u64,
    /// Programs that could not be checked.
    pub errors: u64,
    /// Tested, failed.
    counts: BTreeMap<Claim, (u64, u64)>,
    pub examples: Vec<String>,
}

impl Tally {
    /// One test of a claim.
    pub fn check(&mut self, claim: Claim, holds: bool, failure: impl FnOnce() -> String) {
        let count = self.counts.entry(claim).or_default();
        count.0 += 1;
        if !holds {
            count.1 += 1;
            if self.examples.len() < EXAMPLES {
                self.examples.push(format!("{claim:?}: {}", failure()));
            }
        }
    }

    /// Tested and failed.
    pub fn of(&self, claim: Claim) -> (u64, u64) {
        self.counts.get(&claim).copied().unwrap_or_default()
    }

    pub fn violations(&self) -> u64 {
        self.counts.values().map(|c| c.1).sum()
    }

    pub fn add(&mut self, other: Tally) {
        self.runs += other.runs;
        self.events += other.events;
        self.cut += other.cut;
        self.errors += other.errors;
        for (claim, (tested, failed)) in other.counts {
            let count = self.counts.entry(claim).or_default();
            *count = (count.0 + tested, count.1 + failed);
        }
        self.examples.extend(other.examples);
    }

    /// A row of the table: name, runs, events, and each claim as tested or tested/failed.
    pub fn row(&self, name: &str) -> Vec<String> {
        let mut row =
            vec![name.to_owned(), self.runs.to_string(), self.cut.to_string(), self.events.to_string()];
        row.extend(CLAIMS.iter().map(|(claim, _)| match self.of(*claim) {
            (tested, 0) => tested.to_string(),
            (tested, failed) => format!("{tested}, FAILED {failed}"),
        }));
        row
    }

    pub fn head() -> Vec<&'static str> {
        ["program", "runs", "cut", "events"].into_iter().chain(CLAIMS.iter().map(|c| c.1)).collect()
    }
}
