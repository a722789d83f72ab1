//! Runs a second, native and instrumented, with a test case of an argument, an input and a file.
//!
//! `cargo run --release --example throughput [RUNS [instrumented|native]]`. The program is this one: it serves from a
//! constructor, as instrumented programs do.

use parallax_execute::*;
use std::time::{Duration, Instant};

#[path = "../../runtime/src/server.rs"]
#[allow(dead_code)]
mod server;

#[used]
#[link_section = ".init_array"]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    if server::serve(server::Hooks::NONE).is_some() {
        // SAFETY: the buffers are static; then the process ends.
        unsafe {
            libc::write(1, b"done".as_ptr().cast(), 4);
            libc::_exit(0)
        }
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|a| a == RUNNER_SUBCOMMAND) {
        std::process::exit(runner_main(arguments.into_iter().skip(1)));
    }
    let runs = arguments.first().and_then(|a| a.to_str()?.parse().ok()).unwrap_or(5000);
    let wanted = |kind: &str| arguments.get(1).is_none_or(|only| only == kind);
    if wanted("instrumented") {
        let this = std::env::current_exe().expect("own path");
        measure("instrumented", &this, Kind::Instrumented, runs);
    }
    if wanted("native") {
        measure("native (/bin/true)", std::path::Path::new("/bin/true"), Kind::Native, runs);
    }
}

/// CPU time of this process and all that it has waited for.
fn cpu() -> Duration {
    let of = |who| {
        // SAFETY: getrusage fills the structure before it is read.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
        time(usage.ru_utime) + time(usage.ru_stime)
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}

fn measure(what: &str, program: &std::path::Path, kind: Kind, runs: u32) {
    let (started, cpu_before) = (Instant::now(), cpu());
    let mut executor = Executor::new(program, kind, Options::default()).expect("executor");
    println!("{what}: started in {:?}, {:?}", started.elapsed(), executor.confinement());
    let test = TestCase {
        argv: vec![b"-n".to_vec(), b"in.txt".to_vec()],
        stdin: b"twenty bytes of text".to_vec(),
        files: vec![("in.txt".into(), b"a file of some bytes\n".to_vec())],
        ..TestCase::default()
    };
    let started = Instant::now();
    let mut inside = Duration::ZERO;
    for _ in 0..runs {
        let run = executor.run(&test, &Limits::default()).expect("run");
        assert_eq!(run.outcome, Outcome::Exited(0));
        inside += run.wall;
    }
    let each = started.elapsed() / runs;
    let rate = 1.0 / each.as_secs_f64();
    // The server's time is known once it has been waited for.
    drop(executor);
    let busy = (cpu() - cpu_before) / runs;
    println!(
        "{what}: {rate:.0} runs/s, {each:?} each ({:?} between fork and reply; {busy:?} CPU)",
        inside / runs
    );
}
