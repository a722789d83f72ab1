//! Programs whose output varies by itself, each compared with a harmless refactoring of itself: no difference.
//!
//! All of them are judged on inputs that show the variation, with `parallax replay`; some of them are searched, with
//! `parallax diff`, from a seed that shows it and from one that does not. `PARALLAX_VARYING=all` searches all of them.

mod programs;

use programs::PROGRAMS;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use tempfile::TempDir;

/// Inputs on which a program varies.
const SHOWING: [&str; 3] = ["7!\n", "12!34 5\n", "!\n"];
/// One on which it does not.
const QUIET: &str = "12 7\n";
/// Every how many programs one is searched.
const SEARCHED: usize = 13;
/// Comparisons at a time.
const WORKERS: usize = 3;

fn parallax(directory: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
    command.args(args).current_dir(directory);
    command.env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().unwrap()
}

/// Both versions of a program as sources, in directories whose names are of different lengths.
fn sources(directory: &Path, statements: &str) -> [PathBuf; 2] {
    let skeleton = include_str!("skeleton.c").replace("    VARY\n", &format!("    {statements}\n"));
    let versions = [("v1/old.c", ""), ("version-two/new.c", "#define REFACTORED\n")];
    versions.map(|(name, define)| {
        let path = directory.join(name);
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("{define}{skeleton}")).unwrap();
        path
    })
}

fn compiled(source: &Path) -> String {
    let program = source.with_extension("");
    let mut clang = Command::new("clang-19");
    clang.args(["-O1", "-w", "-pthread", "-o"]).arg(&program).arg(source);
    assert!(clang.status().unwrap().success(), "{}", source.display());
    program.to_str().unwrap().to_owned()
}

/// What `parallax replay` calls different.
fn judged(statements: &str) -> Vec<String> {
    let directory = TempDir::new().unwrap();
    let [old, new] = sources(directory.path(), statements).map(|source| compiled(&source));
    let mut line = vec!["replay".to_owned()];
    for (number, input) in SHOWING.iter().enumerate() {
        let test = directory.path().join(format!("test{number}"));
        fs::create_dir(&test).unwrap();
        fs::write(test.join("cmd"), "").unwrap();
        fs::write(test.join("stdin"), input).unwrap();
        line.push(test.to_str().unwrap().to_owned());
    }
    line.extend(["--old", &old, "--new", &new, "--format", "json"].map(str::to_owned));
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    let output = parallax(directory.path(), &line);
    let complaint = || vec![format!("{:?} {}", output.status, String::from_utf8_lossy(&output.stderr))];
    let Ok(json) = serde_json::from_slice::<Value>(&output.stdout) else { return complaint() };
    let tests = json["tests"].as_array().unwrap();
    assert_eq!(tests.len(), SHOWING.len());
    let different = tests.iter().filter(|test| test["status"] == "different");
    different.map(|test| test["signature"].to_string()).collect()
}

/// What `parallax diff` finds, from this seed.
fn searched(statements: &str, seed: &str) -> Vec<String> {
    let directory = TempDir::new().unwrap();
    let [old, new] = sources(directory.path(), statements).map(|source| source.to_str().unwrap().to_owned());
    fs::write(directory.path().join("in"), seed).unwrap();
    let line = ["diff", &old, &new, "--stdin", "in", "--time", "2s", "--format", "json"];
    let output = parallax(directory.path(), &line);
    // Everything compared may be unstable on the seed: exit status 4, and no document.
    let Ok(json) = serde_json::from_slice::<Value>(&output.stdout) else {
        let status = output.status.code();
        let said = String::from_utf8_lossy(&output.stderr);
        return if status == Some(4) { vec![] } else { vec![format!("{status:?} {said}")] };
    };
    assert_ne!(json["verdict"], "equivalent", "nothing was searched");
    json["differences"].as_array().unwrap().iter().map(|d| d["signature"].to_string()).collect()
}

/// Does this for all, some at a time; what was found that should not have been.
fn for_all<T: Sync>(
    all: &[T],
    name: impl Fn(&T) -> String + Sync,
    look: impl Fn(&T) -> Vec<String> + Sync,
) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wrong = look(one);
                    if !wrong.is_empty() {
                        found.lock().unwrap().push(format!("{}: {wrong:?}", name(one)));
                    }
                }
            });
        }
    });
    found.into_inner().unwrap()
}

#[test]
fn no_program_that_varies_by_itself_is_different_from_a_refactoring_of_itself() {
    assert!(PROGRAMS.len() >= 80);
    let wrong = for_all(PROGRAMS, |(name, _)| (*name).to_owned(), |(_, statements)| judged(statements));
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), PROGRAMS.len());
}

#[test]
fn no_search_finds_a_difference_where_output_varies_by_itself() {
    let every =
        if std::env::var_os("PARALLAX_VARYING").is_some_and(|all| all == "all") { 1 } else { SEARCHED };
    let programs = PROGRAMS.iter().step_by(every);
    let pairs: Vec<_> =
        programs.flat_map(|(name, vary)| [QUIET, SHOWING[0]].map(|seed| (name, vary, seed))).collect();
    let wrong = for_all(
        &pairs,
        |(name, _, seed)| format!("{name} from {seed:?}"),
        |(_, statements, seed)| searched(statements, seed),
    );
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), pairs.len());
}

#[test]
fn a_difference_beside_what_varies_is_found() {
    let wrong = for_all(
        &[
            "printf(\"at %p\\n\", (void *)main);",
            "puts(coin(2) ? \"heads\" : \"tails\");",
            "struct timeval t; gettimeofday(&t, 0); printf(\"%ld\\n\", (long)t.tv_usec);",
        ],
        |statements| (*statements).to_owned(),
        |statements| {
            // On inputs that vary there is one more line.
            let added = format!("{statements}\n#ifdef REFACTORED\nputs(\"one more line\");\n#endif\n");
            if judged(&added).len() == SHOWING.len() {
                vec![]
            } else {
                vec!["not found".to_owned()]
            }
        },
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}
