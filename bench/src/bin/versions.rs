//! Time to the first difference on the subjects of `bench/subjects/diff` (or of another [`SETS`]): Parallax, Parallax without the joint question,
//! AFL++ on a product of both versions; and verdicts on refactorings.
//!
//!     cargo run --release -p parallax-bench --bin versions -- [--set NAME] [--limit SECONDS] [--repeats N] [--no-afl] [NAME...]
//!
//! Everyone may use all cores, starts from the same seed, and is measured in turns. A difference counts if the native builds
//! show it.

use parallax_bench::versions::fuzz::fuzz;
use parallax_bench::versions::native::Natives;
use parallax_bench::versions::product::Product;
use parallax_bench::versions::search::{program, Search};
use parallax_bench::versions::{all_of, Expect, Pair, SETS};
use parallax_bench::{table, Result};
use std::path::PathBuf;
use std::time::Duration;

/// Time for a search on a refactoring.
const REFACTORING_TIME: Duration = Duration::from_secs(20);

struct Arguments {
    set: String,
    limit: Duration,
    repeats: usize,
    afl: bool,
    names: Vec<String>,
}

/// Times to the first difference; `None` where there was none within the limit.
#[derive(Default)]
struct Series {
    times: Vec<Option<Duration>>,
}

impl Series {
    /// More repetitions cannot change the median.
    fn decided(&self, repeats: usize) -> bool {
        self.times.iter().filter(|t| t.is_none()).count() > repeats / 2
    }

    /// `None` is more than any time.
    fn median(&self) -> Option<Duration> {
        let mut times = self.times.clone();
        times.sort_by_key(|t| t.unwrap_or(Duration::MAX));
        let misses = times.iter().filter(|t| t.is_none()).count();
        if misses * 2 > times.len() {
            return None;
        }
        times.get(times.len() / 2).copied().flatten()
    }
}

/// Medians of one subject.
struct Measured {
    name: String,
    kind: String,
    parallax: Option<Duration>,
    /// The whole command of `parallax`.
    command: Option<Duration>,
    without_joint: Option<Duration>,
    afl: Option<Duration>,
}

fn main() -> Result<()> {
    parallax_bench::become_runner_if_asked();
    let arguments = arguments()?;
    let program = program()?;
    let chosen = |pair: &Pair| arguments.names.is_empty() || arguments.names.contains(&pair.name);
    let pairs: Vec<Pair> = all_of(&arguments.set)?.into_iter().filter(chosen).collect();
    println!("{}\n", parallax_bench::machine());
    let mut measured = Vec::new();
    for pair in pairs.iter().filter(|p| p.expect == Expect::Different) {
        measured.push(measure(pair, &program, &arguments)?);
    }
    print_times(&measured, &arguments);
    let mut rows = Vec::new();
    for pair in pairs.iter().filter(|p| p.expect == Expect::Same) {
        rows.push(refactoring(pair, &program)?);
    }
    println!("Refactorings, {} s each:\n", REFACTORING_TIME.as_secs());
    table::print(&["subject", "what was rewritten", "verdict", "runs", "queries", "command, s"], &rows);
    Ok(())
}

fn arguments() -> Result<Arguments> {
    let mut arguments = Arguments {
        set: SETS[0].to_owned(),
        limit: Duration::from_secs(120),
        repeats: 3,
        afl: true,
        names: vec![],
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word}: a value is missing"));
        match word.as_str() {
            "--set" => arguments.set = value()?,
            "--limit" => arguments.limit = Duration::from_secs(value()?.parse()?),
            "--repeats" => arguments.repeats = value()?.parse()?,
            "--no-afl" => arguments.afl = false,
            name if name.starts_with('-') => return Err(format!("unknown option {name}").into()),
            name => arguments.names.push(name.to_owned()),
        }
    }
    Ok(arguments)
}

fn measure(pair: &Pair, program: &PathBuf, arguments: &Arguments) -> Result<Measured> {
    let directory = tempfile::tempdir()?;
    let mut natives = Natives::build(&pair.old, &pair.new, directory.path(), None)?;
    let product = match arguments.afl {
        true => Some(Product::build(&pair.old, &pair.new, &pair.seed, directory.path())?),
        false => None,
    };
    let search = |strategy| Search { program: program.clone(), strategy, limit: arguments.limit };
    let (joint, without_joint) = (search("concolic"), search("no-joint"));
    joint.warm_up(&pair.old, &pair.new, &pair.seed)?;
    let [mut a, mut command, mut b, mut c] = [const { Series { times: vec![] } }; 4];
    for round in 0..arguments.repeats {
        if !a.decided(arguments.repeats) {
            let searched = joint.run(&pair.old, &pair.new, &pair.seed)?;
            a.times.push(searched.found_after);
            command.times.push(searched.found_after.map(|_| searched.wall));
        }
        if !b.decided(arguments.repeats) {
            b.times.push(without_joint.run(&pair.old, &pair.new, &pair.seed)?.found_after);
        }
        if let (Some(product), false) = (&product, c.decided(arguments.repeats)) {
            let fuzzed = fuzz(product, &mut natives, directory.path(), round as u64 + 1, arguments.limit)?;
            c.times.push(fuzzed.found_after);
        }
        eprintln!("{}: round {}: {:?} {:?} {:?}", pair.name, round + 1, a.times, b.times, c.times);
    }
    Ok(Measured {
        name: pair.name.clone(),
        kind: pair.kind.clone(),
        parallax: a.median(),
        command: command.median(),
        without_joint: b.median(),
        afl: c.median(),
    })
}

fn print_times(measured: &[Measured], arguments: &Arguments) {
    if measured.is_empty() {
        return;
    }
    let limit = arguments.limit;
    let seconds = |t: Option<Duration>| match t {
        Some(time) => format!("{:.2}", time.as_secs_f64()),
        None => format!("none in {}", limit.as_secs()),
    };
    let others: &[(&str, fn(&Measured) -> Option<Duration>)] = match arguments.afl {
        true => &[("no-joint", |m| m.without_joint), ("AFL++", |m| m.afl)],
        false => &[("no-joint", |m| m.without_joint)],
    };
    let mut head = vec!["subject".to_owned(), "kind".into(), "Parallax, s".into(), "command, s".into()];
    head.extend(others.iter().map(|(name, _)| format!("{name}, s")));
    head.extend(others.iter().map(|(name, _)| format!("{name} ÷ Parallax")));
    let mut rows = Vec::new();
    for m in measured {
        let mut row = vec![m.name.clone(), m.kind.clone(), seconds(m.parallax), seconds(m.command)];
        row.extend(others.iter().map(|(_, time)| seconds(time(m))));
        row.extend(others.iter().map(|(_, time)| ratio(time(m), m.parallax, limit)));
        rows.push(row);
    }
    println!("Time to the first difference, median of {}:\n", arguments.repeats);
    table::print(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    summary(measured, limit, others);
}

fn ratio(other: Option<Duration>, own: Option<Duration>, limit: Duration) -> String {
    let quotient = |other: Duration, own: Duration| other.as_secs_f64() / own.as_secs_f64().max(1e-3);
    match (other, own) {
        (Some(other), Some(own)) => format!("{:.1}", quotient(other, own)),
        (None, Some(own)) => format!("> {:.1}", quotient(limit, own)),
        (Some(other), None) => format!("< {:.2}", quotient(other, limit)),
        (None, None) => "–".to_owned(),
    }
}

fn summary(measured: &[Measured], limit: Duration, others: &[(&str, fn(&Measured) -> Option<Duration>)]) {
    let all = measured.len();
    let total = |time: &dyn Fn(&Measured) -> Option<Duration>| -> f64 {
        measured.iter().map(|m| time(m).unwrap_or(limit).as_secs_f64()).sum()
    };
    let own = total(&|m| m.parallax);
    let found = measured.iter().filter(|m| m.parallax.is_some()).count();
    let longest = measured.iter().map(|m| m.parallax.unwrap_or(limit)).max().unwrap_or_default();
    println!("What was not found counts as {} s.\n", limit.as_secs());
    println!(
        "- Parallax: {found} of {all} found; total {own:.1} s, mean {:.2} s, longest {:.1} s.",
        own / all as f64,
        longest.as_secs_f64()
    );
    for (name, time) in others {
        let theirs = total(time);
        let found = measured.iter().filter(|m| time(m).is_some()).count();
        let faster =
            measured.iter().filter(|m| m.parallax.unwrap_or(Duration::MAX) < time(m).unwrap_or(limit));
        println!(
            "- {name}: {found} of {all} found; total {theirs:.1} s, {:.1} times Parallax; Parallax is faster on {} of {all}.",
            theirs / own.max(1e-3),
            faster.count()
        );
    }
    println!();
}

fn refactoring(pair: &Pair, program: &PathBuf) -> Result<Vec<String>> {
    let search = Search { program: program.clone(), strategy: "concolic", limit: REFACTORING_TIME };
    search.warm_up(&pair.old, &pair.new, &pair.seed)?;
    let searched = search.run(&pair.old, &pair.new, &pair.seed)?;
    Ok(vec![
        pair.name.clone(),
        pair.change.clone(),
        searched.verdict,
        searched.runs.to_string(),
        searched.queries.to_string(),
        format!("{:.1}", searched.wall.as_secs_f64()),
    ])
}
