//! Do the symbolic builds do what the native programs do?
//!
//! In: seeds, the native runs on them, a laboratory. Out: for each seed on which a symbolic build does something else, what and
//! where, in words.
//!
//! Always holds: what differs is seen twice; what is not compared (`--compare`, `--ignore`, unstable parts) is not compared here either.

use crate::lab::VersionsLab;
use crate::natives::NoRun;
use crate::seeds::Seed;
use crate::stability::Round;
use parallax_execute::{Outcome, Run};
use parallax_oracle::{Aspect, Aspects};
use parallax_report::kept;
use parallax_report::place::Place;
use parallax_report::text::quoted;
use parallax_search::Side;
use parallax_trace::reader::Event;
use parallax_trace::sites::ProgramMap;
use parallax_trace::Trace;
use std::time::{Duration, Instant};

/// Bytes shown of a line.
const SHOWN: usize = 60;
/// The part of the time of the search that this may take.
const PART: u32 = 8;

/// Everything in which symbolic and native runs of the seeds differ.
pub fn check(
    lab: &mut VersionsLab,
    maps: [&ProgramMap; 2],
    seeds: &[Seed],
    native: &Round,
    time: Duration,
) -> Vec<String> {
    let end = Instant::now() + time / PART;
    let mut found = Vec::new();
    for (number, seed) in seeds.iter().enumerate() {
        for side in [Side::Old, Side::New] {
            let Some(expected) = native[side as usize].get(number) else { return found };
            // The first seed is always looked at.
            if number > 0 && Instant::now() >= end {
                return found;
            }
            if let Ok(Some(difference)) = one(lab, maps[side as usize], side, seed, expected) {
                found.push(difference);
            }
        }
    }
    found
}

fn one(
    lab: &mut VersionsLab,
    map: &ProgramMap,
    side: Side,
    seed: &Seed,
    native: &Run,
) -> Result<Option<String>, NoRun> {
    let (mut run, mut traced) = lab.observed(side, &seed.test)?;
    if !lab.shared.rules.now().differing(native, &run).is_empty() {
        (run, traced) = lab.observed(side, &seed.test)?;
    }
    let aspects = lab.shared.rules.now().differing(native, &run);
    if aspects.is_empty() {
        return Ok(None);
    }
    let version = if side == Side::Old { "old" } else { "new" };
    let what = described(&aspects, native, &run, &traced.trace, map);
    Ok(Some(format!(
        "on seed {} the symbolic build of the {version} version does not do what the native program does: {what}; the search \
         follows the symbolic build",
        seed.name
    )))
}

fn described(aspects: &Aspects, native: &Run, run: &Run, trace: &Trace, map: &ProgramMap) -> String {
    if run.outcome == Outcome::TimedOut && native.outcome != Outcome::TimedOut {
        return "it did not end in time (--run-time)".to_owned();
    }
    let streams = [
        (Aspect::Stdout, "stdout", 1, &native.stdout.bytes, &run.stdout.bytes),
        (Aspect::Stderr, "stderr", 2, &native.stderr.bytes, &run.stderr.bytes),
    ];
    for (aspect, name, fd, expected, printed) in streams {
        if aspects.contains(&aspect) {
            let (line, at, a, b) = first_difference(expected, printed);
            let place = printed_at(trace, map, fd, at);
            return format!(
                "line {line} of {name} is {} instead of {}{}",
                quoted(b, SHOWN),
                quoted(a, SHOWN),
                place.map_or(String::new(), |place| format!(" (printed after {place})")),
            );
        }
    }
    if aspects.contains(&Aspect::Files) {
        return "it leaves other files".to_owned();
    }
    format!("it ends with {} instead of {}", ended(&run.outcome), ended(&native.outcome))
}

fn ended(outcome: &Outcome) -> String {
    match kept::ending(outcome) {
        (Some(status), ..) => format!("exit status {status}"),
        (_, Some(signal), _) => format!("signal {signal}"),
        (.., limit) => format!("its limit ({})", limit.unwrap_or("unknown")),
    }
}

/// The first line that differs: its number, where it begins, and both forms of it.
fn first_difference<'b>(expected: &'b [u8], printed: &'b [u8]) -> (usize, usize, &'b [u8], &'b [u8]) {
    let lines = |bytes: &'b [u8]| bytes.split_inclusive(|b| *b == b'\n').collect::<Vec<_>>();
    let (a, b) = (lines(expected), lines(printed));
    let number = (0..).find(|i| a.get(*i) != b.get(*i) || *i >= a.len()).unwrap_or(0);
    let begin = b.iter().take(number).map(|line| line.len()).sum();
    (number + 1, begin, a.get(number).copied().unwrap_or(b""), b.get(number).copied().unwrap_or(b""))
}

/// The last place of the program itself that the trace names before byte `at` of a stream was written.
fn printed_at(trace: &Trace, map: &ProgramMap, stream: u32, at: usize) -> Option<Place> {
    let (mut written, mut last) = (0, None);
    for event in trace.events() {
        let site = match event {
            Event::Output { fd, ref bytes, .. } if fd == stream => {
                written += bytes.len();
                if written > at {
                    break;
                }
                continue;
            }
            Event::Branch { site, .. } | Event::Switch { site, .. } | Event::Guard { site, .. } => site,
            Event::Concrete { site, .. } | Event::Escape { site, .. } => site,
            _ => continue,
        };
        let place = Place::of(map, site);
        if !place.libc && place.site.is_some() {
            last = Some(place);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_found_with_where_it_begins() {
        assert_eq!(first_difference(b"a\nb\n", b"a\nc\n"), (2, 2, &b"b\n"[..], &b"c\n"[..]));
        assert_eq!(first_difference(b"a\n", b"a\nc"), (2, 2, &b""[..], &b"c"[..]));
        assert_eq!(first_difference(b"x", b""), (1, 0, &b"x"[..], &b""[..]));
    }
}
