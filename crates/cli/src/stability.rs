//! Does each version agree with itself?
//!
//! In: the native binaries and the seeds. Out: rules without what differs between two runs of the same version, and its names.
//!
//! Always holds: both rounds together take no more than half of the time of the search. The second one runs with other
//! addresses and other things in memory, and after the versions have been instrumented, so that what depends on them or on the
//! time of day shows.

use crate::error::CliError;
use crate::natives::{Natives, NoRun};
use parallax_execute::{Run, TestCase};
use parallax_oracle::{unstable, Room, Rules, Runner, Trial, Unstable, Which};
use parallax_report::diff_view::UnstableView;
use std::time::{Duration, Instant};

/// On how many seeds each version is compared with itself.
const SEEDS: usize = 16;
/// The part of the time of the search that one round may take, and that its first seed may.
const PART: u32 = 8;
const FIRST_PART: u32 = 4;

/// What both versions did on the first seeds; shorter if the time was up.
pub type Round = [Vec<Run>; 2];

/// Of what is not the program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditions {
    /// As in the search.
    Usual,
    /// As where a difference is confirmed.
    Other,
}

impl Conditions {
    fn run(self, natives: &mut Natives, which: Which, seed: &TestCase) -> Result<Run, NoRun> {
        match self {
            Conditions::Usual => natives.run(which, seed),
            Conditions::Other => natives.again(which, seed, Trial { round: 0, room: Room::Usual }),
        }
    }
}

/// Runs both versions on the first seeds.
pub fn round(
    natives: &mut Natives,
    seeds: &[TestCase],
    time: Duration,
    conditions: Conditions,
) -> Result<Round, CliError> {
    let mut runs = [Vec::new(), Vec::new()];
    let start = Instant::now();
    for (number, seed) in seeds.iter().take(SEEDS).enumerate() {
        natives.deadline = Some(start + time / if number == 0 { FIRST_PART } else { PART });
        let mut run = |which| conditions.run(natives, which, seed);
        let (old, new) = match (run(Which::Old), run(Which::New)) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(NoRun::OutOfTime), _) | (_, Err(NoRun::OutOfTime)) => break,
            (Err(NoRun::Broken(error)), _) | (_, Err(NoRun::Broken(error))) => return Err(error.into()),
            (Err(NoRun::Impossible(reason)), _) | (_, Err(NoRun::Impossible(reason))) => {
                return Err(CliError::usage(format!("a seed cannot be run: {reason}")))
            }
        };
        runs[0].push(old);
        runs[1].push(new);
    }
    natives.deadline = None;
    Ok(runs)
}

/// Leaves out what differs between the rounds; an error if that is everything.
pub fn settle(rules: &mut Rules, first: &Round, second: &Round) -> Result<Vec<UnstableView>, CliError> {
    let mut views = Vec::new();
    for number in 0..first[0].len().min(second[0].len()) {
        let parts = [(Which::Old, 0), (Which::New, 1)]
            .map(|(which, i)| (which, unstable(rules, &first[i][number], &second[i][number])));
        for (which, part) in
            parts.iter().flat_map(|(which, parts)| parts.iter().map(move |part| (which, part)))
        {
            rules.leave_out(part);
            views.push(view(*which, part));
        }
    }
    if rules.compare.is_empty() {
        let named =
            views.iter().map(|view| format!("{} of the {} version differs", view.aspect, view.version));
        return Err(CliError::Unstable(named.collect::<Vec<_>>().join(", ")));
    }
    Ok(views)
}

pub fn view(which: Which, part: &Unstable) -> UnstableView {
    let version = match which {
        Which::Old => "old",
        Which::New => "new",
    };
    UnstableView {
        version: version.to_owned(),
        aspect: part.aspect.name().to_owned(),
        what: part.to_string(),
    }
}
