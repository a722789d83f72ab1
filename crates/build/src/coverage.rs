//! Reads clang's source coverage: which lines a run of a coverage build executed, and which ways of branches it took.
//!
//! In: a program built with [`crate::Extra::Coverage`], profiles that its runs left. Out: executed lines and branches of every source file.
//!
//! `llvm-profdata` and `llvm-cov` do the work; this is the only file that knows their output (the JSON of `llvm-cov export`, version 2). A line counts as LLVM counts it
//! (`LineCoverageStats`): executed if a region that begins on it, or that it lies in, was.

use crate::error::BuildError;
use crate::tools;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the variable that says where a run leaves its profile, and a pattern for it: counters in the file itself, one file for each program.
pub const PROFILE_VARIABLE: &str = "LLVM_PROFILE_FILE";
pub const PROFILE_PATTERN: &str = ".parallax-%c%m.profraw";

/// Is this file a profile of a run?
pub fn is_profile(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(".parallax-") && name.ends_with(".profraw")
}

/// By source file, as an absolute path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub files: BTreeMap<String, FileCoverage>,
}

/// What of a source file was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// Lines with executable code, and whether they were executed.
    pub lines: BTreeMap<u32, bool>,
    /// Line, column and way of every branch, and whether it was taken.
    pub branches: BTreeMap<(u32, u32, bool), bool>,
    segments: Vec<Segment>,
}

/// From here on another count holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    at: (u32, u32),
    count: u64,
    has_count: bool,
    begins_region: bool,
    is_gap: bool,
}

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    segments: Vec<(u32, u32, u64, bool, bool, bool)>,
    #[serde(default)]
    branches: Vec<Vec<Value>>,
}

/// What the runs that left these profiles executed, all together. `scratch`: a directory for what is made on the way.
pub fn read(program: &Path, profiles: &[PathBuf], scratch: &Path) -> Result<Coverage, BuildError> {
    let merged = scratch.join("merged.profdata");
    let mut merge = Command::new(tools::llvm_tool("llvm-profdata"));
    merge.args(["merge", "-sparse", "--failure-mode=all", "-o"]).arg(&merged).args(profiles);
    tools::run_checked(&mut merge)?;
    let mut export = Command::new(tools::llvm_tool("llvm-cov"));
    export.arg("export").arg(program).arg(format!("-instr-profile={}", merged.display()));
    let output = tools::run_checked(export.args(["-skip-functions", "-skip-expansions"]))?;
    let parsed: Export = serde_json::from_slice(&output.stdout).map_err(|error| BuildError::Tool {
        program: tools::show(&export),
        source: std::io::Error::other(error),
    })?;
    Ok(Coverage::of(parsed))
}

impl Coverage {
    fn of(export: Export) -> Coverage {
        let files = export.data.into_iter().flat_map(|data| data.files);
        Coverage { files: files.map(|file| (file.filename.clone(), FileCoverage::of(file))).collect() }
    }

    /// The file that is meant by a name relative to the tree of the build.
    pub fn file(&self, name: &str) -> Option<&FileCoverage> {
        let below =
            |path: &str| path == name || path.strip_suffix(name).is_some_and(|above| above.ends_with('/'));
        self.files.iter().find(|(path, _)| below(path)).map(|(_, file)| file)
    }

    /// What either of them executed.
    pub fn join(&mut self, other: &Coverage) {
        for (name, theirs) in &other.files {
            let ours = self.files.entry(name.clone()).or_insert_with(|| theirs.clone());
            for (line, executed) in &theirs.lines {
                *ours.lines.entry(*line).or_default() |= executed;
            }
            for (branch, taken) in &theirs.branches {
                *ours.branches.entry(*branch).or_default() |= taken;
            }
        }
    }
}

impl FileCoverage {
    fn of(file: File) -> FileCoverage {
        let segment =
            |(line, column, count, has_count, begins_region, is_gap): &(u32, u32, u64, bool, bool, bool)| {
                Segment {
                    at: (*line, *column),
                    count: *count,
                    has_count: *has_count,
                    begins_region: *begins_region,
                    is_gap: *is_gap,
                }
            };
        let segments: Vec<Segment> = file.segments.iter().map(segment).collect();
        let mut branches = BTreeMap::new();
        for branch in &file.branches {
            let number = |n: usize| branch.get(n).and_then(Value::as_u64).unwrap_or(0);
            let place = (number(0) as u32, number(1) as u32);
            for (way, count) in [(true, number(4)), (false, number(5))] {
                *branches.entry((place.0, place.1, way)).or_default() |= count > 0;
            }
        }
        FileCoverage { lines: lines(&segments), branches, segments }
    }

    /// Was the code at this place executed? `column` 0: any code of the line.
    pub fn is_executed(&self, line: u32, column: u32) -> bool {
        if column == 0 {
            return self.lines.get(&line).copied().unwrap_or(false);
        }
        let before = self.segments.iter().take_while(|segment| segment.at <= (line, column));
        before.last().is_some_and(|segment| segment.has_count && segment.count > 0)
    }
}

/// Lines with executable code, and whether they were executed.
fn lines(segments: &[Segment]) -> BTreeMap<u32, bool> {
    let begins = |segment: &&Segment| !segment.is_gap && segment.has_count && segment.begins_region;
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return BTreeMap::new() };
    let starts: BTreeSet<u32> = segments.iter().map(|segment| segment.at.0).collect();
    let mut found = BTreeMap::new();
    let mut wrapped: Option<&Segment> = None;
    let mut next = 0;
    for line in first.at.0..=last.at.0 {
        let from = next;
        while segments.get(next).is_some_and(|segment| segment.at.0 == line) {
            next += 1;
        }
        let own = &segments[from..next];
        let skipped = own.first().is_some_and(|segment| !segment.has_count && segment.begins_region);
        let is_mapped = wrapped.is_some_and(|segment| segment.has_count) || own.iter().any(|s| begins(&s));
        if is_mapped && !skipped {
            let outer = wrapped.filter(|segment| segment.has_count).map_or(0, |segment| segment.count);
            let count = own.iter().filter(begins).map(|segment| segment.count).fold(outer, u64::max);
            found.insert(line, count > 0);
        }
        if starts.contains(&line) {
            wrapped = own.last();
        }
    }
    found
}

/// The function and the place in the source that an address in a program belongs to, if its debug information says so.
pub fn symbolized(program: &Path, address: &str) -> Option<(String, String)> {
    let mut command = Command::new(tools::llvm_tool("llvm-symbolizer"));
    command.arg(format!("--obj={}", program.display())).arg(address);
    let output = tools::run_checked(&mut command).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let (function, place) = (lines.next()?, lines.next()?);
    (!place.starts_with("??")).then(|| (function.to_owned(), place.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `int f(int a) {` / `if (a)` / `g();` / `return 1;` / `}`, called once with 0.
    const ONE: &str = r#"{"data": [{"files": [{"filename": "/b/src/a.c",
        "segments": [[1,14,1,true,true,false],[2,7,1,true,true,false],[2,8,1,true,false,false],
            [2,9,0,true,false,true],[3,5,0,true,true,false],[3,8,1,true,false,false],[5,2,0,false,false,false]],
        "branches": [[2,7,2,8,0,1,0,0,4]]}]}]}"#;

    fn one() -> Coverage {
        Coverage::of(serde_json::from_str(ONE).unwrap())
    }

    #[test]
    fn lines_are_executed_if_a_region_on_them_is() {
        let all = one();
        let file = all.file("src/a.c").unwrap();
        let lines: Vec<(u32, bool)> = file.lines.iter().map(|(line, executed)| (*line, *executed)).collect();
        assert_eq!(lines, [(1, true), (2, true), (3, false), (4, true), (5, true)]);
        assert!(file.is_executed(2, 7) && !file.is_executed(3, 5) && file.is_executed(4, 3));
        assert!(!file.is_executed(9, 1));
        assert_eq!(file.branches, BTreeMap::from([((2, 7, true), false), ((2, 7, false), true)]));
    }

    #[test]
    fn a_file_is_found_by_its_name_below_the_tree_and_never_by_a_part_of_a_name() {
        let all = one();
        assert!(all.file("a.c").is_some() && all.file("/b/src/a.c").is_some());
        assert!(all.file("c/a.c").is_none() && all.file("rc/a.c").is_none());
    }

    #[test]
    fn what_either_run_executed_is_executed_by_both_together() {
        let mut all = one();
        let mut other = one();
        let file = other.files.get_mut("/b/src/a.c").unwrap();
        file.lines.insert(3, true);
        file.branches.insert((2, 7, true), true);
        all.join(&other);
        assert_eq!(all.file("a.c").unwrap().lines[&3], true);
        assert!(all.file("a.c").unwrap().branches.values().all(|taken| *taken));
        assert!(!one().file("a.c").unwrap().lines[&3]);
    }
}
