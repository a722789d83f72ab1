//! A table of pairs of builds: is what they ship shown to be the same, or not?
//!
//! `differing` has pairs whose programs do, or may do, something else for a reason that is not in the bitcode alone; `outside` must name something for every one of them.
//! Where the programs print or end differently, that is checked as well, so that a pair is what it claims to be. `harmless` has pairs that must be shown to be the same: the
//! first table alone could be satisfied by never saying so.

mod differing;
mod harmless;
mod linking;
mod surroundings;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use parallax_build::{build, outside, Cache, Request, Source, Version};

/// Two versions of a small tree. Each builds the program `p` with its `build.sh`.
pub struct Pair {
    name: String,
    /// Name, content in the old version, content in the new one.
    files: Vec<(&'static str, String, String)>,
    build: [String; 2],
    /// Whether a run without arguments prints or ends differently.
    shows: bool,
}

impl Pair {
    /// The same files, built in two ways.
    pub fn built(name: &str, files: &[(&'static str, &str)], old: &str, new: &str) -> Pair {
        let files = files.iter().map(|(file, content)| (*file, content.to_string(), content.to_string()));
        let build = [old, new].map(str::to_owned);
        Pair { name: name.to_owned(), files: files.collect(), build, shows: false }
    }

    /// The same command, and one file that is another one.
    pub fn changed(
        name: &str,
        files: &[(&'static str, &str)],
        command: &str,
        file: &str,
        content: &str,
    ) -> Pair {
        let mut pair = Pair::built(name, files, command, command);
        let entry = pair.files.iter_mut().find(|entry| entry.0 == file);
        entry.unwrap_or_else(|| panic!("{name}: no {file}")).2 = content.to_owned();
        pair
    }

    /// The programs do something else when they are run with no arguments.
    pub fn shows(self) -> Pair {
        Pair { shows: true, ..self }
    }

    fn version(&self, side: usize, directory: &Path, cache: &Cache) -> Result<Version, String> {
        let tree = directory.join(["old", "new"][side]);
        fs::create_dir_all(&tree).unwrap();
        for (name, old, new) in &self.files {
            let path = tree.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, [old, new][side]).unwrap();
        }
        fs::write(tree.join("build.sh"), format!("set -e\n{}\n", self.build[side])).unwrap();
        let mut request = Request::new(Source::Tree(tree));
        request.wrapper = Some(wrapper());
        request.command = Some("sh build.sh".to_owned());
        request.program = Some("p".to_owned());
        build(&request, cache).map_err(|error| error.to_string())
    }

    /// What is found to differ; an error if the pair is not what it claims to be.
    fn outside(&self, cache: &Cache) -> Result<Vec<String>, String> {
        let directory = tempfile::tempdir().unwrap();
        let old = self.version(0, directory.path(), cache)?;
        let new = self.version(1, directory.path(), cache)?;
        if self.shows && run(&old) == run(&new) {
            return Err(format!("both versions do the same: {}", run(&old)));
        }
        Ok(outside([&old, &new]))
    }
}

/// What a program prints, and how it ends, as text.
fn run(version: &Version) -> String {
    let output =
        Command::new(&version.native).current_dir(version.native.parent().unwrap()).output().unwrap();
    format!("{output:?}")
}

/// Cargo builds the examples of this crate before its tests, beside them.
fn wrapper() -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples/parallax-cc")
}

/// Names of the pairs, with what was found, for which `wrong` says so. They share a cache, so that versions that occur often are built once.
fn failing(pairs: &[Pair], wrong: impl Fn(&[String]) -> bool + Sync) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(directory.path());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let only = std::env::var("PARALLAX_TEST_PAIR").unwrap_or_default();
    let work = || {
        while let Some(pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !pair.name.contains(&only) {
                continue;
            }
            let found = pair.outside(&cache);
            if !only.is_empty() {
                println!("{}: {found:#?}", pair.name);
            }
            if found.as_ref().map_or(true, |found| wrong(found)) {
                failures.lock().unwrap().push(format!("{}: {found:?}", pair.name));
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    failures.into_inner().unwrap()
}

#[test]
fn no_pair_that_differs_is_shown_to_be_the_same() {
    let pairs: Vec<Pair> =
        [differing::pairs(), linking::pairs(), surroundings::pairs()].into_iter().flatten().collect();
    assert!(pairs.len() >= 80, "{} pairs", pairs.len());
    let wrong = failing(&pairs, |found| found.is_empty());
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), pairs.len());
}

#[test]
fn harmless_pairs_are_shown_to_be_the_same() {
    let pairs = harmless::pairs();
    assert!(pairs.len() >= 20, "{} pairs", pairs.len());
    let wrong = failing(&pairs, |found| !found.is_empty());
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), pairs.len());
}
