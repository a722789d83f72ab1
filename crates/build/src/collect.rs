//! From a linked executable to a [`Version`].
//!
//! In: an executable that was built with the wrapper (or a libtool script that stands for one).
//! Out: its whole-program bitcode, its link line, and a table of objects without bitcode.
//! What always holds: every object that the executable holds or its link line names is either in
//! the module, or in `without_bitcode` with the reason.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, Kind};
use crate::elf::{self, FileKind};
use crate::error::{is_about_room, AtPath, BuildError};
use crate::home::Home;
use crate::link::{self, LinkItem, LinkLine};
use crate::module::{self, Linked};
use crate::record::{decode, Content, LinkRecord, ObjectRecord, LINK_SECTION, OBJECT_SECTION};
use crate::sealed;

/// One build of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The program as the user calls it: relative to the directory of its build.
    pub program: String,
    /// The program as the user would ship it: the oracle.
    pub native: PathBuf,
    /// What it finds of its own build when it runs.
    pub home: Home,
    /// Bitcode of the whole program.
    pub bitcode: PathBuf,
    /// What an instrumented module is to be linked with.
    pub link: LinkLine,
    pub without_bitcode: Vec<MissingBitcode>,
    /// Symbols that the module refers to and neither it, nor a library, nor an extra object
    /// defines: the native compiler had optimised the references away.
    pub unresolved: Vec<String>,
    /// Paths in the debug information are relative to this directory, or absolute.
    pub source_root: PathBuf,
    /// The command that built it in a private copy of its sources, which is `source_root`; none for a program that was there already.
    #[serde(default)]
    pub command: Option<String>,
}

/// An object of the program for which there is no bitcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingBitcode {
    /// The object, or the member of an archive.
    pub object: String,
    /// Its source, if it was compiled by the wrapper.
    pub source: Option<String>,
    pub reason: String,
}

impl std::fmt::Display for MissingBitcode {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.source.as_ref().unwrap_or(&self.object), self.reason)
    }
}

/// Collects the bitcode of an executable.
pub fn collect(executable: &Path, cache: &Cache) -> Result<Version, BuildError> {
    examine(executable, cache).map(|(version, _)| version)
}

/// The same; and whether the cache still has all the bitcode that the build left in it.
pub(crate) fn examine(executable: &Path, cache: &Cache) -> Result<(Version, bool), BuildError> {
    let native = see_through(executable)?;
    let content = fs::read(&native).at(&native)?;
    let mut records: Vec<ObjectRecord> = decode(&elf::section(&content, OBJECT_SECTION));
    let links: Vec<LinkRecord> = decode(&elf::section(&content, LINK_SECTION));
    if records.is_empty() && links.is_empty() {
        return Err(BuildError::NotInstrumented(native));
    }
    let mut collected = Collected::new(cache);
    let mut line = LinkLine::default();
    let mut archives = Vec::new();
    // A program is linked once; a second record would come from a partial link.
    let own_link = links.iter().rfind(|record| names_output(record, &native)).or(links.last());
    if let Some(record) = own_link {
        let resolved = link::resolve(record, cache)?;
        line = resolved.line;
        archives = resolved.archives;
        records.extend(resolved.shared_records);
        collected.unrecorded(resolved.unrecorded);
    }
    let extra = collected.records(&records);
    if let Some(missing) = collected.missing.iter().find(|missing| is_about_room(&missing.reason)) {
        return Err(BuildError::NoRoom { path: cache.root().to_path_buf(), detail: missing.to_string() });
    }
    // Before the libraries, as they were on the user's link line.
    line.items.splice(0..0, extra.into_iter().map(LinkItem::Object));
    if collected.bitcode.is_empty() {
        let table = collected.missing.iter().map(|m| format!("  {m}\n")).collect();
        return Err(BuildError::NoBitcodeAtAll { path: native, table });
    }
    let linked = collected.link(&native, &line, &archives)?;
    let source_root = own_link.map(|l| &l.directory).or(records.first().map(|r| &r.directory));
    let version = Version {
        program: executable.display().to_string(),
        home: Home::of_program(executable)?,
        bitcode: linked.path,
        unresolved: linked.unresolved,
        link: line,
        without_bitcode: collected.missing,
        source_root: source_root.map(PathBuf::from).unwrap_or_default(),
        command: None,
        native,
    };
    Ok((version, !collected.lost))
}

/// Whether a link record is about this file; `install` and `mv` make it false, then the last one is meant.
fn names_output(record: &LinkRecord, native: &Path) -> bool {
    let invocation = crate::args::Invocation::parse(&record.arguments);
    let output = Path::new(&record.directory).join(invocation.output.as_deref().unwrap_or("a.out"));
    output.file_name() == native.file_name()
}

pub(crate) struct Collected<'a> {
    cache: &'a Cache,
    pub bitcode: Vec<PathBuf>,
    seen: HashSet<String>,
    pub missing: Vec<MissingBitcode>,
    /// Bitcode that was made is not there any more.
    pub lost: bool,
}

impl<'a> Collected<'a> {
    pub fn new(cache: &'a Cache) -> Collected<'a> {
        Collected { cache, bitcode: Vec::new(), seen: HashSet::new(), missing: Vec::new(), lost: false }
    }

    fn unrecorded(&mut self, objects: Vec<(String, PathBuf)>) {
        for (object, _) in objects {
            let reason = "not compiled with parallax-cc".to_string();
            self.missing.push(MissingBitcode { object, source: None, reason });
        }
    }

    /// Sorts records into bitcode and missing; gives the native objects that stand in for the latter.
    pub fn records(&mut self, records: &[ObjectRecord]) -> Vec<PathBuf> {
        let mut extra = Vec::new();
        for record in records {
            let (reason, copy) = match &record.content {
                Content::Bitcode { path, hash } if self.add(path, hash) => continue,
                Content::Bitcode { path, .. } => {
                    self.lost = true;
                    let reason = format!("its bitcode {path} is no longer in the cache; build again");
                    (reason, Some(record.object.clone()))
                }
                Content::Missing { reason, copy } => (reason.clone(), copy.clone()),
            };
            let copy = copy.map(PathBuf::from).filter(|copy| self.is_whole(copy));
            if let Some(copy) = copy.filter(|copy| !extra.contains(copy)) {
                extra.push(copy);
            }
            let missing =
                MissingBitcode { object: record.object.clone(), source: Some(record.source.clone()), reason };
            if !self.missing.contains(&missing) {
                self.missing.push(missing);
            }
        }
        extra
    }

    /// Links, and looks up in the program's archives what only unoptimised code refers to: the
    /// native compiler dropped the reference, so the linker did not take the member.
    pub fn link(
        &mut self,
        native: &Path,
        line: &LinkLine,
        archives: &[PathBuf],
    ) -> Result<Linked, BuildError> {
        loop {
            let linked = module::link(&self.bitcode, native, line, self.cache)?;
            let before = self.bitcode.len();
            if !linked.unresolved.is_empty() {
                self.add_members(archives, &linked.unresolved);
            }
            if self.bitcode.len() == before {
                return Ok(linked);
            }
        }
    }

    /// Adds the bitcode of archive members that define one of the symbols.
    fn add_members(&mut self, archives: &[PathBuf], symbols: &[String]) {
        // The tree may be gone; then the symbols stay unresolved and are listed.
        let members = archives.iter().flat_map(|archive| elf::archive_members(archive).unwrap_or_default());
        for (_, content) in members {
            if !module::defined_symbols(&content).iter().any(|symbol| symbols.contains(symbol)) {
                continue;
            }
            for record in decode::<ObjectRecord>(&elf::section(&content, OBJECT_SECTION)) {
                if let Content::Bitcode { path, hash } = &record.content {
                    self.add(path, hash);
                }
            }
        }
    }

    /// An object in the store has its hash for a name.
    fn is_whole(&self, copy: &Path) -> bool {
        let hash = copy.file_stem().unwrap_or_default().to_string_lossy();
        let stored = copy == self.cache.stored(Kind::Object, &hash);
        copy.is_file() && (!stored || sealed::is_file_with(copy, &hash))
    }

    /// Whether the bitcode is there; taken once, however often it is named.
    fn add(&mut self, path: &str, hash: &str) -> bool {
        let Some(path) = self.find(path, hash) else { return false };
        if self.seen.insert(hash.to_string()) {
            self.bitcode.push(path);
        }
        true
    }

    fn find(&self, path: &str, hash: &str) -> Option<PathBuf> {
        let recorded = PathBuf::from(path);
        let mut places = [recorded, self.cache.stored(Kind::Bitcode, hash)].into_iter();
        let found = places.find(|path| sealed::is_file_with(path, hash))?;
        self.cache.used(&found);
        Some(found)
    }
}

/// The ELF program behind a name: libtool leaves a script where the program should be.
pub fn see_through(path: &Path) -> Result<PathBuf, BuildError> {
    let path = std::path::absolute(path).at(path)?;
    if !path.is_file() {
        return Err(BuildError::NoSuchFile(path));
    }
    let content = fs::read(&path).at(&path)?;
    if content.starts_with(b"#!") {
        let text = String::from_utf8_lossy(&content);
        if let Some(program) = libtool_target(&path, &text) {
            return Ok(program);
        }
        let interpreter = text.lines().next().unwrap_or_default().to_string();
        return Err(BuildError::Script { path, interpreter });
    }
    match elf::kind_of(&content) {
        FileKind::Executable => Ok(path),
        FileKind::Shared | FileKind::Object | FileKind::Archive => Err(BuildError::NotLinked(path)),
        FileKind::Other => Err(BuildError::NotElf(path)),
    }
}

fn libtool_target(script: &Path, text: &str) -> Option<PathBuf> {
    if !text.contains("libtool") {
        return None;
    }
    let name = script.file_name()?;
    let directory = script.parent()?;
    [".libs", "_libs"].iter().map(|libs| directory.join(libs).join(name)).find(|path| path.is_file())
}
