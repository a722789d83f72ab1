//! After the search: both versions are followed on what it found, to tell how far each change got.
//!
//! In: what the search ended with. Out: [`Trails`], and for each difference the chain from the change to what is seen.
//!
//! Always holds: it ends with the time of the comparison; what it had no time for is counted.

use super::{Begun, Comparison};
use crate::changed::{self, Changed};
use crate::clock::Clock;
use crate::error::CliError;
use crate::following::{self, Follower};
use crate::trails::{self, Trails};
use parallax_execute::TestCase;
use parallax_follow::{Limits, Pairing, Step};
use parallax_instrument::Instrumented;
use parallax_report::changes::Piece;
use parallax_report::diff_view::{DiffView, DifferenceView, StepView};
use parallax_report::{kept, Change};
use std::path::Path;
use std::time::Instant;

/// What is followed with, made before the search; and until when.
pub struct Following {
    pub builds: [Instrumented; 2],
    pub until: Instant,
}

/// What the search ended with, the likeliest to tell something first. Seeds have no name.
pub struct Inputs {
    /// By number of the difference.
    pub differences: Vec<(usize, TestCase, String)>,
    pub others: Vec<(TestCase, Option<String>)>,
}

/// What following came to.
#[derive(Default)]
pub struct Found {
    pub trails: Trails,
    /// By difference: the changes whose effect left the program there.
    pub visible: Vec<Vec<u32>>,
    pub warnings: Vec<String>,
}

impl Comparison<'_> {
    /// What to follow with, if that is wanted; then the time counts, and the search has to end a part of it earlier.
    pub(super) fn following(&self, changed: Option<&Changed>, clock: &Clock) -> (Option<Following>, Instant) {
        let wanted = self.reaching.is_none() && self.args.follow_events > 0;
        let changed = changed.filter(|_| wanted);
        let builds = changed.map(|changed| following::builds(&self.built, changed, &self.cache));
        let until = clock.start();
        match builds {
            None => (None, until),
            Some(Ok(builds)) => {
                let share = following::share(self.args.follow_time, self.args.time);
                (Some(Following { builds, until }), until - share)
            }
            Some(Err(error)) => {
                eprintln!("parallax: how far each change got is not followed: {error}");
                (None, until)
            }
        }
    }

    /// The tests of the differences, as they are kept.
    pub(super) fn kept_tests(&self, view: &DiffView) -> Vec<(usize, TestCase, String)> {
        /// They are our own, and as large as they are.
        const ANY: u64 = 1 << 62;
        let read = |(number, difference): (usize, &DifferenceView)| {
            let test = kept::read(Path::new(&difference.test), ANY).ok()?;
            Some((number, test, difference.test.clone()))
        };
        view.differences.iter().enumerate().filter_map(read).collect()
    }

    pub(super) fn follow(
        &self,
        begun: &Begun,
        changed: &Changed,
        inputs: Inputs,
        view: &mut DiffView,
    ) -> Result<Found, CliError> {
        let mut found = Found::default();
        let Some(Following { builds, until }) = &begun.following else { return Ok(found) };
        if self.setting.interrupt.is_set() {
            return Ok(found);
        }
        let share = following::share(self.args.follow_time, self.args.time);
        // A search that ended late leaves a part all the same.
        let until = (*until).max(Instant::now() + share / 2).min(Instant::now() + self.args.follow_time);
        let most = Limits { instances: self.args.follow_events, ..Limits::default() };
        let mut follower = Follower::new(builds, &self.built, &self.setting, self.limits(), most)?;
        let pairing = Pairing::new(&changed.old.program, &changed.new.program, &changed.comparison);
        let changes: Vec<Change> = changed.comparison.changes.iter().map(changed::view).collect();
        let pieces = self.pieces();
        let (mut left, mut elsewhere) = (0, false);
        for (number, test, name) in &inputs.differences {
            if Instant::now() >= until {
                left += 1;
                continue;
            }
            let run = follower.follow(&pairing, test, until)?;
            elsewhere |= run.elsewhere > 0;
            let seen = trails::visible(&pairing, &run);
            found.trails.take(&pairing, &run, Some(name));
            found.visible.resize(view.differences.len(), Vec::new());
            found.visible[*number] = seen.iter().map(|(change, _)| *change).collect();
            tell(&mut view.differences[*number], &seen, &run.met, &changes, &pieces);
        }
        let others = inputs.others.iter().take(self.args.follow_inputs as usize);
        for (number, (test, name)) in others.enumerate() {
            if Instant::now() >= until {
                left += inputs.others.len().min(self.args.follow_inputs as usize) - number;
                break;
            }
            let run = follower.follow(&pairing, test, until)?;
            elsewhere |= run.elsewhere > 0;
            found.trails.take(&pairing, &run, name.as_deref());
        }
        found.warnings = warnings(&found.trails, left, elsewhere);
        Ok(found)
    }
}

/// What following says of a difference.
fn tell(
    difference: &mut DifferenceView,
    seen: &[(u32, Vec<Step>)],
    met: &[u32],
    changes: &[Change],
    pieces: &[Piece],
) {
    let behind: Vec<&Change> = seen.iter().filter_map(|(n, _)| changes.get(*n as usize)).collect();
    let chain = seen.iter().map(|(_, chain)| chain).min_by_key(|chain| chain.len());
    difference.chain = chain.into_iter().flatten().map(step).collect();
    difference.sequence = trails::sequence(changes, met);
    difference.matter = behind.iter().map(|change| change.place()).collect();
    difference.matter.dedup();
    if let Some(cause) = trails::cause(difference.cause.as_deref(), &behind, pieces) {
        difference.cause = Some(cause);
    }
}

fn warnings(trails: &Trails, left: usize, elsewhere: bool) -> Vec<String> {
    let mut found = Vec::new();
    if left > 0 {
        let done = trails.followed;
        found.push(format!(
            "how far each change got rests on {done} inputs; there was no time to follow {left} more (--follow-time)"
        ));
    }
    if trails.cut > 0 {
        let cut = trails.cut;
        found.push(format!(
            "{cut} of the runs that were followed are longer than what was followed of them (--follow-events, --follow-time)"
        ));
    }
    if elsewhere {
        found.push("how far each change got is followed in the first thread only".to_owned());
    }
    found
}

fn step(step: &Step) -> StepView {
    StepView {
        file: step.place.file.clone(),
        line: step.place.line,
        version: if step.place.is_old { "old" } else { "new" }.to_owned(),
        what: step.what.clone(),
        left_out: step.left_out as u64,
    }
}
