//! Bitcode of many objects into one module.
//!
//! In: bitcode files in link order, the native executable, its link line. Out: one bitcode file in
//! the store, and the symbols that nobody defines.
//! What always holds: the same bitcode and link line give the same module; a body that a header only
//! offers for inlining never replaces a library's function (the call stays a call), but does stand in for a
//! function that no library has.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::cache::{hash_file, Cache, Kind};
use crate::elf;
use crate::error::{AtPath, BuildError};
use crate::link::{LinkItem, LinkLine};
use crate::sealed;
use crate::tools;

/// Part of the key of every module: changes when this file makes different modules.
const MODULE_FORMAT: &str = "2";

/// A whole program.
pub(crate) struct Linked {
    pub path: PathBuf,
    pub unresolved: Vec<String>,
}

/// Links bitcode into one module, or finds it in the cache.
pub(crate) fn link(
    bitcode: &[PathBuf],
    native: &Path,
    line: &LinkLine,
    cache: &Cache,
) -> Result<Linked, BuildError> {
    let key = key(bitcode, line);
    let stored = cache.stored(Kind::Module, &key);
    let notes = stored.with_extension("notes");
    if let Some(Notes { hash, unresolved }) = sealed::read_json(&notes, &key) {
        if sealed::is_file_with(&stored, &hash) {
            cache.used(&stored);
            cache.used(&notes);
            return Ok(Linked { path: stored, unresolved });
        }
    }
    let linker = Linker { scratch: cache.temporary_directory()?, native, line };
    let (module, unresolved) = linker.run(bitcode)?;
    let file = cache.temporary(".bc")?;
    fs::copy(&module, file.path()).at(file.path())?;
    let hash = hash_file(file.path())?;
    cache.keep(file, &stored)?;
    sealed::write_json(cache, &notes, &key, &Notes { hash, unresolved: unresolved.clone() })?;
    Ok(Linked { path: stored, unresolved })
}

/// What stands beside a module: it is named by what it was linked from, so its own hash is written down.
#[derive(Serialize, Deserialize)]
struct Notes {
    hash: String,
    unresolved: Vec<String>,
}

/// Bitcode files are named by content, so their paths say everything.
fn key(bitcode: &[PathBuf], line: &LinkLine) -> String {
    let mut hasher = blake3::Hasher::new();
    let names =
        bitcode.iter().map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    for part in [MODULE_FORMAT.to_string()].into_iter().chain(names).chain(line.arguments()) {
        hasher.update(part.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex().to_string()
}

struct Linker<'a> {
    scratch: TempDir,
    native: &'a Path,
    line: &'a LinkLine,
}

impl Linker<'_> {
    fn run(&self, bitcode: &[PathBuf]) -> Result<(PathBuf, Vec<String>), BuildError> {
        let wrapped = self.line.wrapped_symbols();
        let rewritten;
        let inputs = if wrapped.is_empty() {
            bitcode
        } else {
            rewritten = self.apply_wraps(bitcode, &wrapped)?;
            &rewritten
        };
        let all = self.file("all.bc");
        self.llvm_link(inputs, &all)?;
        let module = self.file("module.bc");
        drop_offered_bodies(&all, &module)?;
        let provided = self.provided_elsewhere();
        let mut unresolved = undefined(&module, &provided)?;
        if !unresolved.is_empty() {
            let kept = self.file("kept.bc");
            self.keep_offered_bodies(&all, &unresolved, &kept)?;
            drop_offered_bodies(&kept, &module)?;
            unresolved = undefined(&module, &provided)?;
        }
        Ok((module, unresolved.into_iter().collect()))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Links in order. Where the user told the linker that the first of several definitions wins, it wins here.
    fn llvm_link(&self, inputs: &[PathBuf], output: &Path) -> Result<(), BuildError> {
        let mut plain = Command::new(tools::llvm_tool("llvm-link"));
        let result = tools::run(plain.arg("-o").arg(output).args(inputs))?;
        if result.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&result.stderr).trim_end().to_string();
        let failed =
            || BuildError::ModuleLink { program: self.native.to_path_buf(), message: message.clone() };
        let Some((last, earlier)) = inputs.split_last() else { return Err(failed()) };
        if !message.contains("multiply defined") {
            return Err(failed());
        }
        // The native link let it pass: the user allowed it, or one definition is in a shared library.
        let mut overriding = Command::new(tools::llvm_tool("llvm-link"));
        overriding.arg("-o").arg(output).arg(last);
        overriding.args(earlier.iter().rev().map(|input| format!("--override={}", input.display())));
        tools::run_checked(&mut overriding).map_err(|_| failed())?;
        Ok(())
    }

    /// Symbols of the libraries and extra objects that the program is linked with.
    fn provided_elsewhere(&self) -> HashSet<String> {
        let mut symbols = HashSet::new();
        for library in needed_libraries(self.native) {
            symbols.extend(exported_symbols(&library));
        }
        for item in &self.line.items {
            if let LinkItem::Object(path) | LinkItem::Shared(path) = item {
                symbols.extend(exported_symbols(path));
            }
        }
        symbols
    }

    /// An inline function of C99 that the native compiler inlined everywhere has no definition
    /// anywhere: its offered bodies become one real one.
    fn keep_offered_bodies(
        &self,
        module: &Path,
        names: &BTreeSet<String>,
        output: &Path,
    ) -> Result<(), BuildError> {
        let text = disassemble(module)?;
        let edited: String = text
            .split_inclusive('\n')
            .map(|line| match line.strip_prefix("define available_externally ") {
                Some(rest) if defined_name(line).is_some_and(|name| names.contains(&name)) => {
                    format!("define linkonce_odr {rest}")
                }
                _ => line.to_string(),
            })
            .collect();
        assemble(&edited, output)
    }

    /// `--wrap SYMBOL` concerns references that are undefined in their object; in one module there
    /// are none left, so they are renamed before the objects become one.
    fn apply_wraps(&self, bitcode: &[PathBuf], wrapped: &[String]) -> Result<Vec<PathBuf>, BuildError> {
        let texts = bitcode.iter().map(|path| disassemble(path)).collect::<Result<Vec<_>, _>>()?;
        let defined: HashSet<String> =
            texts.iter().flat_map(|text| text.lines().filter_map(defined_name)).collect();
        let mut outputs = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let own: HashSet<String> = text.lines().filter_map(defined_name).collect();
            let mut text = text.clone();
            for symbol in wrapped {
                if !own.contains(symbol) {
                    let wrapper = format!("__wrap_{symbol}");
                    if own.contains(&wrapper) {
                        text = without_declaration(&text, symbol);
                    }
                    text = rename_symbol(&text, symbol, &wrapper);
                }
                // A library's function keeps its `__real_` name: the linker resolves that.
                if defined.contains(symbol) {
                    text = rename_symbol(&text, &format!("__real_{symbol}"), symbol);
                }
            }
            let output = self.file(&format!("wrapped-{index}.bc"));
            assemble(&text, &output)?;
            outputs.push(output);
        }
        Ok(outputs)
    }
}

pub(crate) fn disassemble(module: &Path) -> Result<String, BuildError> {
    let output =
        tools::run_checked(Command::new(tools::llvm_tool("llvm-dis")).arg("-o").arg("-").arg(module))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn assemble(text: &str, output: &Path) -> Result<(), BuildError> {
    let source = output.with_extension("ll");
    fs::write(&source, text).at(&source)?;
    tools::run_checked(Command::new(tools::llvm_tool("llvm-as")).arg("-o").arg(output).arg(&source))?;
    Ok(())
}

/// A module that is to have a definition of the name has no declaration of it.
fn without_declaration(text: &str, symbol: &str) -> String {
    let kept =
        text.split_inclusive('\n').filter(|line| name_after(line, "declare ").as_deref() != Some(symbol));
    kept.collect()
}

/// The function that a line of assembly begins to define.
pub(crate) fn defined_name(line: &str) -> Option<String> {
    name_after(line, "define ")
}

fn name_after(line: &str, keyword: &str) -> Option<String> {
    let rest = line.strip_prefix(keyword)?;
    let at = rest.find('@')?;
    let name = &rest[at + 1..];
    let name = match name.strip_prefix('"') {
        Some(quoted) => &quoted[..quoted.find('"')?],
        None => &name[..name.find('(')?],
    };
    Some(name.to_string())
}

/// Renames a global symbol in assembly, but not inside strings nor where another name begins with it.
pub(crate) fn rename_symbol(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut rest = text;
    while let Some(position) = rest.find(['"', '@']) {
        let (before, here) = rest.split_at(position);
        out.push_str(before);
        let matches = here[1..].strip_prefix(from).filter(|after| {
            !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '-'))
        });
        match matches {
            Some(after) if !in_string && here.starts_with('@') => {
                out.push('@');
                out.push_str(to);
                rest = after;
            }
            _ => {
                in_string ^= here.starts_with('"');
                out.push_str(&here[..1]);
                rest = &here[1..];
            }
        }
    }
    out + rest
}

/// Turns bodies that are only offered for inlining into declarations.
fn drop_offered_bodies(module: &Path, output: &Path) -> Result<(), BuildError> {
    let mut command = Command::new(tools::llvm_tool("opt"));
    tools::run_checked(command.arg("-passes=elim-avail-extern").arg("-o").arg(output).arg(module))?;
    Ok(())
}

/// Undefined strong symbols of a module that nothing else provides.
fn undefined(module: &Path, provided: &HashSet<String>) -> Result<BTreeSet<String>, BuildError> {
    let mut command = Command::new(tools::llvm_tool("llvm-nm"));
    let output = tools::run_checked(command.arg("--undefined-only").arg("--format=posix").arg(module))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let symbols = text.lines().filter_map(|line| {
        let mut fields = line.split(' ');
        let name = fields.next()?;
        (fields.next()? == "U" && !provided.contains(name)).then(|| name.to_string())
    });
    Ok(symbols.filter(|name| !LINKER_DEFINED.contains(&name.as_str())).collect())
}

/// Symbols that the linker itself or the start files define.
const LINKER_DEFINED: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_",
    "__dso_handle",
    "_DYNAMIC",
    "__ehdr_start",
    "__executable_start",
    "_end",
    "end",
    "_edata",
    "edata",
    "_etext",
    "etext",
    "__bss_start",
    "__tls_get_addr",
    "_init",
    "_fini",
    "_start",
];

/// Shared libraries that a program loads, where the compiler finds them.
fn needed_libraries(native: &Path) -> Vec<PathBuf> {
    let Ok(content) = fs::read(native) else { return Vec::new() };
    let mut names = elf::needed(&content);
    if names.is_empty() {
        // Linked statically: the same functions came from archives.
        names = vec!["libc.so.6".into(), "libm.so.6".into()];
    }
    // What the compiler links besides, unasked.
    names.extend(["libgcc_s.so.1", "libc_nonshared.a", "ld-linux-x86-64.so.2"].map(String::from));
    names.iter().filter_map(|name| file_of_library(name)).collect()
}

fn file_of_library(name: &str) -> Option<PathBuf> {
    let compiler = tools::clang(tools::Language::C);
    let output = tools::run_checked(Command::new(compiler).arg(format!("-print-file-name={name}"))).ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
    path.is_file().then_some(path)
}

fn exported_symbols(path: &Path) -> Vec<String> {
    let members = match fs::read(path) {
        Ok(content) if elf::kind_of(&content) == elf::FileKind::Archive => {
            elf::archive_members(path).unwrap_or_default().into_iter().map(|(_, content)| content).collect()
        }
        Ok(content) => vec![content],
        Err(_) => Vec::new(),
    };
    members.iter().flat_map(|content| defined_symbols(content)).collect()
}

/// Global symbols that an object or library defines.
pub(crate) fn defined_symbols(content: &[u8]) -> Vec<String> {
    let Ok(file) = object::File::parse(content) else { return Vec::new() };
    // Not `is_definition`: that leaves out indirect functions, such as strlen.
    let name = |symbol: &object::Symbol| {
        (!symbol.is_undefined() && symbol.is_global()).then(|| symbol.name().unwrap_or_default().to_string())
    };
    let own: Vec<String> = file.symbols().filter_map(|s| name(&s)).collect();
    own.into_iter().chain(file.dynamic_symbols().filter_map(|s| name(&s))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_renamed_only_where_it_is_that_symbol() {
        let text = "call @read(@reader, c\"@read\", @read)\n@read.1 = \"@read\"\n!DI(name: \"@read\") @read";
        assert_eq!(
            rename_symbol(text, "read", "R"),
            "call @R(@reader, c\"@read\", @R)\n@read.1 = \"@read\"\n!DI(name: \"@read\") @R"
        );
    }

    #[test]
    fn the_name_of_a_definition_is_read_from_its_line() {
        assert_eq!(defined_name("define dso_local i32 @main(i32 %0) {").as_deref(), Some("main"));
        assert_eq!(defined_name("define void @\"a b\"() {").as_deref(), Some("a b"));
        assert_eq!(defined_name("declare void @f()"), None);
    }
}
