//! Pairs of small C programs, compiled as `parallax-cc` does and cleaned up as the instrumenter does: what changed?

mod aligned;
mod common;
mod formats;
mod found;
mod large;
mod meeting;
#[path = "../../../../bench/src/reformat.rs"]
mod reformat;
mod regions;
mod renamed;
mod sequences;
mod unchanged;
mod worked;
