//! The static library inside instrumented programs.

pub mod server;
