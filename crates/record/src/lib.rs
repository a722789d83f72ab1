//! Runs a test suite and turns every invocation of a program in it into a test case.
//!
//! In: a command, the tree it belongs to, the programs to watch. Out: [`Invocation`]s while the suite runs, in the order in which they end: what each was given
//! and what it did; and from an invocation a [`TestCase`](parallax_execute::TestCase) that means the same in any directory ([`portable`]).
//!
//! Nothing is put in the place of the programs. The suite is traced (`ptrace`), and a process that executes one of the programs, under whatever name and from
//! whatever copy, is followed call by call: what it reads from standard input, which files it names and how they were before it did, what it prints (decision 0032).
//!
//! Always holds: the tree is not written: the suite runs in a mount namespace in which a private copy lies at the place of the tree. No process of the suite
//! outlives the call, nor this process, whatever ends it: all are traced, and the kernel kills what is traced when the tracer goes away. A program reads its
//! standard input itself, at its own pace: nothing is read ahead of it.

mod calls;
mod environment;
mod invocation;
mod look;
mod meet;
mod memory;
mod open;
mod portable;
mod programs;
mod resume;
mod rewrite;
mod stage;
mod suite;
mod tracer;
mod tree;

pub use environment::{differing, Image, Unkept, Variables};
pub use invocation::{Ended, Invocation, Met, Oddity, Source, Stdin, Stream};
pub use portable::{called, portable, Expected, Extent, NotPortable, Portable};
pub use programs::Wanted;
pub use rewrite::without_dots;
pub use stage::{stage_main, STAGE_SUBCOMMAND};
pub use suite::{run, Error, Finished, Suite};
pub use tree::{copy, CopyError, CopyLimits};
