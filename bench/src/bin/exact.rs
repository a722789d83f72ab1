//! Is a path condition all there is?
//!
//! In: optionally a directory of packages built with `parallax-cc`. Out: for every program of
//! `bench/subjects/exact`, and of the directory, (a) the conditions recorded and those that contradict their own run, and
//! (b) the pairs of inputs tried, those to which the promise applies, those that keep it, and every other with its
//! reason.
//!
//! `cargo run --release -p parallax-bench --bin exact -- [--pairs N] [DIR]`

use parallax_bench::lines::parse;
use parallax_bench::pairs::{explore, Tally};
use parallax_bench::seeds::{source, OWN, PACKAGED};
use parallax_bench::twins::{find, Subject, SubjectError};
use parallax_execute::{runner_main, TestCase, RUNNER_SUBCOMMAND};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Pairs to which the promise applies, for every own program and for every packaged one.
const WANTED: usize = 1000;
const WANTED_PACKAGED: usize = 150;
/// Pairs tried for one to which the promise applies, at most.
const TRIES: usize = 6;
/// The least share of pairs that must keep the promise.
const LEAST_RATE: f64 = 0.999;
const RANDOM_SEED: u64 = 7;

struct Job {
    directory: Option<PathBuf>,
    wanted: usize,
    /// Only this program.
    only: Option<String>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    if arguments.next_if(|first| first == RUNNER_SUBCOMMAND).is_some() {
        std::process::exit(runner_main(arguments));
    }
    let mut job = Job { directory: None, wanted: WANTED, only: None };
    while let Some(argument) = arguments.next() {
        let value = |next: Option<std::ffi::OsString>| next.and_then(|v| v.into_string().ok());
        match argument.to_str() {
            Some("--pairs") => match value(arguments.next()).and_then(|n| n.parse().ok()) {
                Some(n) => job.wanted = n,
                None => return usage(),
            },
            Some("--only") => job.only = value(arguments.next()),
            _ => job.directory = Some(argument.into()),
        }
    }
    match measure(&job) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: exact [--pairs N] [--only PROGRAM] [DIR]");
    ExitCode::from(2)
}

fn measure(job: &Job) -> bool {
    println!("| program | first inputs (lossy) | paths | conditions | violations | pairs | promise applies | kept |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut total = Tally::default();
    let mut failed = false;
    let mut report = |name: &str, result: Result<Tally, SubjectError>| match result {
        Ok(tally) => {
            print_row(name, &tally);
            total.add(tally);
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            failed = true;
        }
    };
    let chosen = |name: &str| job.only.as_deref().is_none_or(|only| only == name);
    for (name, seeds) in OWN.iter().filter(|(name, _)| chosen(name)) {
        report(name, own(name, seeds, job.wanted));
    }
    for (package, name, seeds) in PACKAGED.iter().filter(|(_, name, _)| chosen(name)) {
        if let Some(directory) = &job.directory {
            report(name, packaged(directory, package, name, seeds, job.wanted * WANTED_PACKAGED / WANTED));
        }
    }
    print_row("all", &total);
    let rate = total.same as f64 / total.premise.max(1) as f64;
    println!("\nkept: {:.3} % of {} pairs to which the promise applies", 100.0 * rate, total.premise);
    !failed && rate >= LEAST_RATE && total.violations == 0
}

fn print_row(name: &str, t: &Tally) {
    println!(
        "| {name} | {} ({}) | {} | {} | {} | {} | {} | {} |",
        t.firsts, t.lossy, t.paths, t.conditions, t.violations, t.pairs, t.premise, t.same
    );
    if name != "all" {
        t.counterexamples.iter().for_each(|text| eprintln!("{text}"));
    }
}

fn own(name: &str, seeds: &[&str], wanted: usize) -> Result<Tally, SubjectError> {
    pairs(Subject::file(&source(name), None)?, seeds, wanted)
}

fn packaged(
    directory: &Path,
    package: &str,
    name: &str,
    seeds: &[&str],
    wanted: usize,
) -> Result<Tally, SubjectError> {
    pairs(Subject::built(name, &find(directory, package, name)?, None)?, seeds, wanted)
}

fn pairs(mut subject: Subject, seeds: &[&str], wanted: usize) -> Result<Tally, SubjectError> {
    let seeds: Vec<TestCase> = seeds.iter().map(|text| parse(text)).collect();
    let mut random = fastrand::Rng::with_seed(RANDOM_SEED);
    explore(&mut subject, &seeds, wanted, wanted * TRIES, &mut random)
}
