//! The result of a comparison while it grows: on disk at every moment.
//!
//! In: differences as they are found, smaller tests for them, the outcome of the search. Out: the output directory.
//!
//! Always holds: `verdicts.json` and `tests/` agree, and hold all that was found so far; so whatever ends Parallax, nothing
//! found is lost.

use crate::error::CliError;
use parallax_oracle::Case;
use parallax_report::diff_view::*;
use parallax_report::{diff_json, junit, kept, sarif, OutDir, Text};
use std::fs;
use std::time::Duration;

pub struct Ledger {
    pub view: DiffView,
    pub out: OutDir,
    argv0: Vec<u8>,
}

impl Ledger {
    pub fn new(view: DiffView, out: OutDir, argv0: Vec<u8>) -> Result<Ledger, CliError> {
        let ledger = Ledger { view, out, argv0 };
        ledger.save()?;
        Ok(ledger)
    }

    /// A new kind of difference. Gives its number.
    pub fn add(&mut self, case: &Case, after: Duration, runs: u64) -> Result<usize, CliError> {
        let number = self.view.differences.len();
        let kind = case.kind().name();
        let id = format!("{}-{kind}", number + 1);
        let directory = self.out.test(&id);
        self.view.verdict = Verdict::Different;
        self.view.differences.push(DifferenceView {
            test: directory.display().to_string(),
            id,
            kind,
            aspects: case.aspects.iter().map(|aspect| aspect.name()).collect(),
            signature: case.signature.clone(),
            count: 1,
            arguments: Vec::new(),
            old: BehaviourView::of(&case.old),
            new: BehaviourView::of(&case.new),
            found_after_s: after.as_secs_f64(),
            runs_before: runs,
        });
        self.set_case(number, case)?;
        Ok(number)
    }

    /// A better test for a difference that is known.
    pub fn set_case(&mut self, number: usize, case: &Case) -> Result<(), CliError> {
        let Some(entry) = self.view.differences.get_mut(number) else { return Ok(()) };
        entry.arguments = case.test.argv.iter().map(|argument| Text(argument.clone())).collect();
        entry.old = BehaviourView::of(&case.old);
        entry.new = BehaviourView::of(&case.new);
        let directory = self.out.test(&entry.id);
        let fresh = self.out.test(&format!(".{}.new", entry.id));
        kept::write(&fresh, &case.test, &self.argv0)?;
        kept::write_run(&fresh, "old", &case.old)?;
        kept::write_run(&fresh, "new", &case.new)?;
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(CliError::Write)?;
        }
        fs::rename(&fresh, &directory).map_err(CliError::Write)?;
        self.save()
    }

    /// One more input with a known signature.
    pub fn again(&mut self, signature: &str) {
        if let Some(entry) = self.view.differences.iter_mut().find(|entry| entry.signature == signature) {
            entry.count += 1;
        }
    }

    fn save(&self) -> Result<(), CliError> {
        Ok(self.out.write_json("verdicts.json", &self.view)?)
    }

    /// All the files that need the end of the search.
    pub fn finish(&self) -> Result<(), CliError> {
        self.save()?;
        self.out.write("junit.xml", junit(&self.view).as_bytes())?;
        Ok(self.out.write("report.sarif", sarif(&self.view)?.as_bytes())?)
    }

    pub fn json(&self) -> Result<String, CliError> {
        Ok(diff_json(&self.view)?)
    }
}
