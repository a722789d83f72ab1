//! Keeps the project as CONTRIBUTING.md says it is. Reads the sources of the workspace; runs nothing
//! but `parallax --help`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each crate may depend on. The order is the flow of data: no crate knows a later one.
const MAY_USE: [(&str, &[&str]); 17] = [
    ("trace", &[]),
    ("runtime", &["trace"]),
    ("build", &["trace"]),
    ("instrument", &["trace", "build"]),
    ("model", &["trace"]),
    ("change", &["trace", "model"]),
    ("follow", &["trace", "model", "change"]),
    ("driver", &["trace", "model"]),
    ("plan", &["trace", "model", "change"]),
    ("execute", &["trace", "build", "instrument"]),
    ("record", &["build", "execute"]),
    ("solve", &["trace"]),
    ("search", &["trace", "plan", "execute", "solve"]),
    ("verify", &["trace", "execute", "solve", "search"]),
    ("oracle", &["trace", "execute"]),
    ("report", &["trace", "build", "instrument", "execute", "search", "oracle"]),
    (
        "cli",
        &[
            "trace",
            "build",
            "instrument",
            "model",
            "change",
            "follow",
            "driver",
            "plan",
            "execute",
            "record",
            "solve",
            "search",
            "verify",
            "oracle",
            "report",
        ],
    ),
];

/// Crates in which `unsafe` may be written.
const MAY_BE_UNSAFE: [&str; 3] = ["runtime", "trace", "execute"];
/// Single files elsewhere, with the reason.
const UNSAFE_FILES: [(&str, &str); 6] = [
    ("crates/build/src/observe.rs", "what a child does between fork and exec to be traced"),
    ("crates/instrument/src/gaps.rs", "calls of LLVM's C interface that the bindings lack"),
    ("crates/model/src/gaps/mod.rs", "queries of LLVM's C interface"),
    ("crates/model/src/gaps/types.rs", "queries of LLVM's C interface"),
    ("crates/record/src/resume.rs", "how a traced process goes on, with any signal"),
    ("crates/model/src/gaps/value.rs", "queries of LLVM's C interface"),
];
/// Crates that may depend on LLVM bindings.
const MAY_USE_LLVM: [&str; 3] = ["build", "instrument", "model"];
const LLVM_CRATES: [&str; 2] = ["inkwell", "llvm-sys"];
/// Solvers, which only `solve` may name.
const SOLVER_CRATES: [&str; 2] = ["z3", "cadical"];

const MAX_LINES: usize = 500;
/// Files that may be longer, with the reason.
const LONGER: [(&str, &str); 0] = [];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every Rust file of the workspace: crate, path relative to the root, content.
fn sources() -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for krate in crates() {
        let mut pending = vec![root().join("crates").join(&krate)];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.ends_with("target") {
                    pending.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
                    found.push((krate.clone(), name, fs::read_to_string(&path).unwrap()));
                }
            }
        }
    }
    assert!(found.len() > 20, "the sources were not found");
    found
}

fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Names on the left of `=` in the dependency sections of a crate, tests' own excepted.
fn dependencies(krate: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in read(format!("crates/{krate}/Cargo.toml")).lines() {
        if let Some(section) = line.strip_prefix('[') {
            inside = ["dependencies]", "build-dependencies]"].contains(&section);
        } else if let (true, Some((name, _))) = (inside, line.split_once('=')) {
            names.push(name.trim().trim_end_matches(".workspace").to_owned());
        }
    }
    names
}

#[track_caller]
fn none(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn dependencies_between_crates_follow_the_flow_of_data() {
    let table: BTreeMap<_, _> = MAY_USE.into_iter().collect();
    let mut problems = Vec::new();
    for krate in crates() {
        let Some(allowed) = table.get(krate.as_str()) else {
            problems.push(format!("{krate}: not in the table of crates"));
            continue;
        };
        for dependency in dependencies(&krate) {
            if let Some(other) = dependency.strip_prefix("parallax-") {
                if !allowed.contains(&other) {
                    problems.push(format!("{krate} may not use {other}"));
                }
            }
        }
    }
    none(problems);
}

#[test]
fn llvm_is_used_only_where_it_may_be() {
    let mut problems = Vec::new();
    for krate in crates().into_iter().filter(|k| !MAY_USE_LLVM.contains(&k.as_str())) {
        for dependency in dependencies(&krate).iter().filter(|d| LLVM_CRATES.contains(&d.as_str())) {
            problems.push(format!("{krate} may not use {dependency}"));
        }
    }
    none(problems);
}

#[test]
fn solvers_are_named_only_where_they_may_be() {
    let mut problems = Vec::new();
    for krate in crates().into_iter().filter(|k| k != "solve") {
        for dependency in dependencies(&krate).iter().filter(|d| SOLVER_CRATES.contains(&d.as_str())) {
            problems.push(format!("{krate} may not use {dependency}"));
        }
    }
    none(problems);
}

#[test]
fn unsafe_code_is_only_where_it_may_be_and_says_why() {
    let mut problems = Vec::new();
    for (krate, name, text) in sources() {
        let uses = text.lines().filter(|line| has_unsafe(line)).count();
        let allowed =
            MAY_BE_UNSAFE.contains(&krate.as_str()) || UNSAFE_FILES.iter().any(|(file, _)| *file == name);
        if uses > 0 && !allowed {
            problems.push(format!("{name}: {krate} may not use it"));
        }
        if uses > 0 && !text.contains("SAFETY") && !text.contains("# Safety") {
            problems.push(format!("{name}: nowhere says why that is safe"));
        }
    }
    none(problems);
}

/// Is the word in the code of this line, and not only in a comment, a string or an attribute?
fn has_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let outside: String = code.split('"').step_by(2).collect();
    outside.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe")
        && !code.trim_start().starts_with("#[")
}

#[test]
fn every_tool_dies_with_parallax() {
    let mut problems = Vec::new();
    for (krate, name, text) in sources() {
        let starts =
            |line: &&str| [".output()", ".status()", ".spawn()"].iter().any(|call| line.contains(call));
        let program = text.split("#[cfg(test)]").next().unwrap_or_default();
        let tied = |line: &&str| line.contains("dies_with_us(") || line.contains("tied(");
        if ["build", "instrument"].contains(&krate.as_str()) && name.contains("/src/") {
            let loose = program.lines().filter(starts).filter(|line| !tied(line));
            problems
                .extend(loose.map(|line| format!("{name}: goes on if Parallax is killed: {}", line.trim())));
        }
    }
    none(problems);
}

#[test]
fn files_are_not_too_long() {
    let mut problems = Vec::new();
    for (_, name, text) in sources() {
        let lines = text.lines().count();
        let excused = LONGER.iter().any(|(file, _)| *file == name);
        if lines > MAX_LINES && !excused {
            problems.push(format!("{name}: {lines} lines, at most {MAX_LINES}"));
        }
    }
    none(problems);
}

#[test]
fn every_file_opens_with_what_it_is_for() {
    let opens =
        |text: &str| text.lines().find(|l| !l.starts_with("#!")).is_some_and(|l| l.starts_with("//!"));
    let silent = sources().into_iter().filter(|(_, _, text)| !opens(text));
    none(silent.map(|(_, name, _)| format!("{name}: no module doc at the top")).collect());
}

#[test]
fn nothing_is_left_to_do_in_comments() {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME")];
    let mut problems = Vec::new();
    for (_, name, text) in sources() {
        for word in words.iter().filter(|word| text.contains(*word)) {
            problems.push(format!("{name}: {word}"));
        }
    }
    none(problems);
}

#[test]
fn every_option_of_the_command_line_is_in_the_book() {
    let book = read("docs/book/command-line.md");
    let help = |subcommand: &str| {
        let program = env!("CARGO_BIN_EXE_parallax");
        let output = std::process::Command::new(program).args([subcommand, "--help"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut options = 0;
    let mut problems = Vec::new();
    for subcommand in [
        "trace", "diff", "reach", "augment", "verify", "check", "inspect", "record", "replay", "blame",
        "history", "report", "cache", "doctor",
    ] {
        for line in help(subcommand).lines() {
            let Some(option) = line.trim_start().strip_prefix("--") else { continue };
            let option = option.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap();
            options += 1;
            if !book.contains(&format!("`--{option}")) {
                problems.push(format!("--{option} of `parallax {subcommand}` is not in the book"));
            }
        }
    }
    assert!(options > 15, "the help was not understood");
    none(problems);
}

#[test]
fn every_exit_code_is_in_the_book_and_nothing_else_is() {
    let code = read("crates/cli/src/exit_code.rs");
    let book = read("docs/book/exit-codes.md");
    let in_code: Vec<String> = code
        .lines()
        .filter_map(|line| line.trim().strip_prefix("(ExitCode::")?.strip_suffix("),"))
        .map(|line| {
            let (_, rest) = line.split_once(", ").unwrap();
            let (number, meaning) = rest.split_once(", ").unwrap();
            format!("| {number} | {} |", meaning.trim_matches('"'))
        })
        .collect();
    let is_row = |l: &&str| l.strip_prefix("| ").is_some_and(|l| l.starts_with(|c: char| c.is_ascii_digit()));
    let in_book: Vec<&str> = book.lines().filter(is_row).collect();
    assert!(in_code.len() >= 6, "the table was not understood");
    assert_eq!(in_code, in_book);
}

#[test]
fn every_json_field_is_in_the_book() {
    let book = read("docs/book/json.md");
    let mut fields = 0;
    let mut problems = Vec::new();
    for file in [
        "view.rs",
        "place.rs",
        "diff_view.rs",
        "ladder_view.rs",
        "reach_view.rs",
        "crash_view.rs",
        "changes.rs",
        "dependence_view.rs",
        "inspect_view.rs",
        "record_view.rs",
        "verify_view.rs",
    ]
    .map(|name| format!("crates/report/src/{name}"))
    {
        let text = read(&file);
        let mut flattened = false;
        for line in text.lines().map(str::trim) {
            let declared =
                line.strip_prefix("pub ").filter(|l| !l.starts_with("fn ") && !l.starts_with("const "));
            if let Some((field, _)) = declared.and_then(|l| l.split_once(": ")) {
                fields += 1;
                if !flattened && !book.contains(&format!("`{field}`")) {
                    problems.push(format!("{file}: field {field} is not in the book"));
                }
            }
            // The fields of a flattened one stand for it; a skipped one is in no document.
            flattened = line == "#[serde(flatten)]" || line == "#[serde(skip)]";
        }
    }
    assert!(fields > 60, "the fields were not understood");
    none(problems);
}

#[test]
fn no_file_names_a_place_of_the_machine_it_was_written_on() {
    let places = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
    let mut problems = Vec::new();
    for (_, name, text) in sources() {
        for place in places.iter().filter(|place| text.contains(*place)) {
            problems.push(format!("{name}: {place}"));
        }
    }
    none(problems);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let book = fs::read_dir(root().join("docs/book")).unwrap();
    let pages = book.map(|e| format!("docs/book/{}", e.unwrap().file_name().to_string_lossy()));
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    let mut problems = Vec::new();
    for document in pages.chain(top) {
        let directory = root().join(&document).parent().unwrap().to_owned();
        for link in read(&document).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !link.contains("://") && !directory.join(link).exists() {
                problems.push(format!("{document}: {link} does not exist"));
            }
        }
    }
    none(problems);
}
