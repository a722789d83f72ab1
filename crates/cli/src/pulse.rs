//! Signs of life while something takes long before the search begins: builds above all.
//!
//! In: what is under way, and the log of a build. Out: on standard error, after a few seconds, what has been going on for how long and the last line of
//! the log; with `--verbose` the whole log as it grows.
//!
//! Always holds: on a terminal one line that is rewritten and gone at the end; elsewhere a plain line now and then; standard output is never touched.

use std::fs::File;
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What takes less is not worth a line.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often there is a line where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);
/// How often logs are looked at, and the line on a terminal is written.
const LOOK: Duration = Duration::from_millis(200);
/// Columns of the line on a terminal.
const COLUMNS: usize = 79;
/// Most bytes of a log that are looked at for its last line.
const TAIL: u64 = 4096;

/// Something under way.
struct Task {
    what: String,
    started: Instant,
    log: Option<File>,
    /// Bytes of the log that were shown.
    shown: u64,
    over: bool,
}

#[derive(Default)]
struct State {
    tasks: Vec<Task>,
    over: bool,
}

/// Tells the user that something is under way, until it is dropped.
pub struct Pulse {
    state: Arc<(Mutex<State>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

/// One thing under way; over when dropped.
pub struct Beat {
    state: Arc<(Mutex<State>, Condvar)>,
    number: usize,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pulse {
    pub fn new(verbose: bool) -> Pulse {
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let shared = state.clone();
        let thread = std::thread::spawn(move || watch(&shared, verbose));
        Pulse { state, thread: Some(thread) }
    }

    /// Something begins.
    pub fn begin(&self, what: impl Into<String>) -> Beat {
        let mut state = lock(&self.state.0);
        let number = state.tasks.len();
        state.tasks.push(Task {
            what: what.into(),
            started: Instant::now(),
            log: None,
            shown: 0,
            over: false,
        });
        Beat { state: self.state.clone(), number }
    }
}

impl Beat {
    /// To be called when it has a log.
    pub fn logger(&self) -> impl Fn(&Path) + Send + Sync + 'static {
        let (state, number) = (self.state.clone(), self.number);
        // A log that cannot be read is done without.
        move |path| lock(&state.0).tasks[number].log = File::open(path).ok()
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        lock(&self.state.0).tasks[self.number].over = true;
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        lock(&self.state.0).over = true;
        self.state.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // It prints; whatever went wrong there is no reason to fail.
            let _ = thread.join();
        }
    }
}

fn watch(shared: &(Mutex<State>, Condvar), verbose: bool) {
    let terminal = std::io::stderr().is_terminal();
    let (mut written, mut last) = (false, None::<Instant>);
    let mut state = lock(&shared.0);
    loop {
        if verbose {
            state.tasks.iter_mut().for_each(stream);
        } else if let Some(lines) =
            lines(&mut state, terminal || last.is_none_or(|last| last.elapsed() >= EVERY))
        {
            if terminal {
                eprint!("\r\x1b[K{}", shortened(&lines.join("; "), COLUMNS));
                written = true;
            } else {
                lines.iter().for_each(|line| eprintln!("parallax: {line}"));
                last = Some(Instant::now());
            }
        }
        if state.over {
            break;
        }
        let waited = shared.1.wait_timeout(state, LOOK);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    if written {
        eprint!("\r\x1b[K");
    }
}

/// A line for everything that has been under way for some time.
fn lines(state: &mut State, due: bool) -> Option<Vec<String>> {
    let long = |task: &&mut Task| !task.over && task.started.elapsed() >= PATIENCE;
    let lines: Vec<String> = state.tasks.iter_mut().filter(long).map(line).collect();
    (due && !lines.is_empty()).then_some(lines)
}

fn line(task: &mut Task) -> String {
    let seconds = task.started.elapsed().as_secs();
    let last = task.log.as_mut().and_then(last_line);
    let last = last.map_or(String::new(), |line| format!(": {line}"));
    format!("{}: {seconds} s{last}", task.what)
}

/// The last line of a log that is not empty.
fn last_line(log: &mut File) -> Option<String> {
    let length = log.metadata().ok()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    log.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().rfind(|line| !line.trim().is_empty()).map(plain)
}

/// Without what a terminal would obey.
fn plain(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn shortened(text: &str, columns: usize) -> String {
    match text.char_indices().nth(columns) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}

/// Prints what a log has grown by, as far as lines are complete.
fn stream(task: &mut Task) {
    let Some(log) = &mut task.log else { return };
    let mut bytes = Vec::new();
    if log.seek(SeekFrom::Start(task.shown)).and_then(|_| log.read_to_end(&mut bytes)).is_err() {
        return;
    }
    let complete = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    task.shown += complete as u64;
    let mut out = std::io::stderr().lock();
    for line in bytes[..complete].split_inclusive(|b| *b == b'\n') {
        // Standard error that is gone is nothing to complain about anywhere.
        let _ = write!(out, "{}: ", task.what).and_then(|()| out.write_all(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_log_is_one_that_says_something() {
        let mut file = tempfile::tempfile().unwrap();
        assert_eq!(last_line(&mut file), None);
        file.write_all("one\ntwo \x1b[1m\n\n".as_bytes()).unwrap();
        assert_eq!(last_line(&mut file).unwrap(), "two  [1m");
    }

    #[test]
    fn only_what_takes_long_has_a_line() {
        let task = |age: u64| Task {
            what: format!("building {age}"),
            started: Instant::now() - Duration::from_secs(age),
            log: None,
            shown: 0,
            over: false,
        };
        let mut state = State { tasks: vec![task(0), task(35)], over: false };
        assert_eq!(lines(&mut state, true).unwrap(), ["building 35: 35 s"]);
        assert!(lines(&mut state, false).is_none());
        state.tasks[1].over = true;
        assert!(lines(&mut state, true).is_none());
    }
}
