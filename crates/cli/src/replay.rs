//! `parallax replay`: do kept tests still show a difference?
//!
//! In: kept tests and two versions. Out: for each test whether the versions differ on it, and how; exit status 1 if any does.

use crate::args::BuildArgs;
use crate::diff_args::{DiffFormat, OracleArgs, ReplayArgs};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::loaded::{self, Observed, Tried};
use crate::native::{self, Native};
use crate::natives::{Natives, NoRun, Setting};
use crate::run_file::{Built, RunFile};
use crate::{diff, engine, golden, seeds, versions};
use parallax_build::Cache;
use parallax_execute::{Interrupt, Limits};
use parallax_oracle::{judge, Judgement, Rules};
use parallax_report::{kept, SCHEMA};
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Why a test was not run, or not to its end.
const OUT_OF_TIME: &str = "the time for all tests (--time) was up";

/// The document of `--format json`.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    old_program: String,
    new_program: String,
    old_binary: PathBuf,
    new_binary: PathBuf,
    old_loaded: Vec<PathBuf>,
    new_loaded: Vec<PathBuf>,
    warnings: Vec<String>,
    tests: Vec<Replayed>,
}

#[derive(Serialize)]
struct Replayed {
    test: String,
    status: &'static str,
    kind: Option<&'static str>,
    signature: Option<String>,
    reason: Option<String>,
}

pub fn replay(args: &ReplayArgs) -> Result<(String, ExitCode), CliError> {
    let tests = seeds::kept_tests(&args.tests)?;
    let interrupt = Interrupt::on_signals();
    let origin = tests.first().and_then(|test| RunFile::of_test(test));
    let programs = programs(args, origin.as_ref(), &interrupt)?;
    let (rules, argv0) = rules_of(&args.oracle, origin.as_ref(), &programs)?;
    let homes = native::homes(&[&programs[0], &programs[1]]);
    let setting = Setting { argv0, homes, unconfined: args.limits.unconfined, interrupt };
    let limits = engine::limits(&args.limits, args.oracle.run_time);
    let deadline = Instant::now() + args.time;
    let Observed { loaded, warnings } = observe(&tests, args, &programs, &limits, &setting)?;
    let mut natives = Natives::new([&programs[0].binary, &programs[1].binary], limits, &setting)?;
    natives.deadline = Some(deadline);
    let mut replayed = Vec::new();
    for test in &tests {
        replayed.push(one(test, args.max_seed_size, &mut natives, &rules)?);
    }
    let code = code(&replayed);
    let text = match args.format {
        DiffFormat::Json => {
            let [old, new] = programs;
            let mut loaded = loaded.into_iter();
            let (old_loaded, new_loaded) =
                (loaded.next().unwrap_or_default(), loaded.next().unwrap_or_default());
            let document = Document {
                schema: SCHEMA,
                old_program: old.program,
                new_program: new.program,
                old_binary: old.binary,
                new_binary: new.binary,
                old_loaded,
                new_loaded,
                warnings,
                tests: replayed,
            };
            serde_json::to_string_pretty(&document)? + "\n"
        }
        DiffFormat::Human => human(&replayed, &programs, &warnings),
    };
    Ok((text, code))
}

/// Tests that nobody had time for show nothing.
fn code(replayed: &[Replayed]) -> ExitCode {
    if replayed.iter().any(|test| test.status == "different") {
        ExitCode::Different
    } else if replayed.iter().any(|test| test.reason.as_deref() == Some(OUT_OF_TIME)) {
        ExitCode::NotExecuted
    } else {
        ExitCode::Success
    }
}

fn one(path: &Path, most: u64, natives: &mut Natives, rules: &Rules) -> Result<Replayed, CliError> {
    let test = kept::read(path, most)?;
    let name = path.display().to_string();
    let plain = |status, reason| Replayed { test: name.clone(), status, kind: None, signature: None, reason };
    match judge(natives, rules, &test, &|_| false) {
        Ok(Judgement::Same) => Ok(plain("same", None)),
        Ok(Judgement::Different(case)) => Ok(Replayed {
            kind: Some(case.kind().name()),
            signature: Some(case.signature.clone()),
            ..plain("different", None)
        }),
        Ok(Judgement::Flaky(flaky)) => Ok(plain("unusable", Some(flaky.reason.to_owned()))),
        Err(NoRun::Impossible(reason)) => Ok(plain("unusable", Some(reason))),
        Err(NoRun::OutOfTime) => Ok(plain("unusable", Some(OUT_OF_TIME.to_owned()))),
        Err(NoRun::Broken(error)) => Err(error.into()),
    }
}

/// What each version loads on the first test, and what is wrong with that.
fn observe(
    tests: &[PathBuf],
    args: &ReplayArgs,
    programs: &[Native; 2],
    limits: &Limits,
    setting: &Setting,
) -> Result<Observed, CliError> {
    let Some(first) = tests.first() else { return Ok(Observed::default()) };
    let side =
        |i: usize| Tried { which: versions::WHICH[i], name: &programs[i].program, native: &programs[i] };
    loaded::observe(&[side(0), side(1)], &kept::read(first, args.max_seed_size)?, limits, args.time, setting)
}

fn human(replayed: &[Replayed], programs: &[Native; 2], warnings: &[String]) -> String {
    let mut text = String::new();
    for (which, native) in versions::WHICH.iter().zip(programs) {
        text.push_str(&format!("{which}: {} ({})\n", native.program, native.binary.display()));
    }
    warnings.iter().for_each(|warning| text.push_str(&format!("warning: {warning}\n")));
    for test in replayed {
        let detail = test.signature.as_ref().or(test.reason.as_ref());
        let detail = detail.map_or(String::new(), |detail| format!(": {detail}"));
        text.push_str(&format!("{}: {}{detail}\n", test.test, test.status));
    }
    let differ = replayed.iter().filter(|test| test.status == "different").count();
    text + &format!("{differ} of {} still different\n", replayed.len())
}

/// The two native binaries.
fn programs(
    args: &ReplayArgs,
    origin: Option<&RunFile>,
    interrupt: &Interrupt,
) -> Result<[Native; 2], CliError> {
    let cache = Cache::from_environment();
    let find = |named: &Option<OsString>,
                build: &BuildArgs,
                recorded: Option<&Built>,
                which: &'static str| {
        let option = format!("--{which}");
        let Some(name) = named else {
            return match recorded.map(|built| &built.native) {
                Some(native) if native.binary.is_file() => Ok(native.clone()),
                Some(native) => Err(CliError::usage(format!(
                    "{}: gone; name the version with {option}",
                    native.binary.display()
                ))),
                None => Err(CliError::usage(format!(
                    "the tests are in no result directory with a run.json; name the versions with --old and --new ({option} is missing)"
                ))),
            };
        };
        golden::native(which, name, build, interrupt, &cache)
    };
    let without_patch = BuildArgs { patch: None, ..args.build.clone() };
    Ok([
        find(&args.old, &without_patch, origin.map(|o| &o.old), "old")?,
        find(&args.new, &args.build, origin.map(|o| &o.new), "new")?,
    ])
}

/// As in the run that the tests come from, unless the command line says otherwise.
pub fn rules_of(
    oracle: &OracleArgs,
    origin: Option<&RunFile>,
    programs: &[Native; 2],
) -> Result<(Rules, Vec<u8>), CliError> {
    let mut oracle = oracle.clone();
    let mut argv0 = versions::common_name(&programs[0].binary, &programs[1].binary);
    if let Some(origin) = origin {
        if oracle.ignore.is_empty() {
            oracle.ignore.clone_from(&origin.ignore);
        }
        let compared: Vec<_> = origin.compare.iter().filter_map(|name| name.parse().ok()).collect();
        if oracle.compare.is_none() && !compared.is_empty() {
            oracle.compare = Some(compared);
        }
        argv0 = kept::unescape(origin.argv0.as_bytes()).unwrap_or(argv0);
    }
    let mut rules = diff::rules(&oracle)?;
    for program in programs.iter().map(|native| &native.binary) {
        let content = std::fs::read(program).unwrap_or_default();
        rules.add_program(program, &content);
        native::entry_name(program).into_iter().for_each(|name| rules.add_own_name(name));
        parallax_build::tree_of(program).iter().for_each(|tree| rules.add_tree(tree));
    }
    rules.add_name(&argv0);
    Ok((rules, argv0))
}
