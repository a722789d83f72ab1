//! Every exit status of `parallax`, in one table; the book has the same one
//! (`docs/book/exit-codes.md`), and a test compares them.

/// How `parallax` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Done; nothing found that is different.
    Success,
    /// Differences found.
    Different,
    /// The command line, a file that it names, or the machine is not as it must be.
    Usage,
    /// The program does not build, or is not one that can be instrumented.
    Build,
    /// A version differs from itself in everything that is compared.
    Unstable,
    /// No difference found, but no input executed the change either.
    NotExecuted,
    /// No difference confirmed, but the versions did not do the same on a seed.
    Unconfirmed,
    /// A certificate of a verification is not confirmed.
    NotCertified,
    /// A bug in Parallax.
    Internal,
    /// Control-C.
    Interrupted,
}

impl ExitCode {
    /// Every code with its number and meaning.
    pub const TABLE: [(ExitCode, u8, &'static str); 10] = [
        (ExitCode::Success, 0, "done; no difference found"),
        (ExitCode::Different, 1, "differences found"),
        (ExitCode::Usage, 2, "usage, configuration, or a file that is not there"),
        (ExitCode::Build, 3, "a version does not build, is not instrumented, or does not start"),
        (ExitCode::Unstable, 4, "a version is unstable against itself"),
        (ExitCode::NotExecuted, 5, "change not executed (reach: not all of it), or a replay out of time"),
        (ExitCode::Unconfirmed, 6, "none confirmed, but the versions differed on a seed"),
        (ExitCode::NotCertified, 7, "a certificate does not hold, or could not be checked"),
        (ExitCode::Internal, 70, "internal error: a bug in Parallax"),
        (ExitCode::Interrupted, 130, "interrupted"),
    ];

    pub fn number(self) -> u8 {
        // Every code is in the table; a test says so.
        Self::TABLE.iter().find(|(code, _, _)| *code == self).map_or(70, |(_, number, _)| *number)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.number().into()
    }
}
