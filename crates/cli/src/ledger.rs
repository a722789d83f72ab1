//! The result of a comparison while it grows: on disk at every moment.
//!
//! In: differences as they are found, smaller tests for them, counters, the outcome of the search. Out: the output directory.
//!
//! Always holds: `verdicts.json` and `tests/` agree, and hold all that was found so far; so whatever ends Parallax, nothing
//! found is lost. An entry is raw until its test was made small and it was compared with the others; there are never more entries than wanted.

use crate::entries::{Entries, EntryId};
use crate::error::CliError;
use crate::findings::Findings;
use crate::function::Driven;
use crate::keeper::Rough;
use crate::stability;
use parallax_execute::Run;
use parallax_oracle::{Case, Class, Root, Unstable, Which};
use parallax_report::changes::Changes;
use parallax_report::diff_view::*;
use parallax_report::kept::Launch;
use parallax_report::{diff_json, html, junit, kept, sarif, Change, OutDir, StatsFile, SCHEMA};
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Looks of an entry that are listed.
const MOST_VARIANTS: usize = 16;
/// The kind of the entry for numbers of lines.
const LINE_NUMBERS: &str = "line-numbers";
/// Counters are written so seldom that it takes one part of the time in so many.
const SAVED_PART: u32 = 20;

pub struct Ledger {
    pub view: DiffView,
    pub out: OutDir,
    launch: Launch,
    stats: StatsFile,
    pub changes: Vec<Change>,
    entries: Entries,
    /// Entries that were ever made: each has a name of its own while the search runs.
    named: usize,
    /// Most entries.
    most: usize,
    /// What happened to entries, for the terminal.
    news: Vec<String>,
    /// When the time of the search began.
    started: Instant,
    /// When `verdicts.json` was written last, and how long that took.
    saved: (Instant, Duration),
    /// Shows inputs as calls of a function.
    calls: Option<Arc<Driven>>,
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
        launch: Launch,
        changes: Vec<Change>,
        most: usize,
    ) -> Result<Ledger, CliError> {
        let stats = StatsFile::create(&out.path().join("stats.sqlite"))?;
        out.write_json("changes.json", &Changes { schema: SCHEMA.to_owned(), changes: changes.clone() })?;
        let started = Instant::now();
        let saved = (started, Duration::ZERO);
        let entries = Entries::default();
        let (named, news) = (0, Vec::new());
        let mut ledger = Ledger {
            view,
            out,
            launch,
            stats,
            changes,
            entries,
            named,
            most,
            news,
            started,
            saved,
            calls: None,
        };
        ledger.save()?;
        Ok(ledger)
    }

    /// The inputs are those of a function.
    pub fn with_calls(self, calls: Option<Arc<Driven>>) -> Ledger {
        Ledger { calls, ..self }
    }

    /// The time of the search begins.
    pub fn begin(&mut self, started: Instant) {
        self.started = started;
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// A difference of a group that was not seen before. Gives what has to be made small: the entries that it made, and what they come from.
    pub fn admit(
        &mut self,
        case: &Case,
        runs: u64,
        strategies: &[&str],
    ) -> Result<Vec<(EntryId, Root)>, CliError> {
        let group = case.group();
        let mut made = Vec::new();
        for root in &case.roots {
            if let Some(number) = self.entries.of_root(root) {
                let worse = self.entries.is_worse(number, root);
                self.entries.extend(number, root, &group);
                self.count(number)?;
                if worse {
                    // The worst that it does is what an entry shows.
                    self.view.differences[number].raw = true;
                    self.set_case(number, case, root, None)?;
                    made.push((self.entries.reopen(number), root.clone()));
                }
            } else if self.entries.list.len() < self.most {
                made.push((self.add(case, root, group.clone(), (runs, strategies))?, root.clone()));
            }
        }
        Ok(made)
    }

    fn add(
        &mut self,
        case: &Case,
        root: &Root,
        group: String,
        (runs, strategies): (u64, &[&str]),
    ) -> Result<EntryId, CliError> {
        let after = self.seconds();
        let number = self.view.differences.len();
        let kind = kind(case, root);
        self.named += 1;
        let id = format!("{}-{kind}", self.named);
        self.view.verdict = Verdict::Different;
        self.view.differences.push(DifferenceView {
            test: self.out.test(&id).display().to_string(),
            id: id.clone(),
            kind,
            count: 1,
            raw: true,
            found_after_s: after,
            runs_before: runs,
            strategies: strategies.iter().map(|name| (*name).to_owned()).collect(),
            ..DifferenceView::default()
        });
        let entry = self.entries.add(root.clone(), group);
        self.set_case(number, case, root, None)?;
        self.stats.input(after, &id)?;
        self.news.push(format!("raw difference {} after {after:.1} s: {}", self.named, case.told));
        Ok(entry)
    }

    /// What the keeper made of an entry: a smaller test, if there is one, and what a golden version makes of it (the inner `None`: it
    /// had no time). `done`: it had the time that it wanted.
    pub fn settle(
        &mut self,
        rough: &Rough,
        smaller: Option<&(Case, Root)>,
        golden: Option<Option<(Class, Run)>>,
        done: bool,
    ) -> Result<(), CliError> {
        let Some(number) = self.entries.close(rough.entry) else { return Ok(()) };
        if let Some((_, root)) = smaller {
            if let Some(original) = self.entries.copied(number, root) {
                return self.merge(number, original);
            }
            self.entries.narrow(number, &rough.root, root);
        }
        let view = &mut self.view.differences[number];
        view.raw = !done;
        if done {
            let root = smaller.map_or(&rough.root, |(_, root)| root);
            let cause = root.cause().map_or(String::new(), |cause| format!(", by {cause}"));
            let signature = smaller.map_or(&view.signature, |(case, _)| &case.told);
            self.news.push(format!("difference {}, made small: {signature}{cause}", view.id));
        }
        self.improve(number, smaller, golden)
    }

    fn improve(
        &mut self,
        number: usize,
        smaller: Option<&(Case, Root)>,
        golden: Option<Option<(Class, Run)>>,
    ) -> Result<(), CliError> {
        let entry = &mut self.view.differences[number];
        let run = golden.map(|golden| {
            entry.class = Some(golden.as_ref().map_or(Class::Unclear, |(class, _)| *class).name().to_owned());
            golden.map(|(_, run)| run)
        });
        let run = run.flatten();
        entry.golden = run.as_ref().map(BehaviourView::of);
        match (smaller, &run) {
            (Some((case, root)), _) => self.set_case(number, case, root, run.as_ref()),
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

    /// An entry turned out to be a copy of another.
    fn merge(&mut self, number: usize, original: usize) -> Result<(), CliError> {
        let copy = self.view.differences[number].clone();
        let into = &mut self.view.differences[original];
        into.count += copy.count;
        self.stats.merge(&copy.id, &into.id)?;
        self.news.push(format!("raw difference {} is another input for {}", copy.id, into.id));
        self.entries.merge(number, original);
        self.remove(number)
    }

    /// Takes a difference out of the view and its test away; its entry is gone already.
    fn remove(&mut self, number: usize) -> Result<(), CliError> {
        let gone = self.view.differences.remove(number);
        self.save()?;
        // What is left of the directory does no harm: the document does not name it any more.
        let _ = fs::remove_dir_all(self.out.test(&gone.id));
        Ok(())
    }

    /// What happened since this was asked last.
    pub fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// Are there as many entries as are wanted? `None`: that depends on those which are still rough.
    pub fn is_enough(&self) -> Option<bool> {
        match self.entries.list.len() >= self.most {
            true if self.entries.any_pending() => None,
            enough => Some(enough),
        }
    }

    fn set_case(
        &mut self,
        number: usize,
        case: &Case,
        root: &Root,
        golden: Option<&Run>,
    ) -> Result<(), CliError> {
        let Some(entry) = self.view.differences.get_mut(number) else { return Ok(()) };
        entry.set_test(&case.test);
        entry.kind = kind(case, root);
        entry.aspects = case.aspects.iter().map(|aspect| aspect.name().to_owned()).collect();
        entry.signature = case.told.clone();
        entry.cause = root.cause().map(str::to_owned);
        entry.old = BehaviourView::of(&case.old);
        entry.new = BehaviourView::of(&case.new);
        entry.reworded = case.reworded.as_deref().map(BehaviourView::of);
        let called = self.calls.as_ref().and_then(|driven| {
            driven.call(&case.test.stdin, [&case.old.stdout.bytes, &case.new.stdout.bytes])
        });
        let text = called.map(|(view, text)| {
            entry.call = Some(view);
            text
        });
        self.out.put_test(&entry.id, |place| -> Result<(), CliError> {
            if let Some(text) = &text {
                kept::write_call(place, text)?;
            }
            kept::write(place, &case.test, &self.launch)?;
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
        let numbers: Vec<usize> = self.entries.of_group(group).collect();
        numbers.into_iter().try_for_each(|number| self.count(number))
    }

    fn count(&mut self, number: usize) -> Result<(), CliError> {
        let after = self.seconds();
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

    /// The last word about the entries: what they look like on all inputs, which raw ones are copies, and their numbers.
    pub fn close(&mut self, findings: &Findings) -> Result<(), CliError> {
        self.join_raw()?;
        self.fold_line_numbers()?;
        for (entry, view) in self.entries.list.iter().zip(&mut self.view.differences) {
            view.everywhere = findings.is_everywhere(&entry.roots, entry.groups.iter());
            view.variants = findings.variants(entry.groups.iter());
            view.variants.truncate(MOST_VARIANTS);
        }
        self.number()
    }

    /// A raw entry that may have the cause of another, or looks like it, is not shown beside it.
    fn join_raw(&mut self) -> Result<(), CliError> {
        for number in (0..self.view.differences.len()).rev() {
            let raw = &self.view.differences[number];
            let likely = |other: &usize| {
                let view = &self.view.differences[*other];
                let entries = &self.entries.list;
                let may = |a: &Root| entries[number].roots.iter().any(|b| a.may_join(b));
                *other != number && (!view.raw || *other < number) && entries[*other].roots.iter().any(may)
            };
            let original = (0..self.view.differences.len()).find(likely);
            if let (true, Some(original)) = (raw.raw, original) {
                self.merge(number, original)?;
            }
        }
        Ok(())
    }

    /// Numbers of lines are an entry only if nothing else differs.
    fn fold_line_numbers(&mut self) -> Result<(), CliError> {
        let number = self.entries.list.iter().position(|entry| entry.is_line_numbers());
        let Some(number) = number.filter(|_| self.entries.list.len() > 1) else { return Ok(()) };
        let view = &self.view.differences[number];
        self.view.notes.push(format!(
            "the versions print other line numbers of their own source, for example {} ({} inputs)",
            view.signature, view.count
        ));
        self.stats.remove(&view.id)?;
        self.entries.list.remove(number);
        self.remove(number)
    }

    /// Numbers without gaps.
    fn number(&mut self) -> Result<(), CliError> {
        for number in 0..self.view.differences.len() {
            let view = &self.view.differences[number];
            let (before, after) = (view.id.clone(), format!("{}-{}", number + 1, view.kind));
            if before == after {
                continue;
            }
            fs::rename(self.out.test(&before), self.out.test(&after)).map_err(CliError::Write)?;
            let view = &mut self.view.differences[number];
            view.test = self.out.test(&after).display().to_string();
            view.id = after;
            self.stats.rename(&before, &view.id)?;
            self.save()?;
        }
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

fn kind(case: &Case, root: &Root) -> String {
    match root {
        Root::Lines => LINE_NUMBERS.to_owned(),
        _ => case.kind().name().to_owned(),
    }
}
