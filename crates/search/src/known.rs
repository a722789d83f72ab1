//! Test cases that need not be tried: those that were, and those that change what is to stay as it is.
//!
//! In: test cases, and which kinds of inputs may vary. Out: whether one is worth running.
//!
//! Always holds: of the inputs that do not vary, every test case that is new has what one of the seeds has.

use parallax_execute::{Layout, TestCase};
use std::collections::HashSet;

/// Which kinds of inputs may vary; all by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varied {
    pub arguments: bool,
    pub stdin: bool,
    pub files: bool,
    pub env: bool,
}

impl Default for Varied {
    fn default() -> Varied {
        Varied { arguments: true, stdin: true, files: true, env: true }
    }
}

impl Varied {
    /// Are the inputs that do not vary the same in both?
    pub fn agree(self, a: &TestCase, b: &TestCase) -> bool {
        self.fixed_part(a) == self.fixed_part(b)
    }

    /// What of a test case must be as in a seed.
    fn fixed_part(self, test: &TestCase) -> TestCase {
        let keep = |varied: bool| !varied;
        TestCase {
            argv: if keep(self.arguments) { test.argv.clone() } else { vec![] },
            stdin: if keep(self.stdin) { test.stdin.clone() } else { vec![] },
            files: if keep(self.files) { test.files.clone() } else { vec![] },
            env: if keep(self.env) { test.env.clone() } else { vec![] },
            layout: if keep(self.files) { test.layout.clone() } else { Layout::default() },
        }
    }
}

#[derive(Default)]
pub struct Known {
    tried: HashSet<TestCase>,
    varied: Varied,
    /// The fixed parts of the seeds; empty if everything varies.
    fixed: HashSet<TestCase>,
}

impl Known {
    pub fn new(varied: Varied, seeds: &[TestCase]) -> Known {
        let fixed = match varied == Varied::default() {
            true => HashSet::new(),
            false => seeds.iter().map(|seed| varied.fixed_part(seed)).collect(),
        };
        Known { tried: HashSet::new(), varied, fixed }
    }

    fn is_allowed(&self, test: &TestCase) -> bool {
        self.fixed.is_empty() || self.fixed.contains(&self.varied.fixed_part(test))
    }

    pub fn contains(&self, test: &TestCase) -> bool {
        self.tried.contains(test) || !self.is_allowed(test)
    }

    /// True the first time that a test case is tried.
    pub fn insert(&mut self, test: &TestCase) -> bool {
        self.is_allowed(test) && self.tried.insert(test.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(argument: &str, stdin: &str) -> TestCase {
        TestCase { stdin: stdin.into(), ..TestCase::with_args([argument]) }
    }

    #[test]
    fn only_what_varies_may_change() {
        let varied = Varied { arguments: false, ..Varied::default() };
        let mut known = Known::new(varied, &[test("a", "1"), test("b", "2")]);
        assert!(known.insert(&test("a", "3")) && known.insert(&test("b", "3")));
        assert!(!known.insert(&test("a", "3")), "twice");
        assert!(!known.insert(&test("c", "1")) && known.contains(&test("c", "1")));
    }

    #[test]
    fn without_a_choice_everything_is_new_once() {
        let mut known = Known::new(Varied::default(), &[test("a", "1")]);
        assert!(known.insert(&test("z", "9")) && !known.insert(&test("z", "9")));
    }
}
