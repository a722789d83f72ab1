//! `--function`: two built versions become two programs around one of their functions.
//!
//! In: built versions and the options. Out: versions whose programs are drivers of the function, the seed that they start from, and what shows an input as a call.
//!
//! Always holds: both drivers read the same layout from standard input, and nothing else.

use crate::error::CliError;
use crate::function_args::FunctionArgs;
use crate::models;
use crate::seeds::{self, Seed};
use crate::versions;
use parallax_build::{BuildError, Cache, Drive, Version};
use parallax_driver::{Bounds, Options, Plan};
use parallax_execute::TestCase;
use parallax_model::Program;
use parallax_report::diff_view::{CallView, NamedView};
use std::sync::Arc;

/// Two versions of one function.
pub struct Driven {
    pub versions: [Version; 2],
    /// The models of the versions themselves.
    programs: [Program; 2],
    options: Options,
}

/// What the options say.
pub fn options(args: &FunctionArgs) -> Result<Option<Options>, CliError> {
    let Some(function) = &args.function else { return Ok(None) };
    let helpers = args.helpers.as_ref().map(|path| {
        std::fs::read_to_string(path).map_err(|source| CliError::Read {
            what: "--helpers",
            path: path.clone(),
            source,
        })
    });
    Ok(Some(Options {
        function: function.clone(),
        bounds: Bounds::parse(&args.bound)?,
        assume: args.assume.clone(),
        observe: args.observe.clone(),
        arguments: parallax_driver::arguments(&args.argument)?,
        helpers: helpers.transpose()?.unwrap_or_default(),
    }))
}

/// The versions that are compared: with `--function`, drivers, with seeds of their own.
pub fn driven(
    options: Option<&Options>,
    built: [Version; 2],
    seeds: &mut Vec<Seed>,
    cache: &Cache,
) -> Result<([Version; 2], Option<Arc<Driven>>), CliError> {
    let Some(options) = options else { return Ok((built, None)) };
    let driven = drive(options, &built, cache)?;
    seeds::drive(seeds, driven.seeds());
    Ok((driven.versions.clone(), Some(Arc::new(driven))))
}

/// Makes the drivers.
pub fn drive(options: &Options, built: &[Version; 2], cache: &Cache) -> Result<Driven, CliError> {
    let [old, new] = versions::in_parallel(|i| models::model(&built[i], cache));
    let programs = [old?.program, new?.program];
    let plan = parallax_driver::plan([&programs[0], &programs[1]], options)?;
    plan.notes.iter().for_each(|note| eprintln!("parallax: {note}"));
    let one = |i: usize| {
        let drive = Drive {
            driver: plan.driver(i),
            visible: plan.visible(i),
            redirected: plan.redirected(i),
            name: plan.signatures[i].name.clone(),
        };
        parallax_build::drive(&built[i], &drive, cache)
    };
    let [old, new] = versions::in_parallel(one);
    let versions = [old.map_err(in_words)?, new.map_err(in_words)?];
    drop(plan);
    Ok(Driven { versions, programs, options: options.clone() })
}

/// Only the user's own expressions can be wrong in the text of a driver.
fn in_words(error: BuildError) -> CliError {
    match error {
        BuildError::Driver { message } => {
            let about: Vec<&str> = message.lines().filter(|line| line.contains("error:")).collect();
            match about.iter().any(|line| line.starts_with("--")) {
                true => CliError::usage(about.join("\n")),
                false => BuildError::Driver { message }.into(),
            }
        }
        error => error.into(),
    }
}

impl Driven {
    fn plan(&self) -> Option<Plan<'_>> {
        // It was made once, of the same.
        parallax_driver::plan([&self.programs[0], &self.programs[1]], &self.options).ok()
    }

    /// Inputs to start from: all zeros, and one with a little of everything.
    pub fn seeds(&self) -> Vec<TestCase> {
        let Some(plan) = self.plan() else { return Vec::new() };
        let test = |stdin| TestCase { stdin, ..TestCase::default() };
        let mut seeds = vec![test(vec![0; plan.input])];
        let example = test(plan.example());
        if !seeds.contains(&example) {
            seeds.push(example);
        }
        seeds
    }

    /// Bytes of an input; 0 if it may have any number.
    pub fn input(&self) -> usize {
        self.plan().map_or(0, |plan| plan.input)
    }

    /// An input as a call with what each version left, and as a C file that makes the call.
    pub fn call(&self, input: &[u8], stdout: [&[u8]; 2]) -> Option<(CallView, String)> {
        let plan = self.plan()?;
        let named = |list: Vec<parallax_driver::Named>| {
            list.into_iter().map(|(name, value)| NamedView { name, value }).collect()
        };
        let [old, new] = stdout.map(|text| named(parallax_driver::results(text)));
        let function = plan.signatures[1].name.clone();
        let view = CallView { function, arguments: named(plan.call(input)), old, new };
        Some((view, plan.kept(input)))
    }
}
