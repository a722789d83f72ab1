//! The static library inside instrumented programs.
