//! The verdict of a verification, and its shares: the one place where they are drawn.
//!
//! In: the partitions, what was left of each shape, what makes the whole weak. Out: the view.
//!
//! Always holds: `equivalent` and `equivalent-within` only where every input of the scope is in a partition that was shown to be equal, and nothing
//! makes the whole weak; what is not in a partition is unexplored, whatever is known about it.

use super::store::{self, Store};
use super::{Ended, Verification};
use crate::exit_code::ExitCode;
use crate::ledger::lock;
use parallax_report::diff_view::Verdict;
use parallax_report::verify_view::*;
use parallax_report::SCHEMA;
use parallax_search::Varied;
use parallax_verify::{inputs_of_size, total, Count, Outcome, ShapeResult};
use std::collections::BTreeMap;

const GROWING: &str = "still running";

/// The verdict as it stands in the document that a comparison has, too.
pub fn of_comparison(proven: Proven) -> Verdict {
    match proven {
        Proven::Different => Verdict::Different,
        Proven::Equivalent => Verdict::Equivalent,
        Proven::EquivalentWithin => Verdict::EquivalentWithin,
        Proven::Partly => Verdict::Partly,
    }
}

pub fn code(view: &VerifyView, interrupted: bool) -> ExitCode {
    match view.verdict {
        Proven::Different => ExitCode::Different,
        Proven::Partly if interrupted => ExitCode::Interrupted,
        _ => ExitCode::Success,
    }
}

/// The result before its end.
pub fn growing(verification: &Verification, store: &Store) -> VerifyView {
    let mut view = empty(verification);
    view.partitions = store.placed.iter().map(|(partition, _, _)| partition.clone()).collect();
    let different = !view.differences.is_empty();
    view.verdict = if different { Proven::Different } else { Proven::Partly };
    view
}

fn empty(verification: &Verification) -> VerifyView {
    let ledger = lock(verification.ledger);
    VerifyView {
        schema: SCHEMA.to_owned(),
        verdict: Proven::Partly,
        scope: ScopeView::default(),
        partitioning: verification.args.partitions.name().to_owned(),
        partitions: Vec::new(),
        shares: Sums::default().view(1.0),
        shapes: Vec::new(),
        undecided: Vec::new(),
        differences: ledger.view.differences.clone(),
        versions: ledger.view.versions.clone(),
        ended: GROWING.to_owned(),
        unstable: ledger.view.unstable.clone(),
        warnings: ledger.view.warnings.clone(),
        weakened: ledger.view.weakened.clone(),
        resumed: false,
        stats: VerifyStats { seconds: verification.began.elapsed().as_secs_f64(), ..VerifyStats::default() },
    }
}

/// The result.
pub fn conclude(verification: &Verification, ended: Ended, resumed: bool) -> VerifyView {
    let mut view = empty(verification);
    view.resumed = resumed;
    let (outcome, store, runs, varied, unread, is_closed) = match ended {
        Ended::Explored { outcome, store, runs, varied, unread, is_closed } => {
            (outcome, store, runs, varied, unread, is_closed)
        }
        Ended::Proven(reason) => {
            view.verdict = Proven::Equivalent;
            view.ended = reason.to_owned();
            view.shares = Sums { equal: (1.0, 1.0), ..Sums::default() }.view(0.0);
            return view;
        }
    };
    view.partitions = store.placed.iter().map(|(partition, _, _)| partition.clone()).collect();
    view.scope = scope(verification, &outcome, &varied, unread.clone());
    view.stats = stats(&outcome, runs, view.stats.seconds);
    let (sums, shapes) = shares(&outcome, &store);
    view.shapes = shapes;
    let all = all_inputs(verification, &varied);
    let unexplored = unexplored(verification, &outcome, &varied, &view.shapes);
    view.shares = sums.divided(all).view(unexplored / all);
    view.undecided = undecided(&outcome);
    let is_complete = outcome.unexplored_from.is_none()
        && !outcome.is_cut
        && outcome.shapes.iter().all(|shape| shape.explored.is_complete());
    let is_strong = view.weakened.is_empty() && view.unstable.is_empty();
    let all_equal = view.partitions.iter().all(|partition| partition.status == "equal");
    let differs = !view.differences.is_empty() || view.partitions.iter().any(|p| p.status == "different");
    let is_bounded = is_closed && is_bounded(&outcome, &varied, &unread, verification);
    view.verdict = match (differs, is_complete && is_strong && all_equal) {
        (true, _) => Proven::Different,
        (false, true) if is_bounded => Proven::Equivalent,
        (false, true) => Proven::EquivalentWithin,
        (false, false) => Proven::Partly,
    };
    view.ended = why_ended(verification, &outcome, is_complete);
    view
}

fn why_ended(verification: &Verification, outcome: &Outcome, is_complete: bool) -> String {
    if verification.comparison.setting.interrupt.is_set() {
        return "interrupted".to_owned();
    }
    if is_complete {
        return "every input of the scope is in a partition".to_owned();
    }
    let open: u64 = outcome.shapes.iter().map(|shape| shape.explored.open).sum();
    if outcome.is_cut && outcome.unexplored_from.is_some() && open == 0 {
        return "there are more shapes than --max-shapes allows".to_owned();
    }
    match open > 0 || outcome.unexplored_from.is_some() {
        true => format!("the time ({:.0} s) was up", verification.args.time.as_secs_f64()),
        false => "what is left could not be decided".to_owned(),
    }
}

/// Longer inputs do nothing else: no run of the largest shapes came to the end of anything that varies.
fn is_bounded(outcome: &Outcome, varied: &Varied, unread: &[String], verification: &Verification) -> bool {
    let arguments = unread.iter().any(|what| what == "arguments");
    let smallest = verification.args.min_input == 0;
    let only_stdin = arguments && !varied.arguments && varied.stdin && !varied.files;
    let no_end = |result: &ShapeResult| result.explored.ends.is_empty();
    smallest && only_stdin && outcome.shapes.last().is_some_and(no_end)
}

/// Shares while they are summed: smallest and largest.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    equal: (f64, f64),
    different: (f64, f64),
    weak: (f64, f64),
}

impl Sums {
    fn add(&mut self, status: &str, count: &Count, weight: f64) {
        let sum = match status {
            "equal" => &mut self.equal,
            "different" => &mut self.different,
            _ => &mut self.weak,
        };
        sum.0 += count.low * weight;
        sum.1 += count.high * weight;
    }

    fn plus(&mut self, other: Sums) {
        for (sum, more) in [
            (&mut self.equal, other.equal),
            (&mut self.different, other.different),
            (&mut self.weak, other.weak),
        ] {
            sum.0 += more.0;
            sum.1 += more.1;
        }
    }

    fn times(self, factor: f64) -> Sums {
        let times = |(low, high): (f64, f64)| (low * factor, high * factor);
        Sums { equal: times(self.equal), different: times(self.different), weak: times(self.weak) }
    }

    fn divided(self, all: f64) -> Sums {
        self.times(if all > 0.0 { 1.0 / all } else { 0.0 })
    }

    /// `unexplored`: the share that is certainly unexplored; what the intervals leave is not told apart.
    fn view(self, unexplored: f64) -> SharesView {
        let share = |(low, high): (f64, f64)| ShareView::new(tidy(low), tidy(high.min(1.0)));
        let rest = tidy(unexplored.clamp(0.0, 1.0));
        SharesView {
            equal: share(self.equal),
            different: share(self.different),
            weak: share(self.weak),
            unexplored: ShareView::new(rest, rest),
        }
    }

    fn is_exact(&self) -> bool {
        [self.equal, self.different, self.weak].iter().all(|(low, high)| low == high)
    }

    fn sum(&self) -> (f64, f64) {
        (self.equal.0 + self.different.0 + self.weak.0, self.equal.1 + self.different.1 + self.weak.1)
    }
}

/// Sums of binary fractions are exact for a long way; what is left of rounding is taken off.
fn tidy(share: f64) -> f64 {
    const STEP: f64 = 1e12;
    if (share * STEP).round() / STEP == 1.0 {
        1.0
    } else {
        share
    }
}

/// The shares of each shape, and all together, in inputs.
fn shares(outcome: &Outcome, store: &Store) -> (Sums, Vec<ShapeView>) {
    let mut all = Sums::default();
    let mut views: Vec<ShapeView> = Vec::new();
    let mut of_shape: Vec<(Sums, usize)> = Vec::new();
    for result in &outcome.shapes {
        let (sums, partitions) = match result.covered_by {
            Some(covering) => of_shape[covering],
            None => {
                let mut sums = Sums::default();
                let own = store.placed.iter().filter(|(_, shape, _)| *shape == result.shape);
                let mut partitions = 0;
                for (view, _, count) in own {
                    sums.add(&view.status, count, 1.0);
                    partitions += 1;
                }
                (sums, partitions)
            }
        };
        of_shape.push((sums, partitions));
        all.plus(sums.times(inputs(result)));
        let complete = result.explored.is_complete();
        let mut shares = sums.view(0.0);
        if !complete {
            let (low, high) = sums.sum();
            let (least, most) = ((1.0 - high).max(0.0), (1.0 - low).max(0.0));
            shares.unexplored = ShareView::new(least, if sums.is_exact() { least } else { most });
        }
        views.push(ShapeView { lengths: store::lengths(&result.shape), complete, partitions, shares });
    }
    (all, views)
}

fn inputs(result: &ShapeResult) -> f64 {
    // Beyond 16 bytes there is no exact number, and a share needs none.
    let bytes = result.shape.bytes();
    total(&bytes).map_or_else(|| 256f64.powi(bytes.len() as i32), |inputs| inputs as f64)
}

fn all_inputs(verification: &Verification, varied: &Varied) -> f64 {
    let first = verification.comparison.tests().first().cloned().unwrap_or_default();
    let sizes = verification.args.min_input..=verification.args.max_input;
    sizes.map(|size| inputs_of_size(size, &first, varied)).sum()
}

/// Inputs that are in no partition: those of shapes that were not come to, and what is left of the others.
fn unexplored(verification: &Verification, outcome: &Outcome, varied: &Varied, views: &[ShapeView]) -> f64 {
    let known: f64 = outcome.shapes.iter().map(inputs).sum();
    let left: f64 = outcome
        .shapes
        .iter()
        .zip(views)
        .map(|(result, view)| inputs(result) * view.shares.unexplored.bounds().0)
        .sum();
    let not_come_to = match outcome.unexplored_from {
        None => 0.0,
        Some(_) => (all_inputs(verification, varied) - known).max(0.0),
    };
    left + not_come_to
}

fn undecided(outcome: &Outcome) -> Vec<UndecidedView> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for (reason, times) in outcome.shapes.iter().flat_map(|shape| &shape.explored.undecided) {
        *all.entry(reason.clone()).or_default() += times;
    }
    all.into_iter().map(|(reason, times)| UndecidedView { reason, times }).collect()
}

fn stats(outcome: &Outcome, runs: u64, seconds: f64) -> VerifyStats {
    let counters = &outcome.counters;
    let explored = || outcome.shapes.iter().filter(|s| s.covered_by.is_none()).map(|s| &s.explored);
    VerifyStats {
        traces: explored().map(|e| e.traces).sum(),
        runs,
        queries: counters.queries,
        sat: counters.sat,
        unsat: counters.unsat,
        unknown: counters.unknown,
        confirmed: counters.confirmed,
        unconfirmed: counters.unconfirmed,
        contradicted: counters.contradicted,
        solver_steps: counters.steps,
        divergences: explored().map(|e| e.divergences).sum(),
        seconds,
    }
}

/// What the verdict is about: the shapes that are complete.
fn scope(verification: &Verification, outcome: &Outcome, varied: &Varied, unread: Vec<String>) -> ScopeView {
    let complete: Vec<&ShapeResult> =
        outcome.shapes.iter().filter(|result| result.explored.is_complete()).collect();
    let range = |numbers: Vec<usize>| Some([*numbers.iter().min()?, *numbers.iter().max()?]);
    let shapes = || complete.iter().map(|result| &result.shape);
    let lengths = LengthsView {
        argument: range(shapes().flat_map(|shape| shape.arguments.iter().flatten().copied()).collect()),
        stdin: range(shapes().filter_map(|shape| shape.stdin).collect()),
        file: range(shapes().flat_map(|shape| shape.files.iter().map(|file| file.1)).collect()),
    };
    let files = shapes().next().map(|shape| shape.files.iter().map(|f| f.0.display().to_string()).collect());
    let fixed = [
        (!varied.arguments && !unread.iter().any(|what| what == "arguments"), "the arguments"),
        (!varied.stdin, "standard input"),
        (!varied.files, "the files"),
        (true, "the environment"),
    ];
    let oracle = &verification.args.oracle;
    let all = parallax_oracle::Aspect::ALL.into_iter().collect::<Vec<_>>();
    let compared = oracle.compare.clone().unwrap_or(all).into_iter().map(|aspect| aspect.name().to_owned());
    ScopeView {
        lengths,
        arguments: range(shapes().filter_map(|shape| Some(shape.arguments.as_ref()?.len())).collect()),
        files: files.unwrap_or_default(),
        sizes: range(shapes().map(|shape| shape.size()).collect()),
        fixed: fixed.into_iter().filter(|(is, _)| *is).map(|(_, what)| what.to_owned()).collect(),
        unread,
        compared: compared.collect(),
    }
}
