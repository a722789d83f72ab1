//! Models of small C programs: what the loader finds, and what the analyses say of it.
//!
//! In: programs in `programs/`, each compiled as `parallax-cc` does and cleaned up as the instrumenter does.

mod common;
mod distances;
mod flow;
mod graphs;
mod loading;
mod machine;
mod numbers;
mod pointers;
mod preconditions;
mod random_c;
mod reaching;
mod slices;
