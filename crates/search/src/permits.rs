//! How many threads work at a time, whatever they do: workers that run test cases, and threads that answer questions.
//!
//! In: the number of `--jobs`. Out: permits, each given back when it is dropped.
//!
//! Always holds: no more permits are out than there are; a question, for which the engine waits, goes before a run.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct State {
    free: usize,
    /// How many that go first wait.
    first: usize,
}

/// See the module.
pub struct Permits {
    state: Mutex<State>,
    changed: Condvar,
}

/// The right to work, until it is dropped.
pub struct Permit<'p>(&'p Permits);

impl Permits {
    pub fn new(number: usize) -> Permits {
        Permits { state: Mutex::new(State { free: number.max(1), first: 0 }), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Two numbers, which no panic leaves half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a permit.
    pub fn take(&self) -> Permit<'_> {
        let must_wait = |state: &mut State| state.free == 0 || state.first > 0;
        let state = self.changed.wait_while(self.state(), must_wait);
        state.unwrap_or_else(PoisonError::into_inner).free -= 1;
        Permit(self)
    }

    /// The same, before all that use [`Permits::take`].
    pub fn take_first(&self) -> Permit<'_> {
        let mut state = self.state();
        state.first += 1;
        let state = self.changed.wait_while(state, |state| state.free == 0);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        (state.free, state.first) = (state.free - 1, state.first - 1);
        drop(state);
        self.changed.notify_all();
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.state().free += 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    #[test]
    fn no_more_threads_work_than_there_are_permits() {
        let (permits, now, most) = (Permits::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (permits, now, most) = (&permits, &now, &most);
                scope.spawn(move || {
                    for _ in 0..100 {
                        let permit = if number % 2 == 0 { permits.take() } else { permits.take_first() };
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(permit);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn who_goes_first_goes_first() {
        let permits = Permits::new(1);
        let only = permits.take();
        let (sender, order) = channel();
        std::thread::scope(|scope| {
            let (usual, first) = (sender.clone(), sender);
            let permits = &permits;
            scope.spawn(move || {
                let _permit = permits.take_first();
                first.send("first").unwrap();
            });
            while permits.state().first == 0 {
                std::thread::yield_now();
            }
            scope.spawn(move || {
                let _permit = permits.take();
                usual.send("usual").unwrap();
            });
            drop(only);
        });
        assert_eq!(order.into_iter().collect::<Vec<_>>(), ["first", "usual"]);
    }
}
