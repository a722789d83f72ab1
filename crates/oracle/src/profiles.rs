//! Files that a profiler inside a program writes when the program ends (`-pg`, `--coverage`, `-fprofile-generate`).
//!
//! In: the bytes of a program, the path of a file that a run left. Out: whether the file is a profile of the run. Profiles count how often code ran, so they differ wherever the code
//! does: they are measurements of the program, not something that it does for its user.

use std::path::Path;

/// A profiler: a text that stands in every program that has it, and what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profiler {
    mark: &'static [u8],
    /// The end of the names of its files.
    pub writes: &'static str,
}

const PROFILERS: [Profiler; 3] = [
    Profiler { mark: b"LLVM Profile Error", writes: ".profraw" },
    Profiler { mark: b".gcda\0", writes: ".gcda" },
    Profiler { mark: b"\0__monstartup\0", writes: "gmon.out" },
];

/// The profilers inside a program.
pub fn profilers_of(program: &[u8]) -> Vec<Profiler> {
    let has = |mark: &[u8]| program.windows(mark.len()).any(|part| part == mark);
    PROFILERS.into_iter().filter(|profiler| has(profiler.mark)).collect()
}

impl Profiler {
    pub fn wrote(&self, path: &Path) -> bool {
        path.as_os_str().as_encoded_bytes().ends_with(self.writes.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_profilers_that_are_there_are_profiles() {
        let profilers = profilers_of(b"...LLVM Profile Error: %s...");
        assert_eq!(profilers.len(), 1);
        assert!(profilers[0].wrote(Path::new("default_1234.profraw")));
        assert!(!profilers[0].wrote(Path::new("gmon.out")));
        assert!(profilers_of(b"an ordinary program that prints gmon.out").is_empty());
    }
}
