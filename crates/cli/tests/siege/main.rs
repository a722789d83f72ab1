//! Pairs of programs that attack on every run, and that differ in one exit status: the host is unharmed, nothing is left, and the
//! difference is found all the same.

mod attacks;

use attacks::ATTACKS;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Pairs at a time.
const WORKERS: usize = 3;

/// Old and new version: the attack, then a difference on inputs that begin with `x`.
fn write_pair(directory: &Path, victim: &Path, top: &str, body: &str) {
    for (name, result) in [("old.c", 3), ("new.c", 4)] {
        let skeleton = include_str!("skeleton.c").replace("    ATTACK\n", &format!("    {body}\n"));
        let defines = format!("#define VICTIM \"{}\"\n#define RESULT {result}\n", victim.display());
        fs::write(directory.join(name), defines + &skeleton.replace("BEFORE_MAIN\n", &format!("{top}\n")))
            .unwrap();
    }
}

/// What is wrong about the search of one pair.
fn besieged(top: &str, body: &str) -> Result<(), String> {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let victim = directory.path().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("file"), "keep me").unwrap();
    write_pair(directory.path(), &victim, top, body);
    let output = Command::new(env!("CARGO_BIN_EXE_parallax"))
        .args([
            "diff",
            "old.c",
            "new.c",
            "--format",
            "json",
            "--time",
            "40s",
            "--max-differences",
            "1",
            "--",
            "abc",
        ])
        .current_dir(directory.path())
        .env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap();
    let said = format!("{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).map_err(|_| said.clone())?;
    let exits = |d: &Value| (d["old"]["exit"].as_i64(), d["new"]["exit"].as_i64());
    let differences = found["differences"].as_array().ok_or(said.clone())?;
    if output.status.code() != Some(1) || !differences.iter().any(|d| exits(d) == (Some(3), Some(4))) {
        return Err(format!("the difference was not found: {} {said}", found["verdict"]));
    }
    let is_untouched = fs::read(victim.join("file")).is_ok_and(|text| text == b"keep me")
        && fs::read_dir(&victim).is_ok_and(|entries| entries.count() == 1);
    if !is_untouched {
        return Err("files of the host were touched".to_owned());
    }
    let word = directory.path().to_str().unwrap();
    match process_with(word) {
        Some(left) => Err(format!("a process is left: {left}")),
        None => Ok(()),
    }
}

/// The command line of a process that has this word in it.
fn process_with(word: &str) -> Option<String> {
    let lines = fs::read_dir("/proc").ok()?.flatten().filter_map(|e| fs::read(e.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).find(|line| line.contains(word))
}

#[test]
fn every_pair_that_attacks_on_every_run_harms_nobody_and_its_difference_is_found() {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((name, top, body)) = ATTACKS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(reason) = besieged(top, body) {
                        wrong.lock().unwrap().push(format!("{name}: {reason}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), ATTACKS.len());
}
