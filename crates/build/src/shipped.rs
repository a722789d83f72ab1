//! Is what two builds ship the same, besides the code that was compared?
//!
//! In: two built versions. Out: what differs between what users would run, in words; nothing, if all of it is shown to be the same.
//!
//! Always holds: an empty answer is a proof that the native programs do the same on every input. All that is loaded of them is the same, and so are the shared libraries,
//! helper programs and data that their builds made. How that came about (compilers, flags, order of linking, what was done to the files afterwards) is then of no importance.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::beside::{self, Tree};
use crate::collect::Version;
use crate::elf;
use crate::elsewhere;
use crate::entry;
use crate::image::{self, Image};
use crate::inputs;
use crate::record::{decode, LinkRecord, ObjectRecord, LINK_SECTION, OBJECT_SECTION};
use crate::tools;

/// Everything outside the compared code in which two versions differ.
pub fn outside(built: [&Version; 2]) -> Vec<String> {
    let [Ok(old), Ok(new)] = built.map(|version| fs::read(&version.native)) else {
        return vec!["a native program cannot be read".to_owned()];
    };
    let mut found = of_programs(built, [&old, &new]);
    found.extend(elsewhere::differences([0, 1].map(|i| (built[i], [&old, &new][i].as_slice()))));
    for (which, version) in ["old", "new"].into_iter().zip(built) {
        let above = written_above(version).into_iter();
        found
            .extend(above.map(|name| format!("the {which} version's build wrote above its tree: ../{name}")));
    }
    found.extend(beside::differences(&tree(built[0], &old), &tree(built[1], &new)));
    found
}

fn of_programs(built: [&Version; 2], contents: [&[u8]; 2]) -> Vec<String> {
    let strict = (0..2).any(|i| looks_at_itself(built[i], contents[i]) || chose_its_id(contents[i]));
    let image = |i: usize| {
        let tree = built[i].command.is_some().then_some(&*built[i].source_root);
        Image { content: contents[i], tree, strict }
    };
    let parts = image::differences(image(0), image(1));
    let mut found = Vec::new();
    if !parts.is_empty() {
        let reasons = inputs::differences(built, contents);
        let parts = parts.join(", ");
        found.push(match reasons.is_empty() {
            true => format!("the native programs differ although nothing that was recorded does: {parts}"),
            false => format!("the native programs differ: {parts}"),
        });
        found.extend(reasons);
    }
    if privileges(&built[0].native) != privileges(&built[1].native) {
        found.push("the native programs have other permissions".to_owned());
    }
    found
}

/// Directories of an entry of the cache.
const DIRECTORIES: &[&str] = &["tree", "bin", entry::ALIASES];

/// Directories that a build left above its tree: the program can find them, and they are not compared.
fn written_above(version: &Version) -> Vec<String> {
    let entry = version.source_root.parent().filter(|_| version.command.is_some());
    let inside =
        entry.and_then(|entry| fs::read_dir(entry).ok()).into_iter().flatten().filter_map(Result::ok);
    let directories = inside.filter(|entry| entry.path().is_dir());
    let names = directories.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !DIRECTORIES.contains(&name.as_str())).collect()
}

/// Who may execute a file, and as whom.
pub(crate) fn privileges(path: &Path) -> u32 {
    fs::metadata(path).map(|metadata| metadata.permissions().mode() & 0o7111).unwrap_or(0)
}

/// A static program holds a C library, which can do everything; what the program does of it is in its own code.
fn looks_at_itself(version: &Version, content: &[u8]) -> bool {
    if !elf::needed(content).is_empty() {
        return image::looks_at_itself(&image::loaded(content));
    }
    let code = tools::run(Command::new(tools::llvm_tool("llvm-dis")).args(["-o", "-"]).arg(&version.bitcode));
    let objects = version.link.extra_objects().into_iter().map(|path| fs::read(path).unwrap_or_default());
    code.map_or(true, |code| !code.status.success() || image::looks_at_itself(&code.stdout))
        || objects.into_iter().any(|object| image::looks_at_itself(&object))
}

/// A build-id that the user wrote down is no hash of the rest.
fn chose_its_id(content: &[u8]) -> bool {
    let links: Vec<LinkRecord> = decode(&elf::section(content, LINK_SECTION));
    links.iter().flat_map(|link| &link.arguments).any(|word| word.contains("build-id=0"))
}

/// What lies beside a program: the tree that it was built in, or the directory that it is in.
fn tree<'a>(version: &'a Version, content: &[u8]) -> Tree<'a> {
    let directory = version.native.parent().unwrap_or(Path::new("/"));
    let root = if version.command.is_some() { &*version.source_root } else { directory };
    let command = version.command.as_deref().unwrap_or_default();
    Tree { root, native: &version.native, command, compiled: compiled(content) }
}

fn compiled(content: &[u8]) -> BTreeSet<PathBuf> {
    let records: Vec<ObjectRecord> = decode(&elf::section(content, OBJECT_SECTION));
    let path = |record: &ObjectRecord| {
        let path = Path::new(&record.directory).join(&record.source);
        fs::canonicalize(&path).unwrap_or(path)
    };
    records.iter().map(path).collect()
}
