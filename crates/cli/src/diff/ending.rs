//! How a comparison ends: what the outcome of the search says, and the exit status.
//!
//! In: the outcome, and what the search has learned by then. Out: the finished view in the ledger.

use super::followed::{Found, Inputs};
use super::{Begun, Compared, Comparison};
use crate::changed::Changed;
use crate::clock::Waited;
use crate::corpus::Corpus;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::ledger::Ledger;
use crate::watch::counters;
use crate::{evidence, losses, obstacles, outcomes, own_memory, unsupported};
use parallax_execute::TestCase;
use parallax_report::diff_view::{DiffView, Verdict};
use parallax_search::{Ended, Outcome};
use std::sync::atomic::Ordering;
use std::sync::OnceLock;
use std::time::Instant;

impl Comparison<'_> {
    /// A search that did not end by itself, as far as it told how far it is. What it still takes of the memory is little: it is told to end.
    pub(super) fn left_behind(&self, begun: &OnceLock<Begun>, why: Waited) -> Result<Compared, CliError> {
        let mut snapshot = parallax_search::Snapshot::default();
        if let Some(begun) = begun.get() {
            begun.shared.enough.store(true, Ordering::Relaxed);
            snapshot = begun.shared.latest().clone();
        }
        let mut outcome = Outcome::unfinished(snapshot);
        if why == Waited::NoMemory {
            outcome.ended = Ended::Memory;
        }
        Ok(Compared::Searched(Box::new(outcome)))
    }

    /// Everything that the outcome of the search says, and how Parallax ends.
    pub(super) fn take_outcome(
        &self,
        ledger: &mut Ledger,
        begun: Option<&Begun>,
        changed: Option<&Changed>,
        outcome: &Outcome,
    ) -> Result<Result<ExitCode, CliError>, CliError> {
        ledger.progress(counters(&outcome.stats))?;
        ledger.view.warnings.extend(own_memory::warning(outcome));
        ledger.view.ended = self.ended(outcome);
        match begun {
            Some(begun) => self.take_surroundings(ledger, begun, changed, outcome)?,
            None => {
                ledger.view.verdict = Verdict::NotExecuted;
                ledger.view.weakened.push("the time was up before the search began".to_owned());
            }
        }
        if let Some(problem) = self.unassumed(ledger, begun, outcome) {
            return Ok(Err(problem));
        }
        let otherwise = match (&outcome.ended, &outcome.trouble) {
            (Ended::Harness, trouble) => Err(CliError::Search(trouble.clone().unwrap_or_default())),
            _ => Ok(ExitCode::Success),
        };
        Ok(self.code(&ledger.view, otherwise))
    }

    /// Both versions end quietly where an assumption does not hold: if every run did, nothing was compared.
    fn unassumed(&self, ledger: &mut Ledger, begun: Option<&Begun>, outcome: &Outcome) -> Option<CliError> {
        let spoke = begun.is_none_or(|begun| begun.shared.spoke.load(Ordering::Relaxed));
        if spoke || self.args.function.assume.is_empty() || self.setting.interrupt.is_set() {
            return None;
        }
        ledger.view.verdict = Verdict::NotExecuted;
        Some(CliError::usage(format!(
            "--assume {}: holds for no input that was tried ({}; {}); do the assumptions contradict one another?",
            self.args.function.assume.join(" and "),
            parallax_report::text::count(outcome.stats.runs, "input", "inputs"),
            self.ended(outcome)
        )))
    }

    /// What was reached, lost and kept on the way.
    fn take_surroundings(
        &self,
        ledger: &mut Ledger,
        begun: &Begun,
        changed: Option<&Changed>,
        outcome: &Outcome,
    ) -> Result<(), CliError> {
        let Begun { instrumented, shared, first, ladder, .. } = begun;
        let maps = [&instrumented[0].map, &instrumented[1].map];
        // What a worker has confirmed is found, whether or not the search came to hear of it.
        for case in shared.findings().unannounced() {
            ledger.admit(&case, outcome.stats.runs, &[])?;
        }
        ledger.view.lost = shared.losses().views(maps);
        ledger.note_unstable(&shared.rules.parts());
        let unseen = unsupported::unseen(maps, &self.built);
        if outcome.ended == Ended::Exhausted {
            ledger.view.ended = obstacles::exhausted(&shared.losses(), unseen.clone(), &ledger.view.lost);
        }
        ledger.view.unflipped = losses::unflipped(maps, outcome);
        let cut = shared.cut.reasons(&self.args.limits);
        ledger.view.warnings.extend(cut.iter().cloned());
        ledger.view.weakened.extend(cut);
        ledger.view.weakened.extend(outcomes::cut_short(outcome.stats.cut_runs));
        let mut corpus = Corpus::new(ledger.out.path());
        let launch = self.setting.launch();
        let until = Instant::now() + self.args.corpus_time;
        let written = outcome.corpus.iter().take_while(|_| Instant::now() < until);
        let written = written.map(|test| corpus.keep(test, &launch)).collect::<Result<Vec<_>, _>>()?.len();
        if written < outcome.corpus.len() {
            ledger.view.warnings.push(format!(
                "of {} inputs that reached something new only the first {written} are in corpus/: no time for more (--corpus-time)",
                outcome.corpus.len()
            ));
        }
        let keep = |test: &TestCase| corpus.keep(test, &launch);
        ledger.view.targets = shared.reached.views(keep)?;
        let mut followed = Found::default();
        if let Some(changed) = changed {
            let others = self.to_follow(&shared.reached.tests(), outcome, &mut corpus)?;
            let inputs = Inputs { differences: self.kept_tests(&ledger.view), others };
            followed = self.follow(begun, changed, inputs, &mut ledger.view).unwrap_or_else(|error| {
                // What was found does not depend on it.
                let warning = format!("how far each change got could not be followed: {error}");
                Found { warnings: vec![warning], ..Found::default() }
            });
            ledger.view.warnings.append(&mut followed.warnings);
        }
        ledger.view.changes = ladder.views(&ledger.view, &followed);
        evidence::conclude(&mut ledger.view, &ledger.changes, &shared.losses(), unseen);
        let unconfirmed = outcomes::unconfirmed(&self.seeds, first, &shared.rules.now());
        evidence::doubt(&mut ledger.view, unconfirmed);
        Ok(())
    }

    /// What may show how far changes got: what executes them, what reached something new, the seeds.
    fn to_follow(
        &self,
        reaching: &[TestCase],
        outcome: &Outcome,
        corpus: &mut Corpus,
    ) -> Result<Vec<(TestCase, Option<String>)>, CliError> {
        let launch = self.setting.launch();
        let mut inputs: Vec<(TestCase, Option<String>)> = Vec::new();
        let seeds = self.tests();
        let most = self.args.follow_inputs as usize;
        for test in reaching.iter().chain(&seeds).chain(&outcome.corpus) {
            if inputs.len() == most || inputs.iter().any(|(known, _)| known == test) {
                continue;
            }
            let name = if seeds.contains(test) { None } else { Some(corpus.keep(test, &launch)?) };
            inputs.push((test.clone(), name));
        }
        Ok(inputs)
    }

    pub(super) fn code(
        &self,
        view: &DiffView,
        otherwise: Result<ExitCode, CliError>,
    ) -> Result<ExitCode, CliError> {
        match view.verdict {
            Verdict::Different => Ok(ExitCode::Different),
            Verdict::Equivalent | Verdict::EquivalentWithin => Ok(ExitCode::Success),
            _ if self.setting.interrupt.is_set() => Ok(ExitCode::Interrupted),
            Verdict::NoneFound | Verdict::Partly | Verdict::SameCode => otherwise,
            Verdict::NotExecuted => otherwise.map(|_| ExitCode::NotExecuted),
            Verdict::Unconfirmed => otherwise.map(|_| ExitCode::Unconfirmed),
        }
    }

    fn ended(&self, outcome: &Outcome) -> String {
        match outcome.ended {
            Ended::Exhausted => "nothing was left to try".to_owned(),
            Ended::Time => format!("the time ({:.0} s) was up", self.args.time.as_secs_f64()),
            Ended::Runs => "as many inputs as --runs allows were tried".to_owned(),
            Ended::Enough => "as many differences as --max-differences allows were found".to_owned(),
            Ended::Reached => "every target was executed".to_owned(),
            Ended::Memory => "the memory of Parallax itself (--own-memory) was used up".to_owned(),
            Ended::Interrupted => "interrupted".to_owned(),
            Ended::Harness => {
                format!("no run was possible any more: {}", outcome.trouble.as_deref().unwrap_or(""))
            }
        }
    }
}
