//! Linking the instrumented object with the runtime and the program's own libraries.

use crate::cx::Result;
use crate::error::Error;
use crate::Options;
use std::path::Path;
use std::process::Command;

/// The models of libc functions, as bitcode (made by build.rs).
pub const MODELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/models.bc"));
/// The runtime as a static library (made by build.rs).
pub const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libparallax_runtime.a"));

/// Link `object` and the instrumented models, if any, into `program`.
pub fn link(object: &Path, models: Option<&Path>, program: &Path, options: &Options) -> Result<()> {
    let runtime = object.with_file_name("libparallax_runtime.a");
    std::fs::write(&runtime, RUNTIME).map_err(Error::io(&runtime))?;
    let driver = if options.cxx { "clang++-19" } else { "clang-19" };
    let mut command = Command::new(driver);
    command.args(["-fuse-ld=lld-19", "-pie", "-Wl,-z,now", "-o"]).arg(program).arg(object);
    // Before the program's libraries: some bring a `main` of their own (libl).
    command.args(models).arg(&runtime).args(&options.link_arguments);
    command.args(["-lpthread", "-ldl", "-lm"]);
    let output = command.output().map_err(|e| Error::Tool { tool: driver.into(), message: e.to_string() })?;
    std::fs::remove_file(&runtime).map_err(Error::io(&runtime))?;
    if !output.status.success() {
        return Err(Error::Link {
            command: format!("{command:?}"),
            output: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    }
    Ok(())
}
