//! The search of a comparison: its workers, its settings, its limits.
//!
//! In: two instrumented versions, and what all workers share. Out: the outcome of the search.

use super::Comparison;
use crate::error::CliError;
use crate::golden::Golden;
use crate::keeper::{Effort, Keeper};
use crate::lab::{Shared, VersionsLab};
use crate::ledger::Ledger;
use crate::native::Native;
use crate::natives::{Natives, Setting};
use crate::progress::Show;
use crate::resolve::SymbolicKinds;
use crate::watch::Watch;
use crate::{engine, native, own_memory, strategies};
use parallax_execute::{Executor, Kind};
use parallax_instrument::Instrumented;
use parallax_plan::Plan;
use parallax_search::{Budget, Choice, Harness, Outcome, Pair, RunWork, Settings, Snapshot, Varied};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The part of the time in which no new inputs are tried any more, so that the tests found last are made small; and the most of it.
const RESERVED_PART: u32 = 10;
const MOST_RESERVED: Duration = Duration::from_secs(1);

impl Comparison<'_> {
    pub(super) fn search(
        &self,
        instrumented: &[Instrumented; 2],
        plan: &Plan,
        shared: &Arc<Shared>,
        deadline: Instant,
        keeper: Keeper,
        ledger: &Mutex<Ledger>,
        show: &mut Show,
    ) -> Result<Outcome, CliError> {
        let maps = Pair::new(&instrumented[0].map, &instrumented[1].map);
        // So that what is found last can still be made small.
        let closing = deadline - (self.args.time / RESERVED_PART).min(MOST_RESERVED);
        let labs = self.labs(instrumented, shared, closing)?;
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || keeper.work(receiver));
            let interrupt = self.setting.interrupt.clone();
            let reaching = self.reaching;
            let mut watch =
                Watch { shared, ledger, sender, deadline, interrupt, show, reaching, trouble: None };
            let outcome = parallax_search::search(
                self.tests(),
                labs,
                (maps, plan),
                &self.settings(shared),
                &self.budget(closing),
                &mut |progress| watch.take(progress),
            );
            if let Ok(Outcome { stats, unflipped, .. }) = &outcome {
                *shared.latest() = Snapshot { stats: stats.clone(), unflipped: unflipped.clone() };
            }
            match watch.trouble.take() {
                Some(error) => Err(error),
                None => outcome.map_err(strategies::unknown),
            }
        })
    }

    pub(super) fn keeper<'k>(
        &self,
        lab: VersionsLab,
        ledger: &'k Mutex<Ledger>,
        deadline: Instant,
    ) -> Result<Keeper<'k>, CliError> {
        let golden = self.golden.as_ref();
        let golden =
            golden.map(|g| Golden::new(&g.binary, self.limits(), deadline, &self.setting)).transpose()?;
        let effort = Effort { time: self.args.minimise_time, runs: self.args.minimise_runs };
        let (varied, interrupt) = (self.varied(), self.setting.interrupt.clone());
        Ok(Keeper { lab, golden, ledger, effort, varied, deadline, interrupt })
    }

    fn labs(
        &self,
        instrumented: &[Instrumented; 2],
        shared: &Arc<Shared>,
        deadline: Instant,
    ) -> Result<Vec<Box<dyn Harness>>, CliError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.args.jobs.map_or(cores, usize::from);
        let mut labs: Vec<Box<dyn Harness>> = Vec::new();
        for _ in 0..jobs {
            labs.push(Box::new(self.lab(instrumented, shared, deadline)?));
        }
        Ok(labs)
    }

    pub fn lab(
        &self,
        instrumented: &[Instrumented; 2],
        shared: &Arc<Shared>,
        deadline: Instant,
    ) -> Result<VersionsLab, CliError> {
        let symbolic = |i: usize| {
            let instrumented = &instrumented[i];
            let sizes = own_memory::arena(engine::arena(&self.args.limits), self.args.own_memory);
            let arena = Some(sizes.with_edges(instrumented.map.edges.len()));
            let homes =
                vec![native::instrumented(&instrumented.program, &self.built[i], &self.setting.homes)];
            let symbolic = self.symbolic().for_runs();
            let options = parallax_execute::Options {
                arena,
                homes,
                symbolic,
                may_stay: true,
                ..self.setting.options()
            };
            Executor::new(&instrumented.program, Kind::Instrumented, options)
        };
        let programs = [&*self.built[0].native, &*self.built[1].native];
        let mut natives = Natives::later(programs, self.limits(), &self.setting);
        natives.deadline = Some(deadline);
        let sanitized = self.sanitized(deadline)?;
        let symbolic = Pair::new(symbolic(0)?, symbolic(1)?);
        Ok(VersionsLab {
            natives,
            sanitized,
            symbolic,
            shared: shared.clone(),
            deadline,
            last: Pair::new(None, None),
        })
    }

    /// The sanitizer builds, ready to run.
    fn sanitized(&self, deadline: Instant) -> Result<Option<Natives>, CliError> {
        let Some(built) = &self.sanitized else { return Ok(None) };
        let both = [Native::of(&built[0]), Native::of(&built[1])];
        let setting = Setting { homes: native::homes(&[&both[0], &both[1]]), ..self.setting.clone() };
        let mut natives = Natives::new([&*built[0].native, &*built[1].native], self.limits(), &setting)?;
        natives.deadline = Some(deadline);
        Ok(Some(natives))
    }

    fn settings(&self, shared: &Shared) -> Settings {
        Settings {
            random_seed: self.args.seed,
            strategies: self.strategies(),
            reuse: self.reaching.is_none_or(|reaching| reaching.reuse),
            targets: shared.reached.edges().to_vec(),
            until_reached: self.reaching.is_some(),
            query_steps: self.args.query_steps,
            query_time: self.args.query_time,
            search_memory: own_memory::counted(self.args.search_memory, self.args.own_memory),
            run_work: RunWork { factor: self.args.run_work, ..RunWork::default() },
            enough: shared.enough.clone(),
            max_input: self.max_input(),
            varied: self.varied(),
            record: self.args.record_queries.clone(),
        }
    }

    fn strategies(&self) -> Choice {
        let chosen = strategies::choice(&self.args.search);
        self.reaching.map_or(chosen.clone(), |reaching| reaching.choice(chosen))
    }

    pub fn varied(&self) -> Varied {
        let SymbolicKinds { arguments, stdin, files, env } = self.symbolic();
        Varied { arguments, stdin, files, env }
    }

    fn budget(&self, deadline: Instant) -> Budget {
        Budget {
            deadline,
            runs: self.args.runs,
            interrupt: self.setting.interrupt.clone(),
            memory: own_memory::memory(self.args.own_memory),
        }
    }
}
