//! Solvers compared on recorded queries.
//!
//! `queries DIR [--limit MS] [--at-most N] [SOLVER…]` replays what is recorded below DIR (one directory for each search),
//! at most N queries of each search. With `--record SECONDS`, every pair of `bench/subjects/diff` is first searched for
//! so long, and its queries go to DIR; `releases --record DIR` adds those of real programs.

use parallax_bench::queries::{contenders, record, replay, searches, Contender};
use parallax_bench::{table, versions, Result};
use parallax_solve::Limit;
use std::path::PathBuf;
use std::time::Duration;

struct Options {
    directory: PathBuf,
    record: Option<Duration>,
    limit: Duration,
    at_most: usize,
    solvers: Vec<String>,
}

fn options() -> Result<Options> {
    let mut options = Options {
        directory: PathBuf::new(),
        record: None,
        limit: Duration::from_millis(500),
        at_most: usize::MAX,
        solvers: vec![],
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument}: a value is missing"));
        match argument.as_str() {
            "--limit" => options.limit = Duration::from_millis(value()?.parse()?),
            "--record" => options.record = Some(Duration::from_secs(value()?.parse()?)),
            "--at-most" => options.at_most = value()?.parse()?,
            _ if options.directory.as_os_str().is_empty() => options.directory = argument.into(),
            _ => options.solvers.push(argument),
        }
    }
    Ok(options)
}

/// Queries of all pairs.
fn record_all(directory: &std::path::Path, time: Duration) -> Result<()> {
    let program = versions::search::program()?;
    for pair in versions::all()? {
        eprintln!("recording {}", pair.name);
        record(&program, &pair, &directory.join(&pair.name), time)?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let options = options()?;
    if let Some(time) = options.record {
        record_all(&options.directory, time)?;
    }
    let wanted = |name: &str| options.solvers.is_empty() || options.solvers.iter().any(|s| s == name);
    let mut contenders: Vec<Contender> = contenders().into_iter().filter(|c| wanted(c.name)).collect();
    let limit = Limit { steps: u64::MAX, time: options.limit };
    let (mut count, mut contradictions) = (0, Vec::new());
    for directory in searches(&options.directory)? {
        let (more, wrong) = replay(&directory, options.at_most, &limit, &mut contenders)?;
        eprintln!("{}: {more} queries", directory.display());
        count += more;
        contradictions.extend(wrong);
    }
    println!(
        "{}\n\n{count} queries, limit {} ms, processor time\n",
        parallax_bench::machine(),
        options.limit.as_millis()
    );
    print(&mut contenders);
    for path in &contradictions {
        println!("contradicting answers: {}", path.display());
    }
    if contradictions.is_empty() {
        Ok(())
    } else {
        Err(format!("{} queries with contradicting answers", contradictions.len()).into())
    }
}

fn print(contenders: &mut [Contender]) {
    let millis = |d: Duration| format!("{:.3}", d.as_secs_f64() * 1e3);
    let rows: Vec<Vec<String>> = contenders
        .iter_mut()
        .map(|contender| {
            let r = &mut contender.results;
            let (median, high, total) = (r.percentile(0.5), r.percentile(0.99), r.total());
            vec![
                contender.name.to_owned(),
                (r.sat + r.unsat).to_string(),
                r.sat.to_string(),
                r.unsat.to_string(),
                r.unknown.to_string(),
                millis(median),
                millis(high),
                format!("{:.1}", total.as_secs_f64()),
                r.wrong_models.to_string(),
            ]
        })
        .collect();
    table::print(
        &[
            "solver",
            "solved",
            "sat",
            "unsat",
            "unknown",
            "median, ms",
            "99 %, ms",
            "total, s",
            "wrong models",
        ],
        &rows,
    );
    if let Some(stack) = contenders.iter().find(|c| c.name == "standard stack") {
        let rows: Vec<Vec<String>> = stack
            .layers
            .iter()
            .map(|(name, s)| {
                let counts = [s.queries, s.sat, s.unsat, s.unknown, s.passed].map(|n| n.to_string());
                [vec![(*name).to_owned()], counts.to_vec(), vec![format!("{:.1}", s.time.as_secs_f64())]]
                    .concat()
            })
            .collect();
        println!("Layers of the standard stack (wall-clock time):\n");
        table::print(&["layer", "asked", "sat", "unsat", "unknown", "passed on", "s"], &rows);
    }
}
