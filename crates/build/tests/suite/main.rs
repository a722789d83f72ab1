//! Tests that compile: one program, so that the helpers are compiled once.

mod collected_programs;
mod products;
mod sources;
mod stale;
mod support;
mod wrapper_transparency;
