//! Linking the instrumented object with the runtime and the program's own libraries.

use crate::cx::Result;
use crate::error::Error;
use crate::Options;
use parallax_build::{observe, BuildError, Inputs};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// The models of libc functions, as bitcode (made by build.rs).
pub const MODELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/models.bc"));
/// The runtime as a static library (made by build.rs).
pub const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libparallax_runtime.a"));

/// Link `object` and the instrumented models, if any, into `program`; says which files the linker looked at, if that could be seen.
pub fn link(
    object: &Path,
    models: Option<&Path>,
    program: &Path,
    options: &Options,
) -> Result<Option<Inputs>> {
    let runtime = object.with_file_name("libparallax_runtime.a");
    std::fs::write(&runtime, RUNTIME).map_err(Error::io(&runtime))?;
    let messages = object.with_file_name("messages");
    let driver = if options.cxx { "clang++-19" } else { "clang-19" };
    let command = || {
        let mut command = Command::new(driver);
        command.args(["-fuse-ld=lld-19", "-pie", "-Wl,-z,now", "-o"]).arg(program).arg(object);
        // Before the program's libraries: some bring a `main` of their own (libl).
        // The real functions of math.h before those that Rust brings along under the same names, which know one rounding mode.
        command.args(models).arg("-lm").arg(&runtime).args(&options.link_arguments);
        command.args(["-lpthread", "-ldl", "-lm"]);
        let messages = File::create(&messages)?;
        command.stdin(Stdio::null()).stdout(messages.try_clone()?).stderr(messages);
        Ok(command)
    };
    let began = SystemTime::now();
    let linked = observe::run(&command, &|| false)
        .map_err(|e| Error::Tool { tool: driver.into(), message: e.to_string() })?;
    let output = std::fs::read(&messages).map_err(Error::io(&messages))?;
    for made in [&runtime, &messages] {
        std::fs::remove_file(made).map_err(Error::io(made))?;
    }
    if !linked.status.success() {
        if String::from_utf8_lossy(&output).contains("No space left on device") {
            let detail = String::from_utf8_lossy(&output).into_owned();
            return Err(BuildError::NoRoom { path: options.cache.clone(), detail }.into());
        }
        let command = command().map(|command| format!("{command:?}")).unwrap_or_default();
        return Err(Error::Link { command, output: String::from_utf8_lossy(&output).into_owned() });
    }
    Ok(linked.seen.and_then(|seen| Inputs::of(&seen, &options.cache, began)))
}
