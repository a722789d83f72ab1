//! CPU time of a symbolic and a coverage build against native -O1 on concrete input, and the price of
//! symbolic data where nothing branches on it.

use parallax_bench::subject::{executor, inputs, run, Subject, NOTHING_SYMBOLIC, STDIN_SYMBOLIC};
use parallax_bench::{median, prose, table, Result};
use parallax_execute::{Kind, Symbolic, TestCase};
use parallax_trace::format::{Node, Op};
use parallax_trace::reader::Trace;
use std::time::Duration;

/// Runs of each build, in turns.
const REPEATS: usize = 7;
const PROGRAM: &str = "i = 0; sum = 0; while i < 2000 { sum = (sum * 31 + i) % 65537; i = i + 1; }\n";

fn main() -> Result<()> {
    parallax_bench::become_runner_if_asked();
    println!("{}\n", parallax_bench::machine());
    concrete()?;
    symbolic_hash()
}

fn test(rounds: u32, stdin: Vec<u8>) -> TestCase {
    TestCase { stdin, ..TestCase::with_args([rounds.to_string()]) }
}

fn concrete() -> Result<()> {
    let subjects = [
        ("compress", "LZ77 and Huffman, 256 KiB, 8 times", test(8, prose(256 << 10))),
        ("sha256", "SHA-256, 256 KiB, 64 times", test(64, prose(256 << 10))),
        ("interpreter", "walks a tree of structs", test(400, PROGRAM.into())),
    ];
    let mut rows = Vec::new();
    for (name, what, test) in subjects {
        let [native, coverage, symbolic] = times(name, &test)?;
        let ratio = |t: Duration| format!("{:.2}", t.as_secs_f64() / native.as_secs_f64());
        let ms = |t: Duration| format!("{:.1}", t.as_secs_f64() * 1e3);
        rows.push(vec![
            format!("{name}: {what}"),
            ms(native),
            ms(coverage),
            ms(symbolic),
            ratio(coverage),
            ratio(symbolic),
        ]);
    }
    println!("CPU time, concrete input, median of {REPEATS}:\n");
    let head = [
        "subject",
        "native -O1, ms",
        "coverage, ms",
        "symbolic, ms",
        "coverage ÷ native",
        "symbolic ÷ native",
    ];
    table::print(&head, &rows);
    Ok(())
}

/// Native, coverage, symbolic; all must print the same.
fn times(name: &str, test: &TestCase) -> Result<[Duration; 3]> {
    let subject = Subject::build(name)?;
    let mut builds = [
        executor(&subject.native, Kind::Native, NOTHING_SYMBOLIC)?,
        executor(&subject.coverage, Kind::Instrumented, NOTHING_SYMBOLIC)?,
        executor(&subject.symbolic, Kind::Instrumented, NOTHING_SYMBOLIC)?,
    ];
    let mut times = [vec![], vec![], vec![]];
    let mut printed = None;
    for _ in 0..REPEATS {
        for (build, times) in builds.iter_mut().zip(&mut times) {
            let run = run(build, test)?;
            let first = printed.get_or_insert(run.stdout.bytes.clone());
            if *first != run.stdout.bytes {
                return Err(format!("{name}: the builds print different things").into());
            }
            times.push(run.cpu);
        }
    }
    Ok(times.map(median))
}

/// What the runtime keeps for a trace: nodes with their hash table (at most half full, four bytes an entry), events,
/// tables.
fn kept_bytes(trace: &Trace) -> f64 {
    let (header, nodes) = (trace.header(), trace.nodes().len() as u64);
    let buckets = (2 * nodes).next_power_of_two() * 4;
    (nodes * size_of::<Node>() as u64 + buckets + header.events_len + header.tables_len) as f64
}

/// A hash over symbolic bytes: time and memory for each operation and each byte.
fn symbolic_hash() -> Result<()> {
    let subject = Subject::build("sha256")?;
    let mut rows = Vec::new();
    for kib in [1usize, 4, 16, 64] {
        let test = test(1, prose(kib << 10));
        let concrete = hash_cost(&subject, &test, NOTHING_SYMBOLIC)?;
        let symbolic = hash_cost(&subject, &test, STDIN_SYMBOLIC)?;
        let time = symbolic.time.saturating_sub(concrete.time).as_secs_f64();
        let (bytes, operations, input) = (symbolic.bytes, symbolic.operations, (kib << 10) as f64);
        rows.push(vec![
            format!("{kib} KiB"),
            format!("{operations:.0}"),
            format!("{:.0}", time / operations * 1e9),
            format!("{:.0}", bytes / operations),
            format!("{:.1}", time / input * 1e6),
            format!("{:.0}", bytes / input),
        ]);
    }
    println!("SHA-256 of symbolic bytes, no branch on them:\n");
    let head = [
        "input",
        "operations",
        "ns an operation",
        "bytes an operation",
        "µs an input byte",
        "bytes an input byte",
    ];
    table::print(&head, &rows);
    Ok(())
}

struct HashCost {
    time: Duration,
    /// Expressions that are neither input nor constant.
    operations: f64,
    bytes: f64,
}

fn hash_cost(subject: &Subject, test: &TestCase, which: Symbolic) -> Result<HashCost> {
    let mut build = executor(&subject.symbolic, Kind::Instrumented, which)?;
    let mut times = Vec::new();
    for _ in 0..REPEATS {
        times.push(run(&mut build, test)?.cpu);
    }
    let inputs = inputs(build.arena())?;
    let trace = Trace::decode(build.arena().bytes(), &inputs)?;
    if trace.header().inconsistent != 0 || trace.is_cut() {
        return Err("the symbolic hash is not what the program computed, or was cut".into());
    }
    let leaf = |op: u8| op == Op::Const as u8 || op == Op::Input as u8;
    let operations = trace.nodes().iter().skip(1).filter(|n| !leaf(n.op)).count() as f64;
    Ok(HashCost { time: median(times), operations, bytes: kept_bytes(&trace) })
}
