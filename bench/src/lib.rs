//! What the benchmarks share: building a subject three ways, running it, tables and plots.
//!
//! In: C files of `bench/subjects`. Out: medians of CPU time, markdown tables, SVG plots. Always
//! holds: what is compared is measured in the same run of the benchmark, in turns, so that other load
//! on the machine meets all sides alike; nothing here asserts a time.

pub mod check;
pub mod compare;
pub mod fixtures;
pub mod lines;
pub mod losses;
pub mod mutate;
pub mod pairs;
pub mod path;
pub mod plot;
pub mod queries;
pub mod reformat;
pub mod releases;
pub mod seeds;
pub mod subject;
pub mod table;
pub mod twins;
pub mod versions;

use std::time::Duration;

pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

/// Every binary must call this first: the executor starts runs through the program itself.
pub fn become_runner_if_asked() {
    let mut args = std::env::args_os();
    if args.nth(1).is_some_and(|first| first == parallax_execute::RUNNER_SUBCOMMAND) {
        std::process::exit(parallax_execute::runner_main(args));
    }
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Text that compresses about as well as prose, the same every time.
pub fn prose(len: usize) -> Vec<u8> {
    const SYLLABLES: [&str; 16] =
        ["ka", "lo", "mi", "ter", "an", "os", "ri", "du", "pel", "en", "ga", "sho", "vi", "ur", "ba", "ne"];
    let mut random = 1u64;
    let mut next = |n: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % n
    };
    let words: Vec<String> =
        (0..600).map(|_| (0..=next(3)).map(|_| SYLLABLES[next(16) as usize]).collect()).collect();
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        // The product of two makes some words much more frequent than others.
        text.extend(words[(next(600) * next(600) / 600) as usize].bytes());
        text.push(if next(12) == 0 { b'\n' } else { b' ' });
    }
    text.truncate(len);
    text
}

/// One line about the machine, for the head of a table.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |l: &str| l.split_once(':').map(|(_, v)| v.trim().to_owned());
    let name = info.lines().find(|l| l.starts_with("model name")).and_then(value).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: u64 = memory.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    format!("{cores} cores ({name}), {} GiB", kib >> 20)
}
