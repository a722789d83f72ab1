//! In which aspects two runs differ.
//!
//! In: two runs, what is compared, what is ignored. Out: the set of aspects that differ.
//!
//! Always holds: a run does not differ from itself; the order of the two does not matter.

use crate::aspect::{Aspect, Aspects};
use crate::mask::{masked, Unstable};
use crate::profiles::{profilers_of, Profiler};
use parallax_execute::{Content, FileChange, Outcome, Output, Run};
use regex::bytes::Regex;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

/// Stands for the program's name in standard error.
const PROGRAM: &[u8] = b"PROGRAM";

/// What counts as a difference.
#[derive(Clone, Debug)]
pub struct Rules {
    pub compare: Aspects,
    /// Removed from every line of standard output, standard error and files, wherever they match.
    ignore: Vec<Regex>,
    /// Names at the beginning of a line of standard error that mean the program.
    names: Vec<Vec<u8>>,
    /// Paths anywhere in what is printed or written that mean the program, or the tree that it was built in.
    paths: Vec<Vec<u8>>,
    /// Profilers inside the programs: what they write is not compared.
    pub profilers: Vec<Profiler>,
    /// Names that are Parallax's, not the program's: removed wherever they stand.
    own: Vec<Regex>,
    /// What a version differs from itself in.
    masks: Vec<Unstable>,
    /// Words that stand in the programs themselves; see [`crate::words_of`].
    pub(crate) words: Arc<BTreeSet<Vec<u8>>>,
}

#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is not a regular expression: {source}")]
pub struct RulesError {
    pattern: String,
    source: regex::Error,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            compare: Aspect::ALL.into_iter().collect(),
            ignore: Vec::new(),
            names: Vec::new(),
            paths: Vec::new(),
            profilers: Vec::new(),
            own: Vec::new(),
            masks: Vec::new(),
            words: Arc::default(),
        }
    }
}

impl Rules {
    pub fn new(compare: Aspects, ignore: &[String]) -> Result<Rules, RulesError> {
        let regex = |pattern: &String| {
            Regex::new(pattern).map_err(|source| RulesError { pattern: pattern.clone(), source })
        };
        let ignore = ignore.iter().map(regex).collect::<Result<_, _>>()?;
        Ok(Rules { compare, ignore, ..Rules::default() })
    }

    /// A binary of one of the versions: its path and file name mean "the program", its strings are words that are
    /// not input.
    pub fn add_program(&mut self, path: &Path, content: &[u8]) {
        self.paths.push(path.as_os_str().as_encoded_bytes().to_vec());
        if let Some(name) = path.file_name() {
            self.names.push(name.as_encoded_bytes().to_vec());
        }
        for profiler in profilers_of(content) {
            if !self.profilers.contains(&profiler) {
                self.profilers.push(profiler);
            }
        }
        Arc::make_mut(&mut self.words).extend(crate::words_of(content));
    }

    /// A name that Parallax gave to a directory of one version. Paths of the build hold it, and so what a program prints of them.
    pub fn add_own_name(&mut self, name: &str) {
        // An escaped text is a regular expression.
        self.own.extend(Regex::new(&regex::escape(name)));
    }

    /// The tree that a version was built in.
    pub fn add_tree(&mut self, path: &Path) {
        self.paths.push(path.as_os_str().as_encoded_bytes().to_vec());
    }

    /// A name under which the program is run.
    pub fn add_name(&mut self, name: &[u8]) {
        self.names.push(name.to_vec());
    }

    /// Does not look at this any more.
    pub fn leave_out(&mut self, part: &Unstable) {
        if part.is_whole() {
            self.compare.remove(&part.aspect);
        } else if !self.masks.contains(part) {
            // First those that were learnt last: each was needed in spite of all that came before.
            self.masks.insert(0, part.clone());
        }
    }

    /// The compared aspects in which the runs differ.
    pub fn differing(&self, old: &Run, new: &Run) -> Aspects {
        let ended = |run: &Run| Ending::of(&run.outcome);
        let (a, b) = (ended(old), ended(new));
        let mut found = Aspects::new();
        let mut note = |aspect, differs: bool| {
            if differs && self.compare.contains(&aspect) {
                found.insert(aspect);
            }
        };
        note(Aspect::Signal, a.signal != b.signal);
        note(Aspect::Timeout, a.timeout != b.timeout);
        note(Aspect::Limit, a.limit != b.limit);
        note(Aspect::Exit, a.exit != b.exit);
        // What a run that was cut short had printed by then is a matter of chance.
        if !a.cut_short && !b.cut_short {
            // Equal bytes are by far the most frequent case.
            let differ = |a: &Output, b: &Output, view: fn(&Rules, &Run) -> Vec<u8>| {
                a != b && (a.truncated != b.truncated || view(self, old) != view(self, new))
            };
            note(Aspect::Stdout, differ(&old.stdout, &new.stdout, Rules::stdout));
            note(Aspect::Stderr, differ(&old.stderr, &new.stderr, Rules::stderr));
            note(Aspect::Files, self.changes(old) != self.changes(new));
        }
        found
    }

    /// Equal for runs that do not differ; almost always different for runs that do.
    pub fn digest(&self, run: &Run) -> u64 {
        let ended = Ending::of(&run.outcome);
        let has = |aspect| self.compare.contains(&aspect);
        let mut hasher = DefaultHasher::new();
        has(Aspect::Signal).then_some(ended.signal).hash(&mut hasher);
        has(Aspect::Timeout).then_some(ended.timeout).hash(&mut hasher);
        has(Aspect::Limit).then_some(ended.limit).hash(&mut hasher);
        has(Aspect::Exit).then_some(ended.exit).hash(&mut hasher);
        if !ended.cut_short {
            has(Aspect::Stdout).then(|| self.stdout(run)).hash(&mut hasher);
            has(Aspect::Stderr).then(|| self.stderr(run)).hash(&mut hasher);
            has(Aspect::Files).then(|| self.changes(run)).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Standard output as it is compared.
    pub(crate) fn stdout(&self, run: &Run) -> Vec<u8> {
        masked(&self.masks, Aspect::Stdout, None, self.plain(&run.stdout.bytes))
    }

    /// Standard error as it is compared.
    pub(crate) fn stderr(&self, run: &Run) -> Vec<u8> {
        masked(&self.masks, Aspect::Stderr, None, self.unnamed(&run.stderr.bytes))
    }

    fn without_paths<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        self.paths.iter().fold(line.into(), |line, path| replaced(line, path))
    }

    /// Text as it is compared: without what is ignored.
    fn plain(&self, text: &[u8]) -> Vec<u8> {
        let text = self.without_own(text.into());
        if self.ignore.is_empty() && self.paths.is_empty() {
            return text.into_owned();
        }
        by_line(&text, |line| self.without_ignored(self.without_paths(line)))
    }

    fn without_own<'t>(&self, mut text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        for name in &self.own {
            if name.is_match(&text) {
                text = name.replace_all(&text, &b""[..]).into_owned().into();
            }
        }
        text
    }

    /// The same for standard error: the program's name is taken out too.
    fn unnamed(&self, text: &[u8]) -> Vec<u8> {
        by_line(text, |line| {
            let mut line = self.without_own(self.without_paths(line));
            let prefix = self.names.iter().find(|name| is_prefix(&line, name));
            if let Some(name) = prefix {
                line = [PROGRAM, &line[name.len()..]].concat().into();
            }
            self.without_ignored(line)
        })
    }

    fn without_ignored<'l>(&self, mut line: Cow<'l, [u8]>) -> Cow<'l, [u8]> {
        for pattern in &self.ignore {
            if pattern.is_match(&line) {
                line = pattern.replace_all(&line, &b""[..]).into_owned().into();
            }
        }
        line
    }

    /// Files as they are compared.
    pub(crate) fn changes(&self, run: &Run) -> Vec<FileChange> {
        let profile = |change: &&FileChange| self.profilers.iter().any(|p| p.wrote(change.path()));
        let files = run.files.iter().filter(|change| !profile(change));
        files.cloned().map(|change| self.change(change)).collect()
    }

    fn change(&self, mut change: FileChange) -> FileChange {
        if let FileChange::Created { path, content, .. } | FileChange::Modified { path, content, .. } =
            &mut change
        {
            if let Content::File(output) = content {
                output.bytes = masked(&self.masks, Aspect::Files, Some(path), self.plain(&output.bytes));
            }
        }
        change
    }
}

/// A message of the program begins with its name and a colon.
fn is_prefix(line: &[u8], name: &[u8]) -> bool {
    !name.is_empty() && line.strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b':'))
}

fn replaced<'l>(line: Cow<'l, [u8]>, what: &[u8]) -> Cow<'l, [u8]> {
    if what.is_empty() || line.len() < what.len() {
        return line;
    }
    let mut out = Vec::new();
    let (mut at, mut found) = (0, false);
    while at < line.len() {
        if line[at..].starts_with(what) {
            out.extend_from_slice(PROGRAM);
            at += what.len();
            found = true;
        } else {
            out.push(line[at]);
            at += 1;
        }
    }
    if found {
        out.into()
    } else {
        line
    }
}

fn by_line<'t>(text: &'t [u8], edit: impl Fn(&'t [u8]) -> Cow<'t, [u8]>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|b| *b == b'\n') {
        let (body, end) = match line.split_last() {
            Some((b'\n', body)) => (body, &b"\n"[..]),
            _ => (line, &b""[..]),
        };
        out.extend_from_slice(&edit(body));
        out.extend_from_slice(end);
    }
    out
}

/// An outcome, taken apart into aspects.
struct Ending {
    exit: Option<i32>,
    signal: Option<i32>,
    timeout: bool,
    limit: Option<&'static str>,
    /// Ended at a moment that is not the program's own.
    cut_short: bool,
}

impl Ending {
    fn of(outcome: &Outcome) -> Ending {
        let plain = Ending { exit: None, signal: None, timeout: false, limit: None, cut_short: false };
        match *outcome {
            Outcome::Exited(status) => Ending { exit: Some(status), ..plain },
            Outcome::Signaled(signal) => Ending { signal: Some(signal), ..plain },
            Outcome::TimedOut => Ending { timeout: true, cut_short: true, ..plain },
            Outcome::TooManyProcesses => Ending { limit: Some("processes"), cut_short: true, ..plain },
            Outcome::TooMuchMemory => Ending { limit: Some("memory"), cut_short: true, ..plain },
            Outcome::TooMuchWork => Ending { limit: Some("work"), cut_short: true, ..plain },
            Outcome::TooMuchOutput => Ending { limit: Some("output"), ..plain },
            Outcome::FileTooLarge => Ending { limit: Some("file size"), ..plain },
            Outcome::Lost => Ending { limit: Some("lost"), cut_short: true, ..plain },
        }
    }
}
