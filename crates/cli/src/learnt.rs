//! What counts as a difference, as far as is known now.
//!
//! In: rules, and what turns out to be unstable while the search goes on. Out: rules that leave it out, for all that is judged from
//! then on: by every worker, while tests are made smaller, and by the golden version.
//!
//! Always holds: rules only ever get looser.

use parallax_oracle::{Rules, Unstable, Which};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rules that all workers share.
pub struct LearntRules {
    state: Mutex<State>,
}

struct State {
    rules: Arc<Rules>,
    parts: Vec<(Which, Unstable)>,
}

impl LearntRules {
    pub fn new(rules: Rules) -> LearntRules {
        LearntRules { state: Mutex::new(State { rules: Arc::new(rules), parts: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn now(&self) -> Arc<Rules> {
        self.state().rules.clone()
    }

    /// From now on nobody looks at lines that turned out to vary. A part that nothing tells from others is looked at again: that
    /// it varies on one input says nothing about the same place of the output on another.
    pub fn learn(&self, unstable: &[(Which, Unstable)]) {
        let mut state = self.state();
        for found in unstable.iter().filter(|(_, part)| part.holds_elsewhere()) {
            Arc::make_mut(&mut state.rules).leave_out(&found.1);
            if !state.parts.contains(found) {
                state.parts.push(found.clone());
            }
        }
    }

    /// What was learnt so far.
    pub fn parts(&self) -> Vec<(Which, Unstable)> {
        self.state().parts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_execute::{Outcome, Output, Run};
    use std::time::Duration;

    fn printed(text: &str) -> Run {
        Run {
            outcome: Outcome::Exited(0),
            stdout: Output { bytes: text.into(), truncated: false },
            stderr: Output::default(),
            files: vec![],
            files_truncated: false,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    /// What is learnt from two runs of one version.
    fn after(first: &str, second: &str) -> LearntRules {
        let learnt = LearntRules::new(Rules::default());
        let parts = parallax_oracle::unstable(&learnt.now(), &printed(first), &printed(second));
        learnt.learn(&parts.into_iter().map(|part| (Which::Old, part)).collect::<Vec<_>>());
        learnt
    }

    #[test]
    fn a_line_that_a_word_tells_from_others_is_left_out_on_every_input() {
        let learnt = after("at 0x7f01\n", "at 0x7f02\n");
        let differ = |old: &str, new: &str| !learnt.now().differing(&printed(old), &printed(new)).is_empty();
        assert!(!differ("sum 3\nat 0x55aa\n", "sum 3\nat 0x55ab\n"));
        assert!(differ("sum 3\nat 0x55aa\n", "sum 4\nat 0x55aa\n"));
        assert_eq!(learnt.parts().len(), 1);
    }

    #[test]
    fn what_nothing_tells_from_others_is_looked_at_again() {
        for (first, second) in [("17\n", "18\n"), ("a\nb\n", "b\na\n"), ("one\n", "one\ntwo\n")] {
            let learnt = after(first, second);
            assert!(!learnt.now().differing(&printed(first), &printed(second)).is_empty(), "{first:?}");
            assert!(learnt.parts().is_empty());
        }
    }
}
