//! Real programs in two versions: how long until `parallax diff` finds an input on which they differ.
//!
//! `releases [--limit SECONDS] [--results DIR] [--record DIR] [NAME…]`: without names, all of `bench/subjects/releases`.
//! Fetches what is not there; the first run builds, later ones find the builds in the cache.

use parallax_bench::releases::search::{Search, Searched};
use parallax_bench::releases::{all, sources, Subject};
use parallax_bench::{table, Result};
use std::path::PathBuf;
use std::time::Duration;

/// The time in which a difference is to be found.
const LIMIT: Duration = Duration::from_secs(300);

struct Options {
    limit: Duration,
    results: PathBuf,
    record: Option<PathBuf>,
    names: Vec<String>,
}

fn options() -> Result<Options> {
    let results = std::env::temp_dir().join("parallax-releases");
    let mut options = Options { limit: LIMIT, results, record: None, names: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument}: a value is missing"));
        match argument.as_str() {
            "--limit" => options.limit = Duration::from_secs(value()?.parse()?),
            "--results" => options.results = value()?.into(),
            "--record" => options.record = Some(value()?.into()),
            _ => options.names.push(argument),
        }
    }
    Ok(options)
}

fn main() -> Result<()> {
    let options = options()?;
    let program = parallax_bench::versions::search::program()?;
    let search = Search { program, limit: options.limit, results: options.results, record: options.record };
    println!("{}, limit {} s\n", parallax_bench::machine(), search.limit.as_secs());
    let mut rows = Vec::new();
    for subject in all()? {
        if options.names.is_empty() || options.names.contains(&subject.name) {
            let row = row(&subject, compare(&search, &subject));
            eprintln!("{}", row.join(" | "));
            rows.push(row);
        }
    }
    table::print(
        &[
            "program",
            "change",
            "found after, s",
            "inputs tried",
            "kind",
            "difference",
            "about --help",
            "queries",
            "unknown",
            "diverged",
        ],
        &rows,
    );
    Ok(())
}

fn compare(search: &Search, subject: &Subject) -> Result<Searched> {
    let trees = [sources::tree(&subject.old)?, sources::tree(&subject.new)?];
    search.run(subject, &trees)
}

fn row(subject: &Subject, searched: Result<Searched>) -> Vec<String> {
    let mut row = vec![subject.name.clone(), subject.change.clone()];
    match searched {
        Ok(searched) => {
            row.extend(match &searched.first {
                Some(first) => [
                    format!("{:.1}", first.found_after_s),
                    first.runs_before.to_string(),
                    first.kind.clone(),
                    first.signature.replace('|', "\\|"),
                ],
                None => ["**none found**".into(), searched.stats.runs.to_string(), "".into(), "".into()],
            });
            let stats = &searched.stats;
            row.extend(
                [searched.trivial as u64, stats.queries, stats.unknown, stats.divergences]
                    .map(|n| n.to_string()),
            );
        }
        Err(error) => {
            eprintln!("{}: {error}", subject.name);
            row.extend(["**failed**".to_owned()]);
            row.resize(10, String::new());
        }
    }
    row
}
