//! `parallax verify`: the inputs of two versions divided into partitions, and for each whether the versions do the same.
//!
//! In: the command line; or, for other commands, a comparison of two built versions ([`run`]). Out: the output directory, the text to print, the
//! exit status.
//!
//! Always holds: whatever ends it, what was found is on disk, and `--resume` goes on from there; the verdict is drawn from the partitions in one
//! place ([`verdict`]).

mod journal;
mod lab;
mod programs;
mod store;
mod verdict;

pub use store::CERTIFICATES;

use crate::changed::{self, Changed};
use crate::clock::Clock;
use crate::config::Config;
use crate::diff::{prepare, Comparison, Finished, Prepared};
use crate::diff_args::DiffFormat;
use crate::error::CliError;
use crate::keeper::Rough;
use crate::lab::Shared;
use crate::ledger::{lock, Ledger};
use crate::progress::Show;
use crate::stability::{self, Conditions};
use crate::verify_args::{Partitioning, VerifyArgs};
use crate::{own_memory, run_file, texts, unsupported, versions};
use journal::{Identity, Journal};
use lab::Lab;
use parallax_instrument::{Instrumented, Sameness};
use parallax_oracle::{Rules, Runner, Which};
use parallax_report::verify_view::VerifyView;
use parallax_report::{verify_human, verify_json, Change, OutDir};
use parallax_search::{Pair, Varied};
use parallax_verify::{Bounds, Effort, Entry, News, Outcome, Settings};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use store::Store;

/// Where the result is while it grows, below the output directory.
const RESULT: &str = "verification.json";
/// The strategy that differences are ascribed to.
const STRATEGY: &str = "partitions";
/// Between two writings of the result.
const SAVED_EVERY: Duration = Duration::from_millis(500);

pub fn verify(args: &VerifyArgs, config: Option<&Config>) -> Result<Finished, CliError> {
    check(args)?;
    let diff = args.comparison()?;
    let Prepared { comparison, rules, claim, clock } = prepare(&diff, config, None)?;
    let of_function = comparison.driven.as_ref().map(|driven| driven.input()).filter(|bytes| *bytes > 0);
    let args = &of_function.map_or_else(|| args.clone(), |bytes| args.of_size(bytes));
    let identity = Identity::of(&comparison, args)?;
    let known = if args.resume { journal::read(&args.out, &identity)? } else { Vec::new() };
    let out = claim.begin()?;
    let journal = Journal::begin(out.path(), &identity, &known)?;
    out.write_json(run_file::FILE, &comparison.describe())?;
    run(&comparison, args, (rules, &clock), out, (journal, known))
}

/// What can be seen to be wrong before anything is built.
fn check(args: &VerifyArgs) -> Result<(), CliError> {
    if args.min_input > args.max_input {
        return Err(CliError::usage(format!(
            "--min-input {} is more than --max-input {}: there are no such inputs",
            args.min_input, args.max_input
        )));
    }
    if args.max_shapes == 0 {
        return Err(CliError::usage("--max-shapes 0: there would be no inputs; give at least 1"));
    }
    match args.resume {
        true => journal::check(&args.out),
        false => Ok(()),
    }
}

/// What a verification shares while it runs.
struct Verification<'c> {
    comparison: &'c Comparison<'c>,
    args: &'c VerifyArgs,
    ledger: &'c Mutex<Ledger>,
    clock: &'c Clock,
    began: Instant,
}

/// How it came to its end.
enum Ended {
    /// Proven without exploring anything.
    Proven(&'static str),
    Explored {
        outcome: Outcome,
        store: Store,
        runs: u64,
        varied: Varied,
        unread: Vec<String>,
        is_closed: bool,
    },
}

/// Verifies two built versions.
pub fn run(
    comparison: &Comparison,
    args: &VerifyArgs,
    (mut rules, clock): (Rules, &Clock),
    out: OutDir,
    (journal, known): (Journal, Vec<Entry>),
) -> Result<Finished, CliError> {
    comparison.complete(&mut rules)?;
    let mut show = Show::new(&out.path().join("logs/progress.log"));
    let changed = changed::find(&comparison.built, &comparison.cache);
    let changes: Vec<Change> = match &changed {
        Some(changed) => changed.changes(),
        None => comparison.pieces().iter().map(|piece| piece.change()).collect(),
    };
    let view = comparison.view(&rules);
    let launch = comparison.setting.launch();
    let ledger = Mutex::new(Ledger::new(view, out.clone(), launch.clone(), changes, args.max_differences)?);
    let verification = Verification { comparison, args, ledger: &ledger, clock, began: Instant::now() };
    let store = Store::new(out, launch, journal, args.certificates);
    let resumed = args.resume;
    let ended = verification.explore(rules, changed.as_ref(), store, &known, &mut show);
    show.done();
    let view = verification.conclude(ended?, resumed)?;
    let text = match args.format {
        DiffFormat::Human => verify_human(&view),
        DiffFormat::Json => verify_json(&view)?,
    };
    let interrupted = comparison.setting.interrupt.is_set();
    Ok(Finished { text, code: Ok(verdict::code(&view, interrupted)) })
}

impl Verification<'_> {
    fn explore(
        &self,
        mut rules: Rules,
        changed: Option<&Changed>,
        store: Store,
        known: &[Entry],
        show: &mut Show,
    ) -> Result<Ended, CliError> {
        let Verification { comparison, args, clock, ledger, .. } = self;
        clock.start();
        let first = comparison.round(Conditions::Usual)?;
        comparison.show_seeds(&first, ledger, show)?;
        clock.stop();
        let sameness = comparison.sameness(changed);
        let instrumented = versions::instrument(&comparison.built, args.own_memory, &comparison.cache)?;
        let maps = [&instrumented[0].map, &instrumented[1].map];
        let plan = changed.map(|changed| changed.plan(maps, &parallax_plan::Settings::default()));
        let plan = plan.unwrap_or_default();
        let reached = comparison.targets(changed, &plan, maps[1]);
        crate::outcomes::warn(unsupported::warnings(maps, &comparison.built), ledger, show);
        own_memory::check(args.own_memory)?;
        let deadline = clock.start();
        lock(ledger).begin(Instant::now());
        let again = comparison.round(Conditions::Other)?;
        lock(ledger).view.unstable = stability::settle(&mut rules, &first, &again)?;
        let alike = first[0].iter().zip(&first[1]).all(|(old, new)| rules.digest(old) == rules.digest(new));
        if let (Sameness::Equivalent(reason), true) = (sameness, alike) {
            return Ok(Ended::Proven(reason));
        }
        let causes = texts::causes(&comparison.wanted, &comparison.built, maps);
        let shared = Arc::new(comparison.shared(rules, causes, reached));
        show.begin();
        let ended = self.partitions((&instrumented, changed), &shared, deadline, store, known, show)?;
        match comparison.unassumed(&shared, "the time, or the paths, were used up") {
            Some(problem) => Err(problem),
            None => Ok(ended),
        }
    }

    fn partitions(
        &self,
        (instrumented, changed): (&[Instrumented; 2], Option<&Changed>),
        shared: &Arc<Shared>,
        deadline: Instant,
        mut store: Store,
        known: &[Entry],
        show: &mut Show,
    ) -> Result<Ended, CliError> {
        let Verification { comparison, args, .. } = self;
        let maps = Pair::new(&instrumented[0].map, &instrumented[1].map);
        let calls = programs::Calls::of([maps.old, maps.new]);
        let mut varied = comparison.varied();
        varied.env = false;
        let mut unread = Vec::new();
        if args.symbolic.is_none() && changed.is_some_and(programs::takes_no_arguments) {
            varied.arguments = false;
            unread.push("arguments".to_owned());
        }
        let bounds = Bounds { varied, least: args.min_input, most: args.max_input, shapes: args.max_shapes };
        let effort =
            Effort { steps: args.query_steps, time: args.query_time, formula: args.max_formula, deadline };
        let settings = Settings {
            bounds,
            effort,
            samples: args.samples,
            random_seed: args.seed,
            certificates: args.certificates,
            partitioning: match args.partitions {
                Partitioning::Slices => parallax_verify::Partitioning::Slices,
                Partitioning::Paths => parallax_verify::Partitioning::Paths,
            },
            lengths_are_read: calls.lengths_are_read,
        };
        let seeds = comparison.tests();
        let first = seeds.first().cloned().unwrap_or_default();
        let interrupt = &comparison.setting.interrupt;
        let lab = comparison.lab(instrumented, shared, deadline)?;
        let mut lab = Lab { lab, runs: 0, interrupt: interrupt.clone() };
        let mut saved = Instant::now();
        let explored =
            parallax_verify::verify(&first, (&mut lab, maps), &settings, known, interrupt, &mut |news| {
                if let News::Shape(shape) = &news {
                    show.event(&format!(
                        "inputs of size {}: {} partitions so far",
                        shape.size(),
                        store.placed.len()
                    ));
                }
                if store.take(news) && saved.elapsed() > SAVED_EVERY {
                    saved = Instant::now();
                    let admitted = self
                        .admit(shared, store.placed.len() as u64)
                        .and_then(|()| Ok(store.out.write_json(RESULT, &verdict::growing(self, &store))?));
                    if let Err(error) = admitted {
                        store.trouble.get_or_insert(error);
                    }
                }
            });
        self.admit(shared, store.placed.len() as u64)?;
        if let Some(error) = store.trouble.take() {
            return Err(error);
        }
        let outcome = explored.map_err(|error| CliError::Search(error.0))?;
        self.weaken(shared, [maps.old, maps.new]);
        self.write_runs(&store, &mut lab)?;
        lock(self.ledger).close(&shared.findings())?;
        Ok(Ended::Explored { outcome, store, runs: lab.runs, varied, unread, is_closed: calls.is_closed })
    }

    /// Differences that were confirmed become entries, with kept tests.
    fn admit(&self, shared: &Shared, runs: u64) -> Result<(), CliError> {
        let mut ledger = lock(self.ledger);
        for case in shared.findings().unannounced() {
            for (entry, root) in ledger.admit(&case, runs, &[STRATEGY])? {
                ledger.settle(&Rough { entry, root, case: case.clone() }, None, None, true)?;
            }
        }
        Ok(())
    }

    /// What the native versions did on the witnesses on which they differ, beside them.
    fn write_runs(&self, store: &Store, lab: &mut Lab) -> Result<(), CliError> {
        for (view, _, _) in store.placed.iter().filter(|(view, _, _)| view.status == "different") {
            let directory = Path::new(&view.test);
            let test = parallax_report::kept::read(directory, self.args.inputs.read.max_seed_size)?;
            let natives = &mut lab.lab.natives;
            let runs = [Which::Old, Which::New].map(|which| natives.run(which, &test));
            // Where there is no time any more, the input alone is kept.
            if let [Ok(old), Ok(new)] = runs {
                parallax_report::kept::write_run(directory, "old", &old)?;
                parallax_report::kept::write_run(directory, "new", &new)?;
            }
        }
        Ok(())
    }

    /// What makes the whole say less than the partitions do.
    fn weaken(&self, shared: &Shared, maps: [&parallax_trace::sites::ProgramMap; 2]) {
        let mut ledger = lock(self.ledger);
        let unseen = unsupported::unseen(maps, &self.comparison.built);
        ledger.note_unstable(&shared.rules.parts());
        let view = &mut ledger.view;
        // What the seeds show is about a search: here all inputs are explored.
        view.weakened.clear();
        view.weakened.extend(self.comparison.doubts());
        view.weakened.extend(unseen);
        view.weakened.extend(shared.cut.reasons(&self.args.limits));
        view.weakened.sort();
        view.weakened.dedup();
    }

    fn conclude(&self, ended: Ended, resumed: bool) -> Result<VerifyView, CliError> {
        let view = verdict::conclude(self, ended, resumed);
        let mut ledger = lock(self.ledger);
        ledger.view.verdict = verdict::of_comparison(view.verdict);
        ledger.view.ended.clone_from(&view.ended);
        ledger.finish()?;
        ledger.out.write_json(RESULT, &view)?;
        Ok(view)
    }
}
