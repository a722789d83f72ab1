//! Programs, compiled, cleaned up and loaded; and ways to speak about their parts by name and line.

use parallax_model::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As `parallax-cc` compiles bitcode.
const BITCODE: [&str; 8] = [
    "-O1",
    "-c",
    "-emit-llvm",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-D_FORTIFY_SOURCE=0",
];

pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/programs").join(name)
}

/// Bitcode of a C file, not cleaned up; `flags` go to the compiler.
pub fn compile(source: &Path, directory: &Path, flags: &[&str]) -> PathBuf {
    let bitcode = directory.join("program.bc");
    let mut clang = Command::new("clang-19");
    clang.args(BITCODE).args(flags).arg(source).arg("-o").arg(&bitcode);
    let output = clang.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    bitcode
}

pub fn load_with(source: &Path, flags: &[&str]) -> Program {
    let directory = tempfile::tempdir().unwrap();
    let bitcode = compile(source, directory.path(), flags);
    let cleaned = parallax_instrument::clean_up(&bitcode, directory.path()).unwrap();
    load(&std::fs::read(cleaned).unwrap()).unwrap()
}

/// The model of one of the programs here.
pub fn program(name: &str) -> Program {
    load_with(&source(name), &["-g"])
}

/// The model of a program given as text.
pub fn program_of(text: &str) -> Program {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("program.c");
    std::fs::write(&file, text).unwrap();
    load_with(&file, &["-g"])
}

pub fn func(program: &Program, name: &str) -> FuncId {
    program.function_named(name).unwrap_or_else(|| panic!("no function {name}"))
}

/// Instructions of a function that are of some kind.
pub fn insts(program: &Program, name: &str, wanted: impl Fn(&Op) -> bool) -> Vec<InstId> {
    program.func(func(program, name)).insts.iter().filter(|i| wanted(&program.inst(*i).op)).collect()
}

/// The instruction of a kind that a function has once.
#[track_caller]
pub fn the(program: &Program, name: &str, wanted: impl Fn(&Op) -> bool) -> InstId {
    let found = insts(program, name, wanted);
    assert_eq!(found.len(), 1, "in {name}: {found:?}");
    found[0]
}

/// The line of one of the programs here that has this text.
pub fn line(name: &str, text: &str) -> u32 {
    let content = std::fs::read_to_string(source(name)).unwrap();
    let found = content.lines().position(|l| l.contains(text));
    found.unwrap_or_else(|| panic!("no `{text}` in {name}")) as u32 + 1
}

/// The first block of a function that has an instruction on this line, and none on another line before.
#[track_caller]
pub fn block_at(program: &Program, name: &str, line: u32) -> BlockId {
    let mut blocks = program.func(func(program, name)).blocks.iter();
    let found = blocks.find(|b| program.block(*b).line == line);
    found.unwrap_or_else(|| panic!("no block of {name} begins on line {line}"))
}

/// Time that this thread has computed for, however busy the machine is.
pub fn computed() -> std::time::Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    std::time::Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}
