//! What a build leaves: its programs and libraries, and which of them is the one to compare.
//!
//! In: the directory of a finished build, the sources that were there before it, what the user named. Out: the program.
//! What always holds: what a build system compiled only to ask the compiler something is never chosen, unless the user names it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::collect::see_through;
use crate::elf::{self, FileKind};
use crate::error::BuildError;
use crate::record::{decode, ObjectRecord, LINK_SECTION, OBJECT_SECTION};
use crate::tools;

/// How many programs or libraries a message lists.
pub const PRODUCTS_LISTED: usize = 20;

/// Directories in which build systems compile their probes, and in which none leaves a product.
const PROBE_DIRECTORIES: &[&str] =
    &["CMakeFiles", "meson-private", "meson-logs", ".sconf_temp", "config.tests", "autom4te.cache"];
/// The same for names that end in a number or a hash (waf).
const PROBE_PREFIXES: &[&str] = &[".conf_check_"];
/// Files that a compiler takes.
const SOURCE_EXTENSIONS: &[&str] = &["c", "i", "s", "S", "cc", "cp", "cpp", "cxx", "c++", "C", "m", "ii"];

/// What was done in the private copy.
#[derive(Serialize, Deserialize)]
pub(crate) struct Built {
    /// Where the command ran.
    pub directory: PathBuf,
    pub command: String,
    /// Sources that were there before the command ran.
    pub sources: BTreeSet<PathBuf>,
}

/// The program to compare.
pub(crate) struct Chosen {
    /// The ELF program.
    pub native: PathBuf,
    /// Relative to the directory of the build, as the user calls it.
    pub name: String,
    /// A library, or an object: nothing that can be started.
    pub library: bool,
}

/// The sources below a directory.
pub(crate) fn sources_in(directory: &Path) -> BTreeSet<PathBuf> {
    let is_source = |path: &Path| {
        path.extension().and_then(|e| e.to_str()).is_some_and(|e| SOURCE_EXTENSIONS.contains(&e))
    };
    files_in(directory).filter(|path| is_source(path)).collect()
}

/// Regular files, in order of their names.
pub(crate) fn files_in(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let walk = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter().filter_map(Result::ok);
    walk.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path)
}

impl Built {
    /// The program that the user named, or the only one there is.
    pub fn choose(&self, wanted: Option<&str>) -> Result<Chosen, BuildError> {
        let Some(wanted) = wanted else { return self.only() };
        let exact = self.directory.join(wanted);
        if exact.is_file() {
            return self.chosen(wanted);
        }
        let made = Products::of(self).programs();
        let by_name: Vec<_> =
            made.iter().filter(|m| Path::new(m).file_name() == Some(wanted.as_ref())).collect();
        match by_name[..] {
            [only] => self.chosen(only),
            _ => Err(self.no_such_program(wanted, &made)),
        }
    }

    /// The same where functions are wanted: the only program, else the only library.
    pub fn choose_with_libraries(&self, wanted: Option<&str>) -> Result<Chosen, BuildError> {
        let chosen = self.choose(wanted);
        let of_libraries = match (&chosen, wanted) {
            (Err(BuildError::Library { .. } | BuildError::WhichProgram { .. }), None) => {
                Products::of(self).library_names()
            }
            (Err(BuildError::Library { .. }), Some(name)) => vec![name.to_owned()],
            _ => return chosen,
        };
        let native = |name: &String| fs::canonicalize(self.directory.join(name)).ok();
        let mut files: Vec<(String, PathBuf)> = Vec::new();
        for name in of_libraries {
            let Some(path) = native(&name) else { continue };
            // A shared library has several names.
            if files.iter().all(|(_, other)| *other != path) {
                files.push((name, path));
            }
        }
        // The archive of a library that is there in both forms: it has all of its functions.
        let archives = |path: &Path| path.extension().is_some_and(|e| e == "a");
        if files.iter().filter(|(_, path)| archives(path)).count() == 1 {
            files.retain(|(_, path)| archives(path));
        }
        match (&files[..], chosen) {
            ([(name, path)], _) => Ok(Chosen { native: path.clone(), name: name.clone(), library: true }),
            ([_, ..], Err(BuildError::Library { .. })) => Err(BuildError::WhichProgram {
                count: files.len(),
                made: listed(&files.into_iter().map(|(name, _)| name).collect::<Vec<_>>()),
            }),
            (_, chosen) => chosen,
        }
    }

    fn only(&self) -> Result<Chosen, BuildError> {
        let products = Products::of(self);
        match &products.programs()[..] {
            [only] => self.chosen(only),
            [] if !products.libraries.is_empty() => Err(self.library(products.library_names())),
            [] => Err(match self.of_32_bits() {
                Some(path) => of_32_bits(&path),
                None => self.no_such_program("", &[]),
            }),
            several => Err(BuildError::WhichProgram { count: several.len(), made: listed(several) }),
        }
    }

    fn chosen(&self, name: &str) -> Result<Chosen, BuildError> {
        match see_through(&self.directory.join(name)) {
            Ok(native) => Ok(Chosen { native, name: name.to_string(), library: false }),
            Err(BuildError::NotLinked(path)) if is_library(&path) => {
                Err(self.library(vec![name.to_string()]))
            }
            Err(BuildError::NotInstrumented(path)) if elf::is_32_bit(&path) => Err(of_32_bits(&path)),
            Err(error) => Err(error),
        }
    }

    /// A 32-bit program or object that the build left.
    fn of_32_bits(&self) -> Option<PathBuf> {
        files_in(&self.directory).find(|path| elf::is_32_bit(path))
    }

    /// With a command that would make a program of the library.
    fn library(&self, made: Vec<String>) -> BuildError {
        let first = made.first().map_or("", String::as_str);
        let link = format!("$CC \"$HOME/driver.c\" -I. {first} -o driver");
        let example = format!("--build '{} && {link}' --program driver", self.command);
        BuildError::Library { libraries: listed(&made), example }
    }

    fn no_such_program(&self, wanted: &str, made: &[String]) -> BuildError {
        let made = match made.len() {
            0 => {
                "it made no program at all with parallax-cc (what the tree already holds is not built again: \
                  begin the command with a clean-up)"
                    .to_string()
            }
            _ => format!("it made: {}", listed(made)),
        };
        BuildError::NoSuchProgram { program: wanted.to_string(), made, command: self.command.clone() }
    }
}

fn of_32_bits(path: &Path) -> BuildError {
    BuildError::Of32Bits { path: path.to_path_buf() }
}

/// Names for a message.
fn listed(made: &[String]) -> String {
    let listed = made.iter().take(PRODUCTS_LISTED).cloned().collect::<Vec<_>>().join(", ");
    match made.len().saturating_sub(PRODUCTS_LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

/// A file that the build made with the wrapper.
struct Product {
    /// Relative to the directory of the build.
    name: String,
    /// Some of its sources came with the tree; a probe's are written by the script that asks.
    of_the_tree: bool,
}

/// What the wrapper made, probes left out.
struct Products {
    programs: Vec<Product>,
    libraries: Vec<Product>,
}

impl Products {
    fn of(built: &Built) -> Products {
        let mut products = Products { programs: Vec::new(), libraries: Vec::new() };
        for path in files_in(&built.directory) {
            if is_probe(&path, &built.directory) {
                continue;
            }
            // Paths of the walk begin with its root.
            let relative = path.strip_prefix(&built.directory).unwrap_or(&path);
            let name = relative.to_string_lossy().into_owned();
            if let Some(records) = program_records(&path) {
                // As the user calls it: libtool's script stands beside its `.libs`.
                let name = name.replace(".libs/lt-", "").replace(".libs/", "");
                products.programs.push(Product { name, of_the_tree: built.is_of_the_tree(&records) });
            } else if let Some(records) = library_records(&path) {
                products.libraries.push(Product { name, of_the_tree: built.is_of_the_tree(&records) });
            }
        }
        products
    }

    /// Programs of generated sources count only where there is nothing else: they may be all there is, or a probe.
    fn programs(&self) -> Vec<String> {
        let any_of_the_tree = self.programs.iter().chain(&self.libraries).any(|product| product.of_the_tree);
        let counts = |program: &&Product| program.of_the_tree || !any_of_the_tree;
        let names: BTreeSet<_> = self.programs.iter().filter(counts).map(|p| p.name.clone()).collect();
        names.into_iter().collect()
    }

    fn library_names(&self) -> Vec<String> {
        self.libraries.iter().map(|library| library.name.clone()).collect()
    }
}

impl Built {
    fn is_of_the_tree(&self, records: &[ObjectRecord]) -> bool {
        let source = |record: &ObjectRecord| {
            let path = Path::new(&record.directory).join(&record.source);
            fs::canonicalize(&path).unwrap_or_else(|_| without_dots(&path))
        };
        records.iter().any(|record| self.sources.contains(&source(record)))
    }
}

/// `a/b/../c` as `a/c`, for files that are gone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Was this file below `root` made to ask the compiler something?
pub fn is_probe(path: &Path, root: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(in_probe_directory)
}

fn in_probe_directory(relative: &Path) -> bool {
    let is_probe = |name: &str| {
        PROBE_DIRECTORIES.contains(&name) || PROBE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let parents = relative.parent().unwrap_or(Path::new(""));
    parents.components().filter_map(|part| part.as_os_str().to_str()).any(is_probe)
}

/// The records of a program that the wrapper linked.
fn program_records(path: &Path) -> Option<Vec<ObjectRecord>> {
    if !tools::is_executable(path) {
        return None;
    }
    let content = fs::read(path).ok()?;
    let linked =
        elf::kind_of(&content) == FileKind::Executable && !elf::section(&content, LINK_SECTION).is_empty();
    linked.then(|| decode(&elf::section(&content, OBJECT_SECTION)))
}

/// The records of a library that holds objects of the wrapper; none for any other file.
pub(crate) fn library_records(path: &Path) -> Option<Vec<ObjectRecord>> {
    if !is_library(path) {
        return None;
    }
    let contents = match elf::archive_members(path) {
        Ok(members) => members.into_iter().map(|(_, content)| content).collect(),
        Err(_) => vec![fs::read(path).ok()?],
    };
    let records: Vec<_> =
        contents.iter().flat_map(|content| decode(&elf::section(content, OBJECT_SECTION))).collect();
    (!records.is_empty()).then_some(records)
}

/// As shared libraries and plugins are.
pub(crate) fn is_named_as_shared(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.ends_with(".so") || name.contains(".so."))
}

fn is_library(path: &Path) -> bool {
    let named = is_named_as_shared(path) || path.extension().is_some_and(|e| e == "a");
    named && fs::read(path).is_ok_and(|c| matches!(elf::kind_of(&c), FileKind::Shared | FileKind::Archive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_directories_are_recognised_wherever_they_are() {
        for probe in [
            "CMakeFiles/3.25.1/CompilerIdC/a.out",
            "b/CMakeFiles/CMakeScratch/TryCompile-x/cmTC_1",
            "build/meson-private/sanitycheckc.exe",
            "build/.conf_check_1f/testbuild/testprog",
        ] {
            assert!(in_probe_directory(Path::new(probe)), "{probe}");
        }
        assert!(!in_probe_directory(Path::new("b/CMakeFiles")));
        assert!(!in_probe_directory(Path::new("src/.libs/p")));
    }

    #[test]
    fn a_long_list_is_cut() {
        let names: Vec<String> = (0..PRODUCTS_LISTED + 2).map(|n| format!("p{n}")).collect();
        assert!(listed(&names).ends_with("p19 and 2 more"));
    }
}
