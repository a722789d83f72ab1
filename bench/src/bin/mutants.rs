//! `parallax diff` on a sample of mutants of the subjects, so that nobody tunes to a handful of differences.
//!
//!     cargo run --release -p parallax-bench --bin mutants -- [--sample N] [--limit S] [--check S] [--seed N] [NAME...]
//!
//! A mutant is one small mistake in `old.c`. Those that do not compile, compile to the same program or differ on the seed already
//! are not taken. Where Parallax finds nothing, AFL++ searches for `--check` seconds: what it finds was missed, the rest is
//! unknown and may be equivalent.

use parallax_bench::versions::fuzz::fuzz;
use parallax_bench::versions::mutants::{mutants, Mutant};
use parallax_bench::versions::native::Natives;
use parallax_bench::versions::product::Product;
use parallax_bench::versions::search::{program, Search};
use parallax_bench::versions::{all, Expect, Pair};
use parallax_bench::{median, table, Result};
use parallax_execute::TestCase;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

struct Arguments {
    sample: usize,
    limit: Duration,
    check: Duration,
    seed: u64,
    names: Vec<String>,
}

/// A mutant on disk, with the original beside it under the same name: file names are part of a program.
struct Candidate {
    directory: tempfile::TempDir,
    old: PathBuf,
    new: PathBuf,
    natives: Natives,
}

enum Verdict {
    Found(Duration),
    /// On this test case.
    Missed(TestCase),
    Unknown,
}

/// Verdicts of one subject.
#[derive(Default)]
struct Tally {
    found: Vec<Duration>,
    missed: usize,
    unknown: usize,
}

fn main() -> Result<()> {
    parallax_bench::become_runner_if_asked();
    let arguments = arguments()?;
    let search = Search { program: program()?, strategy: "concolic", limit: arguments.limit };
    let chosen = |p: &Pair| {
        p.expect == Expect::Different && (arguments.names.is_empty() || arguments.names.contains(&p.name))
    };
    let pairs: Vec<Pair> = all()?.into_iter().filter(chosen).collect();
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut unknown = Vec::new();
    let mut taken = 0;
    for (pair, mutant) in shuffled(&pairs, arguments.seed)? {
        if taken == arguments.sample {
            break;
        }
        let Some(mut candidate) = candidate(pair, &mutant)? else { continue };
        taken += 1;
        let what = format!("{} line {}: {}", pair.name, mutant.line, mutant.what);
        let tally = tallies.entry(&pair.name).or_default();
        match verdict(pair, &mut candidate, &search, arguments.check)? {
            Verdict::Found(time) => {
                eprintln!("{taken}: {what}: found after {:.2} s", time.as_secs_f64());
                tally.found.push(time);
            }
            Verdict::Missed(test) => {
                eprintln!("{taken}: {what}: MISSED");
                tally.missed += 1;
                missed.push(format!("- {what}; {}", shown(&test)));
            }
            Verdict::Unknown => {
                eprintln!("{taken}: {what}: unknown");
                tally.unknown += 1;
                unknown.push(format!("- {what}"));
            }
        }
    }
    print(&tallies, &missed, &unknown, &arguments);
    Ok(())
}

fn arguments() -> Result<Arguments> {
    let mut arguments = Arguments {
        sample: 60,
        limit: Duration::from_secs(20),
        check: Duration::from_secs(30),
        seed: 1,
        names: vec![],
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|n| n.parse().ok()).ok_or(format!("{word}: a number is missing"));
        match word.as_str() {
            "--sample" => arguments.sample = number()? as usize,
            "--limit" => arguments.limit = Duration::from_secs(number()?),
            "--check" => arguments.check = Duration::from_secs(number()?),
            "--seed" => arguments.seed = number()?,
            name if name.starts_with('-') => return Err(format!("unknown option {name}").into()),
            name => arguments.names.push(name.to_owned()),
        }
    }
    Ok(arguments)
}

/// All mutants of all subjects; a subject in turn with the others, so that long ones do not fill the sample.
fn shuffled(pairs: &[Pair], seed: u64) -> Result<Vec<(&Pair, Mutant)>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut all = Vec::new();
    for pair in pairs {
        let mut made = mutants(&std::fs::read_to_string(&pair.old)?);
        random.shuffle(&mut made);
        all.extend(made.into_iter().enumerate().map(|(turn, mutant)| (turn, random.u32(..), pair, mutant)));
    }
    all.sort_by_key(|(turn, tie, ..)| (*turn, *tie));
    Ok(all.into_iter().map(|(_, _, pair, mutant)| (pair, mutant)).collect())
}

/// `None`: not worth a search.
fn candidate(pair: &Pair, mutant: &Mutant) -> Result<Option<Candidate>> {
    let directory = tempfile::tempdir()?;
    let write = |version: &str, text: &[u8]| -> Result<PathBuf> {
        let path = directory.path().join(version).join("program.c");
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let old = write("original", &std::fs::read(&pair.old)?)?;
    let new = write("mutant", mutant.text.as_bytes())?;
    let Ok(mut natives) = Natives::build(&old, &new, directory.path(), None) else { return Ok(None) };
    if natives.identical()? || natives.difference(&pair.seed)?.is_some() {
        return Ok(None);
    }
    Ok(Some(Candidate { directory, old, new, natives }))
}

fn verdict(pair: &Pair, candidate: &mut Candidate, search: &Search, check: Duration) -> Result<Verdict> {
    search.warm_up(&candidate.old, &candidate.new, &pair.seed)?;
    if let Some(time) = search.run(&candidate.old, &candidate.new, &pair.seed)?.found_after {
        return Ok(Verdict::Found(time));
    }
    if candidate.natives.difference(&pair.witness)?.is_some() {
        return Ok(Verdict::Missed(pair.witness.clone()));
    }
    let directory = candidate.directory.path();
    let product = Product::build(&candidate.old, &candidate.new, &pair.seed, directory)?;
    let fuzzed = fuzz(&product, &mut candidate.natives, directory, 1, check)?;
    Ok(fuzzed.test.map_or(Verdict::Unknown, Verdict::Missed))
}

fn shown(test: &TestCase) -> String {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let mut parts: Vec<String> = test.argv.iter().map(|a| format!("'{}'", text(a))).collect();
    if !test.stdin.is_empty() {
        parts.push(format!("standard input '{}'", text(&test.stdin)));
    }
    parts.extend(test.files.iter().map(|(name, content)| format!("{} '{}'", name.display(), text(content))));
    parts.join(" ")
}

fn print(tallies: &BTreeMap<&str, Tally>, missed: &[String], unknown: &[String], arguments: &Arguments) {
    let seconds = |t: Duration| format!("{:.2}", t.as_secs_f64());
    let mean = |times: &[Duration]| times.iter().sum::<Duration>() / times.len().max(1) as u32;
    let row = |name: &str, found: &[Duration], missed: usize, unknown: usize| {
        let most = found.iter().max().copied().unwrap_or_default();
        let shown = |time: Duration| if found.is_empty() { "–".to_owned() } else { seconds(time) };
        vec![
            name.to_owned(),
            (found.len() + missed + unknown).to_string(),
            found.len().to_string(),
            shown(median(found.to_vec())),
            shown(mean(found)),
            shown(most),
            missed.to_string(),
            unknown.to_string(),
        ]
    };
    let mut rows: Vec<Vec<String>> =
        tallies.iter().map(|(name, t)| row(name, &t.found, t.missed, t.unknown)).collect();
    let found: Vec<Duration> = tallies.values().flat_map(|t| t.found.clone()).collect();
    rows.push(row("all", &found, missed.len(), unknown.len()));
    println!("{}\n", parallax_bench::machine());
    println!(
        "Mutants, {} s each, AFL++ {} s where nothing was found, sample {}:\n",
        arguments.limit.as_secs(),
        arguments.check.as_secs(),
        arguments.seed
    );
    table::print(
        &["subject", "mutants", "found", "median, s", "mean, s", "longest, s", "missed", "unknown"],
        &rows,
    );
    for (title, list) in [("Missed, with a test case that shows it", missed), ("Unknown", unknown)] {
        if !list.is_empty() {
            println!("{title}:\n\n{}\n", list.join("\n"));
        }
    }
}
