//! A program around one function of a version.
//!
//! In: a built version (a program, or a library), the C text of a driver with a `main`, and which symbols of the version the driver names. Out: a
//! [`Version`] whose native program and bitcode are the driver and the version's code, linked at the level of bitcode.
//!
//! What always holds: the code of the version is that of its whole-program bitcode, with its own `main` renamed and the named symbols made visible, and nothing
//! else changed; the native program is made of that bitcode by clang, at the optimisation level of the user's own build. The same version and the same driver give the
//! same files, in a directory of the cache that holds nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache::{hash_file, Cache};
use crate::collect::Version;
use crate::elf;
use crate::error::{AtPath, BuildError};
use crate::home::Home;
use crate::module::{assemble, defined_name, disassemble, rename_symbol};
use crate::product::library_records;
use crate::record::{decode, ObjectRecord, OBJECT_SECTION};
use crate::sealed;
use crate::tools::{self, Language};

/// The shelf of the cache, and the file in each of its directories that is written last.
pub(crate) const DRIVEN: &str = "driven";
pub(crate) const DONE: &str = "driven.json";
/// Changes when this file makes something else of the same input.
const FORMAT: &str = "1";
/// The version's own `main`.
const OWN_MAIN: &str = "parallax_main_of_version";
/// Where the build does not say.
const DEFAULT_LEVEL: &str = "-O1";

/// What the driver needs of the version.
#[derive(Clone, Debug, Default)]
pub struct Drive {
    /// C text with a `main`; nothing of it is looked for in files.
    pub driver: String,
    /// Symbols, as the linker knows them, that the driver names: static ones are made visible.
    pub visible: BTreeSet<String>,
    /// Functions whose calls go to a function of the driver instead: its name, and the driver's.
    pub redirected: Vec<(String, String)>,
    /// What the program is called.
    pub name: String,
}

/// Makes the program, or finds it in the cache.
pub fn drive(version: &Version, drive: &Drive, cache: &Cache) -> Result<Version, BuildError> {
    let level = optimisation_level(version);
    let key = key(version, drive, &level)?;
    let place = cache.directory(DRIVEN)?.join(&key);
    let native = place.join("bin").join(&drive.name);
    let bitcode = place.join("driven.bc");
    let done = place.join(DONE);
    let hashes = || Ok::<_, BuildError>([hash_file(&native)?, hash_file(&bitcode)?]);
    let kept: Option<[String; 2]> = sealed::read_json(&done, &key);
    if !kept.is_some_and(|kept| hashes().is_ok_and(|hashes| hashes == kept)) {
        let scratch = cache.temporary_directory()?;
        let module = module(version, drive, scratch.path())?;
        link(version, &module, &level, &scratch.path().join("program"))?;
        fs::create_dir_all(place.join("bin")).at(&place)?;
        install(&module, &bitcode)?;
        install(&scratch.path().join("program"), &native)?;
        sealed::write_json(cache, &done, &key, &hashes()?)?;
    }
    cache.used(&done);
    Ok(Version {
        program: drive.name.clone(),
        native,
        bitcode,
        home: Home::default(),
        // It lies beside nothing that its build made.
        command: None,
        ..version.clone()
    })
}

/// By one rename, so that a file is whole or not there.
fn install(from: &Path, to: &Path) -> Result<(), BuildError> {
    fs::rename(from, to).at(to)
}

fn key(version: &Version, drive: &Drive, level: &str) -> Result<String, BuildError> {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &str| {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    };
    let (bitcode, clang) = (hash_file(&version.bitcode)?, tools::version_of(&tools::clang(Language::C))?);
    for part in [FORMAT, &bitcode, &clang, &drive.driver, &drive.name, level] {
        add(part);
    }
    version.link.arguments().iter().for_each(|item| add(item));
    drive.visible.iter().for_each(|symbol| add(symbol));
    for (from, to) in &drive.redirected {
        add(from);
        add(to);
    }
    Ok(hasher.finalize().to_hex()[..32].to_string())
}

/// The driver and the version as one module.
fn module(version: &Version, drive: &Drive, scratch: &Path) -> Result<PathBuf, BuildError> {
    let driver = compile(&drive.driver, scratch)?;
    let text = rename_symbol(&disassemble(&version.bitcode)?, "main", OWN_MAIN);
    let edited = scratch.join("version.bc");
    assemble(&edit(&text, drive), &edited)?;
    let linked = scratch.join("linked.bc");
    let mut command = Command::new(tools::llvm_tool("llvm-link"));
    let output = tools::run(command.arg("-o").arg(&linked).arg(&edited).arg(&driver))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
        return Err(BuildError::DriverLink { program: version.program.clone(), message });
    }
    Ok(linked)
}

/// To bitcode, as the wrapper does with sources.
fn compile(text: &str, scratch: &Path) -> Result<PathBuf, BuildError> {
    let source = scratch.join("driver.c");
    fs::write(&source, text).at(&source)?;
    let mut command = Command::new(tools::clang(Language::C));
    command.current_dir(scratch).args(["-g", "-O1", "-Xclang", "-disable-llvm-passes", "-fno-builtin"]);
    command.args(["-fdebug-compilation-dir=.", "-ferror-limit=5", "-w", "-fno-color-diagnostics"]);
    command.args(["-emit-llvm", "-c", "driver.c", "-o", "driver.bc"]);
    let output = tools::run(&mut command)?;
    if output.status.success() {
        return Ok(scratch.join("driver.bc"));
    }
    Err(BuildError::Driver { message: String::from_utf8_lossy(&output.stderr).trim_end().to_string() })
}

/// The version's assembly with its static symbols made visible and calls redirected.
fn edit(text: &str, drive: &Drive) -> String {
    let mut text = text.to_owned();
    for (from, to) in &drive.redirected {
        text = redirect(&text, from, to);
    }
    text.split_inclusive('\n').map(|line| visible(line, &drive.visible)).collect()
}

/// A definition or declaration keeps its name; everything else that refers to it refers to another function now.
fn redirect(text: &str, from: &str, to: &str) -> String {
    let is_own = |line: &str| defined_name(line).is_some_and(|name| name == from);
    let body: String = text
        .split_inclusive('\n')
        .map(|line| match is_own(line) {
            true => line.to_owned(),
            false => rename_symbol(line, from, to),
        })
        .collect();
    // A pointer to a function has no type, so neither needs its declaration the right one.
    match body.contains(&format!("@{to}")) && !body.lines().any(|line| declares(line, to)) {
        true => body + &format!("\ndeclare void @{to}()\n"),
        false => body,
    }
}

fn declares(line: &str, name: &str) -> bool {
    line.starts_with("declare ") && line.contains(&format!("@{name}("))
}

/// A line of assembly that defines one of the symbols, without its `internal`.
fn visible(line: &str, symbols: &BTreeSet<String>) -> String {
    let function = || line.starts_with("define internal ").then(|| defined_name(line)).flatten();
    let variable = || {
        let name = line.strip_prefix('@')?.split_once(" = internal ")?.0;
        Some(name.trim_matches('"').to_owned())
    };
    match function().or_else(variable) {
        Some(name) if symbols.contains(&name) => line.replacen(" internal ", " ", 1),
        _ => line.to_owned(),
    }
}

/// The native program, with what the version is linked with.
fn link(version: &Version, module: &Path, level: &str, output: &Path) -> Result<(), BuildError> {
    let language = if version.link.cxx { Language::Cxx } else { Language::C };
    let mut command = Command::new(tools::clang(language));
    command.args([level, "-g", "-Wno-everything", "-x", "ir"]).arg(module).args(["-x", "none"]);
    command.args(version.link.arguments()).arg("-o").arg(output);
    let result = tools::run(&mut command)?;
    if result.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&result.stderr).trim_end().to_string();
    Err(BuildError::DriverLink { program: version.program.clone(), message })
}

/// That of most of its objects.
fn optimisation_level(version: &Version) -> String {
    let content = fs::read(&version.native).unwrap_or_default();
    let records: Vec<ObjectRecord> = match library_records(&version.native) {
        Some(records) => records,
        None => decode(&elf::section(&content, OBJECT_SECTION)),
    };
    let level = |record: &ObjectRecord| record.flags.iter().rfind(|flag| flag.starts_with("-O")).cloned();
    let mut levels: Vec<String> = records.iter().filter_map(level).collect();
    levels.sort();
    let count = |level: &String| levels.iter().filter(|other| *other == level).count();
    let most = levels.iter().max_by_key(|level| count(level));
    most.cloned().unwrap_or_else(|| DEFAULT_LEVEL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_symbol_that_the_driver_names_is_visible_and_no_other() {
        let symbols: BTreeSet<String> = ["f".to_owned(), "g.1".to_owned()].into();
        let shown = |line| visible(line, &symbols);
        assert_eq!(shown("define internal i32 @f(i32 %0) {"), "define i32 @f(i32 %0) {");
        assert_eq!(shown("define internal i32 @h(i32 %0) {"), "define internal i32 @h(i32 %0) {");
        assert_eq!(shown("@g.1 = internal global i32 0"), "@g.1 = global i32 0");
        assert_eq!(shown("@g = internal global i32 0"), "@g = internal global i32 0");
    }

    #[test]
    fn calls_are_redirected_and_the_definition_keeps_its_name() {
        let text = "define i32 @send(i32 %0) {\n}\ndefine i32 @f() {\n  call i32 @send(i32 1)\n}\n";
        let edited = redirect(text, "send", "logged");
        assert!(edited.contains("define i32 @send(i32 %0)") && edited.contains("call i32 @logged(i32 1)"));
        assert!(edited.contains("declare void @logged()"), "{edited}");
        // What is only declared stays declared for the driver, which calls it.
        let declared = redirect("declare i32 @send(i32)\n  call i32 @send(i32 1)\n", "send", "logged");
        assert_eq!(declared.matches("@logged").count(), 2, "{declared}");
    }
}
