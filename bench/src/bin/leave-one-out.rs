//! What each strategy of the search is worth: subjects found, and effort until then, without it.
//!
//!     cargo run --release -p parallax-bench --bin leave-one-out -- [--runs N] [--limit SECONDS] [--state FILE] [SET/NAME...]
//!
//! Every search ends at the first difference or after so many inputs, which are counted, so that the table does not depend on how busy the machine
//! is; the clock is the last resort. What was measured is in the state file, one line for each search: called again, the program goes on where
//! it was ended.

use parallax_bench::versions::search::{program, Search, Searched};
use parallax_bench::versions::{all_of, Expect, Pair, SETS};
use parallax_bench::{table, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The row in which no strategy is missing.
const ALL: &str = "(all)";
/// Subjects that are measured if none are named: all heavy ones, and so many of each other set.
const HEAVY: &str = "heavy";
const OF_OTHER_SETS: usize = 4;

struct Arguments {
    runs: u64,
    limit: Duration,
    state: PathBuf,
    names: Vec<String>,
}

/// One search.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Measured {
    without: String,
    subject: String,
    found: bool,
    effort: u64,
    runs: u64,
}

#[derive(Deserialize)]
struct Strategies {
    strategies: Vec<Strategy>,
}

#[derive(Deserialize)]
struct Strategy {
    name: String,
}

fn main() -> Result<()> {
    parallax_bench::become_runner_if_asked();
    let arguments = arguments()?;
    let program = program()?;
    let subjects = subjects(&arguments.names)?;
    let mut known = read(&arguments.state)?;
    let mut rows = vec![ALL.to_owned()];
    rows.extend(strategies(&program)?);
    for (subject, pair) in &subjects {
        let search = Search { program: program.clone(), strategy: "all", limit: arguments.limit };
        let is_known =
            |row: &String| known.iter().any(|m: &Measured| m.without == *row && m.subject == *subject);
        let missing: Vec<String> = rows.iter().filter(|row| !is_known(row)).cloned().collect();
        if !missing.is_empty() {
            search.warm_up(&pair.old, &pair.new, &pair.seed)?;
        }
        for without in missing {
            let searched = one(&search, pair, &without, arguments.runs)?;
            let Searched { found_after, effort, runs, .. } = searched;
            let found = found_after.is_some();
            let measured = Measured { without, subject: subject.clone(), found, effort, runs };
            append(&arguments.state, &measured)?;
            eprintln!("{measured:?}");
            known.push(measured);
        }
    }
    println!("{}\n", parallax_bench::machine());
    println!("{} subjects, {} inputs each at most:\n", subjects.len(), arguments.runs);
    let named: Vec<&str> = subjects.iter().map(|(name, _)| &**name).collect();
    print(&rows, &named, &known);
    Ok(())
}

fn arguments() -> Result<Arguments> {
    let mut arguments = Arguments {
        runs: 3000,
        limit: Duration::from_secs(60),
        state: "leave-one-out.jsonl".into(),
        names: vec![],
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word}: a value is missing"));
        match word.as_str() {
            "--runs" => arguments.runs = value()?.parse()?,
            "--limit" => arguments.limit = Duration::from_secs(value()?.parse()?),
            "--state" => arguments.state = value()?.into(),
            name if name.starts_with('-') => return Err(format!("unknown option {name}").into()),
            name => arguments.names.push(name.to_owned()),
        }
    }
    Ok(arguments)
}

/// The subjects that were named, or some of each set, whose versions differ.
fn subjects(names: &[String]) -> Result<Vec<(String, Pair)>> {
    let mut chosen = Vec::new();
    for set in SETS {
        let pairs = all_of(set)?.into_iter().filter(|pair| pair.expect == Expect::Different);
        let named = pairs.map(|pair| (format!("{set}/{}", pair.name), pair));
        let most = if set == HEAVY { usize::MAX } else { OF_OTHER_SETS };
        match names.is_empty() {
            true => chosen.extend(named.take(most)),
            false => chosen.extend(named.filter(|(name, _)| names.contains(name))),
        }
    }
    match names.iter().find(|name| !chosen.iter().any(|(known, _)| known == *name)) {
        Some(name) => Err(format!("there is no subject {name}; they are called SET/NAME").into()),
        None => Ok(chosen),
    }
}

fn strategies(program: &Path) -> Result<Vec<String>> {
    let output = Command::new(program).args(["strategies", "--format", "json"]).output()?;
    let list: Strategies = serde_json::from_slice(&output.stdout)?;
    Ok(list.strategies.into_iter().map(|strategy| strategy.name).collect())
}

fn one(search: &Search, pair: &Pair, without: &str, runs: u64) -> Result<Searched> {
    let runs = runs.to_string();
    let mut more = vec!["--runs", &runs];
    if without != ALL {
        more.extend(["--without", without]);
    }
    search.run_with(&pair.old, &pair.new, &pair.seed, &more)
}

/// What was measured before. A line that was cut off is none.
fn read(state: &Path) -> Result<Vec<Measured>> {
    match std::fs::read_to_string(state) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(vec![]),
        Err(error) => Err(format!("{}: {error}", state.display()).into()),
    }
}

fn append(state: &Path, measured: &Measured) -> Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(state)?;
    writeln!(file, "{}", serde_json::to_string(measured)?)?;
    Ok(())
}

fn print(rows: &[String], subjects: &[&str], known: &[Measured]) {
    let of = |row: &str| -> BTreeMap<&str, &Measured> {
        let all = known.iter().filter(|m| m.without == row && subjects.contains(&&*m.subject));
        all.map(|m| (&*m.subject, m)).collect()
    };
    let full = of(ALL);
    let effort = |row: &BTreeMap<&str, &Measured>| row.values().map(|m| m.effort).sum::<u64>();
    let cells = rows.iter().map(|row| {
        let without = of(row);
        let found = without.values().filter(|m| m.found).count();
        let lost = |m: &&&Measured| !m.found && full.get(&*m.subject).is_some_and(|full| full.found);
        let lost: Vec<&str> = without.values().filter(lost).map(|m| &*m.subject).collect();
        let ratio = effort(&without) as f64 / effort(&full).max(1) as f64;
        vec![
            row.clone(),
            found.to_string(),
            effort(&without).to_string(),
            format!("{ratio:.2}"),
            lost.join(" "),
        ]
    });
    table::print(&["without", "found", "effort", "÷ all", "lost"], &cells.collect::<Vec<_>>());
}
