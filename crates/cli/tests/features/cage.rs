//! Instrumented programs that try to get out, above all those of which one process runs many test cases.

use crate::support::{testdata, Program};
use parallax_execute::{Confinement, Executor, Limits, Options, Outcome, Run, Symbolic, TestCase};
use parallax_trace::Trace;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The program in both modes that stay, under both kinds of confinement.
fn each_executor(mut f: impl FnMut(&mut Executor)) {
    for namespaces in [true, false] {
        let options = Options { may_stay: true, namespaces, ..Options::default() };
        let mut program = Program::build_with(&testdata(), "cage.c", Symbolic::default(), options);
        f(&mut program.symbolic);
        f(&mut program.coverage);
    }
}

const SIGKILL: i32 = 9;

fn limits() -> Limits {
    Limits { time: Duration::from_secs(20), ..Limits::default() }
}

#[track_caller]
fn run(executor: &mut Executor, args: &[&str]) -> Run {
    executor.run(&TestCase::with_args(args), &limits()).unwrap_or_else(|e| panic!("{args:?}: {e}"))
}

/// A run is as if none had been before it.
#[track_caller]
fn is_as_ever(executor: &mut Executor) {
    let run = run(executor, &["ok"]);
    assert_eq!((run.outcome, &run.stdout.bytes[..]), (Outcome::Exited(0), &b"0 open, 1024 allowed\n"[..]));
    assert_eq!(run.files, []);
}

/// Files of the host that runs can see.
struct Victim {
    directory: TempDir,
    before: Vec<(PathBuf, u32, Vec<u8>)>,
}

impl Victim {
    fn new() -> Victim {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir(directory.path().join("sub")).unwrap();
        for name in ["one", "sub/two", "file"] {
            fs::write(directory.path().join(name), name).unwrap();
        }
        let before = listing(directory.path());
        Victim { directory, before }
    }

    fn path(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    #[track_caller]
    fn is_untouched(&self) {
        assert_eq!(listing(self.directory.path()), self.before);
    }
}

fn listing(directory: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = vec![(directory.to_path_buf(), fs::metadata(directory).unwrap().mode(), Vec::new())];
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(listing(&path));
        } else {
            found.push((path.clone(), fs::metadata(&path).unwrap().mode(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn instrumented_programs_do_not_get_out() {
    let victim = Victim::new();
    each_executor(|executor| {
        is_as_ever(executor);
        for (mode, status) in [("write", 4), ("helper", 5), ("links", 6), ("timer", 8), ("limits", 9)] {
            // Without namespaces no process stays, and so none has to be kept from being continued.
            if mode == "timer" && executor.confinement() == Some(Confinement::Landlock) {
                continue;
            }
            for _ in 0..2 {
                assert_eq!(run(executor, &[mode, victim.path()]).outcome, Outcome::Exited(status), "{mode}");
                victim.is_untouched();
            }
            is_as_ever(executor);
        }
    });
}

#[test]
fn a_process_that_forges_the_end_of_its_runs_harms_nobody_else() {
    let victim = Victim::new();
    each_executor(|executor| {
        is_as_ever(executor);
        let short = Limits { time: Duration::from_millis(500), ..Limits::default() };
        let forging = TestCase::with_args(["forge", victim.path()]);
        for _ in 0..3 {
            // It is stopped for good, or, where nobody waits for that, at the end of its time.
            let outcome = executor.run(&forging, &short).unwrap().outcome;
            assert!(matches!(outcome, Outcome::Exited(0) | Outcome::TimedOut), "{outcome:?}");
            victim.is_untouched();
        }
        // Its process may have taken over later runs. One of its own tells the truth.
        let other = Limits { memory: 900 << 20, ..limits() };
        let run = executor.run(&TestCase::with_args(["ok"]), &other).unwrap();
        assert_eq!(
            (run.outcome, &run.stdout.bytes[..]),
            (Outcome::Exited(0), &b"0 open, 1024 allowed\n"[..])
        );
    });
}

#[test]
fn a_program_that_stops_itself_is_timed_out_and_one_that_says_it_never_started_is_tried_again() {
    each_executor(|executor| {
        is_as_ever(executor);
        let short = Limits { time: Duration::from_millis(500), ..Limits::default() };
        let stopped = executor.run(&TestCase::with_args(["stop"]), &short).unwrap();
        assert_eq!(stopped.outcome, Outcome::TimedOut);
        assert_eq!(run(executor, &["unstarted"]).outcome, Outcome::Signaled(SIGKILL));
        is_as_ever(executor);
    });
}

#[test]
fn garbage_in_all_shared_memory_is_no_error_of_ours() {
    each_executor(|executor| {
        for seed in 0..10 {
            let run = run(executor, &["garbage", &seed.to_string()]);
            assert_ne!(run.outcome, Outcome::Lost);
            // Any answer will do, but there is one.
            let _ = Trace::decode(executor.arena().bytes(), &[]);
        }
        is_as_ever(executor);
    });
}
