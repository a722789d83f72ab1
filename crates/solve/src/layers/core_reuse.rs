//! A query that contains a known contradiction is unsat.
//!
//! In: a query. Out: unsat with a core seen before, or the answer from below, whose core is remembered.

use crate::query::{Answer, Budget, Constraint, Query};
use crate::stack::{Below, Layer};
use rustc_hash::FxHashMap;

/// See the module.
pub struct CoreReuse {
    /// Cores by their newest constraint, the one that a query is least likely to have by chance.
    cores: FxHashMap<Constraint, Vec<Vec<Constraint>>>,
    count: usize,
    keep: usize,
}

impl CoreReuse {
    pub fn new(keep: usize) -> CoreReuse {
        CoreReuse { cores: FxHashMap::default(), count: 0, keep }
    }

    fn known(&self, query: &Query) -> Option<Vec<usize>> {
        let numbers: FxHashMap<Constraint, usize> =
            query.constraints.iter().enumerate().map(|(number, c)| (*c, number)).collect();
        let candidates = query.constraints.iter().filter_map(|c| self.cores.get(c)).flatten();
        let mut found = candidates.filter_map(|core| {
            let found: Option<Vec<usize>> = core.iter().map(|c| numbers.get(c).copied()).collect();
            found
        });
        let mut core = found.next()?;
        core.sort_unstable();
        Some(core)
    }

    fn remember(&mut self, query: &Query, core: &[usize]) {
        if self.count >= self.keep {
            self.forget();
        }
        let core: Vec<Constraint> = core.iter().map(|i| query.constraints[*i]).collect();
        if let Some(newest) = core.iter().max().copied() {
            self.cores.entry(newest).or_default().push(core);
            self.count += 1;
        }
    }
}

impl Layer for CoreReuse {
    fn name(&self) -> &'static str {
        "core reuse"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        if let Some(core) = self.known(query) {
            return Answer::Unsat(core);
        }
        let answer = below.check(query, budget);
        if let Answer::Unsat(core) = &answer {
            self.remember(query, core);
        }
        answer
    }

    fn forget(&mut self) {
        self.cores.clear();
        self.count = 0;
    }
}
