//! Where symbolic data was lost, in all the traces of a search, and which branches never went the other way.
//!
//! In: traces. Out: for each place, what was lost there and how often; most first.

use parallax_report::collect::concrete_name;
use parallax_report::diff_view::{LostView, UnflippedView};
use parallax_report::place::Place;
use parallax_search::{is_condition, Outcome, Side};
use parallax_trace::reader::Event;
use parallax_trace::sites::ProgramMap;
use parallax_trace::Trace;
use std::collections::BTreeMap;

/// What becomes of symbolic data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It goes into a function that is not seen through.
    Call(String),
    /// It is replaced by its value, for one of the reasons of the trace format.
    Concrete(u16),
}

#[derive(Debug, Default)]
pub struct Losses {
    /// `FLAG_*` of all traces.
    pub flags: u32,
    /// Traces that were not looked at, because there was no memory for them.
    pub without_room: u64,
    /// Labels that were dropped because code without instrumentation had changed memory.
    pub stale: u64,
    /// Traces that could not be read: the program wrote over what its instrumentation keeps.
    pub unreadable: u64,
    /// Inputs on which native and symbolic builds were compared, and those on which they did not do the same.
    pub compared: u64,
    pub astray: u64,
    seen: BTreeMap<(Side, u32, Fate), u64>,
}

impl Losses {
    pub fn note(&mut self, side: Side, trace: &Trace) {
        self.flags |= trace.header().flags;
        self.stale += u64::from(trace.header().stale);
        for event in trace.events() {
            let (site, fate) = match event {
                Event::Escape { site, function, .. } => {
                    (site, Fate::Call(String::from_utf8_lossy(function).into_owned()))
                }
                Event::Concrete { site, reason, .. } if !is_condition(reason) => {
                    (site, Fate::Concrete(reason))
                }
                _ => continue,
            };
            *self.seen.entry((side, site, fate)).or_default() += 1;
        }
    }

    /// Calls of a version that are not seen through: site and name.
    pub fn calls(&self, side: Side) -> Vec<(u32, String)> {
        let call = |(of, site, fate): &(Side, u32, Fate)| match fate {
            Fate::Call(name) if *of == side => Some((*site, name.clone())),
            _ => None,
        };
        self.seen.keys().filter_map(call).collect()
    }

    pub fn views(&self, maps: [&ProgramMap; 2]) -> Vec<LostView> {
        let mut views: Vec<LostView> = self
            .seen
            .iter()
            .map(|((side, site, fate), count)| {
                let (map, version) = match side {
                    Side::Old => (maps[0], "old"),
                    Side::New => (maps[1], "new"),
                };
                let (callee, reason) = match fate {
                    Fate::Call(name) => (Some(name.clone()), "call of a function that is not seen through"),
                    Fate::Concrete(reason) => (None, concrete_name(*reason)),
                };
                let place = Place::of(map, *site).to_string();
                LostView {
                    version: version.to_owned(),
                    place,
                    callee,
                    reason: reason.to_owned(),
                    count: *count,
                }
            })
            .collect();
        views.sort_by_key(|view| std::cmp::Reverse(view.count));
        views
    }
}

/// Branches that depend on the input and were only seen going one way.
pub fn unflipped(maps: [&ProgramMap; 2], outcome: &Outcome) -> Vec<UnflippedView> {
    let view = |branch: &parallax_search::Unflipped| {
        let (map, version) = match branch.side {
            Side::Old => (maps[0], "old"),
            Side::New => (maps[1], "new"),
        };
        UnflippedView {
            version: version.to_owned(),
            place: Place::of(map, branch.site).to_string(),
            reason: branch.reason.to_owned(),
        }
    };
    outcome.unflipped.iter().map(view).collect()
}
