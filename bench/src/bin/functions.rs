//! How many pairs of functions are decided, and is any decided wrongly?
//!
//! In: `bench/subjects/functions`: in each directory `old.c`, `new.c` and `pair.toml`, which says what is true of them. Out: a line for each pair, and the counts.
//!
//!     functions [diff|verify] [TIME] [PAIR...]
//!
//! `parallax` is the one beside this program. Decided: `different`, `equivalent` or `equivalent-within`. Wrong: one of the first two kinds where `pair.toml` says
//! the other.

use parallax_bench::{table, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is known of a pair.
#[derive(Deserialize)]
struct Known {
    function: String,
    /// `equivalent` or `different`.
    expected: String,
    /// Further options: bounds, assumptions.
    arguments: Vec<String>,
}

#[derive(Default)]
struct Counts {
    pairs: usize,
    decided: usize,
    wrong: usize,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let command = args.first().map_or("verify", String::as_str);
    let time = args.get(1).map_or("60s", String::as_str);
    let names = args.get(2..).unwrap_or_default();
    let (mut counts, mut rows) = (Counts::default(), Vec::new());
    for pair in pairs()? {
        let name = pair.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        let known: Known = toml::from_str(&std::fs::read_to_string(pair.join("pair.toml"))?)?;
        let (verdict, seconds) = verdict(command, time, &pair, &known)?;
        let decided = ["different", "equivalent", "equivalent-within"].contains(&&*verdict);
        let wrong = decided && verdict.starts_with("equivalent") != (known.expected == "equivalent");
        counts.pairs += 1;
        counts.decided += usize::from(decided);
        counts.wrong += usize::from(wrong);
        let mark = if wrong { "WRONG" } else { "" };
        rows.push(vec![name, known.expected, verdict, format!("{seconds:.1}"), mark.to_owned()]);
    }
    table::print(&["pair", "is", "verdict", "s", ""], &rows);
    println!("\n{} pairs, {} decided, {} wrong", counts.pairs, counts.decided, counts.wrong);
    Ok(())
}

fn pairs() -> Result<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects/functions");
    let mut pairs: Vec<PathBuf> =
        std::fs::read_dir(directory)?.map(|entry| entry.map(|e| e.path())).collect::<std::io::Result<_>>()?;
    pairs.sort();
    Ok(pairs)
}

/// The verdict, and how long the search took.
fn verdict(command: &str, time: &str, pair: &Path, known: &Known) -> Result<(String, f64)> {
    let parallax = std::env::current_exe()?.with_file_name("parallax");
    let out = tempfile::tempdir()?;
    let mut line = Command::new(parallax);
    line.arg(command).arg(pair.join("old.c")).arg(pair.join("new.c"));
    line.args(["--function", &known.function]).args(&known.arguments);
    line.args(["--time", time, "--max-differences", "1", "--format", "json", "--out"])
        .arg(out.path().join("out"));
    let output = line.output()?;
    let Ok(json) = serde_json::from_slice::<Value>(&output.stdout) else {
        let message = String::from_utf8_lossy(&output.stderr);
        return Ok((message.lines().last().unwrap_or("no result").to_owned(), 0.0));
    };
    let seconds = json["stats"]["seconds"].as_f64().unwrap_or_default();
    Ok((json["verdict"].as_str().unwrap_or_default().to_owned(), seconds))
}
