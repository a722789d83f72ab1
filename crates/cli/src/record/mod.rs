//! `parallax record`: runs a test suite and keeps every invocation of the programs in it as a test.
//!
//! In: the command line. Out: kept tests in the output directory, what became of every invocation, the exit status.
//!
//! Always holds: the tree is not written (unless `--in-place`): see [`parallax_record`]. Tests are on disk as soon as they were recorded; an interrupt ends the suite, and
//! what was recorded until then is the result.

mod cover;
mod keep;
mod tree;
mod try_again;

use crate::diff_args::DiffFormat;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::pulse::Pulse;
use crate::record_args::RecordArgs;
use keep::Keeper;
use parallax_build::Cache;
use parallax_execute::Interrupt;
use parallax_record::{Finished, Suite, STAGE_SUBCOMMAND};
use parallax_report::outdir::OutDir;
use parallax_report::record_view::{RecordView, SuiteView};
use parallax_report::SCHEMA;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::Instant;
use tree::{Place, PrivateCopy};

/// Invocations that wait to be taken in; the suite waits when there are so many.
const WAITING: usize = 64;
/// Lines of the suite's log that are shown if it failed.
const TAIL: usize = 10;
/// What else was executed, when nothing was recorded.
const OTHERS: usize = 8;
/// What `record.json` is called.
const DOCUMENT: &str = "record.json";

pub fn record(args: &RecordArgs) -> Result<(String, ExitCode), CliError> {
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let place = Place::of(args)?;
    let interrupt = Interrupt::on_signals();
    let cache = Cache::from_environment();
    let temporaries = cache.temporaries()?;
    // Scratch directories go with this process, however it ends. The suite gets its own environment.
    std::env::set_var("TMPDIR", &temporaries);
    let claim = OutDir::claim(&args.out)?;
    let pulse = Pulse::new(args.verbose);
    let copy = private_copy(args, &place, &temporaries, &interrupt, &cache, &pulse)?;
    let out = claim.begin()?;
    let suite = Suite {
        command: &args.command,
        tree: place.tree.clone(),
        copy: copy.as_ref().map(|copy| copy.path.clone()),
        directory: place.directory.clone(),
        wanted: place.wanted.clone(),
        env: env.clone(),
        images: temporaries.join("images"),
        most: args.limits.max_seed_size,
        log: std::path::absolute(out.path().join("logs/suite.log")).map_err(CliError::Write)?,
        stage: [own_path()?, STAGE_SUBCOMMAND.into()],
    };
    let mut keeper = Keeper::new(args, &place, copy.as_ref(), env, &out, &interrupt);
    let (finished, out_of_time) = run(args, &suite, &mut keeper, &interrupt, &pulse)?;
    let mut view = RecordView {
        schema: SCHEMA,
        command: args.command.iter().map(|word| word.as_bytes().into()).collect(),
        tree: place.tree.display().to_string(),
        suite: suite_view(&finished, out_of_time, &suite.log),
        out: args.out.display().to_string(),
        ..RecordView::default()
    };
    keeper.finish(&mut view, &cache, &pulse)?;
    drop(pulse);
    let code = conclude(&mut view, &finished, &place, &suite.log, &interrupt)?;
    out.write_json(DOCUMENT, &view)?;
    let text = match args.format {
        DiffFormat::Json => serde_json::to_string_pretty(&view)? + "\n",
        DiffFormat::Human => view.human(),
    };
    Ok((text, code))
}

fn own_path() -> Result<OsString, CliError> {
    let what = "its own program";
    let failed = |source| CliError::Read { what, path: "/proc/self/exe".into(), source };
    Ok(std::env::current_exe().map_err(failed)?.into_os_string())
}

fn private_copy(
    args: &RecordArgs,
    place: &Place,
    temporaries: &Path,
    interrupt: &Interrupt,
    cache: &Cache,
    pulse: &Pulse,
) -> Result<Option<PrivateCopy>, CliError> {
    if args.in_place {
        return Ok(None);
    }
    let _beat = pulse.begin(format!("copying {}", place.tree.display()));
    PrivateCopy::make(args, place, temporaries.join("tree"), cache.root(), interrupt).map(Some)
}

/// Runs the suite; invocations are taken in beside it. Whether its time was up.
fn run(
    args: &RecordArgs,
    suite: &Suite,
    keeper: &mut Keeper,
    interrupt: &Interrupt,
    pulse: &Pulse,
) -> Result<(Finished, bool), CliError> {
    let beat = pulse.begin("running the suite");
    // The tracer makes the file; it has to be there for being watched.
    std::fs::write(&suite.log, "").map_err(CliError::Write)?;
    beat.logger()(&suite.log);
    let began = Instant::now();
    let out_of_time = || args.limits.time.is_some_and(|most| began.elapsed() >= most);
    let (sender, receiver) = sync_channel(WAITING);
    let (finished, kept) = std::thread::scope(|scope| {
        let taken = scope.spawn(move || -> Result<(), CliError> {
            let mut failed = None;
            // After an error the rest is received all the same: the suite must not wait.
            for invocation in receiver {
                if failed.is_none() {
                    failed = keeper.take(invocation).err();
                }
            }
            failed.map_or(Ok(()), Err)
        });
        let stop = || interrupt.is_set() || out_of_time();
        // The receiver is there until the sender goes.
        let finished = parallax_record::run(suite, &stop, &mut |invocation| drop(sender.send(invocation)));
        drop(sender);
        (finished, taken.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let finished = finished?;
    kept?;
    let out_of_time = finished.stopped && !interrupt.is_set();
    Ok((finished, out_of_time))
}

fn suite_view(finished: &Finished, out_of_time: bool, log: &Path) -> SuiteView {
    let why = if out_of_time { "--time" } else { "an interrupt" };
    SuiteView {
        exit: finished.status.code(),
        signal: finished.status.signal(),
        stopped: finished.stopped.then_some(why),
        left: if finished.stopped { 0 } else { finished.left as u64 },
        log: log.display().to_string(),
    }
}

/// Warnings and the exit status.
fn conclude(
    view: &mut RecordView,
    finished: &Finished,
    place: &Place,
    log: &Path,
    interrupt: &Interrupt,
) -> Result<ExitCode, CliError> {
    if interrupt.is_set() {
        view.warnings.push("interrupted: the suite was ended, and only what it had run is recorded".into());
        return Ok(ExitCode::Interrupted);
    }
    if !finished.stopped && !finished.status.success() {
        let tail = tail(log);
        view.warnings.push(format!(
            "the suite failed ({}): what it did not run is not recorded; the end of what it printed:\n{tail}",
            finished.status
        ));
    }
    if view.invocations > 0 {
        return Ok(ExitCode::Success);
    }
    Err(CliError::usage(nothing(view, finished, place, log)))
}

/// The suite executed none of the programs.
fn nothing(view: &RecordView, finished: &Finished, place: &Place, log: &Path) -> String {
    let mut others: Vec<_> = finished.others.iter().collect();
    others.sort_by_key(|(path, count)| (std::cmp::Reverse(**count), path.to_path_buf()));
    let listed = others.iter().take(OTHERS).map(|(path, count)| format!("{} ({count})", path.display()));
    let listed: Vec<String> = listed.collect();
    let what = match place.named.is_empty() {
        true => format!("none of the programs in {}", place.tree.display()),
        false => place.named.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
    };
    format!(
        "nothing was recorded: the suite ({}) did not execute {what}\n  it executed: {}\n  name the program with --program PATH, and the directory it is in with --tree DIR; what the suite printed is in {}:\n{}",
        view.suite.exit.map_or("ended by a signal".to_owned(), |status| format!("exit status {status}")),
        if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") },
        log.display(),
        tail(log)
    )
}

fn tail(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let tail = &lines[lines.len().saturating_sub(TAIL)..];
    tail.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// A path as people see it: relative to the tree, if it is there.
fn shown(path: &Path, tree: &Path) -> PathBuf {
    path.strip_prefix(tree).unwrap_or(path).to_owned()
}
