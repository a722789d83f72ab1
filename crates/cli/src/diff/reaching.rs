//! How a comparison ends whose purpose is to execute targets.
//!
//! In: what the search reached, and the finished view of the comparison. Out: the result of `parallax reach`, with a kept test for every newly reached set of
//! targets.

use super::{Begun, Comparison, Finished};
use crate::changed::Changed;
use crate::diff_args::DiffFormat;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::ledger::Ledger;
use crate::natives::Natives;
use crate::reach::confirm::Confirmation;
use crate::reach::why::Why;
use crate::reach::Reaching;
use parallax_build::coverage::Coverage;
use parallax_execute::TestCase;
use parallax_oracle::{Runner, Which};
use parallax_report::kept;
use parallax_report::reach_view::*;
use parallax_report::{reach_human, reach_json, SCHEMA};
use parallax_search::Side;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// A test case that executes targets.
struct Hit {
    test: TestCase,
    view: ReachTestView,
}

impl Comparison<'_> {
    /// Writes the result. `code`: how the comparison would end for itself.
    pub(super) fn conclude_reach(
        &self,
        reaching: &Reaching,
        ledger: &mut Ledger,
        changed: Option<&Changed>,
        begun: Option<&Begun>,
        code: Result<ExitCode, CliError>,
    ) -> Result<Finished, CliError> {
        let mut view = self.reach_view(reaching, ledger, changed, begun)?;
        view.conclude();
        let is_augment = reaching.branches.is_some();
        ledger.out.write_json("reach.json", &view)?;
        ledger.finish()?;
        let text = match self.args.format {
            DiffFormat::Human if is_augment => reach_human(&view, ("branch", "branches"), false),
            DiffFormat::Human => reach_human(&view, ("target", "targets"), true),
            DiffFormat::Json => reach_json(&view)?,
        };
        let code = match (view.verdict, code) {
            (ReachVerdict::AllReached | ReachVerdict::NoTargets, _) => Ok(ExitCode::Success),
            (_, Err(error)) => Err(error),
            _ if self.setting.interrupt.is_set() => Ok(ExitCode::Interrupted),
            // There are always branches that nothing takes.
            _ if is_augment => Ok(ExitCode::Success),
            _ => Ok(ExitCode::NotExecuted),
        };
        Ok(Finished { text, code })
    }

    fn reach_view(
        &self,
        reaching: &Reaching,
        ledger: &mut Ledger,
        changed: Option<&Changed>,
        begun: Option<&Begun>,
    ) -> Result<ReachView, CliError> {
        let mut targets = match begun {
            Some(begun) => begun.shared.reached.found().into_iter().map(|(view, _)| target(view)).collect(),
            None if reaching.branches.is_some() => {
                return Err(CliError::Search("the time was up before the search began (--time)".to_owned()))
            }
            None => changed.map_or(vec![], unsearched),
        };
        let mut hits = Vec::new();
        let mut coverage = CoverageView::default();
        if let Some(begun) = begun {
            hits = hits_of(reaching, begun, &mut targets);
            self.keep(&mut hits, &mut targets, ledger)?;
            match self.confirm(reaching, changed, &hits, &mut targets, &mut ledger.view.warnings) {
                Ok(counts) => coverage = counts,
                Err(error) => {
                    ledger.view.warnings.push(format!("nothing is confirmed by a coverage build: {error}"))
                }
            }
            self.explain(reaching, &mut targets, changed, begun, ledger);
        }
        let view = &ledger.view;
        Ok(ReachView {
            schema: SCHEMA.to_owned(),
            verdict: ReachVerdict::NoTargets,
            targets,
            coverage,
            tests: hits.into_iter().map(|hit| hit.view).collect(),
            differences: view.differences.clone(),
            crashes: view.crashes.clone(),
            stats: view.stats.clone(),
            versions: view.versions.clone(),
            ended: view.ended.clone(),
            unstable: view.unstable.clone(),
            seeds: view.seeds.clone(),
            seed_count: view.seed_count,
            warnings: view.warnings.clone(),
        })
    }

    /// Keeps the tests, with what the native versions do on them.
    fn keep(
        &self,
        hits: &mut [Hit],
        targets: &mut [ReachTargetView],
        ledger: &Ledger,
    ) -> Result<(), CliError> {
        let launch = self.setting.launch();
        let mut natives: Natives = self.natives(&self.setting)?;
        for (number, Hit { test, view }) in hits.iter_mut().enumerate() {
            let id = format!("reach-{}", number + 1);
            ledger.out.put_test(&id, |place| -> Result<(), CliError> {
                kept::write(place, test, &launch)?;
                for (which, name) in [(Which::Old, "old"), (Which::New, "new")] {
                    // A run that cannot be made is nothing to keep; the inputs are.
                    if let Ok(run) = natives.run(which, test) {
                        kept::write_run(place, name, &run)?;
                    }
                }
                Ok(())
            })?;
            view.test = ledger.out.test(&id).display().to_string();
            for target in &view.targets {
                targets[*target].test = Some(view.test.clone());
            }
        }
        Ok(())
    }

    /// Asks the coverage build whether tests execute what they are said to, and what is covered before and after.
    fn confirm(
        &self,
        reaching: &Reaching,
        changed: Option<&Changed>,
        hits: &[Hit],
        targets: &mut [ReachTargetView],
        warnings: &mut Vec<String>,
    ) -> Result<CoverageView, CliError> {
        let built = match reaching.coverage() {
            Ok(built) => built,
            Err(why) => {
                warnings.push(why);
                return Ok(CoverageView::default());
            }
        };
        let until = Instant::now() + reaching.confirm_time;
        let mut confirmation = Confirmation::new(built, &self.setting, self.limits(), until)?;
        let seeds = self.tests();
        let (before, run) = confirmation.of(&seeds)?;
        if run < seeds.len() {
            warnings.push(format!(
                "the coverage build ran only {run} of {} seeds: no time for more (--confirm-time)",
                seeds.len()
            ));
        }
        let changed = changed.filter(|_| reaching.branches.is_none());
        let places = changed.map_or(vec![], |changed| places_of(changed, targets));
        let mut after = before.clone().unwrap_or_default();
        confirm(targets, &places, "seed", None, before.as_ref());
        for hit in hits {
            let (covered, run) = confirmation.of([&hit.test])?;
            if run == 0 {
                continue;
            }
            confirm(targets, &places, "reached", Some(&hit.view.test), covered.as_ref());
            covered.iter().for_each(|covered| after.join(covered));
        }
        let lines = changed.map_or_else(|| all_lines(&after), changed_lines);
        let mut view = CoverageView::default();
        let of = |coverage: &Coverage| counts(coverage, &lines);
        (view.before, view.after) = (of(&before.unwrap_or_default()).0, of(&after).0);
        view.total = of(&after).1;
        Ok(view)
    }

    /// Says of every target that was not executed why.
    fn explain(
        &self,
        reaching: &Reaching,
        targets: &mut [ReachTargetView],
        changed: Option<&Changed>,
        begun: &Begun,
        ledger: &Ledger,
    ) {
        let Some(changed) = changed.filter(|_| targets.iter().any(|target| !target.is_covered())) else {
            return;
        };
        let (shared, map) = (&begun.shared, &begun.instrumented[1].map);
        let one_way = shared
            .latest()
            .unflipped
            .iter()
            .filter(|one| one.side == Side::New)
            .map(|one| (one.site, one.reason))
            .collect();
        let lost = shared.losses().calls(Side::New);
        let why = Why::new(
            &changed.new.program,
            map,
            shared.reached.taken(),
            one_way,
            &lost,
            ledger.view.ended.clone(),
        );
        let edges = shared.reached.edges();
        for (number, target) in targets.iter_mut().enumerate().filter(|(_, target)| !target.is_covered()) {
            let unreached = match reaching.branches {
                Some(_) => why.of_way(&edges[number]),
                None => why.of(changed.targets[number].block, &edges[number]),
            };
            target.reason = Some(unreached.reason);
            target.closest = unreached.closest;
            target.distance = unreached.distance;
        }
    }
}

/// The targets of a search that did not begin.
fn unsearched(changed: &Changed) -> Vec<ReachTargetView> {
    let view = |found| ReachTargetView {
        reason: Some("budget (the time was up before the search began)".to_owned()),
        ..target(crate::reached::view(&changed.new.program, found))
    };
    changed.targets.iter().map(view).collect()
}

fn target(view: parallax_report::diff_view::TargetView) -> ReachTargetView {
    let parallax_report::diff_view::TargetView { file, line, function, way, status, .. } = view;
    ReachTargetView { file, line, function, way, status, ..ReachTargetView::default() }
}

/// The tests to be kept, in the order in which they were found; what they reached is noted.
fn hits_of(reaching: &Reaching, begun: &Begun, targets: &mut [ReachTargetView]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for found in reaching.found() {
        let after = found.after.as_secs_f64();
        let strategies: Vec<String> = found.strategies.iter().map(|name| (*name).to_owned()).collect();
        let is_seed = begun.shared.reached.is_seed(&found.test);
        for number in &found.targets {
            let target = &mut targets[*number];
            target.status = if is_seed { "seed" } else { "reached" }.to_owned();
            if !is_seed {
                (target.found_after_s, target.runs_before) = (Some(after), Some(found.runs));
                target.strategies = strategies.clone();
            }
        }
        if !is_seed {
            let (targets, runs_before) = (found.targets, found.runs);
            let view = ReachTestView {
                targets,
                found_after_s: after,
                runs_before,
                strategies,
                ..ReachTestView::default()
            };
            hits.push(Hit { test: found.test, view });
        }
    }
    // Runs that the search did not come to hear of: it had to end, or they were made to confirm something.
    for (number, (_, by)) in begun.shared.reached.found().into_iter().enumerate() {
        let Some(test) = by.filter(|_| !targets[number].is_covered()) else { continue };
        let is_seed = begun.shared.reached.is_seed(&test);
        targets[number].status = if is_seed { "seed" } else { "reached" }.to_owned();
        match hits.iter_mut().find(|hit| hit.test == test) {
            Some(hit) => hit.view.targets.push(number),
            None if is_seed => {}
            None => hits.push(Hit {
                test,
                view: ReachTestView { targets: vec![number], ..ReachTestView::default() },
            }),
        }
    }
    hits
}

/// A place in the source: file, line, column.
type SourcePlace = (String, u32, u32);

/// Where each target is, with the column where that is known.
fn places_of(changed: &Changed, targets: &[ReachTargetView]) -> Vec<Option<SourcePlace>> {
    let program = &changed.new.program;
    let column = |number: usize, line: u32| {
        let insts = changed.targets.get(number).map_or(&[][..], |target| &target.insts);
        let places = insts.iter().filter_map(|inst| program.loc(*inst));
        places.filter(|place| place.line == line && place.inlined_at.is_none()).map(|place| place.col).max()
    };
    let place = |(number, target): (usize, &ReachTargetView)| {
        let file = target.file.clone().filter(|_| target.line > 0)?;
        Some((file, target.line, column(number, target.line).unwrap_or(0)))
    };
    targets.iter().enumerate().map(place).collect()
}

/// Notes for the targets of this status and test whether their code was executed. What has no line stays unknown, and so does all where there is no coverage.
fn confirm(
    targets: &mut [ReachTargetView],
    places: &[Option<SourcePlace>],
    status: &str,
    test: Option<&String>,
    coverage: Option<&Coverage>,
) {
    let Some(coverage) = coverage else { return };
    for (target, place) in targets.iter_mut().zip(places) {
        let Some((file, line, column)) = place else { continue };
        if target.status == status && target.test.as_ref() == test {
            let executed = coverage.file(file).is_some_and(|file| file.is_executed(*line, *column));
            target.confirmed = Some(executed);
        }
    }
}

/// The changed lines of the new version by file.
fn changed_lines(changed: &Changed) -> BTreeMap<String, BTreeSet<u32>> {
    let mut lines: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for change in changed.changes() {
        if let Some(file) = change.file {
            lines.entry(file).or_default().extend(change.new_lines);
        }
    }
    lines
}

/// All lines with executable code by file.
fn all_lines(coverage: &Coverage) -> BTreeMap<String, BTreeSet<u32>> {
    coverage.files.iter().map(|(name, file)| (name.clone(), file.lines.keys().copied().collect())).collect()
}

/// Of these lines: those that are executed and the branches on them that are taken, and how many there are at all.
fn counts(coverage: &Coverage, lines: &BTreeMap<String, BTreeSet<u32>>) -> (CountsView, CountsView) {
    let (mut covered, mut total) = ([0u64; 2], [0u64; 2]);
    for (name, wanted) in lines {
        let Some(file) = coverage.file(name) else { continue };
        for (_, executed) in file.lines.iter().filter(|(line, _)| wanted.contains(line)) {
            covered[0] += u64::from(*executed);
            total[0] += 1;
        }
        for (_, taken) in file.branches.iter().filter(|((line, ..), _)| wanted.contains(line)) {
            covered[1] += u64::from(*taken);
            total[1] += 1;
        }
    }
    let view =
        |[lines, branches]: [u64; 2]| CountsView { targets: 0, lines: Some(lines), branches: Some(branches) };
    (view(covered), view(total))
}
