//! Signs of life on standard error.
//!
//! In: what happens. Out: on a terminal one line that is rewritten; elsewhere a plain line now and then; always a line in
//! the log.
//!
//! Always holds: standard output is never touched.

use crate::progress_line::{self, USUAL_WIDTH};
use parallax_search::Stats;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// What is before a line where there is no terminal.
const NAME: &str = "parallax: ";
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
        let width = self.width();
        let text = progress_line::line(stats, differences, width);
        if self.terminal {
            eprint!("\r\x1b[K{text}");
        } else {
            eprintln!("{NAME}{text}");
        }
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "{text}");
        }
    }

    /// Columns for a line: those of the terminal, or the usual ones without the name before every line.
    fn width(&self) -> usize {
        if !self.terminal {
            return USUAL_WIDTH - NAME.len();
        }
        let size = rustix::termios::tcgetwinsize(std::io::stderr());
        size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(USUAL_WIDTH)
    }

    /// No line is left half written.
    pub fn done(&mut self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
