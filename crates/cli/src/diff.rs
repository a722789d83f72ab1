//! `parallax diff`: find inputs on which two versions differ.
//!
//! In: the command line. Out: the output directory, the text to print, the exit status.
//!
//! Always holds: whatever ends the search (time, Control-C, a laboratory that is out of order), what was found is
//! reported. The time limit counts from the end of the builds.

use crate::config::Config;
use crate::diff_args::{DiffArgs, DiffFormat, OracleArgs, Strategy};
use crate::engine;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::keeper::{Effort, Keeper};
use crate::lab::{Shared, VersionsLab};
use crate::ledger::Ledger;
use crate::natives::{Natives, NoRun, Setting};
use crate::progress::Show;
use crate::resolve::Inputs;
use crate::run_file::{self, Built, RunFile};
use crate::seeds;
use crate::versions::{self, Wanted};
use parallax_build::{Cache, Version};
use parallax_execute::{Executor, Interrupt, Kind, Limits, Run, TestCase};
use parallax_instrument::Instrumented;
use parallax_oracle::{unstable, Aspect, Aspects, Case, Rules, Runner, Which};
use parallax_report::diff_view::*;
use parallax_report::place::Place;
use parallax_report::{diff_human, kept, OutDir};
use parallax_search::{Budget, Ended, Lab, Outcome, Progress, Settings, Side, Stats};
use std::path::Path;
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much longer than the native one a run of a symbolic build may take.
const SYMBOLIC_FACTOR: u32 = 2;
/// On how many seeds each version is compared with itself.
const STABILITY_SEEDS: usize = 16;

/// What is printed, and how Parallax ends.
pub struct Finished {
    pub text: String,
    pub code: Result<ExitCode, CliError>,
}

pub fn diff(args: &DiffArgs, config: Option<&Config>) -> Result<Finished, CliError> {
    if args.golden.is_some() {
        return Err(CliError::usage("--golden: not yet; this release compares two versions"));
    }
    let interrupt = Interrupt::on_signals();
    let seed = Inputs::read(args.stdin.as_deref(), &args.files, &args.env, args.arguments.clone())?;
    let seeds = seeds::seeds(seed.test_case(), args.seeds.as_deref())?;
    let rules = rules(&args.oracle)?;
    let wanted = versions::wanted(args, config)?;
    let cache = Cache::from_environment();
    eprintln!("parallax: building {} and {}", wanted[0].name, wanted[1].name);
    let built = versions::build(&wanted, &interrupt, &cache)?;
    let argv0 = versions::common_name(&built[0].native, &built[1].native);
    let out = OutDir::create(&args.out)?;
    let run_file = describe(args, &argv0, &wanted, &built);
    out.write_json(run_file::FILE, &run_file)?;
    let setting = Setting { argv0, unconfined: args.limits.unconfined, interrupt };
    let mut comparison = Comparison { args, wanted, built, cache, setting, seeds, rules };
    comparison.run(out)
}

/// What is compared, from the options.
pub fn rules(args: &OracleArgs) -> Result<Rules, CliError> {
    let compare: Aspects = match &args.compare {
        Some(chosen) => chosen.iter().copied().collect(),
        None => Aspect::ALL.into_iter().collect(),
    };
    Ok(Rules::new(compare, &args.ignore)?)
}

fn describe(args: &DiffArgs, argv0: &[u8], wanted: &[Wanted; 2], built: &[Version; 2]) -> RunFile {
    let one = |i: usize| Built { name: wanted[i].name.clone(), binary: built[i].native.clone() };
    let mut file = RunFile::new(args.seed, argv0, one(0), one(1));
    file.compare = args.oracle.compare.iter().flatten().map(|aspect| aspect.name().to_owned()).collect();
    file.ignore = args.oracle.ignore.clone();
    file
}

struct Comparison<'c> {
    args: &'c DiffArgs,
    wanted: [Wanted; 2],
    built: [Version; 2],
    cache: Cache,
    setting: Setting,
    seeds: Vec<TestCase>,
    rules: Rules,
}

impl Comparison<'_> {
    fn run(&mut self, out: OutDir) -> Result<Finished, CliError> {
        for version in &self.built {
            let content = std::fs::read(&version.native).map_err(|source| CliError::Read {
                what: "the native program",
                path: version.native.clone(),
                source,
            })?;
            self.rules.add_program(&version.native, &content);
        }
        self.rules.add_name(&self.setting.argv0);
        let mut show = Show::new(&out.path().join("logs/progress.log"));
        // Between the two rounds of runs there is work to do: what depends on the time of day shows.
        let mut natives = self.natives()?;
        let first = self.round(&mut natives)?;
        let instrumented = versions::instrument(&self.built, &self.cache)?;
        let deadline = Instant::now() + self.args.time;
        let mut view = DiffView::new(self.versions());
        view.symbolic = self.seeds.first().map(seeds::described).unwrap_or_default();
        view.unstable = self.settle(&first, &mut natives)?;
        let ledger = Mutex::new(Ledger::new(view, out, self.setting.argv0.clone())?);
        for unstable in &lock(&ledger).view.unstable {
            show.event(&format!(
                "{} of the {} version is unstable and left out",
                unstable.aspect, unstable.version
            ));
        }
        show.begin();
        let outcome = self.search(&instrumented, natives, deadline, &ledger, &mut show)?;
        show.done();
        self.finish(lock(&ledger), &instrumented, &outcome)
    }

    fn natives(&self) -> Result<Natives, CliError> {
        let programs = [&*self.built[0].native, &*self.built[1].native];
        Natives::new(programs, self.limits(), &self.setting)
    }

    fn limits(&self) -> Limits {
        engine::limits(&self.args.limits, self.args.oracle.run_time)
    }

    fn versions(&self) -> VersionsView {
        let binary = |i: usize| self.built[i].native.display().to_string();
        let name = |i: usize| self.wanted[i].name.clone();
        VersionsView { old: name(0), new: name(1), old_binary: binary(0), new_binary: binary(1) }
    }

    /// Runs of both versions on the first seeds.
    fn round(&self, natives: &mut Natives) -> Result<[Vec<Run>; 2], CliError> {
        let mut runs = [Vec::new(), Vec::new()];
        for seed in self.seeds.iter().take(STABILITY_SEEDS) {
            for (which, runs) in [Which::Old, Which::New].into_iter().zip(&mut runs) {
                match natives.run(which, seed) {
                    Ok(run) => runs.push(run),
                    Err(NoRun::Broken(error)) => return Err(error.into()),
                    Err(NoRun::Impossible(reason)) => {
                        return Err(CliError::usage(format!("a seed cannot be run: {reason}")))
                    }
                    Err(NoRun::OutOfTime) => {}
                }
            }
        }
        Ok(runs)
    }

    /// Leaves out what differs between two runs of the same version; an error if that is everything.
    fn settle(
        &mut self,
        first: &[Vec<Run>; 2],
        natives: &mut Natives,
    ) -> Result<Vec<UnstableView>, CliError> {
        let second = self.round(natives)?;
        let mut views = Vec::new();
        for (i, version) in ["old", "new"].into_iter().enumerate() {
            for aspect in unstable(&self.rules, &first[i], &second[i]) {
                views.push(UnstableView { version, aspect: aspect.name() });
            }
        }
        self.rules.compare.retain(|aspect| !views.iter().any(|view| view.aspect == aspect.name()));
        if self.rules.compare.is_empty() {
            let named =
                views.iter().map(|view| format!("{} of the {} version differs", view.aspect, view.version));
            return Err(CliError::Unstable(named.collect::<Vec<_>>().join(", ")));
        }
        Ok(views)
    }

    fn search(
        &self,
        instrumented: &[Instrumented; 2],
        natives: Natives,
        deadline: Instant,
        ledger: &Mutex<Ledger>,
        show: &mut Show,
    ) -> Result<Outcome, CliError> {
        let limits = self.limits();
        let symbolic_limits = Limits { time: limits.time * SYMBOLIC_FACTOR, ..limits };
        let shared = Arc::new(Shared::new(self.rules.clone(), symbolic_limits));
        let labs = self.labs(instrumented, &shared, deadline)?;
        let effort = Effort { time: self.args.minimise_time, runs: self.args.minimise_runs };
        let interrupt = self.setting.interrupt.clone();
        let keeper = Keeper { natives, rules: &self.rules, ledger, effort, deadline, interrupt };
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || keeper.work(receiver));
            let mut watch = Watch { shared: &shared, ledger, sender, show, trouble: None };
            let outcome = parallax_search::search(
                self.seeds.clone(),
                labs,
                [&instrumented[0].map, &instrumented[1].map],
                &self.settings(),
                &self.budget(deadline),
                &mut |progress| watch.take(progress),
            );
            match watch.trouble.take() {
                Some(error) => Err(error),
                None => Ok(outcome),
            }
        })
    }

    fn labs(
        &self,
        instrumented: &[Instrumented; 2],
        shared: &Arc<Shared>,
        deadline: Instant,
    ) -> Result<Vec<Box<dyn Lab>>, CliError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.args.jobs.map_or(cores, usize::from);
        let symbolic = |program: &Path| {
            let options = parallax_execute::Options {
                arena: Some(engine::arena(&self.args.limits)),
                ..self.setting.options()
            };
            Executor::new(program, Kind::Instrumented, options)
        };
        let mut labs: Vec<Box<dyn Lab>> = Vec::new();
        for _ in 0..jobs {
            let mut natives = self.natives()?;
            natives.deadline = Some(deadline);
            let symbolic = [symbolic(&instrumented[0].program)?, symbolic(&instrumented[1].program)?];
            labs.push(Box::new(VersionsLab { natives, symbolic, shared: shared.clone(), deadline }));
        }
        Ok(labs)
    }

    fn settings(&self) -> Settings {
        Settings {
            seed: self.args.seed,
            joint: self.args.strategy == Strategy::Concolic,
            query_time: self.args.query_time,
            max_differences: self.args.max_differences,
            max_input: self.args.max_input as usize,
            record: self.args.record_queries.clone(),
        }
    }

    fn budget(&self, deadline: Instant) -> Budget {
        let time = deadline.saturating_duration_since(Instant::now());
        Budget { time, runs: self.args.runs, interrupt: self.setting.interrupt.clone() }
    }

    fn finish(
        &self,
        mut ledger: std::sync::MutexGuard<Ledger>,
        instrumented: &[Instrumented; 2],
        outcome: &Outcome,
    ) -> Result<Finished, CliError> {
        let view = &mut ledger.view;
        view.stats = stats(&outcome.stats);
        view.ended = self.ended(outcome);
        view.unflipped = unflipped(instrumented, outcome);
        view.lost = outcome
            .escapes
            .iter()
            .map(|(callee, count)| LostView { callee: callee.clone(), count: *count })
            .collect();
        ledger.finish()?;
        for (i, test) in outcome.corpus.iter().enumerate() {
            let directory = ledger.out.path().join("corpus").join(format!("{:05}", i + 1));
            kept::write(&directory, test, &self.setting.argv0)?;
        }
        let text = match self.args.format {
            DiffFormat::Human => diff_human(&ledger.view),
            DiffFormat::Json => ledger.json()?,
        };
        Ok(Finished { text, code: self.code(&ledger.view, outcome) })
    }

    fn code(&self, view: &DiffView, outcome: &Outcome) -> Result<ExitCode, CliError> {
        if view.verdict == Verdict::Different {
            return Ok(ExitCode::Different);
        }
        if self.setting.interrupt.is_set() {
            return Ok(ExitCode::Interrupted);
        }
        match (&outcome.ended, &outcome.trouble) {
            (Ended::Lab, trouble) => Err(CliError::Search(trouble.clone().unwrap_or_default())),
            _ => Ok(ExitCode::Success),
        }
    }

    fn ended(&self, outcome: &Outcome) -> String {
        if self.setting.interrupt.is_set() {
            return "interrupted".to_owned();
        }
        match outcome.ended {
            Ended::Exhausted => "nothing was left to try".to_owned(),
            Ended::Time => format!("the time ({:.0} s) was up", self.args.time.as_secs_f64()),
            Ended::Runs => "as many inputs as --runs allows were tried".to_owned(),
            Ended::Enough => "as many differences as --max-differences allows were found".to_owned(),
            Ended::Interrupted => "interrupted".to_owned(),
            Ended::Lab => {
                format!("no run was possible any more: {}", outcome.trouble.as_deref().unwrap_or(""))
            }
        }
    }
}

fn lock(ledger: &Mutex<Ledger>) -> std::sync::MutexGuard<'_, Ledger> {
    // Every change of the ledger is complete before anything can panic.
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes in what the search tells.
struct Watch<'w> {
    shared: &'w Shared,
    ledger: &'w Mutex<Ledger>,
    sender: Sender<(usize, Case)>,
    show: &'w mut Show,
    /// The first thing that could not be written.
    trouble: Option<CliError>,
}

impl Watch<'_> {
    fn take(&mut self, progress: Progress) {
        match progress {
            Progress::Difference { test, signature, after, runs } => {
                if let Err(error) = self.difference(&test, &signature, after, runs) {
                    self.trouble.get_or_insert(error);
                }
            }
            Progress::Again { signature } => lock(self.ledger).again(&signature),
            Progress::Status(stats) => {
                let found = lock(self.ledger).view.differences.len();
                self.show.status(&stats, found);
            }
        }
    }

    fn difference(
        &mut self,
        test: &TestCase,
        signature: &str,
        after: Duration,
        runs: u64,
    ) -> Result<(), CliError> {
        let Some(case) = self.shared.findings().take(signature, test) else { return Ok(()) };
        let number = lock(self.ledger).add(&case, after, runs)?;
        self.show.event(&format!(
            "difference {} after {:.1} s: {signature}",
            number + 1,
            after.as_secs_f64()
        ));
        // The keeper is there until the sender is gone.
        let _ = self.sender.send((number, case));
        Ok(())
    }
}

fn stats(stats: &Stats) -> DiffStats {
    DiffStats {
        runs: stats.runs,
        traces: stats.traces,
        queries: stats.queries,
        sat: stats.sat,
        unsat: stats.unsat,
        unknown: stats.unknown,
        divergences: stats.divergences,
        escapes: stats.escapes,
        concretisations: stats.concretisations,
        symbolic_branches: stats.symbolic_sites,
        flipped_branches: stats.flipped_sites,
        seconds: stats.seconds,
    }
}

fn unflipped(instrumented: &[Instrumented; 2], outcome: &Outcome) -> Vec<UnflippedView> {
    let view = |branch: &parallax_search::Unflipped| {
        let (map, version) = match branch.side {
            Side::Old => (&instrumented[0].map, "old"),
            Side::New => (&instrumented[1].map, "new"),
        };
        UnflippedView { version, place: Place::of(map, branch.site).to_string(), reason: branch.reason }
    };
    outcome.unflipped.iter().map(view).collect()
}
