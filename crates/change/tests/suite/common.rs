//! Compiles C text to models, and shows changes as text.

use parallax_change::{compare, targets, Comparison, Settings};
use parallax_model::{load, Program};
use std::path::{Path, PathBuf};
use std::process::Command;

const FLAGS: [&str; 9] = [
    "-c",
    "-emit-llvm",
    "-g",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-stack-protector",
    "-Wno-everything",
    "-fno-builtin",
];

/// The model of a program in one file.
pub fn model(text: &str) -> Program {
    let directory = tempfile::tempdir().unwrap();
    model_of_files(directory.path(), &[("program.c", text)])
}

/// The same before the clean-up, with every variable in memory.
pub fn model_not_cleaned(text: &str) -> Program {
    let directory = tempfile::tempdir().unwrap();
    let bitcode = compile(directory.path(), &[("program.c", text)]);
    load(&std::fs::read(bitcode).unwrap()).unwrap()
}

/// The model of a program in several files.
pub fn models(files: &[(&str, &str)]) -> Program {
    let directory = tempfile::tempdir().unwrap();
    model_of_files(directory.path(), files)
}

fn model_of_files(directory: &Path, files: &[(&str, &str)]) -> Program {
    let cleaned = parallax_instrument::clean_up(&compile(directory, files), directory).unwrap();
    load(&std::fs::read(cleaned).unwrap()).unwrap()
}

fn compile(directory: &Path, files: &[(&str, &str)]) -> PathBuf {
    let mut parts = Vec::new();
    for (name, text) in files {
        std::fs::write(directory.join(name), text).unwrap();
        if name.ends_with(".c") {
            let part = format!("{name}.bc");
            run(Command::new("clang-19").args(FLAGS).arg(name).args(["-o", &part]).current_dir(directory));
            parts.push(part);
        }
    }
    let mut linked = parts[0].clone();
    if parts.len() > 1 {
        linked = "linked.bc".to_owned();
        run(Command::new("llvm-link-19").args(&parts).args(["-o", &linked]).current_dir(directory));
    }
    directory.join(linked)
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub struct Pair {
    pub new: Program,
    pub comparison: Comparison,
}

pub fn pair(old: &str, new: &str) -> Pair {
    of(model(old), model(new))
}

pub fn of(old: Program, new: Program) -> Pair {
    let comparison = compare(&old, &new, &Settings::default());
    Pair { new, comparison }
}

impl Pair {
    /// One line for each change: kind, name, old lines, new lines.
    pub fn changes(&self) -> Vec<String> {
        let lines = |lines: &[u32]| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let show = |c: &parallax_change::Change| {
            format!(
                "{} {} [{}] [{}]",
                c.kind.name(),
                c.name,
                lines(&c.old_lines.lines),
                lines(&c.new_lines.lines)
            )
        };
        self.comparison.changes.iter().map(show).collect()
    }

    /// `function:line` of every target.
    pub fn targets(&self) -> Vec<String> {
        targets(&self.new, &self.comparison)
            .iter()
            .map(|t| format!("{}:{}", self.new.func(t.func).display_name(), t.line))
            .collect()
    }
}

/// No change at all, and every instruction aligned.
#[track_caller]
pub fn unchanged(old: &str, new: &str) {
    let pair = pair(old, new);
    assert_eq!(pair.changes(), [""; 0]);
    assert_eq!(pair.targets(), [""; 0]);
    assert!(pair.comparison.alignment.insts.iter().all(Option::is_some));
}
