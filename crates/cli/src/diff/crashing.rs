//! The crashes of a comparison as they are reported.
//!
//! In: the crashes that workers saw, what changed, the maps. Out: each once, with a kept test, its place and its age.

use super::{Begun, Comparison};
use crate::changed::{plain, Changed};
use crate::crashes::{self, Crash, Kind};
use crate::error::CliError;
use crate::ledger::Ledger;
use parallax_execute::Run;
use parallax_report::crash_view::CrashView;
use parallax_report::kept;
use parallax_report::place::Place;
use std::path::Path;

/// Where a crash is, and in which function.
#[derive(Default)]
struct At {
    place: String,
    function: Option<String>,
}

impl Comparison<'_> {
    /// Takes the crashes into the view.
    pub(super) fn take_crashes(
        &self,
        ledger: &mut Ledger,
        begun: &Begun,
        changed: Option<&Changed>,
    ) -> Result<(), CliError> {
        let (crashes, left_out) = {
            let crashes = begun.shared.crashes();
            (crashes.confirmed(), crashes.left_out)
        };
        let mut views: Vec<CrashView> = Vec::new();
        for crash in crashes {
            let view = self.crash(&crash, begun, changed);
            let same = |known: &&mut CrashView| {
                (&known.kind, &known.place, &known.age) == (&view.kind, &view.place, &view.age)
            };
            match views.iter_mut().find(same) {
                Some(known) => known.count += view.count,
                None => {
                    let id = format!("crash-{}", views.len() + 1);
                    self.keep_crash(ledger, &id, &crash)?;
                    views.push(CrashView { test: ledger.out.test(&id).display().to_string(), ..view });
                }
            }
        }
        ledger.view.crashes = views;
        if left_out > 0 {
            ledger.view.warnings.push(format!(
                "{left_out} runs of the new version crashed in further ways; only the first ways were looked at"
            ));
        }
        Ok(())
    }

    fn keep_crash(&self, ledger: &Ledger, id: &str, crash: &Crash) -> Result<(), CliError> {
        ledger.out.put_test(id, |place| -> Result<(), CliError> {
            kept::write(place, &crash.test, self.setting.launch())?;
            kept::write_run(place, "old", &crash.runs[0])?;
            Ok(kept::write_run(place, "new", &crash.runs[1])?)
        })
    }

    fn crash(&self, crash: &Crash, begun: &Begun, changed: Option<&Changed>) -> CrashView {
        let [old, new] = &crash.runs;
        let at = self.place_of(crash, begun);
        let age = match Kind::of(old) == Some(crash.kind) {
            false => "introduced",
            true if changed.is_some_and(|changed| is_near(changed, &at)) => "near the change",
            true => "older",
        };
        CrashView {
            kind: crash.kind.name().to_owned(),
            test: String::new(),
            place: at.place,
            age: age.to_owned(),
            what: what(crash.kind, new, crash.site.is_some()),
            count: crash.count,
        }
    }

    fn place_of(&self, crash: &Crash, begun: &Begun) -> At {
        let new = &crash.runs[1];
        let said = match crash.kind {
            Kind::Assertion => crashes::assertion(new).map(|(place, _)| At { place, function: None }),
            Kind::Sanitizer => self.reported_place(new),
            Kind::Signal(_) | Kind::Hang => None,
        };
        let last = || {
            let place = Place::of(&begun.instrumented[1].map, crash.site?);
            Some(At { place: place.to_string(), function: place.function.filter(|_| !place.libc) })
        };
        let none = || At { place: crash.kind.name().to_owned(), function: None };
        let at = said.or_else(last).unwrap_or_else(none);
        let below = |root: &Path| {
            at.place.strip_prefix(&*root.to_string_lossy()).map(|place| place.trim_start_matches('/'))
        };
        let place = self.roots().find_map(below).unwrap_or(&at.place);
        At { place: plain(place), function: at.function.clone() }
    }

    /// The trees that the new version was built in.
    fn roots(&self) -> impl Iterator<Item = &Path> {
        let sanitized = self.sanitized.as_ref().map(|both| &*both[1].source_root);
        sanitized.into_iter().chain([&*self.built[1].source_root])
    }

    /// The place in the sources that a sanitizer's report is about: what it says itself, or the first frame that is in a source file of the version.
    fn reported_place(&self, run: &Run) -> Option<At> {
        let text = String::from_utf8_lossy(&run.stderr.bytes).into_owned();
        if let Some((place, _)) = text.lines().find_map(|line| line.split_once(": runtime error: ")) {
            let place = place.split_whitespace().last()?.to_owned();
            return Some(At { place: without_column(&place), function: None });
        }
        text.lines().filter(|line| line.trim_start().starts_with('#')).find_map(|line| self.frame(line))
    }

    /// `#1 0x55 in f /src/a.c:12:3`, or `#1 0x55 (/bin/prog+0x1234) (BuildId: 1f)`.
    fn frame(&self, line: &str) -> Option<At> {
        let known = |function: &str, place: &str| {
            let is_own = self.roots().any(|root| place.starts_with(&*root.to_string_lossy()));
            // The C library names its files relative to its own tree.
            let is_relative = !place.starts_with('/') && !place.contains("../");
            (is_own || is_relative)
                .then(|| At { place: without_column(place), function: Some(function.to_owned()) })
        };
        if let Some((_, rest)) = line.split_once(" in ") {
            let (function, place) = rest.rsplit_once(' ')?;
            return place.contains(':').then(|| known(function, place))?;
        }
        let (_, inside) = line.split_once('(')?;
        let (_, offset) = inside.split(')').next()?.rsplit_once('+')?;
        let program = self.sanitized.as_ref().map_or(&self.built[1].native, |both| &both[1].native);
        let (function, place) = parallax_build::coverage::symbolized(program, offset)?;
        known(&function, &place)
    }
}

fn without_column(place: &str) -> String {
    match place.rsplit_once(':') {
        Some((before, column)) if before.contains(':') && column.parse::<u32>().is_ok() => before.to_owned(),
        _ => place.to_owned(),
    }
}

/// Is the place in a changed function, or on a changed line?
fn is_near(changed: &Changed, at: &At) -> bool {
    let on_line = |file: &str, lines: &[u32]| {
        let Some((name, rest)) = at.place.split_once(':') else { return false };
        let line = rest.split(':').next().and_then(|line| line.parse::<u32>().ok());
        (name == file || file.ends_with(&format!("/{name}")))
            && line.is_some_and(|line| lines.contains(&line))
    };
    let program = &changed.new.program;
    let in_function = |target: &parallax_change::Target| {
        let function = program.func(target.func);
        let lines = function.line..=function.end_line;
        let lines: Vec<u32> = lines.take(MOST_LINES).collect();
        at.function.as_deref() == Some(function.display_name())
            || target.file.as_ref().is_some_and(|file| on_line(&plain(file), &lines))
    };
    changed.targets.iter().any(in_function)
}

/// Lines of a function that are looked at.
const MOST_LINES: usize = 100_000;

fn what(kind: Kind, run: &Run, has_site: bool) -> String {
    let after = if has_site {
        "; the place is that of the last event before it that depends on the input"
    } else {
        ""
    };
    match kind {
        Kind::Signal(signal) => format!("ended by signal {signal}{after}"),
        Kind::Assertion => crashes::assertion(run).map_or(String::new(), |(_, what)| what),
        Kind::Hang => format!("does not end, with four times the time of a run{after}"),
        Kind::Sanitizer => crashes::report(run).unwrap_or_default(),
    }
}
