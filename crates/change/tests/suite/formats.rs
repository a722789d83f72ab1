//! Reformatted and renamed sources have no targets, and a version is aligned with itself: on the subjects of the bench.

use crate::common::{model, of};
use crate::reformat::{reformat, rename};
use parallax_change::{compare, targets, Settings};
use std::collections::BTreeSet;
use std::path::Path;

/// Every file below the subjects that is a program of its own.
fn programs() -> Vec<(String, String)> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/subjects");
    let (mut found, mut pending) = (Vec::new(), vec![home]);
    while let Some(directory) = pending.pop() {
        for path in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            // Drivers need the library that they drive.
            if path.is_dir() && !path.ends_with("drivers") {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_subject_is_aligned_with_itself_completely() {
    let programs = programs();
    assert!(programs.len() > 60, "only {} programs were found", programs.len());
    for (name, text) in programs {
        let (old, new) = (model(&text), model(&text));
        for same_at_once in [true, false] {
            let settings = Settings { same_at_once, ..Settings::default() };
            let comparison = compare(&old, &new, &settings);
            let alone = comparison.alignment.insts.iter().filter(|to| to.is_none()).count();
            assert_eq!(
                (alone, comparison.changes.len()),
                (0, 0),
                "{name}, {same_at_once}: {:?}",
                comparison.changes
            );
            assert!(targets(&new, &comparison).is_empty());
            assert!(comparison.alignment.blocks.iter().all(Option::is_some), "{name}");
        }
    }
}

/// The old version of every pair.
fn subjects() -> Vec<(String, String)> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/subjects/diff");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Ok(text) = std::fs::read_to_string(path.join("old.c")) {
            found.push((name, text));
        }
    }
    found.sort();
    assert!(found.len() > 10, "the subjects were not found");
    found
}

#[test]
fn a_reformatted_and_renamed_program_has_no_targets() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut renamed = 0;
    for (name, text) in subjects() {
        let old = model(&text);
        let locals: BTreeSet<String> = old.variables.iter().map(|v| v.name.clone()).collect();
        let new_text = reformat(&rename(&text, &locals, &BTreeSet::new()), &mut random);
        renamed += new_text.matches("_renamed").count();
        let pair = of(old, model(&new_text));
        assert_eq!(pair.targets(), [""; 0], "{name}: {:?}", pair.changes());
        assert!(pair.comparison.alignment.insts.iter().all(Option::is_some), "{name}");
    }
    assert!(renamed > 1000, "only {renamed} names were changed");
}
