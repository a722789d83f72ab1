//! Followed runs of pairs of small programs, against what the programs themselves print of their state.

mod clear_outcomes;
mod mutants;
mod support;
