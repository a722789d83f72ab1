//! From sources and a build command to a [`Version`]: native binary, whole-program bitcode and
//! link line.
//!
//! In: a C file, a source tree, a git revision, optionally a patch; a build command.
//! Out: a [`Version`], or a [`BuildError`] that says what went wrong, where, and what to do.
//!
//! What always holds: the user's sources and repository are never written; a cache entry is
//! complete or not there; every object of a program that has no bitcode is listed with the reason.
//!
//! Two halves meet in one ELF section. During the build, [`wrapper`] stands in for the compiler and
//! leaves [`record`]s in every object; afterwards [`collect()`] reads them back from the linked
//! executable. [`build()`] prepares the tree, runs the build command, and collects.

pub mod args;
mod beside;
pub mod bitcode;
pub mod build;
pub mod cache;
pub mod collect;
pub mod coverage;
mod drive;
pub mod elf;
mod elsewhere;
mod entry;
mod environment;
pub mod error;
mod extra;
mod git;
mod home;
mod image;
mod inputs;
mod library;
pub mod link;
mod living;
mod looked;
mod module;
pub mod observe;
mod origin;
mod outside;
mod precheck;
mod product;
pub mod record;
pub mod sealed;
mod shipped;
pub mod source;
pub mod storage;
pub mod tools;
mod tree;
pub mod wrapper;

pub use build::{build, Request, Started, Stop};
pub use cache::Cache;
pub use collect::{collect, see_through, MissingBitcode, Version};
pub use drive::{drive, Drive};
pub use error::BuildError;
pub use extra::Extra;
pub use git::{commit, commits, is_clean, merge_base, Commit, MergeBase};
pub use home::{Home, SharedObject};
pub use link::{LinkItem, LinkLine};
pub use looked::Inputs;
pub use observe::dies_with_us;
pub use origin::tree_of;
pub use outside::{is_shared, names_outside};
pub use precheck::check;
pub use product::is_probe;
pub use shipped::outside;
pub use source::{command_for_copy, export, quote, Source};
pub use tools::Language;
