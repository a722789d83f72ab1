//! Every limit and threshold of the comparison, with its default.

/// How versions are compared.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Share of code that two functions of different names must have in common to be taken for one.
    pub similarity: f64,
    /// Share of a function's code that must be found in another for it to be taken for a part of it.
    pub containment: f64,
    /// Functions of fewer instructions are matched by similarity only if they are the same.
    pub small: usize,
    /// An instruction that more unmatched functions have says nothing about them.
    pub common: usize,
    /// How often functions are looked for again after others were found.
    pub rounds: usize,
    /// Functions that are the same, instruction by instruction, are aligned at once. If not, they go through the alignment of all others, which must come
    /// to the same: a check.
    pub same_at_once: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { similarity: 0.5, containment: 0.7, small: 8, common: 64, rounds: 4, same_at_once: true }
    }
}
