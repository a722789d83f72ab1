//! Which tests execute something that no other does.
//!
//! In: kept tests, a way to make a coverage build of their programs. Out: the tests that are not needed.
//!
//! A test is needed if it takes an edge, or takes one of them so much more often (1, 2, 3, 4, 8, 16, 32, 128 times: Zalewski's AFL), that no test before it has.
//! Tests that replay come first, and of these the small ones.

use super::keep::Taken;
use super::shown;
use super::tree::Place;
use crate::engine;
use crate::error::CliError;
use crate::native::{self, Native};
use crate::pulse::Pulse;
use crate::record_args::RecordArgs;
use parallax_build::{build, collect, Cache, Request, Source, Started, Version};
use parallax_execute::{Executor, Kind, Limits, Options, TestCase};
use parallax_report::kept;
use parallax_report::outdir::OutDir;
use parallax_trace::format::Mode;
use parallax_trace::Trace;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// What coverage says.
#[derive(Default)]
pub struct Coverage {
    /// Programs that it was measured for.
    pub programs: BTreeSet<PathBuf>,
    /// Tests that execute nothing of their own, by their place among all.
    pub redundant: BTreeSet<usize>,
    pub warnings: Vec<String>,
}

pub fn cover(
    args: &RecordArgs,
    place: &Place,
    out: &OutDir,
    taken: &[Taken],
    cache: &Cache,
    pulse: &Pulse,
) -> Result<Coverage, CliError> {
    let mut coverage = Coverage::default();
    if args.keep_all {
        return Ok(coverage);
    }
    let programs: BTreeSet<&PathBuf> = taken.iter().map(|taken| &taken.program).collect();
    let mut uncovered = Vec::new();
    for program in programs {
        let name = shown(program, &place.tree).display().to_string();
        let own: Vec<usize> = (0..taken.len()).filter(|at| taken[*at].program == *program).collect();
        match executor(args, place, &name, &taken[own[0]], cache, pulse) {
            Ok(Some(executor)) => {
                let _beat = pulse.begin(format!("coverage of the tests of {name}"));
                coverage.redundant.extend(redundant(args, executor, out, taken, own)?);
                coverage.programs.insert(program.clone());
            }
            Ok(None) => uncovered.push(name),
            Err(error) => coverage.warnings.push(format!("no coverage build of {name}: {error}")),
        }
    }
    if !uncovered.is_empty() {
        coverage.warnings.push(format!(
            "tests of {} are told apart by what they are given and do, not by what they execute: for a coverage build give --build CMD",
            uncovered.join(", ")
        ));
    }
    Ok(coverage)
}

/// A coverage build: made by the command, or of a program that `parallax-cc` has compiled already.
fn executor(
    args: &RecordArgs,
    place: &Place,
    name: &str,
    one: &Taken,
    cache: &Cache,
    pulse: &Pulse,
) -> Result<Option<Executor>, CliError> {
    let version = match &args.build {
        Some(command) => built(command, place, name, cache, pulse)?,
        None => match collect(&one.image, cache) {
            Ok(version) => version,
            Err(_) => return Ok(None),
        },
    };
    let _beat = pulse.begin(format!("instrumenting {name}"));
    let program = engine::instrumented(&version, Mode::Coverage, cache)?.program;
    let homes = native::homes(&[&Native::of(&version)]);
    let options = Options {
        argv0: version.native.file_name().map(|name| name.as_encoded_bytes().to_vec()),
        homes: vec![native::instrumented(&program, &version, &homes)],
        unconfined: args.limits.unconfined,
        ..Options::default()
    };
    Ok(Some(Executor::new(&program, Kind::Instrumented, options)?))
}

fn built(
    command: &str,
    place: &Place,
    name: &str,
    cache: &Cache,
    pulse: &Pulse,
) -> Result<Version, CliError> {
    let beat = pulse.begin(format!("building {name} for coverage"));
    let request = Request {
        command: Some(command.to_owned()),
        program: Some(name.to_owned()),
        started: Started::tell(beat.logger()),
        ..Request::new(Source::Tree(place.tree.clone()))
    };
    Ok(build(&request, cache)?)
}

fn redundant(
    args: &RecordArgs,
    mut executor: Executor,
    out: &OutDir,
    taken: &[Taken],
    mut own: Vec<usize>,
) -> Result<Vec<usize>, CliError> {
    own.sort_by_key(|at| (!taken[*at].view.replays, taken[*at].size, *at));
    let limits = Limits { time: args.limits.run_time, ..Limits::default() };
    let mut seen: HashSet<(u32, u8)> = HashSet::new();
    let mut redundant = Vec::new();
    for at in own {
        let test = kept::read(&out.test(&taken[at].id), args.limits.max_seed_size)?;
        // One that cannot be run here says nothing: it stays.
        let Some(edges) = edges(&mut executor, &test, &limits) else { continue };
        let before = seen.len();
        seen.extend(edges);
        if seen.len() == before {
            redundant.push(at);
        }
    }
    Ok(redundant)
}

fn edges(executor: &mut Executor, test: &TestCase, limits: &Limits) -> Option<Vec<(u32, u8)>> {
    executor.run_unobserved(test, limits).ok()?;
    let inputs = engine::inputs(executor.arena()).ok()?;
    let trace = Trace::decode(executor.arena().bytes(), &inputs).ok()?;
    let bucket = |count: u8| match count {
        0..=3 => count,
        4..=7 => 4,
        8..=15 => 8,
        16..=31 => 16,
        32..=127 => 32,
        128.. => 128,
    };
    Some(trace.edges_taken().map(|(edge, count)| (edge, bucket(count))).collect())
}
