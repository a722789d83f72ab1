//! `parallax diff`: find inputs on which two versions differ.
//!
//! In: the command line. Out: the output directory, the text to print, the exit status.
//!
//! Always holds: whatever ends the comparison once the versions are built (time, Control-C, a laboratory that is out of order),
//! there is a report, with everything that was found. The time limit counts from the end of the builds, and is kept whatever the search is
//! busy with: it works in a thread of its own, which is left behind if it does not end in time.

use crate::changed::{self, Changed};
use crate::clock::Clock;
use crate::config::Config;
use crate::diff_args::{DiffArgs, DiffFormat, OracleArgs, Strategy};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::golden::{self, Golden};
use crate::guide;
use crate::keeper::{Effort, Keeper};
use crate::lab::{Shared, VersionsLab};
use crate::ledger::{lock, Ledger};
use crate::natives::{Natives, Setting};
use crate::progress::Show;
use crate::reached::Reached;
use crate::resolve::Inputs;
use crate::run_file::{self, Built, RunFile};
use crate::stability::{self, Conditions, Round};
use crate::versions::{self, Wanted};
use crate::watch::{counters, Watch};
use crate::{engine, seeds};
use parallax_build::{Cache, Version};
use parallax_execute::{Executor, Interrupt, Kind, Limits, TestCase};
use parallax_instrument::Instrumented;
use parallax_oracle::{Aspect, Aspects, Causes, Profiler, Rules};
use parallax_report::changes::Piece;
use parallax_report::diff_view::*;
use parallax_report::place::Place;
use parallax_report::{diff_human, kept, OutDir};
use parallax_search::{Budget, Chart, Ended, Lab, Outcome, Settings, Side};
use parallax_trace::sites::ProgramMap;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// How much longer than the native one a run of a symbolic build may take.
const SYMBOLIC_FACTOR: u32 = 2;

/// What is printed, and how Parallax ends.
pub struct Finished {
    pub text: String,
    pub code: Result<ExitCode, CliError>,
}

pub fn diff(args: &DiffArgs, config: Option<&Config>) -> Result<Finished, CliError> {
    let interrupt = Interrupt::on_signals();
    let seed = Inputs::read(&args.inputs)?;
    let seeds = seeds::seeds(seed.test_case(), args.seeds.as_deref())?;
    let rules = rules(&args.oracle)?;
    if let Some(directory) = &args.record_queries {
        empty_directory(directory)?;
    }
    let wanted = versions::wanted(args, config)?;
    let claim = OutDir::claim(&args.out)?;
    let cache = Cache::from_environment();
    eprintln!("parallax: building {} and {}", wanted[0].name, wanted[1].name);
    let built = versions::build(&wanted, &interrupt, &cache)?;
    let golden =
        args.golden.as_ref().map(|name| golden::build(name, &args.build, &interrupt, &cache)).transpose()?;
    let argv0 = versions::common_name(&built[0].native, &built[1].native);
    let out = claim.begin()?;
    let setting = Setting { argv0, unconfined: args.limits.unconfined, interrupt };
    let comparison = Comparison { args, wanted, built, golden, cache, setting, seeds };
    out.write_json(run_file::FILE, &comparison.describe())?;
    comparison.run(out, rules)
}

/// Queries of two searches in one directory would overwrite one another in part.
fn empty_directory(directory: &Path) -> Result<(), CliError> {
    let complain = |what: String| {
        CliError::usage(format!("--record-queries {}: {what}; name a new directory", directory.display()))
    };
    std::fs::create_dir_all(directory).map_err(|error| complain(error.to_string()))?;
    let mut entries = std::fs::read_dir(directory).map_err(|error| complain(error.to_string()))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(complain("it is not empty".to_owned())),
    }
}

/// What is compared, from the options.
pub fn rules(args: &OracleArgs) -> Result<Rules, CliError> {
    let compare: Aspects = match &args.compare {
        Some(chosen) => chosen.iter().copied().collect(),
        None => Aspect::ALL.into_iter().collect(),
    };
    Ok(Rules::new(compare, &args.ignore)?)
}

/// How a comparison came to its end.
enum Compared {
    /// With a proof.
    Equivalent(&'static str),
    Searched(Box<Outcome>),
}

/// What there is from the moment on at which the search begins.
struct Begun {
    instrumented: [Instrumented; 2],
    shared: Arc<Shared>,
}

/// Test cases that are kept because of what they execute.
struct Corpus {
    home: PathBuf,
    names: HashMap<TestCase, String>,
}

impl Corpus {
    /// Where a test case is kept.
    fn keep(&mut self, test: &TestCase, argv0: &[u8]) -> Result<String, CliError> {
        if let Some(name) = self.names.get(test) {
            return Ok(name.clone());
        }
        let directory = self.home.join(format!("{:05}", self.names.len() + 1));
        kept::write(&directory, test, argv0)?;
        let name = directory.display().to_string();
        self.names.insert(test.clone(), name.clone());
        Ok(name)
    }
}

struct Comparison<'c> {
    args: &'c DiffArgs,
    wanted: [Wanted; 2],
    built: [Version; 2],
    golden: Option<PathBuf>,
    cache: Cache,
    setting: Setting,
    seeds: Vec<TestCase>,
}

impl Comparison<'_> {
    fn describe(&self) -> RunFile {
        let one =
            |i: usize| Built { name: self.wanted[i].name.clone(), binary: self.built[i].native.clone() };
        let mut file = RunFile::new(self.args.seed, &self.setting.argv0, one(0), one(1));
        let golden = self.args.golden.as_ref().zip(self.golden.clone());
        file.golden =
            golden.map(|(name, binary)| Built { name: name.to_string_lossy().into_owned(), binary });
        file.compare =
            self.args.oracle.compare.iter().flatten().map(|aspect| aspect.name().to_owned()).collect();
        file.ignore = self.args.oracle.ignore.clone();
        file
    }

    fn run(&self, out: OutDir, mut rules: Rules) -> Result<Finished, CliError> {
        for version in &self.built {
            let content = std::fs::read(&version.native).map_err(|source| CliError::Read {
                what: "the native program",
                path: version.native.clone(),
                source,
            })?;
            rules.add_program(&version.native, &content);
            rules.add_tree(&version.source_root);
        }
        rules.add_name(&self.setting.argv0);
        let mut show = Show::new(&out.path().join("logs/progress.log"));
        let changed = changed::find(&self.built, &self.cache);
        let changes = match &changed {
            Some(changed) => changed.changes(),
            None => self.pieces().iter().map(Piece::change).collect(),
        };
        let mut view = DiffView::new(self.versions());
        view.warnings = rules.profilers.iter().map(profile_warning).collect();
        view.symbolic = self.seeds.first().map(seeds::described).unwrap_or_default();
        let ledger = Mutex::new(Ledger::new(view, out, self.setting.argv0.clone(), changes)?);
        let (clock, begun) = (Clock::new(self.args.time), OnceLock::new());
        std::thread::scope(|scope| {
            let (ended, over) = channel();
            let searching = scope.spawn(|| {
                let compared = self.compare(rules, changed.as_ref(), &ledger, &mut show, &clock, &begun);
                show.done();
                drop(ended);
                compared
            });
            if !clock.wait(&over) {
                // The scope would wait for its thread.
                crate::leave(self.conclude(&ledger, &begun, Ok(Compared::Searched(Box::new(late(&begun))))));
            }
            match searching.join() {
                Ok(compared) => self.conclude(&ledger, &begun, compared),
                // The panic's own message has been printed.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Writes the report.
    fn conclude(
        &self,
        ledger: &Mutex<Ledger>,
        begun: &OnceLock<Begun>,
        compared: Result<Compared, CliError>,
    ) -> Result<Finished, CliError> {
        let mut ledger = lock(ledger);
        let code = match compared {
            Ok(Compared::Searched(outcome)) => self.take_outcome(&mut ledger, begun.get(), &outcome)?,
            Ok(Compared::Equivalent(reason)) => {
                ledger.view.verdict = Verdict::Equivalent;
                ledger.view.ended = reason.to_owned();
                Ok(ExitCode::Success)
            }
            Err(_) if self.setting.interrupt.is_set() => self.code(&ledger.view, Ok(ExitCode::Interrupted)),
            Err(error) => {
                ledger.view.ended = error.to_string();
                ledger.finish()?;
                return Err(error);
            }
        };
        if self.setting.interrupt.is_set() {
            ledger.view.ended = "interrupted".to_owned();
        }
        ledger.finish()?;
        let text = match self.args.format {
            DiffFormat::Human => diff_human(&ledger.view),
            DiffFormat::Json => ledger.json()?,
        };
        Ok(Finished { text, code })
    }

    /// From two builds to a proof, or to the outcome of a search.
    fn compare(
        &self,
        mut rules: Rules,
        changed: Option<&Changed>,
        ledger: &Mutex<Ledger>,
        show: &mut Show,
        clock: &Clock,
        begun: &OnceLock<Begun>,
    ) -> Result<Compared, CliError> {
        clock.start();
        let first = self.round(Conditions::Usual)?;
        let unchanged = changed.is_some_and(|changed| changed.comparison.only_names());
        if let Some(reason) = parallax_instrument::proof([&self.built[0], &self.built[1]], unchanged) {
            lock(ledger).view.unstable =
                stability::settle(&mut rules, &first, &self.round(Conditions::Other)?)?;
            // A proof that the first runs contradict is none.
            if first[0].iter().zip(&first[1]).all(|(old, new)| rules.digest(old) == rules.digest(new)) {
                return Ok(Compared::Equivalent(reason));
            }
        }
        // Instrumenting is building.
        clock.stop();
        let instrumented = versions::instrument(&self.built, &self.cache)?;
        let maps = [&instrumented[0].map, &instrumented[1].map];
        let chart = changed.map(|changed| guide::chart(changed, maps)).unwrap_or_default();
        let reached = changed.map(|changed| Reached::new(changed, maps[1], &self.seeds)).unwrap_or_default();
        let deadline = clock.start();
        lock(ledger).begin(Instant::now());
        let unstable = stability::settle(&mut rules, &first, &self.round(Conditions::Other)?)?;
        for part in &unstable {
            show.event(&format!(
                "{} of the {} version is unstable and left out: {}",
                part.aspect, part.version, part.what
            ));
        }
        lock(ledger).view.unstable = unstable;
        show.begin();
        let shared = Arc::new(self.shared(rules, reached, maps));
        let Begun { instrumented, shared } = begun.get_or_init(|| Begun { instrumented, shared });
        let outcome = self.search(instrumented, &chart, shared, deadline, ledger, show)?;
        Ok(Compared::Searched(Box::new(outcome)))
    }

    fn shared(&self, rules: Rules, reached: Reached, maps: [&ProgramMap; 2]) -> Shared {
        let limits = self.limits();
        let symbolic_limits = Limits { time: limits.time * SYMBOLIC_FACTOR, ..limits };
        let causes = Causes::new(versions::regions(&self.wanted, &self.pieces()), maps);
        Shared::new(rules, symbolic_limits, causes, reached)
    }

    fn pieces(&self) -> Vec<Piece> {
        versions::pieces(&self.wanted, &self.built)
    }

    fn round(&self, conditions: Conditions) -> Result<Round, CliError> {
        stability::round(&mut self.natives(&self.setting)?, &self.seeds, self.args.time, conditions)
    }

    fn natives(&self, setting: &Setting) -> Result<Natives, CliError> {
        let programs = [&*self.built[0].native, &*self.built[1].native];
        Natives::new(programs, self.limits(), setting)
    }

    fn limits(&self) -> Limits {
        engine::limits(&self.args.limits, self.args.oracle.run_time)
    }

    fn versions(&self) -> VersionsView {
        let binary = |i: usize| self.built[i].native.display().to_string();
        let name = |i: usize| self.wanted[i].name.clone();
        VersionsView {
            old: name(0),
            new: name(1),
            golden: self.args.golden.as_ref().map(|name| name.to_string_lossy().into_owned()),
            old_binary: binary(0),
            new_binary: binary(1),
            golden_binary: self.golden.as_ref().map(|path| path.display().to_string()),
        }
    }

    fn search(
        &self,
        instrumented: &[Instrumented; 2],
        chart: &Chart,
        shared: &Arc<Shared>,
        deadline: Instant,
        ledger: &Mutex<Ledger>,
        show: &mut Show,
    ) -> Result<Outcome, CliError> {
        let maps = [&instrumented[0].map, &instrumented[1].map];
        let labs = self.labs(instrumented, shared, deadline)?;
        let keeper = self.keeper(self.lab(instrumented, shared, deadline)?, ledger, deadline)?;
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || keeper.work(receiver));
            let mut watch = Watch { shared, ledger, sender, show, trouble: None };
            let outcome = parallax_search::search(
                self.seeds.clone(),
                labs,
                maps,
                chart,
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

    fn keeper<'k>(
        &self,
        lab: VersionsLab,
        ledger: &'k Mutex<Ledger>,
        deadline: Instant,
    ) -> Result<Keeper<'k>, CliError> {
        let golden = self.golden.as_ref();
        let golden =
            golden.map(|path| Golden::new(path, self.limits(), deadline, &self.setting)).transpose()?;
        let effort = Effort { time: self.args.minimise_time, runs: self.args.minimise_runs };
        Ok(Keeper { lab, golden, ledger, effort, deadline, interrupt: self.setting.interrupt.clone() })
    }

    fn labs(
        &self,
        instrumented: &[Instrumented; 2],
        shared: &Arc<Shared>,
        deadline: Instant,
    ) -> Result<Vec<Box<dyn Lab>>, CliError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.args.jobs.map_or(cores, usize::from);
        let mut labs: Vec<Box<dyn Lab>> = Vec::new();
        for _ in 0..jobs {
            labs.push(Box::new(self.lab(instrumented, shared, deadline)?));
        }
        Ok(labs)
    }

    fn lab(
        &self,
        instrumented: &[Instrumented; 2],
        shared: &Arc<Shared>,
        deadline: Instant,
    ) -> Result<VersionsLab, CliError> {
        let symbolic = |instrumented: &Instrumented| {
            let sizes = engine::arena(&self.args.limits);
            let arena = Some(sizes.with_edges(instrumented.map.edges.len()));
            let options = parallax_execute::Options { arena, may_stay: true, ..self.setting.options() };
            Executor::new(&instrumented.program, Kind::Instrumented, options)
        };
        let mut natives = self.natives(&self.setting)?;
        natives.deadline = Some(deadline);
        let symbolic = [symbolic(&instrumented[0])?, symbolic(&instrumented[1])?];
        Ok(VersionsLab { natives, symbolic, shared: shared.clone(), deadline })
    }

    fn settings(&self) -> Settings {
        Settings {
            seed: self.args.seed,
            joint: self.args.strategy != Strategy::NoJoint,
            numbers: self.args.strategy != Strategy::NoNumbers,
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

    /// Everything that the outcome of the search says, and how Parallax ends.
    fn take_outcome(
        &self,
        ledger: &mut Ledger,
        begun: Option<&Begun>,
        outcome: &Outcome,
    ) -> Result<Result<ExitCode, CliError>, CliError> {
        ledger.progress(counters(&outcome.stats))?;
        ledger.view.ended = self.ended(outcome);
        if let Some(begun) = begun {
            self.take_surroundings(ledger, begun, outcome)?;
        }
        let otherwise = match (&outcome.ended, &outcome.trouble) {
            (Ended::Lab, trouble) => Err(CliError::Search(trouble.clone().unwrap_or_default())),
            _ => Ok(ExitCode::Success),
        };
        Ok(self.code(&ledger.view, otherwise))
    }

    /// What was reached, lost and kept on the way.
    fn take_surroundings(
        &self,
        ledger: &mut Ledger,
        Begun { instrumented, shared }: &Begun,
        outcome: &Outcome,
    ) -> Result<(), CliError> {
        ledger.view.lost = shared.losses().views([&instrumented[0].map, &instrumented[1].map]);
        ledger.note_unstable(&shared.rules.parts());
        ledger.view.unflipped = unflipped(instrumented, outcome);
        let mut corpus = Corpus { home: ledger.out.path().join("corpus"), names: HashMap::new() };
        for test in &outcome.corpus {
            corpus.keep(test, &self.setting.argv0)?;
        }
        let keep = |test: &TestCase| corpus.keep(test, &self.setting.argv0);
        ledger.view.targets = shared.reached.views(keep)?;
        Ok(())
    }

    fn code(&self, view: &DiffView, otherwise: Result<ExitCode, CliError>) -> Result<ExitCode, CliError> {
        match view.verdict {
            Verdict::Different => Ok(ExitCode::Different),
            Verdict::Equivalent => Ok(ExitCode::Success),
            _ if self.setting.interrupt.is_set() => Ok(ExitCode::Interrupted),
            Verdict::NoneFound | Verdict::SameCode => otherwise,
            Verdict::NotExecuted => otherwise.map(|_| ExitCode::NotExecuted),
        }
    }

    fn ended(&self, outcome: &Outcome) -> String {
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

fn profile_warning(profiler: &Profiler) -> String {
    format!("the program is built for profiling; files that end in {} are not compared", profiler.writes)
}

/// What is known of a search that did not end in time.
fn late(begun: &OnceLock<Begun>) -> Outcome {
    Outcome::unfinished(begun.get().map(|begun| begun.shared.latest().clone()).unwrap_or_default())
}

fn unflipped(instrumented: &[Instrumented; 2], outcome: &Outcome) -> Vec<UnflippedView> {
    let view = |branch: &parallax_search::Unflipped| {
        let (map, version) = match branch.side {
            Side::Old => (&instrumented[0].map, "old"),
            Side::New => (&instrumented[1].map, "new"),
        };
        UnflippedView {
            version: version.to_owned(),
            place: Place::of(map, branch.site).to_string(),
            reason: branch.reason.to_owned(),
        }
    };
    outcome.unflipped.iter().map(view).collect()
}
