//! `--time` is kept to within a second, whatever the programs do, on a busy machine too.

use super::*;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// The limit of these comparisons, and what may come on top.
const LIMIT: Duration = Duration::from_secs(2);
const GRACE: Duration = Duration::from_secs(1);

/// How long a comparison took from the end of the builds to the end of the process. `changes.json` is written when the builds are over.
fn taken(pair: &str, args: &[&str], prepare: &dyn Fn(&Path)) -> (Duration, Compared) {
    let directory = tempfile::tempdir().unwrap();
    prepare(directory.path());
    let output = compare_in(directory.path(), pair, &[&["--time", "2s"], args].concat());
    let end = SystemTime::now();
    let compared = Compared { directory, output };
    let begun = fs::metadata(compared.path("parallax-out/changes.json"));
    let begun = begun.unwrap_or_else(|error| panic!("{pair}: {error}: {}", compared.stderr()));
    (end.duration_since(begun.modified().unwrap()).unwrap(), compared)
}

/// Compares with a limit. Once more if it was late: a limit is a promise, but the tests beside this one may have taken the whole machine.
#[track_caller]
fn kept(pair: &str, args: &[&str], prepare: &dyn Fn(&Path)) {
    // Built, instrumented and in the cache.
    compare(pair, &["--time", "1s", "--runs", "1"]);
    let in_time = |(elapsed, compared): &(Duration, Compared)| {
        let code = compared.output.status.code();
        assert!(matches!(code, Some(0 | 1 | 5)), "{pair}: {code:?}: {}", compared.stderr());
        let verdicts = compared.file("verdicts.json");
        assert_ne!(verdicts["ended"], "still running", "{pair}");
        let printed: Value = serde_json::from_slice(&compared.output.stdout).expect("one document");
        assert_eq!(printed, verdicts, "{pair}");
        *elapsed < LIMIT + GRACE
    };
    let first = taken(pair, args, prepare);
    if !in_time(&first) {
        let second = taken(pair, args, prepare);
        assert!(in_time(&second), "{pair} {args:?}: {:?}, then {:?}", first.0, second.0);
    }
}

/// Keeps every core busy.
fn on_a_busy_machine(work: impl FnOnce()) {
    let over = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| while !over.load(Ordering::Relaxed) {});
        }
        // A failure must end the others too.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        over.store(true, Ordering::Relaxed);
        if let Err(panic) = done {
            std::panic::resume_unwind(panic);
        }
    });
}

fn nothing(_: &Path) {}

#[test]
fn programs_that_run_long_for_large_numbers_do_not_outlast_the_time() {
    on_a_busy_machine(|| {
        kept("long_recursion", &["--", "5000"], &nothing);
        kept("long_output", &["--max-output", "16M", "--", "1000000"], &nothing);
        kept("many_files", &["--", "9000"], &nothing);
        kept("stubborn", &["--", "60"], &nothing);
    });
}

#[test]
fn large_inputs_and_many_of_them_do_not_outlast_the_time() {
    let text = |lines: usize| (0..lines).map(|n| format!("line {}\n", n * 7919 % 1000)).collect::<String>();
    kept("checksums", &["--stdin", "in"], &|directory| fs::write(directory.join("in"), text(3000)).unwrap());
    kept("checksums", &["--seeds", "seeds"], &|directory| {
        fs::create_dir(directory.join("seeds")).unwrap();
        (0..300).for_each(|n| fs::write(directory.join(format!("seeds/{n}")), text(n % 20)).unwrap());
    });
    let numbers: Vec<String> = (1..2000).map(|n| n.to_string()).collect();
    let line: Vec<&str> = ["--"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    kept("many_arguments", &line, &nothing);
}

#[test]
fn input_without_end_is_refused_before_anything_is_built() {
    for input in [["--stdin", "/dev/zero"], ["--file", "a=/dev/zero"], ["--stdin", "/"]] {
        let compared = compare("checksums", &input);
        assert_eq!(compared.output.status.code(), Some(2), "{}", compared.stderr());
        assert!(!compared.stderr().contains("building"), "{}", compared.stderr());
    }
    let zero = compare("checksums", &["--stdin", "/dev/zero"]).stderr();
    assert!(zero.contains("/dev/zero has more than"), "{zero}");
}

#[test]
fn memory_that_the_programs_themselves_would_use_up_is_refused() {
    let compared = compare("many", &["--own-memory", "4K", "--compare", "exit", "--time", "10s"]);
    assert_eq!(compared.output.status.code(), Some(2), "{}", compared.stderr());
    assert!(compared.stderr().contains("--own-memory"), "{}", compared.stderr());
}
