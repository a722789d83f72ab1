//! Which change is behind a difference, on traces made by hand.

use parallax_oracle::{Causes, Expectations, Region, Seen};
use parallax_trace::sites::{BlockInfo, FunctionInfo, ProgramMap, SiteInfo, SiteKind};
use parallax_trace::synth::Synth;
use parallax_trace::Trace;

/// A program of one function in one file, with a branch in each of these lines.
fn map(file: &str, lines: &[u32]) -> ProgramMap {
    let site = |(block, line): (usize, &u32)| SiteInfo {
        kind: SiteKind::Branch,
        block: block as u32,
        instruction: block as u32,
        line: *line,
        column: 1,
        cases: vec![],
        callee: None,
    };
    ProgramMap {
        functions: vec![FunctionInfo { name: "main".into(), file: Some(0), line: 1, model: false }],
        files: vec![file.to_owned()],
        blocks: lines.iter().map(|line| BlockInfo { function: 0, line: *line }).collect(),
        sites: lines.iter().enumerate().map(site).collect(),
        ..ProgramMap::default()
    }
}

/// A run that took these branches, by number of the site, these ways.
fn run(branches: &[(u32, bool)]) -> Trace<'static> {
    let mut synth = Synth::new(vec![]);
    for (site, way) in branches {
        let label = synth.constant(1, u64::from(*way));
        synth.branch(*site, label);
    }
    synth.trace()
}

fn region(old: Option<[u32; 2]>, new: Option<[u32; 2]>) -> Region {
    Region { files: ["old.c".into(), "new.c".into()], lines: [old, new], texts: Default::default() }
}

#[track_caller]
fn cause(regions: &[Region], lines: [&[u32]; 2], old: &[(u32, bool)], new: &[(u32, bool)]) -> Option<String> {
    let maps = [map("old.c", lines[0]), map("./new.c", lines[1])];
    Causes::new(regions.to_vec(), [&maps[0], &maps[1]]).of(
        &run(old),
        &run(new),
        &Expectations::default(),
        &Seen { beyond: true, ..Seen::default() },
    )
}

#[test]
fn the_last_change_before_the_versions_part_is_the_cause() {
    let regions = [region(Some([10, 10]), Some([10, 10])), region(Some([20, 20]), Some([20, 20]))];
    let lines: &[u32] = &[5, 10, 15, 20, 25, 30];
    let old = [(0, true), (1, true), (2, true), (3, true), (4, true)];
    let new = [(0, true), (1, true), (2, true), (3, false), (5, true)];
    assert_eq!(cause(&regions, [lines, lines], &old, &new).as_deref(), Some("new.c:20"));
    // They part in line 15, so it was the change in line 10; that the one in line 20 runs too is a consequence.
    let new = [(0, true), (1, false), (2, false), (3, false), (5, true)];
    assert_eq!(cause(&regions, [lines, lines], &old, &new).as_deref(), Some("new.c:10"));
}

#[test]
fn lines_that_only_moved_are_the_same_places() {
    // Two lines more at line 8, and a change in what was line 20.
    let regions = [region(None, Some([8, 9])), region(Some([20, 20]), Some([22, 22]))];
    let (old_lines, new_lines): (&[u32], &[u32]) = (&[5, 15, 20, 25], &[5, 8, 17, 22, 27]);
    let old = [(0, true), (1, true), (2, true), (3, true)];
    let new = [(0, true), (1, false), (2, true), (3, false), (4, false)];
    assert_eq!(cause(&regions, [old_lines, new_lines], &old, &new).as_deref(), Some("new.c:22"));
}

#[test]
fn what_was_deleted_is_named_by_its_old_lines() {
    let regions = [region(Some([10, 12]), None), region(Some([50, 50]), Some([47, 47]))];
    let (old_lines, new_lines): (&[u32], &[u32]) = (&[5, 11, 20], &[5, 17]);
    let old = [(0, true), (1, true), (2, true)];
    let new = [(0, true), (1, false)];
    assert_eq!(cause(&regions, [old_lines, new_lines], &old, &new).as_deref(), Some("old.c:10-12 (old)"));
}

#[test]
fn a_large_change_is_one_cause_for_each_line_that_decides() {
    let regions = [region(Some([10, 40]), Some([10, 60]))];
    let lines: &[u32] = &[5, 20, 30, 70];
    let (old, new) = ([(0, true), (1, true), (3, true)], [(0, true), (2, true), (3, false)]);
    assert_eq!(cause(&regions, [lines, lines], &old, &new).as_deref(), Some("new.c:30"));
}

#[test]
fn a_change_that_is_no_code_is_the_cause_only_if_there_is_no_other() {
    let lines: &[u32] = &[5, 15];
    let (old, new) = ([(0, true), (1, true)], [(0, true), (1, false)]);
    let data = region(Some([1, 1]), Some([1, 1]));
    assert_eq!(cause(&[data.clone()], [lines, lines], &old, &new).as_deref(), Some("new.c:1"));
    let header = Region {
        files: ["a.h".into(), "a.h".into()],
        lines: [Some([3, 3]), Some([3, 3])],
        texts: Default::default(),
    };
    assert_eq!(cause(&[data, header], [lines, lines], &old, &new), None);
}
