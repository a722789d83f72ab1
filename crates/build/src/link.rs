//! The link line of a program, as far as it concerns what is linked besides the bitcode.
//!
//! In: the [`LinkRecord`] of an executable, and where its extra objects are. Out: a [`LinkLine`].
//! What always holds: order is that of the user's link line; all paths are absolute; objects whose
//! bitcode was collected are not in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::args::{Argument, Invocation, Role};
use crate::cache::{hash_file, Cache, Kind};
use crate::elf::{self, FileKind};
use crate::error::{AtPath, BuildError};
use crate::record::{decode, LinkRecord, ObjectRecord, OBJECT_SECTION};
use crate::tools;

/// What an instrumented module must be linked with to become the program again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkLine {
    pub items: Vec<LinkItem>,
    /// The program was linked with the C++ driver.
    pub cxx: bool,
}

/// One argument of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkItem {
    /// A native object without bitcode, or an archive of such objects.
    Object(PathBuf),
    /// A shared library by its path.
    Shared(PathBuf),
    /// `-lNAME`.
    Library(String),
    /// `-pthread`, `-rdynamic`, `-Wl,...`, `-LDIR`.
    Flag(String),
}

impl LinkLine {
    /// Everything in order, for a compiler driver that links.
    pub fn arguments(&self) -> Vec<String> {
        let show = |item: &LinkItem| match item {
            LinkItem::Object(path) | LinkItem::Shared(path) => path.to_string_lossy().into_owned(),
            LinkItem::Library(name) => format!("-l{name}"),
            LinkItem::Flag(flag) => flag.clone(),
        };
        self.items.iter().map(show).collect()
    }

    /// Names of the libraries (`m` for `-lm`).
    pub fn libraries(&self) -> Vec<&str> {
        self.items
            .iter()
            .filter_map(|item| match item {
                LinkItem::Library(name) => Some(name.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Native objects and archives that have no bitcode.
    pub fn extra_objects(&self) -> Vec<&Path> {
        self.items
            .iter()
            .filter_map(|item| match item {
                LinkItem::Object(path) => Some(path.as_path()),
                _ => None,
            })
            .collect()
    }

    /// Symbols given with `--wrap`.
    pub fn wrapped_symbols(&self) -> Vec<String> {
        let flags: Vec<&str> = self
            .items
            .iter()
            .filter_map(|item| match item {
                LinkItem::Flag(flag) => flag.strip_prefix("-Wl,"),
                _ => None,
            })
            .flat_map(|list| list.split(','))
            .collect();
        let mut symbols = Vec::new();
        for (index, flag) in flags.iter().enumerate() {
            let flag = flag.trim_start_matches('-');
            if let Some(symbol) = flag.strip_prefix("wrap=") {
                symbols.push(symbol.to_string());
            } else if flag == "wrap" {
                symbols.extend(flags.get(index + 1).map(|symbol| symbol.to_string()));
            }
        }
        symbols
    }
}

/// A link line with what it says about objects nobody recorded, and libraries that hold bitcode.
pub(crate) struct Resolved {
    pub line: LinkLine,
    /// Objects and archive members without a record: name and copy.
    pub unrecorded: Vec<(String, PathBuf)>,
    /// Archives that hold objects with bitcode.
    pub archives: Vec<PathBuf>,
    /// Records of shared libraries that were built along with the program.
    pub shared_records: Vec<ObjectRecord>,
}

/// Goes through a recorded link line.
pub(crate) fn resolve(record: &LinkRecord, cache: &Cache) -> Result<Resolved, BuildError> {
    let invocation = Invocation::parse(&record.arguments);
    let directory = PathBuf::from(&record.directory);
    let search =
        invocation.arguments.iter().filter_map(|a| a.value("-L")).map(|l| directory.join(l)).collect();
    let prefer_static = invocation.has("-static") || invocation.has("-static-pie");
    let line = LinkLine { items: Vec::new(), cxx: record.cxx };
    let mut resolver = Resolver {
        directory,
        search,
        prefer_static,
        cache,
        out: Resolved { line, unrecorded: Vec::new(), archives: Vec::new(), shared_records: Vec::new() },
    };
    for argument in &invocation.arguments {
        resolver.argument(argument)?;
    }
    Ok(resolver.out)
}

struct Resolver<'a> {
    directory: PathBuf,
    search: Vec<PathBuf>,
    prefer_static: bool,
    cache: &'a Cache,
    out: Resolved,
}

impl Resolver<'_> {
    fn argument(&mut self, argument: &Argument) -> Result<(), BuildError> {
        match argument.role {
            Role::LinkInput => {
                let path = self.directory.join(argument.head());
                self.file(&path)
            }
            Role::LinkFlag => match argument.value("-l") {
                Some(name) => self.library(name),
                None => {
                    self.flag(argument);
                    Ok(())
                }
            },
            Role::Flag if matches!(argument.head(), "-pthread" | "-fopenmp") => {
                self.push(LinkItem::Flag(argument.head().to_string()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn push(&mut self, item: LinkItem) {
        self.out.line.items.push(item);
    }

    /// Flags of the linker, but for those that make sense only for the native program: it was stripped,
    /// static, position-independent; the instrumented one is none or all of that by its own rules.
    fn flag(&mut self, argument: &Argument) {
        let head = argument.head();
        let dropped =
            ["-s", "-static", "-static-pie", "-pie", "-Wl,-s", "-Wl,--strip-all", "-Wl,--gc-sections"];
        if dropped.contains(&head) || head.starts_with("-Wl,-Map") || head.starts_with("-Wl,--print-map") {
            return;
        }
        if let Some(directory) = argument.value("-L") {
            let directory = self.directory.join(directory);
            return self.push(LinkItem::Flag(format!("-L{}", directory.display())));
        }
        if let ("-Xlinker", Some(option)) = (head, argument.words.get(1)) {
            return self.push(LinkItem::Flag(format!("-Wl,{option}")));
        }
        for word in &argument.words {
            let flag = self.with_absolute_files(word);
            self.push(LinkItem::Flag(flag));
        }
    }

    /// `-Wl,--version-script=FILE` and relatives must work from any directory.
    fn with_absolute_files(&self, flag: &str) -> String {
        let absolute = |part: &str| {
            let (option, value) = part.split_once('=').map_or(("", part), |(o, v)| (o, v));
            let path = self.directory.join(value);
            match (value.is_empty() || !path.is_file(), option) {
                (true, _) => part.to_string(),
                (false, "") => path.display().to_string(),
                (false, option) => format!("{option}={}", path.display()),
            }
        };
        flag.split(',').map(absolute).collect::<Vec<_>>().join(",")
    }

    /// `-lNAME`: one that was built along with the program is looked into, the system's stays a name.
    fn library(&mut self, name: &str) -> Result<(), BuildError> {
        let suffixes: &[&str] = if self.prefer_static { &["a"] } else { &["so", "a"] };
        let found = self.search.iter().find_map(|directory| {
            let candidates = suffixes.iter().map(|suffix| directory.join(format!("lib{name}.{suffix}")));
            candidates.into_iter().find(|path| path.is_file())
        });
        match found {
            Some(path) => self.file(&path),
            None => {
                self.push(LinkItem::Library(name.to_string()));
                Ok(())
            }
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), BuildError> {
        // The tree may be gone; then only what the records kept is left.
        let Ok(content) = fs::read(path) else { return Ok(()) };
        match elf::kind_of(&content) {
            FileKind::Object => self.object(path, &content),
            FileKind::Archive => self.archive(path),
            FileKind::Shared | FileKind::Executable => {
                let records = decode(&elf::section(&content, OBJECT_SECTION));
                if records.is_empty() {
                    let directory = path.parent().unwrap_or(Path::new("/")).display();
                    self.push(LinkItem::Flag(format!("-Wl,-rpath,{directory}")));
                    self.push(LinkItem::Shared(path.to_path_buf()));
                }
                self.out.shared_records.extend(records);
                Ok(())
            }
            // A linker script.
            FileKind::Other => {
                self.push(LinkItem::Object(path.to_path_buf()));
                Ok(())
            }
        }
    }

    fn object(&mut self, path: &Path, content: &[u8]) -> Result<(), BuildError> {
        if decode::<ObjectRecord>(&elf::section(content, OBJECT_SECTION)).is_empty() {
            let stored = self.cache.store(Kind::Object, content)?;
            self.out.unrecorded.push((path.to_string_lossy().into_owned(), stored.path.clone()));
            self.push(LinkItem::Object(stored.path));
        }
        Ok(())
    }

    /// An archive of which some members have no record becomes an archive of just those.
    fn archive(&mut self, path: &Path) -> Result<(), BuildError> {
        self.out.archives.push(path.to_path_buf());
        let (unrecorded, recorded): (Vec<_>, Vec<_>) = elf::archive_members(path)?
            .into_iter()
            .filter(|(_, content)| elf::kind_of(content) == FileKind::Object)
            .partition(|(_, content)| {
                decode::<ObjectRecord>(&elf::section(content, OBJECT_SECTION)).is_empty()
            });
        if unrecorded.is_empty() {
            return Ok(());
        }
        let copy = write_archive(&unrecorded, self.cache)?;
        if recorded.is_empty() {
            // One line for a library that somebody else built, not one for each of its members.
            self.out.unrecorded.push((path.display().to_string(), copy.clone()));
        } else {
            let names = unrecorded.iter().map(|(name, _)| format!("{}({name})", path.display()));
            self.out.unrecorded.extend(names.map(|name| (name, copy.clone())));
        }
        self.push(LinkItem::Object(copy));
        Ok(())
    }
}

/// An archive in the store, addressed by what its members are.
fn write_archive(members: &[(String, Vec<u8>)], cache: &Cache) -> Result<PathBuf, BuildError> {
    let scratch = cache.temporary_directory()?;
    let archive = scratch.path().join("archive.a");
    let mut command = Command::new(tools::llvm_tool("llvm-ar"));
    command.arg("rcsD").arg(&archive);
    for (index, (_, content)) in members.iter().enumerate() {
        // Numbered, because members of one archive may share a name.
        let file = scratch.path().join(format!("{index}.o"));
        fs::write(&file, content).at(&file)?;
        command.arg(file);
    }
    tools::run_checked(&mut command)?;
    let stored = cache.stored(Kind::Archive, &hash_file(&archive)?);
    let mut file = cache.temporary(".a")?;
    let mut content = fs::File::open(&archive).at(&archive)?;
    std::io::copy(&mut content, &mut file).at(file.path())?;
    cache.keep(file, &stored)?;
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_symbols_are_found_in_both_spellings() {
        let flag = |s: &str| LinkItem::Flag(s.to_string());
        let line = LinkLine {
            items: vec![flag("-Wl,--wrap=read,--as-needed"), flag("-Wl,--wrap"), flag("-Wl,write")],
            cxx: false,
        };
        assert_eq!(line.wrapped_symbols(), ["read", "write"]);
    }
}
