//! What `parallax record` has recorded.
//!
//! In: counts and tests. Out: the document of `--format json`, which `record.json` of the output directory is too, and text for people.

use crate::text::Text;
use serde::Serialize;

/// Tests that did not replay, or invocations without a test, that are listed for people; the document has all.
const LISTED: usize = 20;
/// Characters of a command line that are shown.
const SHOWN: usize = 100;

/// The document.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RecordView {
    pub schema: &'static str,
    pub command: Vec<Text>,
    /// Absolute path.
    pub tree: String,
    pub suite: SuiteView,
    pub programs: Vec<ProgramView>,
    /// Executions of the programs by the suite.
    pub invocations: u64,
    /// How many of them differed in what they were given or in what they did, and have a test case.
    pub distinct: u64,
    pub kept: u64,
    /// Invocations, distinct or not, that did the same when they were run again.
    pub replayed: u64,
    /// Of all invocations that have a test case.
    pub replayed_percent: f64,
    pub tests: Vec<RecordedTest>,
    pub without_test: Vec<WithoutTest>,
    pub warnings: Vec<String>,
    /// The output directory.
    pub out: String,
}

/// How the suite went.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SuiteView {
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    /// It was ended early: by an interrupt or `--time`.
    pub stopped: Option<&'static str>,
    /// Processes that it had left behind, which were ended.
    pub left: u64,
    /// What it printed.
    pub log: String,
}

/// One of the recorded programs.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramView {
    /// Relative to the tree, if it lies there.
    pub program: String,
    pub invocations: u64,
    pub distinct: u64,
    pub kept: u64,
    /// `coverage` or `content`.
    pub deduplicated_by: &'static str,
    /// Where its tests are.
    pub directory: String,
}

/// A test case.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedTest {
    /// Its directory, if it was kept.
    pub test: Option<String>,
    pub program: String,
    pub argv: Vec<Text>,
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    /// Invocations that were this one.
    pub invocations: u64,
    pub replays: bool,
    /// Why it does not.
    pub reason: Option<String>,
}

/// Invocations of which no test case could be made.
#[derive(Clone, Debug, Serialize)]
pub struct WithoutTest {
    pub reason: String,
    pub invocations: u64,
    /// One of them.
    pub program: String,
    pub argv: Vec<Text>,
}

impl RecordView {
    pub fn human(&self) -> String {
        let mut text = format!("suite: {} ({})\n", self.suite.ended(), self.suite.log);
        for program in &self.programs {
            text.push_str(&format!(
                "{}: {}, {} distinct, {} kept (by {}) in {}\n",
                program.program,
                count(program.invocations, "invocation"),
                program.distinct,
                program.kept,
                program.deduplicated_by,
                program.directory
            ));
        }
        let with_test = self.invocations - self.without_test.iter().map(|w| w.invocations).sum::<u64>();
        text.push_str(&format!(
            "replayed with the same output and exit status: {} of {} ({:.1} %)\n",
            self.replayed,
            count(with_test, "invocation"),
            self.replayed_percent
        ));
        self.not_replayed(&mut text);
        for without in &self.without_test {
            text.push_str(&format!(
                "no test: {}: {}; for one {}\n",
                count(without.invocations, "invocation"),
                without.reason,
                line(&without.program, &without.argv)
            ));
        }
        self.warnings.iter().for_each(|warning| text.push_str(&format!("warning: {warning}\n")));
        text
    }

    fn not_replayed(&self, text: &mut String) {
        let failed: Vec<_> = self.tests.iter().filter(|test| !test.replays).collect();
        for test in failed.iter().take(LISTED) {
            let name = test.test.as_deref().unwrap_or("not kept");
            let reason = test.reason.as_deref().unwrap_or_default();
            text.push_str(&format!("  {name}: {reason}: {}\n", line(&test.program, &test.argv)));
        }
        if failed.len() > LISTED {
            text.push_str(&format!(
                "  and {} more, all in {}/record.json\n",
                failed.len() - LISTED,
                self.out
            ));
        }
    }
}

impl SuiteView {
    fn ended(&self) -> String {
        let ended = match (self.stopped, self.exit, self.signal) {
            (Some(why), ..) => format!("ended early, by {why}"),
            (None, Some(status), _) => format!("exit status {status}"),
            (None, None, Some(signal)) => format!("signal {signal}"),
            (None, None, None) => "lost".to_owned(),
        };
        match self.left {
            0 => ended,
            left => format!("{ended}; it had left {} behind, now ended", count(left, "process")),
        }
    }
}

fn count(n: u64, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (n, "process") => format!("{n} processes"),
        (n, _) => format!("{n} {what}s"),
    }
}

fn line(program: &str, argv: &[Text]) -> String {
    let words = argv.iter().map(|word| crate::kept::escape(&word.0));
    let line: Vec<String> = std::iter::once(program.to_owned()).chain(words).collect();
    let line = line.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
