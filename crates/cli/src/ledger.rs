//! The result of a comparison while it grows: on disk at every moment.
//!
//! In: differences as they are found, smaller tests for them, counters, the outcome of the search. Out: the output directory.
//!
//! Always holds: `verdicts.json` and `tests/` agree, and hold all that was found so far; so whatever ends Parallax, nothing
//! found is lost.

use crate::error::CliError;
use crate::stability;
use parallax_execute::Run;
use parallax_oracle::{Case, Class, Unstable, Which};
use parallax_report::changes::Changes;
use parallax_report::diff_view::*;
use parallax_report::{diff_json, html, junit, kept, sarif, Change, OutDir, StatsFile, SCHEMA};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counters are written so seldom that it takes one part of the time in so many.
const SAVED_PART: u32 = 20;

pub struct Ledger {
    pub view: DiffView,
    pub out: OutDir,
    argv0: Vec<u8>,
    stats: StatsFile,
    pub changes: Vec<Change>,
    /// By group, see [`Case::group`]; the index is the number of the difference.
    groups: Vec<String>,
    /// When the time of the search began.
    started: Instant,
    /// When `verdicts.json` was written last, and how long that took.
    saved: (Instant, Duration),
}

/// Everyone's way to the ledger.
pub fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    // Every change of the ledger is complete before anything can panic.
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    pub fn new(
        view: DiffView,
        out: OutDir,
        argv0: Vec<u8>,
        changes: Vec<Change>,
    ) -> Result<Ledger, CliError> {
        let stats = StatsFile::create(&out.path().join("stats.sqlite"))?;
        out.write_json("changes.json", &Changes { schema: SCHEMA.to_owned(), changes: changes.clone() })?;
        let started = Instant::now();
        let saved = (started, Duration::ZERO);
        let mut ledger = Ledger { view, out, argv0, stats, changes, groups: Vec::new(), started, saved };
        ledger.save()?;
        Ok(ledger)
    }

    /// The time of the search begins.
    pub fn begin(&mut self, started: Instant) {
        self.started = started;
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// A difference of a new group. Gives its number.
    pub fn add(&mut self, case: &Case, runs: u64) -> Result<usize, CliError> {
        let after = self.seconds();
        let number = self.view.differences.len();
        let kind = case.kind().name().to_owned();
        let id = format!("{}-{kind}", number + 1);
        self.view.verdict = Verdict::Different;
        self.view.differences.push(DifferenceView {
            test: self.out.test(&id).display().to_string(),
            id: id.clone(),
            kind,
            count: 1,
            found_after_s: after,
            runs_before: runs,
            ..DifferenceView::default()
        });
        self.groups.push(case.group());
        self.set_case(number, case, None)?;
        self.stats.input(after, &id)?;
        Ok(number)
    }

    /// A better test for a difference that is known, and what a golden version makes of it; the inner `None`: it had no time.
    pub fn improve(
        &mut self,
        number: usize,
        smaller: Option<&Case>,
        golden: Option<Option<(Class, Run)>>,
    ) -> Result<(), CliError> {
        let Some(entry) = self.view.differences.get_mut(number) else { return Ok(()) };
        let run = golden.map(|golden| {
            entry.class = Some(golden.as_ref().map_or(Class::Unclear, |(class, _)| *class).name().to_owned());
            golden.map(|(_, run)| run)
        });
        let run = run.flatten();
        entry.golden = run.as_ref().map(BehaviourView::of);
        match (smaller, &run) {
            (Some(case), _) => self.set_case(number, case, run.as_ref()),
            (None, Some(run)) => {
                kept::write_run(&self.out.test(&self.view.differences[number].id), "golden", run)?;
                self.save_difference(number)
            }
            (None, None) => self.save_difference(number),
        }
    }

    /// Names what is not compared, each once.
    pub fn note_unstable(&mut self, parts: &[(Which, Unstable)]) {
        for (which, part) in parts {
            let view = stability::view(*which, part);
            if !self.view.unstable.contains(&view) {
                self.view.unstable.push(view);
            }
        }
    }

    fn set_case(&mut self, number: usize, case: &Case, golden: Option<&Run>) -> Result<(), CliError> {
        let Some(entry) = self.view.differences.get_mut(number) else { return Ok(()) };
        entry.set_test(&case.test);
        entry.aspects = case.aspects.iter().map(|aspect| aspect.name().to_owned()).collect();
        entry.signature = case.signature.clone();
        entry.cause = case.cause.clone();
        entry.old = BehaviourView::of(&case.old);
        entry.new = BehaviourView::of(&case.new);
        self.out.put_test(&entry.id, |place| -> Result<(), CliError> {
            kept::write(place, &case.test, &self.argv0)?;
            kept::write_run(place, "old", &case.old)?;
            kept::write_run(place, "new", &case.new)?;
            Ok(golden.map_or(Ok(()), |golden| kept::write_run(place, "golden", golden))?)
        })?;
        self.note_unstable(&case.unstable);
        self.save_difference(number)
    }

    fn save_difference(&mut self, number: usize) -> Result<(), CliError> {
        self.stats.difference(&self.view.differences[number])?;
        self.save()
    }

    /// One more input of a known group.
    pub fn again(&mut self, group: &str) -> Result<(), CliError> {
        let after = self.seconds();
        let Some(number) = self.groups.iter().position(|known| known == group) else { return Ok(()) };
        let entry = &mut self.view.differences[number];
        entry.count += 1;
        Ok(self.stats.input(after, &entry.id)?)
    }

    /// The counters by now.
    pub fn progress(&mut self, stats: DiffStats) -> Result<(), CliError> {
        let stats = DiffStats { seconds: self.seconds(), ..stats };
        self.stats.progress(&stats, self.view.differences.len())?;
        self.view.stats = stats;
        let (last, took) = self.saved;
        // Differences can be large; writing them again and again must not slow the search down.
        if last.elapsed() < took * SAVED_PART {
            return Ok(());
        }
        self.save()
    }

    fn save(&mut self) -> Result<(), CliError> {
        let before = Instant::now();
        self.out.write_json("verdicts.json", &self.view)?;
        self.saved = (Instant::now(), before.elapsed());
        Ok(())
    }

    /// All the files that need the end of the search.
    pub fn finish(&mut self) -> Result<(), CliError> {
        self.save()?;
        for difference in &self.view.differences {
            self.stats.difference(difference)?;
        }
        self.stats.describe("old", &self.view.versions.old)?;
        self.stats.describe("new", &self.view.versions.new)?;
        self.stats.describe("ended", &self.view.ended)?;
        self.out.write("junit.xml", junit(&self.view).as_bytes())?;
        self.out.write("report.sarif", sarif(&self.view)?.as_bytes())?;
        Ok(self.out.write("report.html", html(&self.view, &self.changes).as_bytes())?)
    }

    pub fn json(&self) -> Result<String, CliError> {
        Ok(diff_json(&self.view)?)
    }
}
