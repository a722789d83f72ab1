//! Runs a second with the trace decoded, and how the cost of a run grows with its input and its trace.

use parallax_bench::plot::Plot;
use parallax_bench::subject::{executor, executor_with, inputs, run, Subject, STDIN_SYMBOLIC};
use parallax_bench::{median, prose, table, Result};
use parallax_execute::{Executor, Kind, Options, TestCase};
use parallax_trace::reader::Trace;
use std::path::Path;
use std::time::{Duration, Instant};

/// Twenty bytes.
const SETTINGS: &[u8] = b"size = 12k\na=\"b\"\n#c\n";
const RUNS: u32 = 1000;
const REPEATS: usize = 9;

fn main() -> Result<()> {
    parallax_bench::become_runner_if_asked();
    println!("{}\n", parallax_bench::machine());
    runs_a_second()?;
    growth()
}

/// One run, its trace decoded; gives the number of events and nodes.
fn decoded(build: &mut Executor, test: &TestCase) -> Result<(usize, usize)> {
    run(build, test)?;
    let inputs = inputs(build.arena())?;
    let trace = Trace::decode(build.arena().bytes(), &inputs)?;
    if trace.is_cut() || trace.header().inconsistent != 0 {
        return Err("the trace is cut or inconsistent".into());
    }
    Ok((trace.events().count(), trace.nodes().len()))
}

fn runs_a_second() -> Result<()> {
    let subject = Subject::build("settings")?;
    let test = TestCase { stdin: SETTINGS.to_vec(), ..TestCase::default() };
    let mut rows = Vec::new();
    let builds = [("symbolic", &subject.symbolic), ("coverage", &subject.coverage)];
    for ((name, program), may_stay) in builds.iter().flat_map(|build| [(build, false), (build, true)]) {
        let mut build = worker(program, may_stay)?;
        let (events, nodes) = decoded(&mut build, &test)?;
        let mut cpu = Duration::ZERO;
        for _ in 0..RUNS / 10 {
            cpu += run(&mut build, &test)?.cpu;
        }
        drop(build);
        rows.push(vec![
            format!("{name}, {}", if may_stay { "one process" } else { "forked" }),
            format!("{:.0}", rate(program, may_stay, &test, 1)?),
            format!("{:.0}", rate(program, may_stay, &test, 2)?),
            format!("{:.2}", cpu.as_secs_f64() * 1e3 / (RUNS / 10) as f64),
            events.to_string(),
            nodes.to_string(),
        ]);
    }
    println!("A 200-line program, {} bytes of input, {RUNS} runs a worker, trace decoded:\n", SETTINGS.len());
    table::print(
        &["build", "runs a second", "with two workers", "CPU time of a run, ms", "events", "nodes"],
        &rows,
    );
    Ok(())
}

/// `may_stay`: one process for all runs, see [`parallax_execute::Options`].
fn worker(program: &Path, may_stay: bool) -> Result<Executor> {
    let options = Options { may_stay, symbolic: STDIN_SYMBOLIC, ..Options::default() };
    executor_with(program, Kind::Instrumented, options)
}

/// Runs a second, traces decoded, by so many workers together.
fn rate(program: &Path, may_stay: bool, test: &TestCase, workers: usize) -> Result<f64> {
    let mut builds = Vec::new();
    for _ in 0..workers {
        builds.push(worker(program, may_stay)?);
    }
    let started = Instant::now();
    let failed = std::thread::scope(|scope| {
        let work =
            |build: &mut Executor| (0..RUNS).find_map(|_| decoded(build, test).err().map(|e| e.to_string()));
        let threads: Vec<_> = builds.iter_mut().map(|build| scope.spawn(move || work(build))).collect();
        threads.into_iter().filter_map(|t| t.join().ok().flatten()).next()
    });
    match failed {
        Some(why) => Err(why.into()),
        None => Ok((workers as u32 * RUNS) as f64 / started.elapsed().as_secs_f64()),
    }
}

/// Median of wall time for run and decoding.
fn cost(build: &mut Executor, test: &TestCase) -> Result<(f64, (usize, usize))> {
    let mut times = Vec::new();
    let mut size = (0, 0);
    for _ in 0..REPEATS {
        let started = Instant::now();
        size = decoded(build, test)?;
        times.push(started.elapsed());
    }
    Ok((median(times).as_secs_f64() * 1e3, size))
}

fn growth() -> Result<()> {
    let subject = Subject::build("count")?;
    let mut build = executor(&subject.symbolic, Kind::Instrumented, STDIN_SYMBOLIC)?;
    let (mut by_input, mut by_trace) = (vec![], vec![]);
    let mut rows = Vec::new();
    for (kib, rounds) in [
        (1, 1),
        (16, 1),
        (64, 1),
        (128, 1),
        (192, 1),
        (256, 1),
        (16, 4),
        (16, 8),
        (16, 16),
        (16, 24),
        (16, 32),
    ] {
        let test = TestCase { stdin: prose(kib << 10), ..TestCase::with_args([rounds.to_string()]) };
        let (ms, (events, nodes)) = cost(&mut build, &test)?;
        if rounds == 1 {
            by_input.push((kib as f64, ms));
        }
        if kib == 16 {
            by_trace.push((events as f64 / 1000.0, ms));
        }
        rows.push(vec![
            format!("{kib} KiB"),
            events.to_string(),
            nodes.to_string(),
            format!("{ms:.1}"),
            format!("{:.0}", ms * 1e6 / events as f64),
        ]);
    }
    println!("A branch on every byte; a run with its trace decoded, wall time, median of {REPEATS}:\n");
    table::print(&["input", "events", "nodes", "ms", "ns an event"], &rows);
    save(
        "input-size",
        &Plot {
            title: "Cost of a symbolic run by size of its input",
            x: "input, KiB",
            y: "ms, trace decoded",
            series: vec![("one branch on every byte", by_input)],
        },
    )?;
    save(
        "trace-length",
        &Plot {
            title: "Cost of a symbolic run by length of its trace",
            x: "events, thousands",
            y: "ms, trace decoded",
            series: vec![("16 KiB of input, gone through again and again", by_trace)],
        },
    )
}

fn save(name: &str, plot: &Plot) -> Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("plots");
    std::fs::create_dir_all(&directory)?;
    Ok(std::fs::write(directory.join(name).with_extension("svg"), plot.svg())?)
}
