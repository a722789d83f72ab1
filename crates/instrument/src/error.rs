//! What can go wrong while instrumenting, in words for a user.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read the bitcode {path}: {message}\n  build the program again with parallax-cc")]
    Bitcode { path: PathBuf, message: String },
    #[error("the program has no function `main`: a library cannot be instrumented on its own\n  name an executable with --program")]
    NoMain,
    #[error("LLVM refused the pass pipeline `{pipeline}`: {message}")]
    Passes { pipeline: String, message: String },
    #[error("instrumented code is not valid LLVM IR (a bug in Parallax): {0}")]
    Invalid(String),
    #[error("building an instruction failed (a bug in Parallax): {0}")]
    Builder(#[from] inkwell::builder::BuilderError),
    #[error("LLVM could not make an object file: {0}")]
    Codegen(String),
    #[error("linking the instrumented program failed\n  command: {command}\n{output}")]
    Link { command: String, output: String },
    #[error("{tool} could not be started: {message}\n  `parallax doctor` tells what is missing")]
    Tool { tool: String, message: String },
    #[error(transparent)]
    Cache(#[from] parallax_build::BuildError),
    #[error("{path}: {message}")]
    Io { path: PathBuf, message: String },
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| parallax_build::BuildError::File { path, source }.into()
    }
}
