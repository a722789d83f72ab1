//! How long instrumenting takes: CPU time for each mode, for bitcode files named on the command line (by default the
//! subjects of the other benchmarks).

use parallax_bench::{table, Result};
use parallax_instrument::{instrument, Mode, Options, Watch};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn main() -> Result<()> {
    println!("{}\n", parallax_bench::machine());
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        files = ["compress", "sha256", "interpreter", "settings"]
            .map(parallax_bench::subject::bitcode)
            .into_iter()
            .collect::<Result<_>>()?;
    }
    let mut rows = Vec::new();
    // The models are instrumented once for every Parallax: not part of anybody's time.
    time(&files[0], Mode::Symbolic)?;
    for file in &files {
        let [coverage, symbolic] = [Mode::Coverage, Mode::Symbolic].map(|mode| time(file, mode));
        rows.push(vec![
            file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            format!("{}", std::fs::metadata(file)?.len() >> 10),
            format!("{:.2}", coverage?.as_secs_f64()),
            format!("{:.2}", symbolic?.as_secs_f64()),
        ]);
    }
    table::print(&["bitcode", "KiB", "coverage, CPU s", "symbolic, CPU s"], &rows);
    Ok(())
}

/// CPU time of this process. What the linker takes is its own; a link that fails, because libraries are not named here,
/// comes after everything that is measured.
fn time(bitcode: &Path, mode: Mode) -> Result<Duration> {
    let cache = std::env::temp_dir().join("parallax-bench");
    let scratch = cache.join("instrumented");
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch)?;
    }
    let options = Options {
        bitcode: bitcode.into(),
        link_arguments: vec![],
        cxx: false,
        mode,
        watch: Watch::default(),
        cache,
    };
    let before = cpu()?;
    match instrument(&options) {
        Ok(_) | Err(parallax_instrument::Error::Link { .. }) => Ok(cpu()? - before),
        Err(error) => Err(error.into()),
    }
}

fn cpu() -> Result<Duration> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF)?;
    let time =
        |t: nix::sys::time::TimeVal| Duration::from_micros((t.tv_sec() * 1_000_000 + t.tv_usec()) as u64);
    Ok(time(usage.user_time()) + time(usage.system_time()))
}
