//! Runs a program on a test case, confined and within limits.
//!
//! In: a native or instrumented [program](Kind), a [`TestCase`], [`Limits`]. Out: a [`Run`]: how it ended, what
//! it printed, which files it made, and, for an instrumented program, the [`Arena`] with its trace.
//!
//! Always holds: a run ends within its limits and leaves no process, but for one of an instrumented program that waits for
//! the next run ([`Options::may_stay`]); it can write only below its own scratch directory, which is fresh for every run; it
//! reaches no network and no foreign process. Where the kernel cannot give that, there is no run, unless
//! [`Options::unconfined`] is set.

mod arena;
mod beneath;
mod confine;
mod disturb;
mod error;
mod executor;
mod filter;
mod home;
mod interrupt;
mod layout;
mod link;
mod litter;
mod memory;
mod place;
mod runner;
mod scratch;
// The loop is the same for native programs, with an `exec` in the child. The file is included rather
// than linked: the runtime library as a whole belongs into instrumented programs only.
#[path = "../../runtime/src/server.rs"]
#[allow(dead_code)]
mod server;
mod stream;
mod streams;
mod sys;
mod testcase;
mod view;
mod warden;

pub use arena::{Arena, ArenaSizes};
pub use error::Error;
pub use executor::{default_environment, Confinement, Executor, Kind, Options, Symbolic};
pub use home::Home;
pub use interrupt::Interrupt;
pub use layout::{Layout, Link};
pub use memory::{trim_memory, used_memory};
pub use runner::runner_main;
pub use stream::Sink;
pub use testcase::{Content, FileChange, Limits, Outcome, Output, Run, TestCase};

/// The hidden subcommand behind which `parallax` must call [`runner_main`].
pub const RUNNER_SUBCOMMAND: &str = "__runner";
