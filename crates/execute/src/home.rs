//! What a program expects around it because it was built there.
//!
//! In: nothing; whoever builds programs fills it in. Out: settings of the runs of one program.
//!
//! Always holds: it names only places; nothing of it is written to.

use std::path::{Path, PathBuf};

/// Where one program is at home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Home {
    /// Whose home it is.
    pub program: PathBuf,
    /// The path under which runs see the program, if not its own: an instrumented program takes the place of the native one, so that it finds the same libraries, helper
    /// programs and data beside it. Only with namespaces.
    pub place: Option<PathBuf>,
    /// Variables that replace those of the usual environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Home {
    /// Variables that the loader has to see before the program begins.
    pub(crate) fn library_path(&self) -> &[u8] {
        let found = self.env.iter().find(|(name, _)| name == b"LD_LIBRARY_PATH");
        found.map_or(b"", |(_, value)| value)
    }
}

/// The home of a program among others; a path says whose it is whatever links it leads through.
pub(crate) fn of<'h>(homes: &'h [Home], program: &Path) -> Option<&'h Home> {
    homes
        .iter()
        .find(|home| home.program == program || home.program.canonicalize().is_ok_and(|real| real == program))
}
