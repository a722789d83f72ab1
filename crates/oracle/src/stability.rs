//! Does a version agree with itself?
//!
//! In: two runs of one version on the same test case. Out: in what they differ, as small as can be told.

use crate::aspect::Aspect;
use crate::mask::{learn, Unstable};
use crate::rules::Rules;
use parallax_execute::{Content, FileChange, Run};
use std::path::Path;

/// Everything compared in which two runs of the same version differ.
pub fn unstable(rules: &Rules, first: &Run, second: &Run) -> Vec<Unstable> {
    let mut found = Vec::new();
    for aspect in rules.differing(first, second) {
        match aspect {
            Aspect::Stdout => found.extend(learn(aspect, None, &rules.stdout(first), &rules.stdout(second))),
            Aspect::Stderr => found.extend(learn(aspect, None, &rules.stderr(first), &rules.stderr(second))),
            Aspect::Files => found.extend(files(rules, first, second)),
            Aspect::Signal | Aspect::Timeout | Aspect::Limit | Aspect::Exit => {
                found.push(Unstable::whole(aspect));
            }
        }
    }
    found
}

/// Contents of files; which files there are is not something to look past.
fn files(rules: &Rules, first: &Run, second: &Run) -> Vec<Unstable> {
    let (a, b) = (rules.changes(first), rules.changes(second));
    let whole = || vec![Unstable::whole(Aspect::Files)];
    if a.len() != b.len() {
        return whole();
    }
    let mut found = Vec::new();
    for (x, y) in a.iter().zip(&b).filter(|(x, y)| x != y) {
        match (text(x), text(y)) {
            (Some((path, p)), Some((other, q))) if path == other => {
                found.extend(learn(Aspect::Files, Some(path), p, q));
            }
            _ => return whole(),
        }
    }
    // A file of which nothing is left, or of which the mode changes.
    let mut seen = rules.clone();
    found.iter().for_each(|part| seen.leave_out(part));
    if found.iter().any(Unstable::is_whole) || seen.differing(first, second).contains(&Aspect::Files) {
        return whole();
    }
    found
}

fn text(change: &FileChange) -> Option<(&Path, &[u8])> {
    match change {
        FileChange::Created { path, content: Content::File(output), .. }
        | FileChange::Modified { path, content: Content::File(output), .. } => Some((path, &output.bytes)),
        _ => None,
    }
}
