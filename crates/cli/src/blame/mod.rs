//! `parallax blame`: which pieces of the change a kept difference needs.
//!
//! In: a kept test, and the two versions that it tells apart. Out: the smallest sets of pieces of the change with which alone the old version
//! shows the same difference.
//!
//! Always holds: every set that is named was built and run. A set that does not compile is no answer: it is listed, and not counted.

mod between;
mod view;

use crate::blame_args::BlameArgs;
use crate::diff_args::DiffFormat;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::native::{self, Native};
use crate::natives::{Natives, NoRun, Setting};
use crate::run_file::{Built, Recipe, RunFile};
use crate::{engine, golden, replay, resolve};
use between::{Between, Outcome};
use parallax_build::Cache;
use parallax_execute::{Interrupt, Limits, TestCase};
use parallax_oracle::{judge, needed, Case, Judgement, Pieces, Rules, Tried};
use parallax_report::kept;
use std::ffi::OsString;
use std::time::Instant;

pub fn blame(args: &BlameArgs) -> Result<(String, ExitCode), CliError> {
    let test = kept::read(&args.test, args.max_seed_size)?;
    let interrupt = Interrupt::on_signals();
    let cache = Cache::from_environment();
    let origin = RunFile::of_test(&args.test);
    let recipes = recipes(args, origin.as_ref())?;
    let natives = build(&recipes, &interrupt, &cache)?;
    changed_since(origin.as_ref(), &natives);
    let (rules, argv0) = replay::rules_of(&args.oracle, origin.as_ref(), &natives)?;
    let homes = native::homes(&[&natives[0], &natives[1]]);
    let setting = Setting { argv0, homes, unconfined: args.limits.unconfined, interrupt: interrupt.clone() };
    let limits = engine::limits(&args.limits, args.oracle.run_time);
    let deadline = Instant::now() + args.time;
    let mut trial =
        Trial { test, rules, setting, limits, natives, signature: String::new(), same: Vec::new() };
    trial.signature = trial.difference(&trial.natives[1].clone())?.signature;
    let mut between = Between::new(&recipes, deadline, interrupt.clone(), &cache)?;
    let (mut trouble, mut builds) = (None, 0);
    let found = needed(between.pieces.len(), &mut |pieces| {
        if builds == args.builds || Instant::now() >= deadline || interrupt.is_set() {
            return Tried::Stop;
        }
        builds += 1;
        eprintln!("parallax: building with {}", view::names(pieces));
        trial.of(pieces, &mut between).unwrap_or_else(|error| {
            trouble = Some(error);
            Tried::Stop
        })
    });
    if let Some(error) = trouble {
        return Err(error);
    }
    let document = view::document(args, &between.pieces, &found, &trial.same);
    let text = match args.format {
        DiffFormat::Json => serde_json::to_string_pretty(&document)? + "\n",
        DiffFormat::Human => view::human(&document),
    };
    let code = if interrupt.is_set() { ExitCode::Interrupted } else { ExitCode::Success };
    Ok((text, code))
}

/// How both versions are built.
fn recipes(args: &BlameArgs, origin: Option<&RunFile>) -> Result<[Recipe; 2], CliError> {
    let without_patch = crate::args::BuildArgs { patch: None, ..args.build.clone() };
    let one = |named: &Option<OsString>, build, recorded: Option<&Built>, which: &str| {
        let recipe = match named {
            Some(name) => Recipe::of(&resolve::target(name)?, build),
            None if recorded.is_none() => {
                return Err(CliError::usage(format!(
                    "the test is in no result directory with a run.json; name the versions with --old and --new (--{which} is missing)"
                )))
            }
            None => recorded.and_then(|built| built.recipe.clone()),
        };
        recipe.ok_or_else(|| {
            CliError::usage(format!(
                "the sources of the {which} version are not known; name them with --{which}: a C file, a directory or git:REV"
            ))
        })
    };
    Ok([
        one(&args.old, &without_patch, origin.map(|o| &o.old), "old")?,
        one(&args.new, &args.build, origin.map(|o| &o.new), "new")?,
    ])
}

fn build(recipes: &[Recipe; 2], interrupt: &Interrupt, cache: &Cache) -> Result<[Native; 2], CliError> {
    let one = |i: usize, which: &'static str| {
        let recipe = &recipes[i];
        let target = recipe.target().ok_or_else(|| {
            CliError::usage(format!(
                "{}: gone; name the {which} version with --{which}",
                recipe.source.display()
            ))
        })?;
        golden::of_target(which, &target, &recipe.build_args(), interrupt, cache)
    };
    Ok([one(0, "old")?, one(1, "new")?])
}

/// Says that a version is not the one that the test was found on any more.
fn changed_since(origin: Option<&RunFile>, natives: &[Native; 2]) {
    let Some(origin) = origin else { return };
    for (recorded, native) in [&origin.old, &origin.new].into_iter().zip(natives) {
        if recorded.native.binary != native.binary {
            eprintln!("parallax: warning: {} has changed since the test was found", recorded.name);
        }
    }
}

/// What decides whether a set of pieces shows the difference.
struct Trial {
    test: TestCase,
    rules: Rules,
    setting: Setting,
    limits: Limits,
    natives: [Native; 2],
    /// The one that is looked for.
    signature: String,
    /// Sets with which the old version does just what the new one does.
    same: Vec<Pieces>,
}

impl Trial {
    /// The difference between the old version and the new one.
    fn difference(&self, new: &Native) -> Result<Case, CliError> {
        match self.judged(new)? {
            Judgement::Different(case) => Ok(*case),
            Judgement::Same => Err(CliError::usage("the versions do not differ on this test")),
            Judgement::Flaky(flaky) => {
                Err(CliError::usage(format!("the test shows nothing that repeats: {}", flaky.reason)))
            }
        }
    }

    fn judged(&self, other: &Native) -> Result<Judgement, CliError> {
        let homes = native::homes(&[&self.natives[0], other]);
        let setting = Setting { homes, ..self.setting.clone() };
        let programs = [self.natives[0].binary.as_path(), other.binary.as_path()];
        let mut natives = Natives::new(programs, self.limits, &setting)?;
        let known = |signature: &str| signature == self.signature;
        judge(&mut natives, &self.rules, &self.test, &known).map_err(|no_run| match no_run {
            NoRun::Broken(error) => error.into(),
            NoRun::Impossible(reason) => CliError::usage(reason),
            NoRun::OutOfTime => CliError::usage("the time was up"),
        })
    }

    fn of(&mut self, pieces: &Pieces, between: &mut Between) -> Result<Tried, CliError> {
        let native = match between.build(pieces)? {
            Outcome::Built(native) => *native,
            Outcome::NotBuilt => return Ok(Tried::NotBuilt),
            Outcome::Stopped => return Ok(Tried::Stop),
        };
        self.rules.add_tree(parallax_build::tree_of(&native.binary).as_deref().unwrap_or(&native.binary));
        native::entry_name(&native.binary).into_iter().for_each(|name| self.rules.add_own_name(name));
        match self.judged(&native)? {
            Judgement::Different(case) if case.signature == self.signature => {
                if self.is_new(&native)? {
                    self.same.push(pieces.clone());
                }
                Ok(Tried::Shows)
            }
            // One that starts nowhere, or does not repeat, shows nothing.
            _ => Ok(Tried::Not),
        }
    }

    /// Does it do what the new version does?
    fn is_new(&self, other: &Native) -> Result<bool, CliError> {
        let homes = native::homes(&[&self.natives[1], other]);
        let setting = Setting { homes, ..self.setting.clone() };
        let programs = [self.natives[1].binary.as_path(), other.binary.as_path()];
        let mut natives = Natives::new(programs, self.limits, &setting)?;
        Ok(matches!(judge(&mut natives, &self.rules, &self.test, &|_| true), Ok(Judgement::Same)))
    }
}
