//! The whole way from sources to one recorded run: build, instrument, execute.
//!
//! In: a resolved job. Out: the run, the executor that holds its trace, and the program map.
//!
//! Always holds: what is made on the way is in the cache; the user's files are only read.

use crate::args::{BuildArgs, LimitArgs, ModeArg};
use crate::error::CliError;
use crate::native::{self, Native};
use crate::pulse::{Beat, Pulse};
use crate::resolve::{Target, TraceJob};
use parallax_build::{Cache, Extra, Request, Source, Started, Stop, Version};
use parallax_execute::{Arena, ArenaSizes, Executor, Interrupt, Kind, Limits, Options, Run};
use parallax_instrument::{instrument, Instrumented, Watch};
use parallax_trace::format::Mode;
use parallax_trace::request::{self, Input};
use parallax_trace::sites::ProgramMap;
use std::path::Path;
use std::time::Duration;

/// One run.
pub struct Recorded {
    /// As the user named the program.
    pub name: String,
    pub run: Run,
    /// Holds the trace.
    pub executor: Executor,
    /// The inputs as numbered in the trace.
    pub inputs: Vec<Input>,
    pub map: ProgramMap,
}

pub fn record(job: &TraceJob) -> Result<Recorded, CliError> {
    let (mut executor, map) = prepare(job)?;
    let run = executor.run(&job.inputs.test_case(), &limits(&job.limits, job.time))?;
    let inputs = inputs(executor.arena())?;
    Ok(Recorded { name: name(&job.target), run, executor, inputs, map })
}

/// Builds and instruments; what is left is to run it.
pub fn prepare(job: &TraceJob) -> Result<(Executor, ProgramMap), CliError> {
    let interrupt = Interrupt::on_signals();
    let cache = Cache::from_environment();
    let pulse = Pulse::new(job.build.verbose);
    let beat = pulse.begin(format!("building {}", name(&job.target)));
    let version = version(&job.target, &job.build, &interrupt, &cache, &beat)?;
    drop(beat);
    warn(&version);
    if interrupt.is_set() {
        return Err(parallax_execute::Error::Interrupted.into());
    }
    let mode = match job.mode {
        ModeArg::Symbolic => Mode::Symbolic,
        ModeArg::Coverage => Mode::Coverage,
        ModeArg::Dependence => Mode::Dependence,
    };
    let beat = pulse.begin("instrumenting");
    let Instrumented { program, map } = instrumented(&version, mode, &cache)?;
    drop((beat, pulse));
    let mut options = options(job, &version, interrupt);
    options.homes = vec![home(&program, &version)];
    Ok((Executor::new(&program, Kind::Instrumented, options)?, map))
}

/// Builds what has to be built, and finds the bitcode.
pub fn version(
    target: &Target,
    build: &BuildArgs,
    interrupt: &Interrupt,
    cache: &Cache,
    beat: &Beat,
) -> Result<Version, CliError> {
    version_with(target, build, None, interrupt, cache, beat)
}

/// The same; `extra`: what is added to what the compiler is told.
pub fn version_with(
    target: &Target,
    build: &BuildArgs,
    extra: Option<Extra>,
    interrupt: &Interrupt,
    cache: &Cache,
    beat: &Beat,
) -> Result<Version, CliError> {
    let request = match request(target, build) {
        Ok(request) => request,
        Err(_) if extra.is_some() => {
            return Err(CliError::usage(
                "a program that was built before cannot be built in another way; name its sources",
            ));
        }
        Err(built) => return Ok(parallax_build::collect(built, cache)?),
    };
    let request = Request {
        extra,
        stop: Stop::when({
            let interrupt = interrupt.clone();
            move || interrupt.is_set()
        }),
        started: Started::tell(beat.logger()),
        ..request
    };
    Ok(parallax_build::build(&request, cache)?)
}

/// What to build for a target; the path of a program that is built already.
pub fn request<'t>(target: &'t Target, build: &BuildArgs) -> Result<Request, &'t Path> {
    let source = match target {
        Target::Program(path) => return Err(path),
        Target::File(path) => Source::File(path.clone()),
        Target::Directory(path) => Source::Tree(path.clone()),
        Target::Revision { directory, revision } => {
            Source::Git { directory: directory.clone(), revision: revision.clone() }
        }
    };
    Ok(Request {
        patch: build.patch.clone(),
        command: build.build.clone(),
        program: build.built_program.as_ref().map(|path| path.to_string_lossy().into_owned()),
        rebuild: build.rebuild,
        library: build.library,
        ..Request::new(source)
    })
}

/// The instrumented program of a version.
pub fn instrumented(version: &Version, mode: Mode, cache: &Cache) -> Result<Instrumented, CliError> {
    Ok(instrument(&parallax_instrument::Options {
        bitcode: version.bitcode.clone(),
        link_arguments: version.link.arguments(),
        cxx: version.link.cxx,
        mode,
        watch: Watch::default(),
        cache: cache.root().to_path_buf(),
    })?)
}

/// Where an instrumented program is at home if nothing else is run beside it.
fn home(program: &Path, version: &Version) -> parallax_execute::Home {
    let homes = native::homes(&[&Native::of(version)]);
    native::instrumented(program, version, &homes)
}

/// Code that will not be seen through is worth knowing before the result is read.
pub fn warn(version: &Version) {
    for missing in &version.without_bitcode {
        eprintln!("parallax: no bitcode for {missing}; what it does to the input is not seen");
    }
}

pub fn name(target: &Target) -> String {
    match target {
        Target::Revision { revision, .. } => format!("git:{revision}"),
        Target::File(path) | Target::Directory(path) | Target::Program(path) => path.display().to_string(),
    }
}

fn options(job: &TraceJob, version: &Version, interrupt: Interrupt) -> Options {
    let (limits, kinds) = (&job.limits, job.symbolic);
    Options {
        argv0: version.native.file_name().map(|name| name.as_encoded_bytes().to_vec()),
        symbolic: kinds.for_runs(),
        arena: Some(arena(limits)),
        unconfined: limits.unconfined,
        interrupt,
        ..Options::default()
    }
}

/// How much a trace may hold.
pub fn arena(limits: &LimitArgs) -> ArenaSizes {
    ArenaSizes {
        nodes: limits.trace_nodes,
        events: limits.trace_events,
        tables: limits.trace_tables,
        ..ArenaSizes::default()
    }
}

/// What a run may use.
pub fn limits(limits: &LimitArgs, time: Duration) -> Limits {
    Limits {
        time,
        memory: limits.memory,
        output: limits.max_output,
        file_size: limits.max_file_size,
        processes: limits.max_processes,
        work: 0,
        changed_files: limits.max_changed_files,
        changed_bytes: limits.max_changed_size,
    }
}

/// What the run was given, as the trace numbers it.
pub fn inputs(arena: &Arena) -> Result<Vec<Input>, CliError> {
    let request = request::Request::decode(arena.request()).ok_or(CliError::Overwritten)?;
    Ok(request.inputs)
}
