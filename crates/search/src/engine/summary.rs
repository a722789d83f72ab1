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

    pub(super) fn finish(self, ended: Ended) -> Outcome {
        let stats = self.current_stats();
        let mut ways: BTreeMap<(Side, u32), u32> = BTreeMap::new();
        for (side, site, _) in &self.ways {
            *ways.entry((*side, *site)).or_default() += 1;
        }
        let unflipped = ways
            .into_iter()
            .filter(|(_, n)| *n == 1)
            .map(|((side, site), _)| Unflipped {
                side,
                site,
                reason: self
                    .refused
                    .get(&(side, site))
                    .copied()
                    .unwrap_or("not tried before the search ended"),
            })
            .collect();
        Outcome {
            stats,
            ended,
            trouble: self.trouble,
            unflipped,
            escapes: self.escapes.into_iter().collect(),
            corpus: self.collection.all,
        }
    }
}

fn distinct_edges(edges: &BTreeSet<(u32, u8)>) -> u64 {
    edges.iter().map(|e| e.0).collect::<BTreeSet<_>>().len() as u64
}
