//! Reformatted and renamed sources have no targets: on the subjects of the bench.

use crate::common::{model, of};
use crate::reformat::{reformat, rename};
use std::collections::BTreeSet;
use std::path::Path;

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
