//! What a search comes to: its counters, and the branches that were left.

use super::*;

impl Engine<'_> {
    fn current_stats(&self) -> Stats {
        let ways = self.known.coverage.ways();
        let (targets, reached_targets) = self.targets.count();
        let named = self.portfolio.ids().map(|id| self.portfolio.name(id));
        Stats {
            symbolic_sites: ways.len() as u64,
            flipped_sites: ways.values().filter(|n| **n > 1).count() as u64,
            edges_old: self.known.coverage.edges(Side::Old),
            edges_new: self.known.coverage.edges(Side::New),
            seconds: self.clock.started.elapsed().as_secs_f64(),
            targets,
            reached_targets,
            dropped_goals: self.frontier.dropped + self.allowance.dropped,
            strategies: named.zip(self.accounting.by_strategy.iter().copied()).collect(),
            ..self.accounting.stats.clone()
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { stats: self.current_stats(), unflipped: self.unflipped() }
    }

    fn unflipped(&self) -> Vec<Unflipped> {
        let once = self.known.coverage.ways().into_iter().filter(|(_, n)| *n == 1);
        once.map(|(site, _)| {
            let reason = self.known.asked.refused.get(&site).copied();
            let reason = reason.unwrap_or("not tried before the search ended");
            Unflipped { side: site.side, site: site.number, reason }
        })
        .collect()
    }

    pub(super) fn finish(self, ended: Ended) -> Outcome {
        let Snapshot { stats, unflipped } = self.snapshot();
        let Engine { known: Knowledge { runs, corpus, .. }, expressions, trouble, accounting, .. } = self;
        let paths: Vec<Pair<Path>> = runs.into_iter().map(|run| run.paths).collect();
        // Gigabytes take seconds to free, one path after the other; nobody has to wait for that.
        std::thread::spawn(move || drop(paths));
        expressions.forget();
        let escapes = accounting.escapes.into_iter().collect();
        Outcome { stats, ended, trouble, unflipped, escapes, corpus: corpus.all }
    }
}
