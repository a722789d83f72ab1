//! What of a run is compared.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// One thing that can be seen of a run from outside. The order is that of severity: the first aspect in which
/// two runs differ names the kind of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// The signal that ended it.
    Signal,
    /// Whether it was still running at the end of its time.
    Timeout,
    /// The other limit that ended it: memory, processes, output, file size.
    Limit,
    Exit,
    Stdout,
    Stderr,
    /// Files created, changed or deleted.
    Files,
}

pub type Aspects = BTreeSet<Aspect>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is nothing that can be compared: use {known}", known = Aspect::ALL.map(Aspect::name).join(", "))]
pub struct UnknownAspect(pub String);

impl Aspect {
    pub const ALL: [Aspect; 7] = [
        Aspect::Signal,
        Aspect::Timeout,
        Aspect::Limit,
        Aspect::Exit,
        Aspect::Stdout,
        Aspect::Stderr,
        Aspect::Files,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Aspect::Signal => "signal",
            Aspect::Timeout => "timeout",
            Aspect::Limit => "limit",
            Aspect::Exit => "exit",
            Aspect::Stdout => "stdout",
            Aspect::Stderr => "stderr",
            Aspect::Files => "files",
        }
    }

    /// How a run ended, as opposed to what it left behind.
    pub fn is_ending(self) -> bool {
        self <= Aspect::Exit
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Aspect {
    type Err = UnknownAspect;

    fn from_str(text: &str) -> Result<Aspect, UnknownAspect> {
        let known = Aspect::ALL.into_iter().find(|aspect| aspect.name() == text);
        known.ok_or_else(|| UnknownAspect(text.to_owned()))
    }
}
