//! The flag that ends everything early.
//!
//! In: Control-C, or a call of [`Interrupt::set`]. Out: [`Interrupt::is_set`], polled by every wait
//! of this crate at least ten times a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

static SIGNALLED: AtomicBool = AtomicBool::new(false);

/// Shared by everyone who gets a clone.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    signals: bool,
}

impl Interrupt {
    /// One that only [`Interrupt::set`] sets.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// One that SIGINT and SIGTERM set too. From then on the second such signal kills as usual.
    pub fn on_signals() -> Interrupt {
        extern "C" fn note(signal: libc::c_int) {
            SIGNALLED.store(true, Ordering::Relaxed);
            // SAFETY: `signal` is async-signal-safe; the default action is always valid.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        let handler = note as extern "C" fn(libc::c_int);
        for signal in [libc::SIGINT, libc::SIGTERM] {
            // SAFETY: the handler only stores to an atomic and calls an async-signal-safe function.
            unsafe { libc::signal(signal, handler as libc::sighandler_t) };
        }
        Interrupt { flag: Arc::default(), signals: true }
    }

    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || (self.signals && SIGNALLED.load(Ordering::Relaxed))
    }
}
