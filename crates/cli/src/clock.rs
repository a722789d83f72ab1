//! The time of a comparison: one value that every step looks at.
//!
//! In: the limit (`--time`), and when it counts: it does while programs are run, searched and written about, and does not while they are
//! built and instrumented. Out: the moment at which everything has to be over, and whether the search is to be waited for any longer.
//!
//! Always holds: the parts of the time that count add up to the limit at most.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after the deadline a search is waited for that does not end by itself. What is left of a second is for the report.
const PATIENCE: Duration = Duration::from_millis(250);
/// How often a wait looks at the clock.
const POLL: Duration = Duration::from_millis(20);

#[derive(Clone, Copy)]
enum State {
    /// It does not count now; so much is left.
    Stopped(Duration),
    /// It counts, and ends then.
    Until(Instant),
}

/// What a wait for the search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// It ended by itself.
    Over,
    /// It did not, and the time was up.
    Late,
    /// It did not, and the memory was used up.
    NoMemory,
}

/// See the module.
pub struct Clock {
    state: Mutex<State>,
}

impl Clock {
    /// It stands still at first.
    pub fn new(limit: Duration) -> Clock {
        Clock { state: Mutex::new(State::Stopped(limit)) }
    }

    /// From now on the time counts. Gives the deadline.
    pub fn start(&self) -> Instant {
        let mut state = self.state();
        let deadline = match *state {
            State::Stopped(left) => Instant::now() + left,
            State::Until(deadline) => deadline,
        };
        *state = State::Until(deadline);
        deadline
    }

    /// What follows does not count.
    pub fn stop(&self) {
        let mut state = self.state();
        if let State::Until(deadline) = *state {
            *state = State::Stopped(deadline.saturating_duration_since(Instant::now()));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_overdue(&self) -> bool {
        match *self.state() {
            State::Stopped(_) => false,
            State::Until(deadline) => Instant::now() >= deadline + PATIENCE,
        }
    }

    /// Waits until the other end is gone, the time is up and a little more, or the memory is.
    pub fn wait(&self, over: &Receiver<()>, is_memory_used_up: impl Fn() -> bool) -> Waited {
        loop {
            match over.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) if self.is_overdue() => return Waited::Late,
                Err(RecvTimeoutError::Timeout) if is_memory_used_up() => return Waited::NoMemory,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return Waited::Over,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn what_does_not_count_moves_the_deadline() {
        let clock = Clock::new(Duration::from_secs(60));
        let first = clock.start();
        assert_eq!(clock.start(), first, "it counts already");
        clock.stop();
        std::thread::sleep(Duration::from_millis(30));
        let second = clock.start();
        assert!(second >= first + Duration::from_millis(30), "{:?}", second - first);
        assert!(second < first + Duration::from_secs(30));
    }

    #[test]
    fn a_search_is_waited_for_until_it_ends_or_the_time_is_up() {
        let (sender, over) = channel();
        let clock = Clock::new(Duration::from_millis(1));
        clock.start();
        assert_eq!(clock.wait(&over, || false), Waited::Late, "the sender is still there");
        let patient = Clock::new(Duration::from_secs(60));
        patient.start();
        assert_eq!(patient.wait(&over, || true), Waited::NoMemory);
        drop(sender);
        assert_eq!(clock.wait(&over, || true), Waited::Over);
    }

    #[test]
    fn a_clock_that_stands_still_is_never_late() {
        let clock = Clock::new(Duration::from_millis(1));
        clock.start();
        std::thread::sleep(PATIENCE + Duration::from_millis(10));
        assert!(clock.is_overdue());
        clock.stop();
        assert!(!clock.is_overdue());
    }
}
