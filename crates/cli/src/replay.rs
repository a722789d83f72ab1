//! `parallax replay`: do kept tests still show a difference?
//!
//! In: kept tests and two versions. Out: for each test whether the versions differ on it, and how; exit status 1 if any does.

use crate::args::BuildArgs;
use crate::diff_args::{DiffFormat, ReplayArgs};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::natives::{Natives, NoRun, Setting};
use crate::run_file::RunFile;
use crate::{diff, engine, golden, seeds, versions};
use parallax_build::Cache;
use parallax_execute::Interrupt;
use parallax_oracle::{judge, Judgement, Rules};
use parallax_report::{kept, SCHEMA};
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The document of `--format json`.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
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
    let (mut rules, argv0) = rules(args, origin.as_ref(), &programs)?;
    rules.add_name(&argv0);
    let setting = Setting { argv0, unconfined: args.limits.unconfined, interrupt };
    let limits = engine::limits(&args.limits, args.oracle.run_time);
    let mut natives = Natives::new([&programs[0], &programs[1]], limits, &setting)?;
    let mut replayed = Vec::new();
    for test in &tests {
        replayed.push(one(test, &mut natives, &rules)?);
    }
    let different = replayed.iter().any(|test| test.status == "different");
    let code = if different { ExitCode::Different } else { ExitCode::Success };
    let text = match args.format {
        DiffFormat::Json => {
            let document = Document { schema: SCHEMA, tests: replayed };
            serde_json::to_string_pretty(&document)? + "\n"
        }
        DiffFormat::Human => human(&replayed),
    };
    Ok((text, code))
}

fn one(path: &Path, natives: &mut Natives, rules: &Rules) -> Result<Replayed, CliError> {
    let test = kept::read(path)?;
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
        Err(NoRun::OutOfTime) => Ok(plain("unusable", Some("no time".to_owned()))),
        Err(NoRun::Broken(error)) => Err(error.into()),
    }
}

fn human(replayed: &[Replayed]) -> String {
    let mut text = String::new();
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
) -> Result<[PathBuf; 2], CliError> {
    let cache = Cache::from_environment();
    let find = |named: &Option<OsString>, build: &BuildArgs, recorded: Option<&PathBuf>, option: &str| {
        let Some(name) = named else {
            return match recorded {
                Some(binary) if binary.is_file() => Ok(binary.clone()),
                Some(binary) => Err(CliError::usage(format!(
                    "{}: gone; name the version with {option}",
                    binary.display()
                ))),
                None => Err(CliError::usage(format!(
                    "the tests are in no result directory with a run.json; name the versions with --old and --new ({option} is missing)"
                ))),
            };
        };
        golden::native(name, build, interrupt, &cache)
    };
    let without_patch = BuildArgs { patch: None, ..args.build.clone() };
    Ok([
        find(&args.old, &without_patch, origin.map(|o| &o.old.binary), "--old")?,
        find(&args.new, &args.build, origin.map(|o| &o.new.binary), "--new")?,
    ])
}

/// As in the run that the tests come from, unless the command line says otherwise.
fn rules(
    args: &ReplayArgs,
    origin: Option<&RunFile>,
    programs: &[PathBuf; 2],
) -> Result<(Rules, Vec<u8>), CliError> {
    let mut oracle = args.oracle.clone();
    let mut argv0 = versions::common_name(&programs[0], &programs[1]);
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
    for program in programs {
        let content = std::fs::read(program).unwrap_or_default();
        rules.add_program(program, &content);
        parallax_build::tree_of(program).iter().for_each(|tree| rules.add_tree(tree));
    }
    Ok((rules, argv0))
}
