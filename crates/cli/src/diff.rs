//! `parallax diff`: find inputs on which two versions differ.
//!
//! In: the command line. Out: the output directory, the text to print, the exit status.
//!
//! Always holds: whatever ends the comparison once the versions are built (time, Control-C, a laboratory that is out of order),
//! there is a report, with everything that was found. The time limit counts from the end of the builds, and is kept whatever the search is
//! busy with: it works in a thread of its own, which is left behind if it does not end in time.

mod crashing;
mod ending;
pub(crate) mod followed;
mod prepare;
mod reaching;
mod searching;

pub use prepare::{prepare, Prepared};

use crate::changed::{self, Changed};
use crate::clock::{Clock, Waited};
use crate::config::Config;
use crate::diff_args::{DiffArgs, DiffFormat, OracleArgs};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::function::Driven;
use crate::lab::Shared;
use crate::ladder::Ladder;
use crate::ledger::{lock, Ledger};
use crate::loaded::Observed;
use crate::native::{self, Native};
use crate::natives::{Natives, Setting};
use crate::outcomes::{self, warn, Names};
use crate::progress::Show;
use crate::reach::{branches, Reaching};
use crate::reached::Reached;
use crate::resolve::{self, Inputs, SymbolicKinds};
use crate::run_file::{self, Built, Recipe, RunFile};
use crate::seeds::Seed;
use crate::stability::{self, Conditions, Round};
use crate::texts;
use crate::versions::{self, Wanted};
use crate::{astray, constants, engine, faithful, own_memory, unsupported};
use parallax_build::{Cache, Extra, Version};
use parallax_execute::{Interrupt, Limits, TestCase};
use parallax_instrument::{Instrumented, Sameness};
use parallax_oracle::{Aspect, Aspects, Causes, Expectations, Rules};
use parallax_plan::Plan;
use parallax_report::changes::Piece;
use parallax_report::diff_view::*;
use parallax_report::{diff_human, OutDir};
use parallax_search::Outcome;
use parallax_trace::sites::ProgramMap;
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
    compare_for(args, config, None)
}

/// Compares two versions. `reaching`: what is to be executed, if that is what the comparison is for.
pub fn compare_for(
    args: &DiffArgs,
    config: Option<&Config>,
    reaching: Option<&Reaching>,
) -> Result<Finished, CliError> {
    let Prepared { comparison, rules, claim, clock } = prepare(args, config, reaching)?;
    let out = claim.begin()?;
    out.write_json(run_file::FILE, &comparison.describe())?;
    comparison.run(out, rules, &clock)
}

/// Both versions with the sanitizers that are wanted.
fn sanitized(
    args: &DiffArgs,
    wanted: &[Wanted; 2],
    interrupt: &Interrupt,
    cache: &Cache,
) -> Result<Option<[Version; 2]>, CliError> {
    if args.sanitize.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = args.sanitize.iter().map(|name| name.name().to_owned()).collect();
    let one = |i: usize| {
        let what = ["sanitizer build of the old", "sanitizer build of the new"][i];
        versions::beside(&wanted[i], what, Extra::Sanitizers(names.clone()), interrupt, cache)
    };
    let [old, new] = versions::in_parallel(one);
    Ok(Some([old?, new?]))
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
    /// There is nothing to search for: why.
    Nothing(&'static str),
    Searched(Box<Outcome>),
}

/// What there is from the moment on at which the search begins.
struct Begun {
    instrumented: [Instrumented; 2],
    shared: Arc<Shared>,
    /// What the versions did on the seeds.
    first: Round,
    ladder: Ladder,
    following: Option<followed::Following>,
}

pub struct Comparison<'c> {
    pub args: &'c DiffArgs,
    pub reaching: Option<&'c Reaching>,
    pub wanted: [Wanted; 2],
    pub built: [Version; 2],
    /// The versions are programs around one function.
    pub driven: Option<Arc<Driven>>,
    pub natives: [Native; 2],
    pub golden: Option<Native>,
    /// Both with sanitizers, if that is wanted.
    sanitized: Option<[Version; 2]>,
    /// What the versions load on the first seed.
    pub observed: Observed,
    pub cache: Cache,
    pub setting: Setting,
    pub inputs: Inputs,
    pub seeds: Vec<Seed>,
}

impl Comparison<'_> {
    pub fn describe(&self) -> RunFile {
        let one = |i: usize| Built {
            name: self.wanted[i].name.clone(),
            native: self.natives[i].clone(),
            loaded: self.observed.loaded.get(i).cloned().unwrap_or_default(),
            recipe: Recipe::of(&self.wanted[i].target, &self.wanted[i].build),
        };
        let mut file = RunFile::new(self.args.seed, &self.setting.argv0, one(0), one(1));
        let golden = self.args.golden.as_ref().zip(self.golden.clone());
        file.golden = golden.map(|(name, native)| Built {
            name: name.to_string_lossy().into_owned(),
            native,
            loaded: Vec::new(),
            recipe: None,
        });
        file.compare =
            self.args.oracle.compare.iter().flatten().map(|aspect| aspect.name().to_owned()).collect();
        file.ignore = self.args.oracle.ignore.clone();
        file
    }

    fn run(&self, out: OutDir, mut rules: Rules, clock: &Clock) -> Result<Finished, CliError> {
        self.complete(&mut rules)?;
        let mut show = Show::new(&out.path().join("logs/progress.log"));
        let changed = match self.reaching {
            // Without knowing where the change is there is nothing to reach.
            Some(_) => Some(changed::compare(&self.built, &self.cache)?),
            None => changed::find(&self.built, &self.cache),
        };
        let changes = match &changed {
            Some(changed) => changed.changes(),
            None => self.pieces().iter().map(Piece::change).collect(),
        };
        let view = self.view(&rules);
        let (launch, most) = (self.setting.launch(), self.args.max_differences);
        let ledger =
            Mutex::new(Ledger::new(view, out, launch, changes, most)?.with_calls(self.driven.clone()));
        let begun = OnceLock::new();
        std::thread::scope(|scope| {
            let (ended, over) = channel();
            let searching = scope.spawn(|| {
                let compared = self.compare(rules, changed.as_ref(), &ledger, &mut show, clock, &begun);
                show.done();
                drop(ended);
                compared
            });
            let ended =
                clock.wait(&over, || begun.get().is_some() && own_memory::is_used_up(self.args.own_memory));
            if ended != Waited::Over {
                // The scope would wait for its thread.
                let compared = self.left_behind(&begun, ended);
                crate::leave(self.conclude(&ledger, &begun, changed.as_ref(), compared));
            }
            match searching.join() {
                Ok(compared) => self.conclude(&ledger, &begun, changed.as_ref(), compared),
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
        changed: Option<&Changed>,
        compared: Result<Compared, CliError>,
    ) -> Result<Finished, CliError> {
        let mut ledger = lock(ledger);
        if let Some(begun) = begun.get() {
            ledger.close(&begun.shared.findings())?;
        }
        let code = match compared {
            Ok(Compared::Searched(outcome)) => {
                self.take_outcome(&mut ledger, begun.get(), changed, &outcome)?
            }
            Ok(Compared::Nothing(why)) => {
                ledger.view.ended = why.to_owned();
                Ok(ExitCode::Success)
            }
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
        if let Some(begun) = begun.get() {
            self.take_crashes(&mut ledger, begun, changed)?;
        }
        if self.setting.interrupt.is_set() {
            ledger.view.ended = "interrupted".to_owned();
        }
        if let Some(reaching) = self.reaching {
            return self.conclude_reach(reaching, &mut ledger, changed, begun.get(), code);
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
        self.show_seeds(&first, ledger, show)?;
        // Comparing what was built, and instrumenting it, is building.
        clock.stop();
        if let Some(why) = self.reaching.and_then(|reaching| reaching.nothing(changed)) {
            return Ok(Compared::Nothing(why));
        }
        match self.sameness(changed) {
            Sameness::Equivalent(reason) => {
                clock.start();
                let again = self.round(Conditions::Other)?;
                lock(ledger).view.unstable = stability::settle(&mut rules, &first, &again)?;
                // A proof that the first runs contradict is none.
                if first[0].iter().zip(&first[1]).all(|(old, new)| rules.digest(old) == rules.digest(new)) {
                    return Ok(Compared::Equivalent(reason));
                }
            }
            // A difference that is found says otherwise.
            Sameness::SameCode(outside) => lock(ledger).view.found_same_code(outside),
            Sameness::Unknown => {}
        }
        clock.stop();
        let instrumented = versions::instrument(&self.built, self.args.own_memory, &self.cache)?;
        let maps = [&instrumented[0].map, &instrumented[1].map];
        let plan = changed.map(|changed| changed.plan(maps, &parallax_plan::Settings::default()));
        let plan = plan.unwrap_or_default();
        let reached = self.targets(changed, &plan, maps[1]);
        warn(unsupported::warnings(maps, &self.built), ledger, show);
        let mut known = texts::causes(&self.wanted, &self.built, maps);
        own_memory::check(self.args.own_memory)?;
        let (following, deadline) = self.following(changed, clock);
        lock(ledger).begin(Instant::now());
        let unstable = stability::settle(&mut rules, &first, &self.round(Conditions::Other)?)?;
        for part in &unstable {
            show.event(&format!(
                "{} of the {} version is unstable and left out: {}",
                part.aspect, part.version, part.what
            ));
        }
        lock(ledger).view.unstable = unstable;
        let (mut natives, seeds) = (self.natives(&self.setting)?, self.tests());
        known.1.learn_constants(&constants::probed(&mut natives, &seeds, &first, &rules, self.args.time)?);
        show.begin();
        let shared = Arc::new(self.shared(rules, known, reached));
        first.iter().flatten().for_each(|run| shared.note(run));
        let changes = lock(ledger).changes.clone();
        let ladder = Ladder::new(changed, &changes);
        let Begun { instrumented, shared, first, .. } =
            begun.get_or_init(|| Begun { instrumented, shared, first, ladder, following });
        let mut lab = self.lab(instrumented, shared, deadline)?;
        let maps = [&instrumented[0].map, &instrumented[1].map];
        let unfaithful = faithful::check(&mut lab, maps, &self.seeds, first, self.args.time);
        lock(ledger).view.weakened.extend(unfaithful);
        let keeper = self.keeper(lab, ledger, deadline)?;
        let outcome = self.search(instrumented, &plan, shared, deadline, keeper, ledger, show)?;
        Ok(Compared::Searched(Box::new(outcome)))
    }

    /// A proof that there is nothing to find. What is only to be executed can be, whatever the versions have in common.
    pub fn sameness(&self, changed: Option<&Changed>) -> Sameness {
        if self.reaching.is_some() {
            return Sameness::Unknown;
        }
        let unchanged = changed.is_some_and(|changed| changed.comparison.only_names());
        parallax_instrument::sameness([&self.built[0], &self.built[1]], unchanged)
    }

    /// What is to be executed.
    pub fn targets(&self, changed: Option<&Changed>, plan: &Plan, map: &ProgramMap) -> Reached {
        let Some(changed) = changed else { return Reached::default() };
        match self.reaching.and_then(|reaching| reaching.branches) {
            Some(wanted) => branches::targets(changed, map, &self.tests(), wanted),
            None => Reached::new(changed, plan, map, &self.tests()),
        }
    }

    pub fn shared(&self, rules: Rules, known: (Causes, Expectations), reached: Reached) -> Shared {
        let limits = self.limits();
        let symbolic_limits = Limits { time: limits.time * SYMBOLIC_FACTOR, ..limits };
        Shared::new(rules, symbolic_limits, known, reached, self.args.own_memory)
    }

    fn astray(&self) -> Option<String> {
        let roots = [&*self.built[0].source_root, &*self.built[1].source_root];
        astray::warning(&self.pieces(), &self.natives, roots)
    }

    pub fn pieces(&self) -> Vec<Piece> {
        versions::pieces(&self.wanted, &self.built)
    }

    pub fn round(&self, conditions: Conditions) -> Result<Round, CliError> {
        stability::round(&mut self.natives(&self.setting)?, &self.tests(), self.args.time, conditions)
    }

    pub fn tests(&self) -> Vec<TestCase> {
        self.seeds.iter().map(|seed| seed.test.clone()).collect()
    }

    pub fn symbolic(&self) -> SymbolicKinds {
        resolve::symbolic(self.args.symbolic.as_deref())
    }

    /// What the seeds showed is said before anything else, and stays in the result.
    pub fn show_seeds(&self, first: &Round, ledger: &Mutex<Ledger>, show: &mut Show) -> Result<(), CliError> {
        let names = Names { limits: &self.args.limits, run_time: self.args.oracle.run_time };
        let outcomes = outcomes::outcomes(&self.seeds, first, &self.setting.argv0, &names)?;
        let mut warnings = self.inputs.warnings.clone();
        warnings.extend(outcomes::unnamed(&self.inputs.unnamed, first));
        outcomes::tell(outcomes, self.seeds.len() as u64, warnings, ledger, show);
        Ok(())
    }

    pub fn natives(&self, setting: &Setting) -> Result<Natives, CliError> {
        let programs = [&*self.built[0].native, &*self.built[1].native];
        Natives::new(programs, self.limits(), setting)
    }

    pub fn limits(&self) -> Limits {
        engine::limits(&self.args.limits, self.args.oracle.run_time)
    }

    /// An input of a function has a length of its own.
    fn max_input(&self) -> usize {
        match self.driven.as_ref().map_or(0, |driven| driven.input()) {
            0 => self.args.max_input as usize,
            bytes => bytes,
        }
    }

    fn versions(&self) -> VersionsView {
        let golden = self.args.golden.as_ref().zip(self.golden.as_ref());
        let names = [&*self.wanted[0].name, &*self.wanted[1].name];
        native::view(names, &self.natives, golden, &self.observed.loaded)
    }
}
