//! Runs that cannot happen, runs without confinement, and what is left when the engine goes away.

mod common;
use common::*;
use parallax_execute::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_missing_program_is_named() {
    let error = Executor::new(Path::new("no/such/program"), Kind::Native, options()).err().unwrap();
    assert!(matches!(error, Error::NoProgram { .. }));
    assert_eq!(error.to_string(), "no/such/program: no such program");
}

#[test]
fn a_directory_or_a_file_without_permission_is_not_a_program() {
    let directory = directory();
    let file = directory.path().join("file");
    fs::write(&file, "text").unwrap();
    for path in [directory.path(), &file] {
        let error = Executor::new(path, Kind::Native, options()).err().unwrap();
        assert!(matches!(error, Error::NotExecutable { .. }), "{error}");
    }
}

#[test]
fn a_file_that_the_kernel_cannot_execute_is_an_error_not_a_run() {
    let directory = directory();
    let file = directory.path().join("garbage");
    fs::write(&file, "\u{1}\u{2}\u{3}garbage").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let mut executor = Executor::new(&file, Kind::Native, options()).unwrap();
    let error = executor.run(&TestCase::default(), &Limits::default()).unwrap_err();
    let Error::NotStarted { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.raw_os_error(), Some(libc::ENOEXEC));
}

#[test]
fn a_program_that_exits_with_127_is_not_taken_for_one_that_did_not_start() {
    assert_eq!(run("int main() { return 127; }", &[]).outcome, Outcome::Exited(127));
}

#[test]
fn a_runner_that_is_none_is_named() {
    let directory = directory();
    let program = compile(directory.path(), "program", "int main() { return 0; }");
    for runner in ["/no/such/runner", "/bin/false"] {
        let options = Options { runner: Some(vec![runner.into()]), ..options() };
        let error = Executor::new(&program, Kind::Native, options).err().unwrap();
        assert!(matches!(error, Error::Runner { .. }), "{error}");
        assert!(error.to_string().contains(runner), "{error}");
    }
}

fn unconfined() -> Options {
    Options { unconfined: true, ..options() }
}

#[test]
fn without_confinement_limits_still_hold() {
    let cases = [
        ("int main() { for (;;) fork(); }", Outcome::TooManyProcesses),
        ("int main() { for (;;) sleep(1); }", Outcome::TimedOut),
        (r#"int main() { for (;;) puts("out"); }"#, Outcome::TooMuchOutput),
    ];
    for (body, outcome) in cases {
        let (mut executor, _directory) = native_with(body, unconfined());
        assert_eq!(executor.confinement(), Some(Confinement::None));
        let limits =
            Limits { time: Duration::from_secs(1), output: 1000, file_size: 1000, ..Limits::default() };
        assert_eq!(executor.run(&TestCase::default(), &limits).unwrap().outcome, outcome);
    }
}

#[test]
fn without_confinement_a_run_may_write_elsewhere_and_daemons_still_end() {
    let outside = directory();
    let file = outside.path().join("made");
    let body = r#"
        int main(int c, char **v) {
            close(open(v[1], O_CREAT | O_WRONLY, 0600));
            if (fork() == 0) { setsid(); if (fork() == 0) { setsid(); sleep(1000); } }
            return 5;
        }"#;
    let (mut executor, _directory) = native_with(body, unconfined());
    let run = executor.run(&TestCase::with_args([file.to_str().unwrap()]), &Limits::default()).unwrap();
    assert_eq!(run.outcome, Outcome::Exited(5));
    assert!(file.exists());
    assert!(!process_with(file.to_str().unwrap()));
}

#[test]
fn a_run_that_kills_its_server_is_lost_and_the_next_one_works() {
    let body =
        r#"int main(int c, char **v) { if (c > 1) { kill(getppid(), SIGKILL); sleep(1000); } return 4; }"#;
    let (mut executor, _directory) = native_with(body, unconfined());
    let word = format!("parallax-killer-{}", std::process::id());
    let killing = TestCase::with_args([&word]);
    assert_eq!(executor.run(&killing, &Limits::default()).unwrap().outcome, Outcome::Lost);
    assert!(soon(|| !process_with(&word)), "the run outlived its server");
    assert_eq!(executor.run(&TestCase::default(), &Limits::default()).unwrap().outcome, Outcome::Exited(4));
}

#[test]
fn dropping_an_executor_leaves_no_process_and_no_directory() {
    for options in [options(), Options { namespaces: false, ..options() }, unconfined()] {
        let (executor, directory) = native_with("int main() { return 0; }", options);
        // The runner has the program's path on its command line.
        let word = directory.path().to_str().unwrap().to_string();
        assert!(process_with(&word));
        drop(executor);
        assert!(!process_with(&word));
    }
}

/// Makes system calls fail for this thread and what it starts, as an older or stricter kernel would.
fn pretend_kernel_lacks(calls: &[i64]) {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    let failure = SeccompAction::Errno(libc::ENOSYS as u32);
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, failure, arch).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

#[test]
fn a_kernel_without_namespaces_still_confines_with_landlock() {
    pretend_kernel_lacks(&[libc::SYS_unshare]);
    let (mut executor, _directory) = native("int main() { return 6; }");
    assert_eq!(executor.confinement(), Some(Confinement::Landlock));
    assert_eq!(executor.run(&TestCase::default(), &Limits::default()).unwrap().outcome, Outcome::Exited(6));
}

#[test]
fn a_kernel_without_landlock_runs_nothing_unless_told_to() {
    pretend_kernel_lacks(&[libc::SYS_landlock_create_ruleset]);
    let directory = directory();
    let program = compile(directory.path(), "program", "int main() { return 6; }");
    let error = Executor::new(&program, Kind::Native, options()).err().unwrap();
    assert!(matches!(error, Error::NoConfinement { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("Landlock") && message.contains("--unconfined"), "{message}");
    let mut executor = Executor::new(&program, Kind::Native, unconfined()).unwrap();
    assert_eq!(executor.run(&TestCase::default(), &Limits::default()).unwrap().outcome, Outcome::Exited(6));
}

#[test]
fn a_kernel_without_a_filter_runs_nothing() {
    // `seccomp` itself, for the runner; this thread has its filter by then.
    pretend_kernel_lacks(&[libc::SYS_seccomp]);
    let directory = directory();
    let program = compile(directory.path(), "program", "int main() { return 6; }");
    let error = Executor::new(&program, Kind::Native, options()).err().unwrap();
    assert!(matches!(error, Error::NoConfinement { .. }), "{error}");
    assert!(error.to_string().contains("filter"), "{error}");
}

const HELPER: &str = "PARALLAX_TEST_SLEEPER";

/// Not a test by itself: the engine that other tests end from outside. Passes if it is interrupted.
#[test]
#[ignore = "started by other tests"]
fn engine_to_be_ended() {
    let Ok(program) = std::env::var(HELPER) else { return };
    let options = Options { interrupt: Interrupt::on_signals(), ..options() };
    let mut executor = Executor::new(Path::new(&program), Kind::Native, options).unwrap();
    let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
    assert!(matches!(executor.run(&TestCase::default(), &limits), Err(Error::Interrupted)));
}

/// Starts an engine with a run that never ends, ends the engine with `signal`, gives its status.
fn end_engine_with(signal: i32) -> std::process::ExitStatus {
    let directory = directory();
    let body = r#"
        int main() {
            if (fork() == 0) setsid();
            for (int s = 1; s < 64; s++) signal(s, SIG_IGN);
            sleep(1000);
        }"#;
    let program = compile(directory.path(), "sleeper", body);
    let word = program.to_str().unwrap();
    let mut engine = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "engine_to_be_ended", "--ignored"])
        .env(HELPER, word)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert!(soon(|| process_with(word)), "the run did not start");
    std::thread::sleep(Duration::from_millis(200));
    // SAFETY: a signal to a child that has not been waited for.
    unsafe { libc::kill(engine.id() as i32, signal) };
    let status = engine.wait().unwrap();
    assert!(soon(|| !process_with(word)), "something outlived the engine");
    status
}

#[test]
fn an_engine_that_is_killed_leaves_nothing() {
    assert!(!end_engine_with(libc::SIGKILL).success());
}

#[test]
fn an_engine_that_gets_control_c_ends_its_run_and_goes_on() {
    let started = Instant::now();
    assert!(end_engine_with(libc::SIGINT).success());
    assert!(started.elapsed() < Duration::from_secs(10));
}
