//! bc: programs as files and on standard input. They are fixtures of their own: see [`crate::fixtures`].

use super::Family;

pub fn families() -> Vec<Family> {
    vec![Family {
        package: "bc",
        program: "bc",
        options: &["-q", "-s", "-w", "-l", "", "-ql", "--standard", "-qw", "--version", "-x"],
        inputs: &[
            "<bc-add",
            "<bc-scale",
            "bc-loop",
            "bc-func",
            "<bc-base",
            "<bc-error",
            "bc-array",
            "<bc-string",
            "<bc-nonl",
            "<empty",
            "<words",
            "<nul",
            "bc-big",
            "<bc-compare",
            "missing",
            "<bc-math",
            "bc-func bc-array",
        ],
        each: 8,
    }]
}
