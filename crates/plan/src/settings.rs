//! Limits of the analyses.

/// All with defaults.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// So many destinations of a version have distances of their own; the rest share those to the nearest destination.
    pub destinations: usize,
    /// Instructions of the program times destinations, up to which preconditions are worked out for each destination alone; beyond, what is hopeless for all
    /// of them is all that is known to be.
    pub preconditions: usize,
    /// Programs with more instructions are planned without points-to, preconditions and definitions.
    pub instructions: usize,
    /// Definitions that are listed for one way of a decision.
    pub definitions: usize,
    /// Steps back through values and memory from a decision to its definitions.
    pub steps: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            destinations: 64,
            preconditions: 2_000_000,
            instructions: 100_000,
            definitions: 64,
            steps: 400,
        }
    }
}
