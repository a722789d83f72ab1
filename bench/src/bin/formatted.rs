//! How many targets does a tree have after a formatter and a renamer went over it? (None, one hopes.)
//!
//! In: a source tree, its build command, the program it makes. Out: counts of changes by kind, targets, the time that the comparison took, and whether
//! the versions are proven to be equivalent, by the proof that `parallax diff` takes.
//!
//!     formatted TREE BUILD PROGRAM [SEED] [FORMATTER] [COPY]
//!
//! FORMATTER is a shell command that gets the name of a file behind it and rewrites that file; without one, or if it is empty, white space and line breaks are changed at random.
//! COPY is where the rewritten tree is left; without it, nothing is.

use parallax_bench::reformat::{fixed_names, names_in, reformat, rename, rename_all, Fixed};
use parallax_bench::{table, Result};
use parallax_build::{build, Cache, Request, Source, Version};
use parallax_change::{compare, targets, Settings};
use parallax_instrument::{sameness, Sameness};
use parallax_model::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where the headers lie that a tree does not have itself.
const SYSTEM_HEADERS: &str = "/usr/include";
/// Folders there that no C program takes headers from.
const NOT_C: [&str; 5] = ["c++", "llvm", "clang", "boost", ".git"];

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [tree, command, program, rest @ ..] = &args[..] else {
        return Err("usage: formatted TREE BUILD PROGRAM [SEED] [FORMATTER] [COPY]".into());
    };
    let seed = rest.first().map_or(Ok(1), |seed| seed.parse())?;
    let cache = Cache::from_environment();
    let (old, old_version) = model(Path::new(tree), command, program, &cache)?;
    let aside = tempfile::tempdir()?;
    let copy = rest.get(2).map_or(aside.path(), Path::new);
    copy_tree(Path::new(tree), copy)?;
    let formatter = rest.get(1).map(String::as_str).filter(|formatter| !formatter.is_empty());
    let (files, renamed) = rewrite(copy, &old, seed, formatter)?;
    let (new, new_version) = model(copy, command, program, &cache)?;
    let start = Instant::now();
    let comparison = compare(&old, &new, &Settings::default());
    let seconds = start.elapsed().as_secs_f64();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    comparison.changes.iter().for_each(|c| *kinds.entry(c.kind.name()).or_default() += 1);
    let found = targets(&new, &comparison);
    for target in found.iter().take(20) {
        println!("target {:?}:{} {}", target.file, target.line, new.func(target.func).display_name());
    }
    let row = vec![
        program.clone(),
        old.insts.len().to_string(),
        files.to_string(),
        renamed.to_string(),
        format!("{kinds:?}"),
        found.len().to_string(),
        format!("{seconds:.2}"),
        proven([&old_version, &new_version], comparison.only_names()),
    ];
    table::print(
        &["program", "instructions", "files", "names changed", "changes", "targets", "s", "proven"],
        &[row],
    );
    Ok(())
}

/// How much of the versions is the same, in a few words.
fn proven(versions: [&Version; 2], only_names: bool) -> String {
    match sameness(versions, only_names) {
        Sameness::Equivalent(reason) => reason.to_owned(),
        Sameness::SameCode(outside) => format!("same code; {}", outside.join("; ")),
        Sameness::Unknown => "no".to_owned(),
    }
}

fn model(tree: &Path, command: &str, program: &str, cache: &Cache) -> Result<(Program, Version)> {
    let request = Request {
        command: Some(command.to_owned()),
        program: Some(program.to_owned()),
        ..Request::new(Source::Tree(tree.to_owned()))
    };
    let version = build(&request, cache)?;
    let cleaned = parallax_instrument::clean_up(&version.bitcode, cache.root())?;
    Ok((parallax_model::load(&std::fs::read(cleaned)?)?, version))
}

/// By `cp`, so that times and links stay as they are.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    let status = std::process::Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status()?;
    if !status.success() {
        return Err(format!("{} cannot be copied", from.display()).into());
    }
    Ok(())
}

/// Rewrites every C file that the program was made of, and names in all other C files and headers of the tree; how many files, and how many names.
fn rewrite(tree: &Path, program: &Program, seed: u64, formatter: Option<&str>) -> Result<(usize, usize)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let locals: BTreeSet<String> = program.variables.iter().map(|v| v.name.clone()).collect();
    let taken = taken(tree, program)?;
    let fixed = fixed(tree)?;
    let (mut files, mut renamed) = (0, 0);
    for path in [files_of(tree, "h")?, files_of(tree, "c")?].concat() {
        if is_template(&path) || !made_from(&path).is_empty() {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let relative = path.strip_prefix(tree)?.to_string_lossy().into_owned();
        let used = program.files.iter().any(|f| f.strip_prefix("./").unwrap_or(f) == relative);
        if !used || relative.ends_with(".h") {
            std::fs::write(&path, rename_all(&text, &fixed))?;
            continue;
        }
        let new = rename_all(&rename(&text, &locals, &taken), &fixed);
        renamed += new.matches("_renamed").count();
        files += 1;
        match formatter {
            None => std::fs::write(&path, reformat(&new, &mut random))?,
            Some(command) => {
                std::fs::write(&path, new)?;
                run(command, &path)?;
            }
        }
    }
    Ok((files, renamed))
}

/// Is a header made from this file, by a program that knows its comments?
fn is_template(path: &Path) -> bool {
    // gnulib makes headers of its own from those that it shares with glibc, which lie there.
    let shared = path.parent().is_some_and(|folder| folder.ends_with("malloc"));
    path.to_string_lossy().ends_with(".in.h") || shared
}

/// What a header is made from when the program is built.
fn made_from(path: &Path) -> Vec<PathBuf> {
    let templates = ["in.h", "h.in"].map(|ending| path.with_extension(ending));
    templates.into_iter().filter(|template| template != path && template.exists()).collect()
}

/// Names that mean something outside the C files and headers of a tree.
fn fixed(tree: &Path) -> Result<Fixed> {
    let mut outside = BTreeSet::new();
    let mut texts = Vec::new();
    for path in all_files(tree)? {
        let bytes = std::fs::read(&path)?;
        // What is not read as text is not rewritten either.
        let Ok(text) = String::from_utf8(bytes.clone()) else {
            outside.extend(names_in(&String::from_utf8_lossy(&bytes)));
            continue;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match name.rsplit('.').next() {
            Some("c" | "h") if !is_template(&path) && made_from(&path).is_empty() => texts.push(text),
            // Made from, or into, C files when the program is built.
            Some("c" | "h" | "y" | "l" | "in" | "gperf") => outside.extend(names_in(&text)),
            _ if name == "Makefile" => outside.extend(names_in(&text)),
            _ => {}
        }
    }
    for path in
        all_files(Path::new(SYSTEM_HEADERS))?.iter().filter(|p| p.extension().is_some_and(|e| e == "h"))
    {
        outside.extend(names_in(&String::from_utf8_lossy(&std::fs::read(path)?)));
    }
    Ok(fixed_names(texts.iter().map(String::as_str), outside))
}

fn run(formatter: &str, file: &Path) -> Result<()> {
    let line = format!("{formatter} \"$1\"");
    let status = std::process::Command::new("sh").args(["-c", &line, "sh"]).arg(file).status()?;
    if !status.success() {
        return Err(format!("{formatter} failed on {}", file.display()).into());
    }
    Ok(())
}

/// Names that mean something outside the files: everything in headers, functions, globals.
fn taken(tree: &Path, program: &Program) -> Result<BTreeSet<String>> {
    let mut taken: BTreeSet<String> = program.functions.iter().map(|f| f.display_name().to_owned()).collect();
    taken.extend(program.globals.iter().map(|g| g.name.clone()));
    for path in files_of(tree, "h")? {
        taken.extend(names_in(&String::from_utf8_lossy(&std::fs::read(path)?)));
    }
    Ok(taken)
}

fn files_of(tree: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    Ok(all_files(tree)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == extension)).collect())
}

fn all_files(tree: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![tree.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_symlink() {
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() && !NOT_C.iter().any(|start| name.starts_with(start)) {
                pending.push(path);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
