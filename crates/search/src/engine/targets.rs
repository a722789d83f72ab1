//! Which targets were executed first by which test case.
//!
//! In: for every target the edges of the new version's map that lead into it; the edges that each run took. Out: the targets that a run is the
//! first to execute.
//!
//! Always holds: runs are taken in the order in which they were proposed, so the same command names the same test for a target; a target that
//! was reached stays so.

use super::*;

/// The targets of a search.
pub(super) struct Targets {
    /// By edge of the new version's map: the targets that it leads into.
    by_edge: HashMap<u32, Vec<usize>>,
    reached: Vec<bool>,
    left: usize,
}

impl Targets {
    pub(super) fn new(edges: &[Vec<u32>]) -> Targets {
        let mut by_edge: HashMap<u32, Vec<usize>> = HashMap::new();
        for (target, edges) in edges.iter().enumerate() {
            for edge in edges {
                by_edge.entry(*edge).or_default().push(target);
            }
        }
        Targets { by_edge, reached: vec![false; edges.len()], left: edges.len() }
    }

    /// The targets that were never executed before, in their order.
    fn note(&mut self, taken: impl Iterator<Item = (u32, u8)>) -> Vec<usize> {
        if self.left == 0 {
            return vec![];
        }
        let mut first = Vec::new();
        for (edge, _) in taken {
            for target in self.by_edge.get(&edge).into_iter().flatten() {
                if !std::mem::replace(&mut self.reached[*target], true) {
                    first.push(*target);
                }
            }
        }
        self.left -= first.len();
        first.sort_unstable();
        first
    }

    pub(super) fn count(&self) -> (u64, u64) {
        (self.reached.len() as u64, (self.reached.len() - self.left) as u64)
    }

    fn are_all_reached(&self) -> bool {
        self.left == 0
    }
}

impl Engine<'_> {
    /// Tells of the targets that a run is the first to execute.
    pub(super) fn note_targets(
        &mut self,
        test: &TestCase,
        purpose: &Purpose,
        taken: impl Iterator<Item = (u32, u8)>,
    ) {
        let targets = self.targets.note(taken);
        if targets.is_empty() {
            return;
        }
        let reached = Reached {
            test: test.clone(),
            targets,
            is_seed: purpose.is_seed,
            after: self.clock.started.elapsed(),
            runs: self.taken as u64,
            strategies: self.chain(purpose.made),
        };
        (self.watch)(Progress::Reached(reached));
    }

    /// Is the search over because it had to reach targets only, and has?
    pub(super) fn has_reached_all(&self) -> bool {
        self.settings.until_reached && self.targets.are_all_reached()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_new_once_whichever_of_its_edges_is_taken() {
        let mut targets = Targets::new(&[vec![1, 2], vec![2, 3], vec![4]]);
        assert_eq!(targets.note([(7, 1)].into_iter()), []);
        assert_eq!(targets.note([(3, 1), (2, 1)].into_iter()), [0, 1]);
        assert_eq!(targets.note([(1, 1), (2, 9)].into_iter()), []);
        assert_eq!((targets.count(), targets.are_all_reached()), ((3, 2), false));
        assert_eq!(targets.note([(4, 1)].into_iter()), [2]);
        assert!(targets.are_all_reached());
    }
}
