//! Takes in what the search tells.
//!
//! In: progress of the search. Out: the ledger, the lines on the terminal, work for the keeper.

use crate::error::CliError;
use crate::keeper::Rough;
use crate::lab::Shared;
use crate::ledger::{lock, Ledger};
use crate::progress::Show;
use crate::reach::Reaching;
use parallax_execute::Interrupt;
use parallax_report::diff_view::{DiffStats, StrategyStatsView};
use parallax_search::{Found, Progress, Stats, StrategyStats};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often it is looked whether the keeper is done.
const WAIT: Duration = Duration::from_millis(5);

pub struct Watch<'w> {
    pub shared: &'w Shared,
    pub ledger: &'w Mutex<Ledger>,
    pub sender: Sender<Rough>,
    pub deadline: Instant,
    pub interrupt: Interrupt,
    pub show: &'w mut Show,
    /// Where targets are what is wanted: who is told of them. Then differences do not end the search.
    pub reaching: Option<&'w Reaching>,
    /// The first thing that could not be written.
    pub trouble: Option<CliError>,
}

impl Watch<'_> {
    pub fn take(&mut self, progress: Progress) {
        let taken = match progress {
            Progress::Difference(found) => self.difference(&found),
            Progress::Again { signature } => lock(self.ledger).again(&signature),
            Progress::Reached(reached) => {
                if let Some(reaching) = self.reaching {
                    reaching.take(reached).iter().for_each(|line| self.show.event(line));
                }
                Ok(())
            }
            Progress::Status(snapshot) => {
                let mut ledger = lock(self.ledger);
                self.show.status(&snapshot.stats, ledger.view.differences.len());
                let noted = ledger.progress(counters(&snapshot.stats));
                drop(ledger);
                *self.shared.latest() = snapshot;
                noted
            }
        };
        if let Err(error) = taken {
            self.trouble.get_or_insert(error);
        }
        self.tell_news();
    }

    fn difference(&mut self, found: &Found) -> Result<(), CliError> {
        let Some(case) = self.shared.findings().take(&found.signature, &found.test) else { return Ok(()) };
        let made = lock(self.ledger).admit(&case, found.runs, &found.strategies)?;
        for (entry, root) in made {
            // The keeper is there until the sender is gone.
            let _ = self.sender.send(Rough { entry, root, case: case.clone() });
        }
        self.tell_news();
        if self.reaching.is_none() {
            self.wait_for_keeper();
        }
        Ok(())
    }

    fn tell_news(&mut self) {
        let news = lock(self.ledger).news();
        news.iter().for_each(|line| self.show.event(line));
    }

    /// Whether there are enough differences is known when the last of them are done: some may be copies of others.
    fn wait_for_keeper(&self) {
        loop {
            match lock(self.ledger).is_enough() {
                Some(enough) => return self.shared.enough.store(enough, Ordering::Relaxed),
                None if Instant::now() >= self.deadline || self.interrupt.is_set() => return,
                None => {}
            }
            std::thread::sleep(WAIT);
        }
    }
}

/// The counters of the search as they are reported.
pub fn counters(stats: &Stats) -> DiffStats {
    DiffStats {
        runs: stats.runs,
        traces: stats.traces,
        queries: stats.queries,
        sat: stats.sat,
        unsat: stats.unsat,
        unknown: stats.unknown,
        late_queries: stats.late_queries,
        solver_steps: stats.solver_steps,
        cut_runs: stats.cut_runs,
        late_runs: stats.late_runs,
        forgotten_paths: stats.forgotten_paths,
        divergences: stats.divergences,
        escapes: stats.escapes,
        concretisations: stats.concretisations,
        symbolic_branches: stats.symbolic_sites,
        flipped_branches: stats.flipped_sites,
        edges_old: stats.edges_old,
        edges_new: stats.edges_new,
        seconds: stats.seconds,
        dropped_goals: stats.dropped_goals,
        strategies: stats.strategies.iter().map(|(name, of)| ((*name).to_owned(), strategy(of))).collect(),
    }
}

fn strategy(stats: &StrategyStats) -> StrategyStatsView {
    StrategyStatsView {
        proposals: stats.proposals,
        traced: stats.traced,
        glimpsed: stats.glimpsed,
        queries: stats.queries,
        effort: stats.effort,
        new_edges: stats.new_edges,
        differences: stats.differences,
    }
}
