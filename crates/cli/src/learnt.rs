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
