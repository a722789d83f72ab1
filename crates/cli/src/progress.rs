//! Signs of life on standard error.
//!
//! In: what happens. Out: on a terminal one line that is rewritten; elsewhere a plain line now and then; always a line in
//! the log.
//!
//! Always holds: standard output is never touched.

use parallax_search::Stats;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often there is a line where there is no terminal.
const EVERY: Duration = Duration::from_secs(5);
/// How often the line on a terminal changes.
const EVERY_ON_TERMINAL: Duration = Duration::from_millis(200);

pub struct Show {
    terminal: bool,
    log: Option<File>,
    started: Instant,
    last: Option<Instant>,
}

impl Show {
    /// A log that cannot be written is done without.
    pub fn new(log: &Path) -> Show {
        let log = File::create(log).ok();
        Show { terminal: std::io::stderr().is_terminal(), log, started: Instant::now(), last: None }
    }

    /// The search begins: the first line is due after the first interval.
    pub fn begin(&mut self) {
        self.last = Some(Instant::now());
    }

    /// Something that happens once.
    pub fn event(&mut self, text: &str) {
        let seconds = self.started.elapsed().as_secs_f64();
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        eprintln!("{clear}parallax: {text}");
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "{seconds:9.3} {text}");
        }
    }

    /// How far it is.
    pub fn status(&mut self, stats: &Stats, differences: usize) {
        let every = if self.terminal { EVERY_ON_TERMINAL } else { EVERY };
        let now = Instant::now();
        if self.last.is_some_and(|last| now - last < every) {
            return;
        }
        self.last = Some(now);
        let rate = |n: u64| n as f64 / stats.seconds.max(0.001);
        let text = format!(
            "{:.0} s: {} inputs ({:.0}/s), {} queries ({:.0}/s), branches both ways {}/{}, differences {differences}",
            stats.seconds,
            stats.runs,
            rate(stats.runs),
            stats.queries,
            rate(stats.queries),
            stats.flipped_sites,
            stats.symbolic_sites,
        );
        if self.terminal {
            eprint!("\r\x1b[K{text}");
        } else {
            eprintln!("parallax: {text}");
        }
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "{text}");
        }
    }

    /// No line is left half written.
    pub fn done(&mut self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
