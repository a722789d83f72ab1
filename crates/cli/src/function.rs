//! `--function`: two built versions become two programs around one of their functions.
//!
//! In: built versions and the options. Out: versions whose programs are drivers of the function, the seed that they start from, and what shows an input as a call.
//!
//! Always holds: both drivers read the same layout from standard input, and nothing else.

use crate::args::BuildArgs;
use crate::error::CliError;
use crate::function_args::FunctionArgs;
use crate::models;
use crate::resolve::Target;
use crate::seeds::{self, Seed};
use crate::versions::{self, Wanted};
use parallax_build::{BuildError, Cache, Drive, Version};
use parallax_driver::{Bounds, Options, Plan, HARNESS};
use parallax_execute::{Interrupt, TestCase};
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

/// Versions to compare; what they are programs around, if they are drivers.
type Built = ([Version; 2], Option<Arc<Driven>>);

/// Both versions, built: with `--function`, or where there is a harness for fuzzers and no program, drivers with seeds of their own.
pub fn build(
    options: Option<Options>,
    wanted: &[Wanted; 2],
    seeds: &mut Vec<Seed>,
    (interrupt, cache): (&Interrupt, &Cache),
) -> Result<Built, CliError> {
    let (options, built) = match (options, versions::build(wanted, interrupt, cache)) {
        (Some(options), built) => (options, built?),
        (None, Ok(built)) => return Ok((built, None)),
        (None, Err(error)) => match harness(wanted, &error, interrupt, cache) {
            Some(built) => (Options { function: HARNESS.to_owned(), ..Options::default() }, built),
            None => return Err(error),
        },
    };
    let driven = drive(&options, &built, cache)?;
    seeds::drive(seeds, driven.seeds());
    Ok((driven.versions.clone(), Some(Arc::new(driven))))
}

/// Versions that are no programs, and have what a fuzzer calls.
fn harness(
    wanted: &[Wanted; 2],
    error: &CliError,
    interrupt: &Interrupt,
    cache: &Cache,
) -> Option<[Version; 2]> {
    let says_so = |one: &Wanted| match &one.target {
        Target::File(path) => std::fs::read_to_string(path).is_ok_and(|text| text.contains(HARNESS)),
        Target::Directory(_) | Target::Revision { .. } => error.is_about_library(),
        Target::Program(_) => false,
    };
    if !wanted.iter().all(says_so) {
        return None;
    }
    let library =
        |one: &Wanted| Wanted { build: BuildArgs { library: true, ..one.build.clone() }, ..one.clone() };
    let built = versions::build(&[library(&wanted[0]), library(&wanted[1])], interrupt, cache).ok()?;
    let has = |version: &Version| {
        let model = models::model(version, cache).ok()?;
        let id = model.program.function_named(HARNESS)?;
        model.program.func(id).is_defined().then_some(())
    };
    (has(&built[0]).is_some() && has(&built[1]).is_some()).then(|| {
        eprintln!("parallax: no program; {HARNESS} is compared, and given all of standard input");
        built
    })
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

    /// Do the inputs make every argument that there is?
    pub fn is_whole(&self) -> bool {
        self.plan().is_some_and(|plan| plan.is_whole())
    }

    /// What the inputs leave out, in words.
    pub fn limits(&self) -> Vec<String> {
        let bounds = &self.options.bounds;
        let of = bounds.of.iter().map(|(name, number)| format!(", {name}={number}")).collect::<String>();
        let sizes = format!(
            "the sizes of what the function is given (len={}, depth={}{of})",
            bounds.length, bounds.depth
        );
        let assumed = self.options.assume.iter().map(|text| format!("the assumption {text}"));
        let given = self.options.arguments.iter().map(|(name, text)| format!("the argument {name} = {text}"));
        let sizes = (!self.is_whole()).then_some(sizes);
        sizes.into_iter().chain(assumed).chain(given).collect()
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
