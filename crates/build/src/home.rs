//! What a program finds of its own build when it runs: shared libraries, plugins, helper programs.
//!
//! In: a program and the directory of its build. Out: a [`Home`]: where the loader and `PATH` have to look first, so that the program meets what its build made and not
//! what is installed on this machine.
//! What always holds: only directories with shared objects that the wrapper made, or that the program was linked with, are named; where the program's own run
//! paths lead to all of them, none is.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::args::Invocation;
use crate::elf::{self, FileKind};
use crate::error::{AtPath, BuildError};
use crate::product;
use crate::record::{decode, LinkRecord, LINK_SECTION, OBJECT_SECTION};

/// Where a program runs from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// Directories for `LD_LIBRARY_PATH`.
    pub library_path: Vec<PathBuf>,
    /// Directories that come first in `PATH`.
    pub path: Vec<PathBuf>,
    /// Shared objects that the build made.
    pub shared: Vec<SharedObject>,
}

/// A shared library or plugin of the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedObject {
    /// The name under which the loader knows it.
    pub name: String,
    pub path: PathBuf,
    /// The program or one of its libraries is linked with it.
    pub needed: bool,
}

impl Home {
    /// `called`: the program as the user calls it, perhaps a script of libtool. `aliases`: a directory for links to libraries that do not lie under the name that the loader
    /// looks for; made if there is one.
    pub(crate) fn of(native: &Path, called: &Path, root: &Path, aliases: &Path) -> Result<Home, BuildError> {
        let content = fs::read(native).at(native)?;
        let mut search =
            Search { found: found_in(root), links: link_directories(&content), ..Search::default() };
        search.linked_files(&content);
        let mut home = Home { path: directories_of([native, called]), ..Home::default() };
        if elf::is_dynamic(&content) {
            search.follow(native, &content, aliases)?;
            home.library_path = search.library_path();
        }
        home.shared = search.found.into_iter().map(|found| found.object).collect();
        Ok(home)
    }

    /// Of a program that somebody else built: what the script that libtool left in its place sets, and what lies beside it.
    pub fn of_program(program: &Path) -> Result<Home, BuildError> {
        let native = crate::collect::see_through(program)?;
        let script = fs::read(program).unwrap_or_default();
        let mut home =
            Home { library_path: script_path(&String::from_utf8_lossy(&script)), ..Home::default() };
        let called = std::path::absolute(program).at(program)?;
        home.path = directories_of([&native, &called]);
        let content = fs::read(&native).at(&native)?;
        let mut search = Search { links: link_directories(&content), ..Search::default() };
        search.linked_files(&content);
        for directory in home.library_path.iter().chain(&home.path) {
            search.found.extend(found_beside(directory));
        }
        if elf::is_dynamic(&content) {
            // An alias would be a file in the user's directories.
            search.follow(&native, &content, Path::new(""))?;
            let found = search.library_path().into_iter().filter(|d| !home.library_path.contains(d));
            let found: Vec<_> = found.collect();
            home.library_path.extend(found);
        }
        home.shared = search.found.into_iter().map(|found| found.object).collect();
        Ok(home)
    }

    /// The environment of a run, on top of the usual one; `path` is the usual `PATH`.
    pub fn environment(&self, path: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let joined = |directories: &[PathBuf]| {
            let names: Vec<OsString> = directories.iter().map(|d| d.clone().into_os_string()).collect();
            names.join(OsString::from(":").as_os_str()).into_encoded_bytes()
        };
        let mut environment = Vec::new();
        if !self.path.is_empty() {
            environment.push((b"PATH".to_vec(), [&joined(&self.path), &b":"[..], path].concat()));
        }
        if !self.library_path.is_empty() {
            environment.push((b"LD_LIBRARY_PATH".to_vec(), joined(&self.library_path)));
        }
        environment
    }

    /// Objects that were loaded from elsewhere although the build made one of that name: what was loaded, and what was built.
    pub fn strangers<'h>(&'h self, loaded: &'h [PathBuf]) -> Vec<(&'h Path, &'h SharedObject)> {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let own: BTreeSet<PathBuf> = self.shared.iter().map(|object| real(&object.path)).collect();
        let mut strangers = Vec::new();
        for path in loaded.iter().filter(|path| !own.contains(&real(path))) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let same =
                |object: &&SharedObject| object.name == name || object.path.file_name() == path.file_name();
            strangers.extend(self.shared.iter().find(same).map(|object| (path.as_path(), object)));
        }
        strangers
    }
}

/// Where two files lie, each directory once.
fn directories_of(files: [&Path; 2]) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = Vec::new();
    for directory in files.into_iter().filter_map(Path::parent) {
        if !directories.iter().any(|known| known == directory) {
            directories.push(directory.to_path_buf());
        }
    }
    directories
}

/// A shared object and what is asked about it.
struct Found {
    object: SharedObject,
    /// Made by the wrapper in this build, not brought along.
    made: bool,
    /// A loader that follows run paths finds it.
    by_itself: bool,
    /// Where it lies under its own name, if not beside itself.
    alias: Option<PathBuf>,
}

#[derive(Default)]
struct Search {
    found: Vec<Found>,
    /// Directories that the program's link line names.
    links: Vec<PathBuf>,
}

impl Search {
    /// Shared objects that the link line names by their path.
    fn linked_files(&mut self, content: &[u8]) {
        for record in link_records(content) {
            let invocation = Invocation::parse(&record.arguments);
            let directory = Path::new(&record.directory);
            let inputs = invocation.arguments.iter().filter(|a| a.role == crate::args::Role::LinkInput);
            for path in inputs.map(|a| directory.join(a.head())) {
                let real = fs::canonicalize(&path).unwrap_or(path);
                let known = self.found.iter().any(|found| found.object.path == real);
                self.found.extend(found_at(&real).filter(|_| !known));
                self.links.extend(real.parent().map(Path::to_path_buf));
            }
        }
    }

    /// Marks what a program or library needs, and what that needs in turn.
    fn follow(&mut self, path: &Path, content: &[u8], aliases: &Path) -> Result<(), BuildError> {
        let run_paths = elf::run_paths(content, path.parent().unwrap_or(Path::new("/")));
        for name in elf::needed(content) {
            let Some(index) = self.choose(&name) else { continue };
            let found = &mut self.found[index];
            if std::mem::replace(&mut found.object.needed, true) {
                continue;
            }
            let own = found.object.path.clone();
            let place = |directory: &Path| fs::canonicalize(directory.join(&name)).ok();
            found.by_itself = run_paths.iter().find_map(|directory| place(directory)).as_ref() == Some(&own);
            let beside = own.parent().is_some_and(|directory| directory.join(&name).exists());
            if !beside && !aliases.as_os_str().is_empty() {
                fs::create_dir_all(aliases).at(aliases)?;
                let alias = aliases.join(&name);
                let _ = fs::remove_file(&alias);
                std::os::unix::fs::symlink(&own, &alias).at(&alias)?;
                found.alias = Some(aliases.to_path_buf());
            }
            let content = fs::read(&own).at(&own)?;
            self.follow(&own, &content, aliases)?;
        }
        Ok(())
    }

    /// The object that is meant by a name: of several the one that the program was linked with, else the one that is the least deep in the tree.
    fn choose(&self, name: &str) -> Option<usize> {
        let named = |found: &Found| {
            found.object.name == name || found.object.path.file_name() == Some(std::ffi::OsStr::new(name))
        };
        let linked = |found: &Found| {
            let directory = found.object.path.parent().unwrap_or(Path::new(""));
            self.links.iter().any(|link| link == directory)
        };
        let candidates = self.found.iter().enumerate().filter(|(_, found)| named(found));
        let rank = |found: &Found| (!linked(found), found.object.path.components().count());
        candidates.min_by_key(|(_, found)| rank(found)).map(|(index, _)| index)
    }

    /// Directories of what the program needs, then of what it may load while it runs. Nothing, if it finds all of that by itself.
    fn library_path(&self) -> Vec<PathBuf> {
        if self.found.iter().all(|found| found.by_itself || !(found.object.needed || found.made)) {
            return Vec::new();
        }
        let mut directories: Vec<PathBuf> = Vec::new();
        let needed = self.found.iter().filter(|found| found.object.needed);
        let others = self.found.iter().filter(|found| !found.object.needed && found.made);
        for found in needed.chain(others) {
            let directory = found.alias.clone().or(found.object.path.parent().map(Path::to_path_buf));
            if let Some(directory) = directory.filter(|directory| !directories.contains(directory)) {
                directories.push(directory);
            }
        }
        directories
    }
}

/// The shared objects below a directory.
fn found_in(root: &Path) -> Vec<Found> {
    product::files_in(root)
        .filter(|path| !product::is_probe(path, root))
        .filter_map(|path| found_at(&path))
        .collect()
}

/// The shared objects in a directory.
fn found_beside(directory: &Path) -> Vec<Found> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> =
        entries.filter(|e| e.file_type().is_ok_and(|kind| kind.is_file())).map(|e| e.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| found_at(path)).collect()
}

fn found_at(path: &Path) -> Option<Found> {
    if !product::is_named_as_shared(path) {
        return None;
    }
    let path = fs::canonicalize(path).ok()?;
    let content = fs::read(&path).ok()?;
    if elf::kind_of(&content) != FileKind::Shared {
        return None;
    }
    let file_name = path.file_name()?.to_string_lossy().into_owned();
    let name = elf::soname(&content).unwrap_or(file_name);
    let made = !elf::section(&content, OBJECT_SECTION).is_empty();
    Some(Found { object: SharedObject { name, path, needed: false }, made, by_itself: false, alias: None })
}

fn link_records(content: &[u8]) -> Vec<LinkRecord> {
    decode(&elf::section(content, LINK_SECTION))
}

/// Directories that `-L` names, without links in them.
fn link_directories(content: &[u8]) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for record in link_records(content) {
        let invocation = Invocation::parse(&record.arguments);
        let named = invocation.arguments.iter().filter_map(|a| a.value("-L"));
        let real = |d: &str| fs::canonicalize(Path::new(&record.directory).join(d)).ok();
        directories.extend(named.filter_map(real));
    }
    directories
}

/// Directories that a script of libtool puts into `LD_LIBRARY_PATH`.
fn script_path(script: &str) -> Vec<PathBuf> {
    let assigned = script.lines().filter_map(|line| line.trim().strip_prefix("LD_LIBRARY_PATH=\""));
    let words = assigned.flat_map(|line| line.trim_end_matches('"').split(':'));
    let mut directories: Vec<PathBuf> = Vec::new();
    for directory in words.filter(|word| word.starts_with('/')).map(PathBuf::from) {
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    directories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_path_of_a_libtool_script_is_read() {
        let script = "#! /bin/sh\n    # Add our own library path to LD_LIBRARY_PATH\n    \
                      LD_LIBRARY_PATH=\"/t/.libs:/t/b/.libs:$LD_LIBRARY_PATH\"\n    export LD_LIBRARY_PATH\n";
        assert_eq!(script_path(script), [PathBuf::from("/t/.libs"), PathBuf::from("/t/b/.libs")]);
        assert!(script_path("#!/bin/sh\n").is_empty());
    }

    #[test]
    fn the_environment_names_only_what_is_needed() {
        assert!(Home::default().environment(b"/bin").is_empty());
        let home =
            Home { path: vec!["/t".into()], library_path: vec!["/a".into(), "/b".into()], shared: vec![] };
        let expected = [("PATH", "/t:/bin"), ("LD_LIBRARY_PATH", "/a:/b")].map(|(n, v)| (n.into(), v.into()));
        assert_eq!(home.environment(b"/bin"), expected);
    }

    #[test]
    fn a_library_from_elsewhere_is_a_stranger_and_those_of_the_system_are_not() {
        let object =
            |name: &str, path: &str| SharedObject { name: name.into(), path: path.into(), needed: true };
        let home = Home { shared: vec![object("libx.so.1", "/build/libx.so.1.0")], ..Home::default() };
        let loaded: Vec<PathBuf> = ["/build/libx.so.1.0", "/lib/libc.so.6"].map(PathBuf::from).into();
        assert!(home.strangers(&loaded).is_empty());
        let loaded = vec![PathBuf::from("/usr/lib/libx.so.1")];
        assert_eq!(home.strangers(&loaded)[0].0, loaded[0]);
    }
}
