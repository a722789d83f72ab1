//! What a program may meet at run time from its build: every other file that the two builds left.
//!
//! In: the trees of two builds. Out: the files that differ or that only one of them has, in words.
//!
//! Always holds: a file is left out only if the wrapper compiled it, or it is something that builds read or leave behind by its name (sources, objects, files of build systems), and nothing that can
//! run seems to name it or to make up names that end like its name: the program, shared libraries, and programs and scripts that these name. Programs and shared libraries are compared by what is loaded
//! ([`image`]), everything else byte by byte.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::elf::{self, FileKind};
use crate::image::{self, Image};
use crate::record::find;
use crate::shipped::privileges;

/// More files than this are not compared; that is then what is reported.
const MOST_FILES: usize = 200_000;

/// One of the two builds.
pub(crate) struct Tree<'a> {
    pub root: &'a Path,
    /// The program itself, which is compared elsewhere.
    pub native: &'a Path,
    /// The build command: files that it names are part of the build.
    pub command: &'a str,
    /// Sources that the wrapper compiled.
    pub compiled: BTreeSet<PathBuf>,
}

/// Names of files that builds read, or leave behind on the way to what they make, by how they end.
const ENDINGS: &[&str] = &[
    "c", "h", "cc", "cp", "cpp", "cxx", "hh", "hpp", "hxx", "inc", "def", "s", "S", "sx", "asm", "y", "yy",
    "l", "ll", "in", "ac", "am", "m4", "mk", "cmake", "ninja", "o", "lo", "obj", "os", "a", "la", "lai", "d",
    "dep", "P", "Po", "Plo", "Tpo", "gcno", "gch", "pch", "i", "ii", "bc", "log", "trs", "pc", "orig", "rej",
    "swp",
];

/// The same by their whole names.
const NAMES: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "configure",
    "config.status",
    "config.cache",
    "libtool",
    "stamp-h1",
    "CMakeLists.txt",
    "meson.build",
    "CMakeCache.txt",
    "compile_commands.json",
    "parallax.toml",
    ".gitignore",
    ".gitattributes",
    ".ninja_log",
    ".ninja_deps",
    "install_manifest.txt",
];

/// Directories of build systems and of version control.
const DIRECTORIES: &[&str] = &[
    "CMakeFiles",
    "autom4te.cache",
    ".deps",
    ".git",
    ".hg",
    ".svn",
    "meson-logs",
    "meson-info",
    "meson-private",
];

/// How two trees differ besides the program itself.
pub(crate) fn differences(old: &Tree, new: &Tree) -> Vec<String> {
    if old.root == new.root {
        return Vec::new();
    }
    let (Some(files), Some(others)) = (files(old), files(new)) else {
        return vec![format!("more than {MOST_FILES} files lie beside the programs, and were not compared")];
    };
    let names: BTreeSet<&PathBuf> = files.keys().chain(others.keys()).collect();
    let mut built = Built { trees: [old, new], files: [&files, &others], words: None };
    names.into_iter().filter_map(|name| built.difference(name)).collect()
}

/// What stands at a place in a tree.
#[derive(PartialEq)]
enum Entry {
    File,
    /// A link, with where it leads.
    Link(PathBuf),
    EmptyDirectory,
}

type Files = BTreeMap<PathBuf, Entry>;

fn files(tree: &Tree) -> Option<Files> {
    let mut files = Files::new();
    for entry in WalkDir::new(tree.root).min_depth(1).into_iter().filter_map(Result::ok) {
        let (path, kind) = (entry.path(), entry.file_type());
        let found = if kind.is_symlink() {
            let target = fs::read_link(path).unwrap_or_default();
            Entry::Link(target.strip_prefix(tree.root).map(Path::to_path_buf).unwrap_or(target))
        } else if kind.is_dir() {
            match fs::read_dir(path).map(|mut inside| inside.next().is_none()) {
                Ok(true) => Entry::EmptyDirectory,
                _ => continue,
            }
        } else {
            Entry::File
        };
        if path != tree.native {
            // Entries of a walk begin with its root.
            files.insert(path.strip_prefix(tree.root).unwrap_or(path).to_path_buf(), found);
        }
        if files.len() > MOST_FILES {
            return None;
        }
    }
    Some(files)
}

struct Built<'a> {
    trees: [&'a Tree<'a>; 2],
    files: [&'a Files; 2],
    /// Read when it is first asked for.
    words: Option<Words>,
}

impl Built<'_> {
    /// What is to be said about a file, if anything.
    fn difference(&mut self, name: &Path) -> Option<String> {
        let shown = name.display();
        let text = match (self.files[0].get(name), self.files[1].get(name)) {
            (Some(Entry::File), Some(Entry::File)) => self.difference_of_files(name)?,
            (Some(old), Some(new)) if old == new => return None,
            (Some(_), Some(_)) => format!("{shown} is of another kind or a link to another place"),
            (Some(_), None) => format!("{shown} is only in the old version's build"),
            (None, _) => format!("{shown} is only in the new version's build"),
        };
        (!self.is_left_out(name)).then_some(text)
    }

    fn difference_of_files(&self, name: &Path) -> Option<String> {
        let paths = [0, 1].map(|i| self.trees[i].root.join(name));
        let shown = name.display();
        let (Ok(old), Ok(new)) = (fs::read(&paths[0]), fs::read(&paths[1])) else {
            return Some(format!("file {shown} cannot be read"));
        };
        let what = match (elf::kind_of(&old), elf::kind_of(&new)) {
            (FileKind::Executable, FileKind::Executable) => "program",
            (FileKind::Shared, FileKind::Shared) => "shared library",
            _ => "file",
        };
        let image = |content, i: usize| Image { content, tree: Some(self.trees[i].root), strict: false };
        let same = match what {
            "file" => old == new || self.same_script(&old, &new),
            _ => image::differences(image(&old, 0), image(&new, 1)).is_empty(),
        };
        if !same {
            return Some(format!("{what} {shown} differs"));
        }
        (privileges(&paths[0]) != privileges(&paths[1])).then(|| format!("the permissions of {shown} differ"))
    }

    /// libtool's scripts name the directory of the program that they start.
    fn same_script(&self, old: &[u8], new: &[u8]) -> bool {
        let text = |content: &[u8], i: usize| {
            let text = String::from_utf8_lossy(content).into_owned();
            let root = self.trees[i].root.to_str()?;
            text.contains("temporary wrapper script for").then(|| text.replace(root, "."))
        };
        matches!((text(old, 0), text(new, 1)), (Some(old), Some(new)) if old == new)
    }

    fn is_left_out(&mut self, name: &Path) -> bool {
        let is_compiled = |tree: &&Tree| {
            fs::canonicalize(tree.root.join(name)).is_ok_and(|path| tree.compiled.contains(&path))
        };
        let compiled = self.trees.iter().any(is_compiled);
        if !compiled && !self.trees.iter().any(|tree| is_of_the_build(name, tree)) {
            return false;
        }
        let words = self.words.take().unwrap_or_else(|| self.read_words());
        // `__FILE__` of a source that was compiled is its name.
        let named = (!compiled && words.name(name)) || words.make_up(name);
        self.words = Some(words);
        !named
    }

    /// What the program and its libraries have in them, and the programs and scripts that they can start: those that are named there, or there.
    fn read_words(&self) -> Words {
        let mut words = Words { text: Vec::new() };
        let mut helpers: Vec<(&Path, Vec<u8>)> = Vec::new();
        for (tree, files) in self.trees.iter().zip(self.files) {
            words.add(&image::loaded(&fs::read(tree.native).unwrap_or_default()));
            let others = files.iter().filter(|(_, entry)| **entry == Entry::File).map(|(name, _)| name);
            for name in others.filter(|name| !is_of_the_build(name, tree)) {
                let content = fs::read(tree.root.join(name)).unwrap_or_default();
                match elf::kind_of(&content) {
                    FileKind::Shared => words.add(&image::loaded(&content)),
                    FileKind::Executable => helpers.push((name, image::loaded(&content))),
                    _ if content.starts_with(b"#!") => helpers.push((name, content)),
                    _ => {}
                }
            }
        }
        loop {
            let (started, rest): (Vec<_>, Vec<_>) =
                helpers.into_iter().partition(|(name, _)| words.can_start(name));
            if started.is_empty() {
                return words;
            }
            started.iter().for_each(|(_, text)| words.add(text));
            helpers = rest;
        }
    }
}

/// What can name a file at run time.
struct Words {
    text: Vec<u8>,
}

impl Words {
    fn add(&mut self, text: &[u8]) {
        self.text.extend(text);
        self.text.push(0);
    }

    /// Does the name of a file occur?
    fn name(&self, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        find(&self.text, name).is_some()
    }

    /// Can a program of this name be started: is it named, or can its name be put together as in `git-%s`?
    fn can_start(&self, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        let is_of_word = |byte: &u8| !byte.is_ascii_whitespace() && !b"\0/\"'%".contains(byte);
        let mut from = 0;
        while let Some(at) = find(&self.text[from..], b"%s") {
            let (start, end) = (from + at, from + at + 2);
            let before = self.text[..start].iter().rposition(|byte| !is_of_word(byte)).map_or(0, |at| at + 1);
            let after =
                self.text[end..].iter().position(|byte| !is_of_word(byte)).unwrap_or(self.text.len() - end);
            let (prefix, suffix) = (&self.text[before..start], &self.text[end..end + after]);
            if !(prefix.is_empty() && suffix.is_empty()) && name.starts_with(prefix) && name.ends_with(suffix)
            {
                return true;
            }
            from = end;
        }
        self.name(file) || self.make_up(file)
    }

    /// Is there a piece of text that a program can make the file's name of: `%s.in`, `*.in`, or just `.in`?
    fn make_up(&self, file: &Path) -> bool {
        let (Some(name), Some(ending)) = (file.file_name(), file.extension()) else { return false };
        let name = name.as_encoded_bytes();
        let ending = [b".", ending.as_encoded_bytes()].concat();
        let is_of_word = |byte: &u8| !byte.is_ascii_whitespace() && !b"\0/\"'".contains(byte);
        let mut from = 0;
        while let Some(at) = find(&self.text[from..], &ending) {
            let end = from + at + ending.len();
            let start = self.text[..end].iter().rposition(|byte| !is_of_word(byte)).map_or(0, |at| at + 1);
            let word = &self.text[start..end];
            let ends = self.text.get(end).is_none_or(|byte| !is_of_word(byte));
            let pattern = word.iter().any(|byte| b"%$*".contains(byte));
            if ends && (pattern || (name.ends_with(word) && name != word)) {
                return true;
            }
            from = end;
        }
        false
    }
}

/// Is a file by its name one that only builds have to do with?
fn is_of_the_build(path: &Path, tree: &Tree) -> bool {
    let text = |name: Option<&std::ffi::OsStr>| name.and_then(|name| name.to_str()).map(str::to_owned);
    let (Some(name), ending) = (text(path.file_name()), text(path.extension())) else { return false };
    let within =
        path.components().any(|part| part.as_os_str().to_str().is_some_and(|p| DIRECTORIES.contains(&p)));
    let content = || fs::read(tree.root.join(path)).unwrap_or_default();
    // A shared library may be called what it likes.
    let ended = ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
    let backup = name.ends_with('~');
    let named =
        within || ended || backup || NAMES.contains(&name.as_str()) || is_in_command(&name, tree.command);
    named && !matches!(elf::kind_of(&content()), FileKind::Executable | FileKind::Shared)
}

fn is_in_command(name: &str, command: &str) -> bool {
    let words = command.split(|c: char| c.is_whitespace() || ";&|()'\"=<>/".contains(c));
    words.into_iter().any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_program_makes_up_are_told_from_names_that_it_has() {
        let words = |text: &[u8]| Words { text: text.to_vec() };
        let make_up = |text: &[u8]| words(text).make_up(Path::new("src/my_rules.c"));
        assert!(make_up(b"\0%s.c\0") && make_up(b"\0.c\0") && make_up(b"_rules.c\0") && make_up(b"cat *.c"));
        assert!(!make_up(b"\0./src/a.c\0 x.cc y.cpp my_rules.c"));
        assert!(words(b"reads src/b.c").name(Path::new("b.c")));
        let can_start = |text: &[u8]| words(text).can_start(Path::new("libexec/tool-list"));
        assert!(can_start(b"\0%s/tool-%s\0") && can_start(b"\0run tool-list now\0") && can_start(b"%s-list"));
        assert!(!can_start(b"\0%s: %s\0 other-%s %s/%s tool"));
    }

    #[test]
    fn the_script_of_the_build_is_found_in_its_command() {
        assert!(is_in_command("build.sh", "cd src && sh ./build.sh -x"));
        assert!(!is_in_command("build.sh", "sh rebuild.sh"));
    }
}
