//! Tells whether the two versions did the same on a test case, and how they differ.
//!
//! In: runs of the native binaries, through a [`Runner`]. Out: a [`Judgement`]: same, different in the way that a
//! [`Case`] describes, or not repeatable; smaller test cases that are different in the same way; from traces, the cause.
//!
//! Always holds: nothing here starts a process. A difference is only reported if it showed again every time it was
//! tried, in what of both versions is the same each time.

mod aspect;
mod cause;
mod confirm;
mod constants;
mod entry;
mod expected;
mod golden;
mod judge;
mod lines_moved;
mod mask;
mod minimise;
mod needed;
mod profiles;
mod rules;
mod signature;
mod stability;
mod wording;

pub use aspect::{Aspect, Aspects, UnknownAspect};
pub use cause::{Causes, Region, Seen, OR};
pub use entry::{describe, look, Change, Class as ChangeClass, Root};
pub use expected::{Expectations, Expected};
pub use golden::{classify, Class};
pub use judge::{judge, Case, Flaky, Judgement, Room, Runner, Trial, Which, CONFIRMATIONS};
pub use mask::Unstable;
pub use minimise::{minimise, Step};
pub use needed::{needed, Needed, Pieces, Tried};
pub use profiles::Profiler;
pub use rules::{Rules, RulesError};
pub use signature::words_of;
pub use stability::unstable;
