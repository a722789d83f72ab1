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
use crate::reach::why::Why;
use crate::reach::Reaching;
use parallax_execute::TestCase;
use parallax_oracle::{Runner, Which};
use parallax_report::kept;
use parallax_report::reach_view::*;
use parallax_report::{reach_human, reach_json, SCHEMA};
use parallax_search::Side;

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
        ledger.out.write_json("reach.json", &view)?;
        ledger.finish()?;
        let text = match self.args.format {
            DiffFormat::Human => reach_human(&view, ("target", "targets")),
            DiffFormat::Json => reach_json(&view)?,
        };
        let code = match (view.verdict, code) {
            (ReachVerdict::AllReached | ReachVerdict::NoTargets, _) => Ok(ExitCode::Success),
            (_, Err(error)) => Err(error),
            _ if self.setting.interrupt.is_set() => Ok(ExitCode::Interrupted),
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
            None => changed.map_or(vec![], unsearched),
        };
        let mut hits = Vec::new();
        if let Some(begun) = begun {
            hits = hits_of(reaching, begun, &mut targets);
            self.keep(&mut hits, &mut targets, ledger)?;
            self.explain(&mut targets, changed, begun, ledger);
        }
        let view = &ledger.view;
        Ok(ReachView {
            schema: SCHEMA.to_owned(),
            verdict: ReachVerdict::NoTargets,
            targets,
            coverage: CoverageView::default(),
            tests: hits.into_iter().map(|hit| hit.view).collect(),
            differences: view.differences.clone(),
            crashes: vec![],
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

    /// Says of every target that was not executed why.
    fn explain(
        &self,
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
            let unreached = why.of(changed.targets[number].block, &edges[number]);
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
    let parallax_report::diff_view::TargetView { file, line, function, status, .. } = view;
    ReachTargetView { file, line, function, status, ..ReachTargetView::default() }
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
