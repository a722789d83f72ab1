//! Crashes of the new version on any input, whether or not the old version does the same.
//!
//! In: runs of the new version's symbolic build; runs of the native binaries and of sanitizer builds. Out: crashes, failed assertions, hangs and reports of sanitizers, each
//! once, with a test case, a place and its age.
//!
//! Always holds: a crash that is reported showed twice in a row in the native binary (a report of a sanitizer: in the sanitizer build). What the
//! symbolic build alone does is no crash. Of at most [`MOST`] kinds of crash anything is kept; the others are counted.

use crate::lab::VersionsLab;
use parallax_execute::{Outcome, Run, TestCase};
use parallax_oracle::{Room, Runner, Trial, Which};
use std::collections::BTreeMap;

/// Kinds of crash that are looked at.
const MOST: usize = 64;
/// Test cases with the same kind of crash that are tried until one shows it natively.
const ATTEMPTS: u32 = 3;
/// Runs of a search that are looked at because they may hang.
const MOST_HANGS: u32 = 12;
/// Bytes of what the program said that tell kinds of crash apart.
const SAID: usize = 160;
/// SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
const SIGNALS: [i32; 6] = [4, 5, 6, 7, 8, 11];
/// The same as sanitizers call them.
const SIGNAL_NAMES: [&str; 6] = ["ILL", "TRAP", "ABRT", "BUS", "FPE", "SEGV"];

/// What tells crashes apart before anything is known about them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    kind: Kind,
    /// The last event of the trace that has a place in the program.
    site: Option<u32>,
    said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Signal(i32),
    Assertion,
    Hang,
    Sanitizer,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Signal(_) => "signal",
            Kind::Assertion => "assertion",
            Kind::Hang => "hang",
            Kind::Sanitizer => "sanitizer",
        }
    }

    /// How a run crashed, if it did.
    pub fn of(run: &Run) -> Option<Kind> {
        if report(run).is_some() {
            return Some(Kind::Sanitizer);
        }
        match run.outcome {
            // Whether what does far more than other runs ends at all, the native program shows.
            Outcome::TimedOut | Outcome::TooMuchWork => Some(Kind::Hang),
            Outcome::Signaled(6) if assertion(run).is_some() => Some(Kind::Assertion),
            Outcome::Signaled(signal) if SIGNALS.contains(&signal) => Some(Kind::Signal(signal)),
            _ => None,
        }
    }
}

/// The line with which a sanitizer begins its report, without addresses.
pub fn report(run: &Run) -> Option<String> {
    let text = String::from_utf8_lossy(&run.stderr.bytes);
    let is_report = |line: &&str| {
        line.contains("Sanitizer: ") && line.contains("ERROR") || line.contains(": runtime error: ")
    };
    let line = text.lines().find(is_report)?;
    let words = line.split_whitespace().filter(|word| !word.starts_with("==") && !word.contains("0x"));
    Some(words.collect::<Vec<_>>().join(" "))
}

/// The place and the text of a failed assertion, as the C library says it: `prog: file.c:3: f: Assertion ...`.
pub fn assertion(run: &Run) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(&run.stderr.bytes).into_owned();
    let line = text.lines().find(|line| line.contains(": Assertion ") && line.ends_with("failed."))?;
    let (before, what) = line.split_once(": Assertion ")?;
    let mut parts = before.split(": ").skip(1);
    Some((parts.next()?.to_owned(), format!("Assertion {what}")))
}

/// A crash that was seen natively.
#[derive(Clone, Debug)]
pub struct Crash {
    pub test: TestCase,
    pub kind: Kind,
    pub site: Option<u32>,
    /// What the old and the new version did: native binaries, or the sanitizer builds.
    pub runs: [Run; 2],
    /// Runs of the search that showed it.
    pub count: u64,
}

#[derive(Default)]
struct Seen {
    count: u64,
    attempts: u32,
    crash: Option<Crash>,
}

/// All crashes of a search.
#[derive(Default)]
pub struct Crashes {
    seen: BTreeMap<Key, Seen>,
    /// Crashes in runs of which only the coverage was looked at, by kind: how many of them were traced to learn where.
    traced: BTreeMap<Kind, u32>,
    /// Runs that were looked at because they may hang.
    hangs: u32,
    /// Runs that crashed in further ways, which nobody looked at.
    pub left_out: u64,
}

impl Crashes {
    /// Counts a crash. True if it has to be looked at natively.
    fn note(&mut self, key: &Key) -> bool {
        if self.seen.len() >= MOST && !self.seen.contains_key(key) {
            self.left_out += 1;
            return false;
        }
        let seen = self.seen.entry(key.clone()).or_default();
        seen.count += 1;
        let mut wanted = seen.crash.is_none() && seen.attempts < ATTEMPTS;
        if key.kind == Kind::Hang {
            // Each costs several times the time limit of a run.
            wanted &= self.hangs < MOST_HANGS;
            self.hangs += u32::from(wanted);
        }
        seen.attempts += u32::from(wanted);
        wanted
    }

    /// Is a crash to be traced of which nobody knows where it is?
    fn is_to_be_traced(&mut self, kind: Kind) -> bool {
        let traced = self.traced.entry(kind).or_default();
        *traced += 1;
        *traced <= ATTEMPTS
    }

    fn confirm(&mut self, key: &Key, crash: Crash) {
        self.seen.entry(key.clone()).or_default().crash = Some(crash);
    }

    /// Those that were seen natively.
    pub fn confirmed(&self) -> Vec<Crash> {
        let with_count = |seen: &Seen| seen.crash.clone().map(|crash| Crash { count: seen.count, ..crash });
        self.seen.values().filter_map(with_count).collect()
    }
}

fn key(run: &Run, site: Option<u32>) -> Option<Key> {
    let kind = Kind::of(run)?;
    let said = match kind {
        Kind::Sanitizer => report(run).unwrap_or_default(),
        Kind::Assertion => assertion(run).map_or(String::new(), |(place, what)| place + &what),
        Kind::Signal(_) | Kind::Hang => String::new(),
    };
    Some(Key { kind, site, said: said.chars().take(SAID).collect() })
}

impl VersionsLab {
    /// A run of the new version's symbolic build. `was_cut`: the end of the search cut it.
    pub fn note_crash(&mut self, run: &Run, site: Option<u32>, test: &TestCase, was_cut: bool) {
        if run.outcome == Outcome::TimedOut && was_cut {
            return;
        }
        let Some(key) = key(run, site) else { return };
        if !self.shared.crashes().note(&key) {
            return;
        }
        if let Some(crash) = shown(&mut self.natives, test, site) {
            self.shared.crashes().confirm(&key, crash);
        }
    }

    /// A run of the new version's symbolic build of which only the coverage is looked at: its trace would say where it crashed.
    pub fn is_crash_to_trace(&self, run: &Run, was_cut: bool) -> bool {
        let kind = Kind::of(run).filter(|_| run.outcome != Outcome::TimedOut || !was_cut);
        kind.is_some_and(|kind| self.shared.crashes().is_to_be_traced(kind))
    }

    /// Runs the sanitizer builds, where there are any, on an input that was traced.
    pub fn sanitize(&mut self, site: Option<u32>, test: &TestCase) {
        let Some(sanitized) = &mut self.sanitized else { return };
        let Ok(run) = sanitized.run(Which::New, test) else { return };
        let Some(said) = report(&run) else { return };
        // A sanitizer says it of a signal too; where the native program gets it as well, that is the crash.
        let is_signal = SIGNAL_NAMES.iter().any(|name| said.contains(&format!("Sanitizer: {name}")));
        if is_signal && self.natives.run(Which::New, test).is_ok_and(|run| Kind::of(&run).is_some()) {
            return;
        }
        let Some(key) = key(&run, None) else { return };
        let Some(sanitized) = &mut self.sanitized else { return };
        if !self.shared.crashes().note(&key) {
            return;
        }
        if let Some(crash) = shown(sanitized, test, site) {
            self.shared.crashes().confirm(&key, crash);
        }
    }
}

/// What both versions do on an input on which the new one crashes every time.
fn shown(natives: &mut crate::natives::Natives, test: &TestCase, site: Option<u32>) -> Option<Crash> {
    let new = natives.run(Which::New, test).ok()?;
    let kind = Kind::of(&new)?;
    // What only takes long is no hang.
    let again = natives.again(Which::New, test, Trial { round: 0, room: Room::Ample }).ok()?;
    if Kind::of(&again) != Some(kind) {
        return None;
    }
    let old = natives.run(Which::Old, test).ok()?;
    Some(Crash { test: test.clone(), kind, site, runs: [old, new], count: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_execute::Output;
    use std::time::Duration;

    fn run(outcome: Outcome, stderr: &str) -> Run {
        let output = |text: &str| Output { bytes: text.into(), truncated: false };
        Run {
            outcome,
            stdout: output(""),
            stderr: output(stderr),
            files: vec![],
            files_truncated: false,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    #[test]
    fn ways_of_crashing_are_told_apart() {
        let failed = "p: src/a.c:12: check: Assertion `n > 0' failed.\n";
        let asan = "=\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x61 at pc 0x5\n";
        let ubsan = "src/a.c:3:5: runtime error: signed integer overflow: 1 + 2\n";
        let of = |outcome, text| Kind::of(&run(outcome, text));
        assert_eq!(of(Outcome::Signaled(6), failed), Some(Kind::Assertion));
        assert_eq!(of(Outcome::Signaled(6), "no\n"), Some(Kind::Signal(6)));
        assert_eq!(of(Outcome::Signaled(11), ""), Some(Kind::Signal(11)));
        assert_eq!(of(Outcome::Exited(1), asan), Some(Kind::Sanitizer));
        assert_eq!(of(Outcome::Exited(1), ubsan), Some(Kind::Sanitizer));
        assert_eq!(of(Outcome::TimedOut, ""), Some(Kind::Hang));
        // Asked for by somebody, not met.
        assert_eq!(of(Outcome::Signaled(13), ""), None);
        assert_eq!(of(Outcome::Exited(1), failed), None);
    }

    #[test]
    fn an_assertion_says_its_place_and_a_report_no_address() {
        let failed = run(Outcome::Signaled(6), "p: src/a.c:12: check: Assertion `n > 0' failed.\n");
        let (place, what) = assertion(&failed).unwrap();
        assert_eq!((&*place, &*what), ("src/a.c:12", "Assertion `n > 0' failed."));
        let asan = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x61 at pc 0x5 bp 0x7\n";
        let text = report(&run(Outcome::Exited(1), asan)).unwrap();
        assert!(
            text.contains("heap-use-after-free") && !text.contains("0x") && !text.contains("=="),
            "{text}"
        );
    }

    #[test]
    fn a_kind_of_crash_is_looked_at_until_it_was_seen_natively_but_not_for_ever() {
        let mut crashes = Crashes::default();
        let one = key(&run(Outcome::Signaled(11), ""), Some(3)).unwrap();
        assert_eq!([(); 4].map(|()| crashes.note(&one)), [true, true, true, false]);
        assert!(crashes.confirmed().is_empty());
        for site in 0..2 * MOST as u32 {
            crashes.note(&key(&run(Outcome::Signaled(8), ""), Some(site)).unwrap());
        }
        assert_eq!(crashes.left_out, MOST as u64 + 1);
    }
}
