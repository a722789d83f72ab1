//! How fast the dependence mode is: programs run, traces decoded, from the start of the run to the last event.
//!
//!     cargo run --release -p parallax-bench --bin dependence
//!
//! Every event of every run is decoded; the trace is streamed where it is longer than the memory for it.

use parallax_bench::subject::{executor, run, with_dependences, LIMITS, NOTHING_SYMBOLIC};
use parallax_bench::{median, prose, table, Result};
use parallax_execute::{Kind, TestCase};
use parallax_trace::dependence::{Decoder, DependenceMap, Event};
use parallax_trace::format::FLAG_EVENTS_FULL;
use std::time::{Duration, Instant};

/// Runs of each build, in turns.
const REPEATS: usize = 5;
const PROGRAM: &str = "i = 0; sum = 0; while i < 2000 { sum = (sum * 31 + i) % 65537; i = i + 1; }\n";

fn main() -> Result<()> {
    parallax_bench::become_runner_if_asked();
    println!("{}\n", parallax_bench::machine());
    let subjects = [
        ("compress", "LZ77 and Huffman, 256 KiB, 2 times", test(2, prose(256 << 10))),
        ("sha256", "SHA-256, 256 KiB, 8 times", test(8, prose(256 << 10))),
        ("interpreter", "walks a tree of structs", test(40, PROGRAM.into())),
    ];
    let mut rows = Vec::new();
    for (name, what, test) in subjects {
        rows.push(measure(name, what, &test)?);
    }
    println!("Dependence mode, median of {REPEATS}; an event is a block, an access, a call or a return:\n");
    let head = [
        "subject",
        "native, ms",
        "recording, ms CPU",
        "run and decoded, ms",
        "million events",
        "of these accesses",
        "bytes an event",
        "million events a second",
    ];
    table::print(&head, &rows);
    Ok(())
}

fn test(rounds: u32, stdin: Vec<u8>) -> TestCase {
    TestCase { stdin, ..TestCase::with_args([rounds.to_string()]) }
}

/// What a trace held.
#[derive(Default)]
struct Count {
    events: u64,
    accesses: u64,
    words: u64,
    /// So that nothing of what was decoded can be left out.
    checksum: u64,
}

impl Count {
    fn event(&mut self, event: Event) {
        match event {
            Event::Block { block } => self.checksum ^= block as u64,
            Event::Load { at, address, bytes } | Event::Store { at, address, bytes } => {
                self.accesses += 1;
                self.checksum = self.checksum.wrapping_add(address ^ bytes ^ at as u64);
            }
            Event::Call { at, .. } | Event::Return { at } => self.checksum ^= at as u64,
            Event::Copy { .. } | Event::Fill { .. } => self.accesses += 1,
            _ => return,
        }
        self.events += 1;
    }
}

fn measure(name: &str, what: &str, test: &TestCase) -> Result<Vec<String>> {
    let (native, built) = with_dependences(name)?;
    let map = built.map.dependence.as_ref().ok_or("the build has no dependence map")?;
    let mut native = executor(&native, Kind::Native, NOTHING_SYMBOLIC)?;
    let mut recording = executor(&built.program, Kind::Instrumented, NOTHING_SYMBOLIC)?;
    let (mut plain, mut cpu, mut whole) = (vec![], vec![], vec![]);
    let mut last = Count::default();
    for _ in 0..REPEATS {
        let first = run(&mut native, test)?;
        plain.push(first.cpu);
        let started = Instant::now();
        let (count, second) = decoded(&mut recording, test, map)?;
        whole.push(started.elapsed());
        cpu.push(second.cpu);
        if first.stdout != second.stdout || recording.arena().header().flags & FLAG_EVENTS_FULL != 0 {
            return Err(format!("{name}: the recorded run differs, or was cut").into());
        }
        last = count;
    }
    let (whole, millions) = (median(whole), last.events as f64 / 1e6);
    let ms = |t: Duration| format!("{:.1}", t.as_secs_f64() * 1e3);
    Ok(vec![
        format!("{name}: {what}"),
        ms(median(plain)),
        ms(median(cpu)),
        ms(whole),
        format!("{millions:.1}"),
        format!("{:.1}", last.accesses as f64 / 1e6),
        format!("{:.1}", last.words as f64 * 8.0 / last.events as f64),
        format!("{:.1}", millions / whole.as_secs_f64()),
    ])
}

/// One run, decoded while it goes on.
fn decoded(
    recording: &mut parallax_execute::Executor,
    test: &TestCase,
    map: &DependenceMap,
) -> Result<(Count, parallax_execute::Run)> {
    let mut count = Count::default();
    let mut decoder = Decoder::new(map);
    let mut failed = None;
    let run = recording.run_streamed(test, &LIMITS, &mut |chunk| {
        count.words += chunk.words.len() as u64;
        if let Err(e) = decoder.decode(chunk, |_, event| count.event(event)) {
            failed = Some(e);
        }
    })?;
    match failed {
        Some(e) => Err(e.into()),
        None if count.checksum == 0 => Err("nothing was decoded".into()),
        None => Ok((count, run)),
    }
}
