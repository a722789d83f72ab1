//! `parallax`: reads the command line, calls the crates, prints what comes back.
//!
//! Always holds: results go to standard output and nothing else does; messages go to standard error; the
//! exit status is one of [`exit_code::ExitCode`].

mod answers;
mod args;
mod astray;
mod blame;
mod blame_args;
mod cache;
mod cage;
mod certificates;
mod changed;
mod check;
mod clock;
mod config;
mod constants;
mod corpus;
mod crashes;
mod cut;
mod dependence;
mod depends;
mod diff;
mod diff_args;
mod doctor;
mod engine;
mod entries;
mod error;
mod evidence;
mod exit_code;
mod faithful;
mod findings;
mod following;
mod function;
mod function_args;
mod golden;
mod graphs;
mod history;
mod history_args;
mod input_files;
mod inspect;
mod inspect_args;
mod keeper;
mod lab;
mod ladder;
mod learnt;
mod ledger;
mod loaded;
mod losses;
mod models;
mod native;
mod natives;
mod obstacles;
mod outcomes;
mod own_memory;
mod progress;
mod progress_line;
mod pulse;
mod reach;
mod reach_args;
mod reached;
mod reading;
mod record;
mod record_args;
mod replay;
mod report;
mod resolve;
mod run_file;
mod same_version;
mod sanitizer;
mod seeds;
mod stability;
mod strategies;
mod texts;
mod trace;
mod trails;
mod units;
mod unsupported;
mod verify;
mod verify_args;
mod versions;
mod watch;
mod ways;

use args::{Cli, Command};
use clap::Parser;
use config::Config;
use diff_args::DiffArgs;
use error::CliError;
use exit_code::ExitCode;
use inspect_args::InspectArgs;
use parallax_build::Cache;
use reach_args::{AugmentArgs, ReachArgs};
use std::ffi::OsString;
use std::io::{stdout, Write};
use verify_args::VerifyArgs;

fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os();
    if args.nth(1).is_some_and(|first| first == parallax_execute::RUNNER_SUBCOMMAND) {
        std::process::exit(parallax_execute::runner_main(args));
    }
    let mut args = std::env::args_os();
    if args.nth(1).is_some_and(|first| first == parallax_record::STAGE_SUBCOMMAND) {
        std::process::exit(parallax_record::stage_main(args));
    }
    // A panic is a bug in Parallax: the message is printed by the default hook.
    match std::panic::catch_unwind(|| run(Cli::parse())) {
        Ok(ended) => status(ended).into(),
        Err(_) => {
            eprintln!("parallax: internal error; please report it with the command line");
            ExitCode::Internal.into()
        }
    }
}

/// How to end; says what went wrong.
fn status(ended: Result<ExitCode, CliError>) -> ExitCode {
    ended.unwrap_or_else(|error| {
        eprintln!("parallax: {error}");
        error.exit_code()
    })
}

/// Prints the result of a comparison.
fn tell(ended: Result<diff::Finished, CliError>) -> Result<ExitCode, CliError> {
    let ended = ended?;
    print(&ended.text)?;
    ended.code
}

/// Prints the result and ends the process, whatever its other threads are doing: for a result that is complete, and a time limit that does not
/// wait for them. The fork servers end with the process.
fn leave(ended: Result<diff::Finished, CliError>) -> ! {
    std::process::exit(status(tell(ended)).number().into())
}

fn run(cli: Cli) -> Result<ExitCode, CliError> {
    let _temporaries = temporaries(&cli.command);
    match cli.command {
        Command::Trace(args) => {
            let text = trace::trace(&resolve::trace(*args)?)?;
            print(&text).map(|()| ExitCode::Success)
        }
        Command::Diff(args) => {
            let (args, config) = with_config(*args)?;
            tell(diff::diff(&args, config.as_ref()))
        }
        Command::Verify(args) => {
            let (args, config) = with_config(*args)?;
            tell(verify::verify(&args, config.as_ref()))
        }
        Command::Check(args) => {
            let (text, code) = certificates::check(&args)?;
            print(&text).map(|()| code)
        }
        Command::Reach(args) => {
            let (args, config) = with_config(*args)?;
            tell(reach::reach(&args, config.as_ref()))
        }
        Command::Augment(args) => {
            let (args, config) = with_config(*args)?;
            tell(reach::augment(&args, config.as_ref()))
        }
        Command::Inspect(args) => {
            let (args, config) = with_config(*args)?;
            let text = inspect::inspect(&args, config.as_ref())?;
            print(&text).map(|()| ExitCode::Success)
        }
        Command::Replay(args) => {
            let (text, code) = replay::replay(&args)?;
            print(&text).map(|()| code)
        }
        Command::Record(args) => {
            let (text, code) = record::record(&args)?;
            print(&text).map(|()| code)
        }
        Command::Blame(args) => {
            let (text, code) = blame::blame(&args)?;
            print(&text).map(|()| code)
        }
        Command::History(args) => {
            let (text, code) = history::history(&args)?;
            print(&text).map(|()| code)
        }
        Command::Cache(args) => print(&cache::cache(&args)?).map(|()| ExitCode::Success),
        Command::Report(args) => print(&report::report(&args)?).map(|()| ExitCode::Success),
        Command::Strategies(args) => print(&strategies::listed(args.format)).map(|()| ExitCode::Success),
        Command::Doctor => {
            let mut out = Vec::new();
            let healthy = doctor::doctor(&mut out);
            print(&String::from_utf8_lossy(&out))?;
            healthy.map(|()| ExitCode::Success)
        }
    }
}

/// Has everything that is not finished, of this process and of every tool that it calls, put into one directory, which goes when the
/// value that is returned does, or, should this process be killed, when the next one begins.
fn temporaries(command: &Command) -> Option<Cache> {
    let builds = matches!(
        command,
        Command::Trace(_)
            | Command::Diff(_)
            | Command::Verify(_)
            | Command::Reach(_)
            | Command::Augment(_)
            | Command::Inspect(_)
            | Command::Replay(_)
            | Command::Blame(_)
    );
    let cache = builds.then(Cache::from_environment)?;
    // A cache that cannot be written is an error of the step that needs it.
    let directory = cache.temporaries().ok()?;
    for variable in [parallax_build::cache::ENV_TEMPORARY, "TMPDIR"] {
        std::env::set_var(variable, &directory);
    }
    Some(cache)
}

/// A command whose options can stand in `parallax.toml`.
trait Configured: clap::Args {
    fn of(command: Command) -> Option<Box<Self>>;
}

impl Configured for DiffArgs {
    fn of(command: Command) -> Option<Box<DiffArgs>> {
        match command {
            Command::Diff(args) => Some(args),
            _ => None,
        }
    }
}

impl Configured for VerifyArgs {
    fn of(command: Command) -> Option<Box<VerifyArgs>> {
        match command {
            Command::Verify(args) => Some(args),
            _ => None,
        }
    }
}

impl Configured for ReachArgs {
    fn of(command: Command) -> Option<Box<ReachArgs>> {
        match command {
            Command::Reach(args) => Some(args),
            _ => None,
        }
    }
}

impl Configured for AugmentArgs {
    fn of(command: Command) -> Option<Box<AugmentArgs>> {
        match command {
            Command::Augment(args) => Some(args),
            _ => None,
        }
    }
}

impl Configured for InspectArgs {
    fn of(command: Command) -> Option<Box<InspectArgs>> {
        match command {
            Command::Inspect(args) => Some(args),
            _ => None,
        }
    }
}

/// The command line again, with what `parallax.toml` adds.
fn with_config<T: Configured>(args: T) -> Result<(T, Option<Config>), CliError> {
    let here = std::env::current_dir().map_err(|source| CliError::Read {
        what: "the current directory",
        path: ".".into(),
        source,
    })?;
    let Some(config) = Config::find(&here)? else { return Ok((args, None)) };
    let command = T::augment_args(clap::Command::new("command"));
    let known =
        |key: &str| command.get_arguments().any(|arg| arg.get_long().unwrap_or(arg.get_id().as_str()) == key);
    let mut words = std::env::args_os();
    let mut line: Vec<OsString> = words.by_ref().take(2).collect();
    line.extend(config.complete(&words.collect::<Vec<_>>(), &known)?);
    let parsed = Cli::try_parse_from(line).unwrap_or_else(|error| {
        // What was typed was right: the mistake is in the file.
        eprintln!("parallax: with the options of {}:", config.directory.join(config::FILE).display());
        error.exit()
    });
    // The second word is the same.
    let again = T::of(parsed.command).map_or(args, |again| *again);
    Ok((again, Some(config)))
}

/// To standard output; a reader that went away early (`| head`) is no error.
fn print(text: &str) -> Result<(), CliError> {
    match stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(CliError::Write(error)),
        _ => Ok(()),
    }
}
