//! What `parallax history` shows.
//!
//! In: commits, and what the comparison of each with its parent printed. Out: one document, one table, one exit status.

use crate::exit_code::ExitCode;
use crate::history_args::HistoryArgs;
use parallax_build::Commit;
use parallax_report::SCHEMA;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

/// Characters of a commit's message, and of a signature, in the table.
const SUBJECT: usize = 50;
const HASH: usize = 10;

/// The document of `--format json`; `history.json` in the output directory is the same.
#[derive(Serialize)]
pub struct Document {
    pub schema: &'static str,
    pub repository: String,
    pub range: String,
    /// Older commits of the range, beyond `--max-commits`.
    pub left_out: usize,
    /// Every commit that was to be compared was.
    pub complete: bool,
    pub commits: Vec<CommitView>,
}

/// One commit.
#[derive(Serialize)]
pub struct CommitView {
    pub commit: String,
    pub parent: Option<String>,
    pub date: String,
    pub subject: String,
    /// The verdict of the comparison; or `not-built`, `unstable`, `failed`, `no-parent`.
    pub status: String,
    /// The exit status of the comparison.
    pub exit: Option<i32>,
    pub differences: Vec<DifferenceLine>,
    /// How many changes got how far.
    pub changes: BTreeMap<String, u64>,
    pub seconds: f64,
    /// The result directory; nothing if there is none.
    pub out: Option<String>,
    /// What went wrong.
    pub message: Option<String>,
}

#[derive(Serialize)]
pub struct DifferenceLine {
    pub id: String,
    pub signature: String,
    pub cause: Option<String>,
    pub test: String,
}

impl Document {
    pub fn new(args: &HistoryArgs, left_out: usize) -> Document {
        Document {
            schema: SCHEMA,
            repository: args.repository.display().to_string(),
            range: args.range.clone(),
            left_out,
            complete: false,
            commits: Vec::new(),
        }
    }

    /// The first of these that a commit ended with.
    pub fn exit_code(&self) -> ExitCode {
        const ORDER: [ExitCode; 8] = [
            ExitCode::Internal,
            ExitCode::Interrupted,
            ExitCode::Different,
            ExitCode::Usage,
            ExitCode::Build,
            ExitCode::Unstable,
            ExitCode::Unconfirmed,
            ExitCode::NotExecuted,
        ];
        let ended = |code: &&ExitCode| self.commits.iter().any(|c| c.exit == Some(code.number().into()));
        ORDER.iter().find(ended).copied().unwrap_or(ExitCode::Success)
    }
}

impl CommitView {
    /// The first commit of all has nothing to be compared with.
    pub fn without_parent(commit: &Commit) -> CommitView {
        CommitView {
            commit: commit.hash.clone(),
            parent: None,
            date: commit.date.clone(),
            subject: commit.subject.clone(),
            status: "no-parent".to_owned(),
            exit: None,
            differences: Vec::new(),
            changes: BTreeMap::new(),
            seconds: 0.0,
            out: None,
            message: None,
        }
    }

    pub fn of(commit: &Commit, parent: &str, out: &Path, output: &Output) -> CommitView {
        let exit = output.status.code();
        let mut view = CommitView {
            parent: Some(parent.to_owned()),
            exit: exit.or(Some(ExitCode::Internal.number().into())),
            ..CommitView::without_parent(commit)
        };
        view.out = out.is_dir().then(|| out.display().to_string());
        let Ok(json) = serde_json::from_slice::<Value>(&output.stdout) else {
            view.fail(&String::from_utf8_lossy(&output.stderr));
            return view;
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        view.status = text(&json["verdict"]);
        view.seconds = json["stats"]["seconds"].as_f64().unwrap_or(0.0);
        for difference in json["differences"].as_array().into_iter().flatten() {
            view.differences.push(DifferenceLine {
                id: text(&difference["id"]),
                signature: text(&difference["signature"]),
                cause: difference["cause"].as_str().map(str::to_owned),
                test: text(&difference["test"]),
            });
        }
        for change in json["changes"].as_array().into_iter().flatten() {
            *view.changes.entry(text(&change["rung"])).or_default() += 1;
        }
        view
    }

    fn fail(&mut self, stderr: &str) {
        let is = |code: ExitCode| self.exit == Some(code.number().into());
        self.status = match () {
            () if is(ExitCode::Build) => "not-built",
            () if is(ExitCode::Unstable) => "unstable",
            () if is(ExitCode::Interrupted) => "interrupted",
            () => "failed",
        }
        .to_owned();
        let errors = stderr.lines().skip_while(|line| !is_error(line));
        let message: Vec<&str> = errors.map(|line| line.strip_prefix("parallax: ").unwrap_or(line)).collect();
        self.message = Some(if message.is_empty() { stderr.trim().to_owned() } else { message.join("\n") });
    }

    /// What became of it, in a few words.
    fn outcome(&self) -> String {
        let changes = |rung: &str| self.changes.get(rung).copied().unwrap_or(0);
        let all: u64 = self.changes.values().sum();
        let executed = all - changes("unreached");
        match (self.status.as_str(), self.differences.first()) {
            ("different", Some(first)) => format!("{} ({})", self.status, first.signature),
            ("none-found" | "not-executed", _) if all > 0 => {
                format!("{} ({executed} of {all} changes executed)", self.status)
            }
            (status, _) => match self.message.as_deref().and_then(|m| m.lines().next()) {
                Some(line) => format!("{status}: {line}"),
                None => status.to_owned(),
            },
        }
    }
}

/// Is this the message that Parallax ended with, and not one from the way there?
fn is_error(line: &str) -> bool {
    let Some(message) = line.strip_prefix("parallax: ") else { return false };
    !["building ", "instrumenting ", "warning: ", "no bitcode "].iter().any(|way| message.starts_with(way))
}

fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// A commit in a line.
pub fn title(commit: &Commit) -> String {
    format!("{} {}", cut(&commit.hash, HASH), cut(&commit.subject, SUBJECT))
}

pub fn human(document: &Document) -> String {
    let mut text = format!("{} of {}\n", document.range, document.repository);
    for commit in &document.commits {
        let hash = commit.commit.get(..HASH).unwrap_or(&commit.commit);
        text += &format!("  {hash}  {:SUBJECT$}  {}\n", cut(&commit.subject, SUBJECT), commit.outcome());
        if let Some(first) = commit.differences.first() {
            text += &format!("  {:HASH$}  {:SUBJECT$}  parallax replay {}\n", "", "", first.test);
        }
    }
    let with = |status: &str| document.commits.iter().filter(|c| c.status == status).count();
    text += &format!(
        "{} commits compared with their parents: {} different, {} not built",
        document.commits.len(),
        with("different"),
        with("not-built")
    );
    if document.left_out > 0 {
        text += &format!("; {} older ones were left out (--max-commits)", document.left_out);
    }
    if !document.complete {
        text += "; interrupted";
    }
    text + "\n"
}
