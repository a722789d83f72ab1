//! What a search comes to: its counters, and the branches that were left.

use super::*;

impl Engine<'_> {
    pub(super) fn current_stats(&self) -> Stats {
        let mut by_site: BTreeMap<(Side, u32), BTreeSet<u64>> = BTreeMap::new();
        for (side, site, way) in &self.ways {
            by_site.entry((*side, *site)).or_default().insert(*way);
        }
        Stats {
            symbolic_sites: by_site.len() as u64,
            flipped_sites: by_site.values().filter(|w| w.len() > 1).count() as u64,
            edges_old: distinct_edges(&self.edges[0]),
            edges_new: distinct_edges(&self.edges[1]),
            seconds: self.started.elapsed().as_secs_f64(),
            ..self.stats.clone()
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { stats: self.current_stats(), unflipped: self.unflipped() }
    }

    fn unflipped(&self) -> Vec<Unflipped> {
        let mut ways: BTreeMap<(Side, u32), u32> = BTreeMap::new();
        for (side, site, _) in &self.ways {
            *ways.entry((*side, *site)).or_default() += 1;
        }
        let once = ways.into_iter().filter(|(_, n)| *n == 1).map(|(branch, _)| branch);
        once.map(|(side, site)| {
            let reason = self.refused.get(&(side, site)).copied();
            Unflipped { side, site, reason: reason.unwrap_or("not tried before the search ended") }
        })
        .collect()
    }

    pub(super) fn finish(self, ended: Ended) -> Outcome {
        let Snapshot { stats, unflipped } = self.snapshot();
        let Engine { records, mind, trouble, escapes, collection, .. } = self;
        // Gigabytes take seconds to free, one path after the other; nobody has to wait for that.
        std::thread::spawn(move || drop(records));
        mind.forget();
        Outcome {
            stats,
            ended,
            trouble,
            unflipped,
            escapes: escapes.into_iter().collect(),
            corpus: collection.all,
        }
    }
}

fn distinct_edges(edges: &BTreeSet<(u32, u8)>) -> u64 {
    edges.iter().map(|e| e.0).collect::<BTreeSet<_>>().len() as u64
}
