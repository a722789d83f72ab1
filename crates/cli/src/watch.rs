//! Takes in what the search tells.
//!
//! In: progress of the search. Out: the ledger, the lines on the terminal, work for the keeper.

use crate::error::CliError;
use crate::lab::Shared;
use crate::ledger::{lock, Ledger};
use crate::progress::Show;
use parallax_execute::TestCase;
use parallax_oracle::Case;
use parallax_report::diff_view::DiffStats;
use parallax_search::{Progress, Stats};
use std::sync::mpsc::Sender;
use std::sync::Mutex;

pub struct Watch<'w> {
    pub shared: &'w Shared,
    pub ledger: &'w Mutex<Ledger>,
    pub sender: Sender<(usize, Case)>,
    pub show: &'w mut Show,
    /// The first thing that could not be written.
    pub trouble: Option<CliError>,
}

impl Watch<'_> {
    pub fn take(&mut self, progress: Progress) {
        let taken = match progress {
            Progress::Difference { test, signature, runs, .. } => self.difference(&test, &signature, runs),
            Progress::Again { signature } => lock(self.ledger).again(&signature),
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
    }

    fn difference(&mut self, test: &TestCase, group: &str, runs: u64) -> Result<(), CliError> {
        let Some(case) = self.shared.findings().take(group, test) else { return Ok(()) };
        let mut ledger = lock(self.ledger);
        let number = ledger.add(&case, runs)?;
        let after = ledger.view.differences[number].found_after_s;
        drop(ledger);
        let cause = case.cause.as_ref().map_or(String::new(), |cause| format!(", by {cause}"));
        let (id, signature) = (number + 1, &case.signature);
        self.show.event(&format!("difference {id} after {after:.1} s: {signature}{cause}"));
        // The keeper is there until the sender is gone.
        let _ = self.sender.send((number, case));
        Ok(())
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
        divergences: stats.divergences,
        escapes: stats.escapes,
        concretisations: stats.concretisations,
        symbolic_branches: stats.symbolic_sites,
        flipped_branches: stats.flipped_sites,
        edges_old: stats.edges_old,
        edges_new: stats.edges_new,
        seconds: stats.seconds,
    }
}
