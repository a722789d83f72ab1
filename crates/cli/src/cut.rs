//! What runs did beyond what is kept of them, and is therefore not compared.
//!
//! In: runs of the search. Out: reasons, in words with the options that help, why less than everything was compared.
//!
//! Always holds: no reason means that every run was compared as a whole.

use crate::args::LimitArgs;
use crate::units;
use parallax_execute::{Content, FileChange, Run};
use parallax_report::text::count;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of runs that were cut.
#[derive(Debug, Default)]
pub struct Cut {
    output: AtomicU64,
    files: AtomicU64,
}

impl Cut {
    pub fn note(&self, run: &Run) {
        let output = run.stdout.truncated || run.stderr.truncated;
        let files = run.files_truncated || run.files.iter().any(is_cut);
        self.output.fetch_add(output.into(), Ordering::Relaxed);
        self.files.fetch_add(files.into(), Ordering::Relaxed);
    }

    pub fn reasons(&self, limits: &LimitArgs) -> Vec<String> {
        let runs = |number: &AtomicU64| match number.load(Ordering::Relaxed) {
            0 => None,
            number => Some(count(number, "run", "runs")),
        };
        let output = runs(&self.output).map(|runs| {
            let most = units::shown(limits.max_output);
            format!("{runs} printed more than {most}, of which the beginning was compared (--max-output)")
        });
        let files = runs(&self.files).map(|runs| {
            let most = units::shown(limits.max_changed_size);
            format!(
                "{runs} changed more than {} files or {most} of them, or in directories too deep, and not all were compared \
                 (--max-changed-files, --max-changed-size)",
                limits.max_changed_files
            )
        });
        output.into_iter().chain(files).collect()
    }
}

fn is_cut(change: &FileChange) -> bool {
    match change {
        FileChange::Created { content, .. } | FileChange::Modified { content, .. } => {
            matches!(content, Content::File(output) if output.truncated)
        }
        FileChange::Deleted { .. } => false,
    }
}
