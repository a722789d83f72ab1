//! Which shared objects a version really loads, compared with what its build made.
//!
//! In: native programs with their homes, a seed. Out: the paths of what the loader initialised, at the start and later, in one run.
//!
//! Always holds: the run is confined like every other; a program whose loader says nothing (a static one, another C library) has an empty list.

use crate::error::CliError;
use crate::native::Native;
use crate::natives::Setting;
use parallax_execute::{Content, Executor, FileChange, Kind, Limits, Options, TestCase};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The beginning of the names of files that the loader writes; the process number follows.
const LOG: &str = ".parallax-loaded";
/// Before the path of each object that the loader has loaded.
const INITIALISED: &str = "calling init: ";
/// Before the name of the program, when everything that it needs from the start is there.
const STARTED: &str = "initialize program: ";

/// One version: what it is called, its program.
pub struct Tried<'s> {
    /// `old`, `new` or `golden`.
    pub which: &'static str,
    /// As the user names it.
    pub name: &'s str,
    pub native: &'s Native,
}

/// The part of all the time that the observation of one version may take.
const PART: u32 = 8;

/// What versions load on a test case, and what is wrong with that, in words.
#[derive(Debug, Default)]
pub struct Observed {
    pub loaded: Vec<Vec<PathBuf>>,
    pub warnings: Vec<String>,
}

/// Runs each version once, for no more than a part of all the time there is. An error, if one loads a library that its build made from elsewhere.
pub fn observe(
    sides: &[Tried],
    test: &TestCase,
    limits: &Limits,
    all_time: Duration,
    setting: &Setting,
) -> Result<Observed, CliError> {
    let limits = &Limits { time: limits.time.min(all_time / PART), ..*limits };
    let mut observed = Observed::default();
    for side in sides {
        let loaded = objects_of(side.native, test, limits, setting)?;
        observed.warnings.extend(check(side, &loaded)?);
        observed.loaded.push(loaded);
    }
    Ok(observed)
}

fn objects_of(
    native: &Native,
    test: &TestCase,
    limits: &Limits,
    setting: &Setting,
) -> Result<Vec<PathBuf>, CliError> {
    let tree = parallax_build::tree_of(&native.binary);
    let mut options = Options { tree, ..setting.options() };
    options.env.push((b"LD_DEBUG".to_vec(), b"libs".to_vec()));
    options.env.push((b"LD_DEBUG_OUTPUT".to_vec(), LOG.into()));
    let mut executor = Executor::new(&native.binary, Kind::Native, options)?;
    match executor.run(test, limits) {
        Ok(run) => {
            let program = String::from_utf8_lossy(&setting.argv0);
            Ok(objects(&run.files, &program).iter().map(|path| executor.outside(path)).collect())
        }
        // Said where the seeds are run.
        Err(parallax_execute::Error::TestCase { .. } | parallax_execute::Error::Scratch { .. }) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}

/// All objects that the logs of this program name. What other programs load that it starts (a shell) is theirs.
fn objects(files: &[FileChange], program: &str) -> Vec<PathBuf> {
    let own = format!("{STARTED}{program}");
    let mut found = BTreeSet::new();
    for file in files {
        let FileChange::Created { path, content: Content::File(output), .. } = file else { continue };
        if path.to_string_lossy().starts_with(LOG) {
            let text = String::from_utf8_lossy(&output.bytes);
            if !text.lines().any(|line| line.ends_with(&own)) {
                continue;
            }
            let paths =
                text.lines().filter_map(|line| line.split_once(INITIALISED)).map(|(_, path)| path.trim());
            found.extend(paths.filter(|path| path.starts_with('/')).map(PathBuf::from));
        }
    }
    found.into_iter().collect()
}

/// Whether a version loaded what its build made. An error, if a library that it is linked with is another one; words for the user, if it is one that
/// it opened while it ran.
fn check(side: &Tried, loaded: &[PathBuf]) -> Result<Vec<String>, CliError> {
    let mut warnings = Vec::new();
    for (path, object) in side.native.home.strangers(loaded) {
        let text = described(side, path, &object.path);
        if object.needed {
            return Err(CliError::Stranger(text));
        }
        warnings.push(text);
    }
    Ok(warnings)
}

fn described(side: &Tried, path: &Path, built: &Path) -> String {
    format!(
        "the {} version ({}) loads {}, not {} of its own build",
        side.which,
        side.name,
        path.display(),
        built.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_execute::Output;

    #[test]
    fn objects_of_the_program_are_found_and_nothing_else() {
        let log = |name: &str, text: &str| FileChange::Created {
            path: name.into(),
            mode: 0o644,
            content: Content::File(Output { bytes: text.into(), truncated: false }),
        };
        let files = [
            log(
                ".parallax-loaded.7",
                "      7:\tfind library=libx.so.1 [0]; searching\n      7:\tcalling init: /t/libx.so.1\n      7:\tinitialize program: x\n",
            ),
            log(".parallax-loaded.8", "      8:\tcalling init: /lib/libc.so.6\n      8:\tinitialize program: sh\n"),
            log("other", "calling init: /no\ninitialize program: x\n"),
        ];
        assert_eq!(objects(&files, "x"), [PathBuf::from("/t/libx.so.1")]);
    }
}
