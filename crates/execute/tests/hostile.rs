//! Runs that misbehave: every one ends within its limits, with the right outcome, and touches nothing outside
//! its scratch directory. Each test goes through both kinds of confinement that the kernel may offer.

mod common;
use common::*;
use parallax_execute::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How much later than its time limit a run may end on a machine that is busy with other things: far less than never.
const LATE: Duration = Duration::from_secs(60);

/// One run of `body` under each kind of confinement.
fn under_each(body: &str, args: &[&str], limits: &Limits, mut check: impl FnMut(Confinement, Run)) {
    let directory = directory();
    let program = compile(directory.path(), "program", body);
    for namespaces in [true, false] {
        let options = Options { namespaces, ..options() };
        let mut executor = Executor::new(&program, Kind::Native, options).expect("executor");
        let level = executor.confinement().expect("a server");
        let started = Instant::now();
        let run = executor.run(&TestCase::with_args(args), limits).expect("run");
        assert!(started.elapsed() < limits.time + LATE, "took {:?}", started.elapsed());
        check(level, run);
        let again = executor.run(&TestCase::with_args(args), limits).expect("the next run works");
        assert!(again.wall > Duration::ZERO);
    }
}

#[test]
fn a_fork_bomb_is_stopped() {
    under_each("int main() { for (;;) fork(); }", &[], &Limits::default(), |_, run| {
        assert_eq!(run.outcome, Outcome::TooManyProcesses);
        assert!(run.wall < Duration::from_secs(3), "{:?}", run.wall);
    });
}

#[test]
fn a_chain_of_forks_that_never_grows_is_timed_out() {
    let body = r#"int main() { for (;;) { int p = fork(); if (p > 0) _exit(0); if (p == 0) setsid(); } }"#;
    under_each(body, &[], &short(), |_, run| {
        // The first process exits at once, and with it the run; the chain must not survive it.
        assert_eq!(run.outcome, Outcome::Exited(0));
    });
}

#[test]
fn processes_up_to_the_limit_are_allowed() {
    let body = r#"
        int main() {
            for (int i = 0; i < 20; i++) if (fork() == 0) { usleep(30000); _exit(0); }
            int n = 0; while (wait(0) > 0) n++;
            return n;
        }"#;
    under_each(body, &[], &Limits::default(), |_, run| assert_eq!(run.outcome, Outcome::Exited(20)));
}

#[test]
fn a_sleeper_that_ignores_every_signal_is_timed_out() {
    let body = r#"
        int main() { for (int s = 1; s < 64; s++) signal(s, SIG_IGN); write(1, "on", 2); for (;;) sleep(1000); }"#;
    under_each(body, &[], &short(), |_, run| {
        assert_eq!(run.outcome, Outcome::TimedOut);
        assert_eq!(run.stdout.bytes, b"on");
    });
}

#[test]
fn a_busy_loop_and_a_stopped_process_are_timed_out() {
    for body in ["int main() { for (volatile int i = 0;; i++); }", "int main() { raise(SIGSTOP); }"] {
        under_each(body, &[], &short(), |_, run| assert_eq!(run.outcome, Outcome::TimedOut));
    }
}

#[test]
fn output_without_end_is_cut() {
    let limits = Limits { output: 5000, file_size: 100_000, ..Limits::default() };
    let body = r#"int main(int c, char **v) { for (;;) write(atoi(v[1]), "0123456789", 10); }"#;
    under_each(body, &["1"], &limits, |_, run| {
        assert_eq!(run.outcome, Outcome::TooMuchOutput);
        assert_eq!(run.stdout.bytes, b"0123456789".repeat(500));
        assert!(run.stdout.truncated && !run.stderr.truncated);
    });
    under_each(body, &["2"], &limits, |_, run| {
        assert_eq!(run.outcome, Outcome::TooMuchOutput);
        assert!(run.stderr.truncated);
    });
}

#[test]
fn output_above_its_limit_but_below_the_kernels_is_only_cut() {
    let limits = Limits { output: 10, file_size: 100, ..Limits::default() };
    under_each(r#"int main() { printf("0123456789abc"); }"#, &[], &limits, |_, run| {
        assert_eq!(run.outcome, Outcome::Exited(0));
        assert_eq!(run.stdout, Output { bytes: b"0123456789".to_vec(), truncated: true });
    });
}

#[test]
fn a_file_without_end_is_cut() {
    let limits = Limits { output: 1000, file_size: 50_000, ..Limits::default() };
    let body = r#"int main() { int f = open("big", O_CREAT | O_WRONLY, 0600); for (;;) write(f, "0123456789", 10); }"#;
    under_each(body, &[], &limits, |_, run| {
        assert_eq!(run.outcome, Outcome::FileTooLarge);
        let [FileChange::Created { content: Content::File(output), .. }] = &run.files[..] else {
            panic!("{:?}", run.files);
        };
        assert_eq!(output.bytes.len(), 50_000);
    });
}

#[test]
fn a_writer_that_ignores_the_file_limit_is_timed_out() {
    let limits = Limits { file_size: 50_000, output: 1000, ..short() };
    let body = r#"int main() { signal(SIGXFSZ, SIG_IGN); for (;;) write(1, "0123456789", 10); }"#;
    under_each(body, &[], &limits, |_, run| {
        assert_eq!(run.outcome, Outcome::TimedOut);
        assert_eq!(run.stdout.bytes.len(), 1000);
    });
}

#[test]
fn a_process_that_wants_all_memory_is_refused() {
    let body = r#"
        int main() {
            for (long n = 0;; n++) { char *p = malloc(1 << 20); if (!p) { printf("%ld", n); return 3; } memset(p, 1, 1 << 20); }
        }"#;
    let limits = Limits { memory: 64 << 20, ..Limits::default() };
    under_each(body, &[], &limits, |_, run| {
        // Either the kernel refuses at the limit, or the census gets there first.
        if run.outcome != Outcome::TooMuchMemory {
            assert_eq!(run.outcome, Outcome::Exited(3));
            let mebibytes: u32 = text(&run.stdout.bytes).parse().unwrap();
            assert!((40..=64).contains(&mebibytes), "{mebibytes}");
        }
    });
}

#[test]
fn memory_that_is_shared_or_spread_over_processes_is_limited_too() {
    let shared = r#"
        int main() {
            for (;;) {
                char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                if (p == MAP_FAILED) return 3;
                memset(p, 1, 1 << 20);
            }
        }"#;
    let spread = r#"
        int main() {
            for (int i = 0; i < 10; i++) if (fork() == 0) { memset(malloc(40 << 20), 1, 40 << 20); sleep(1000); }
            while (wait(0) > 0);
        }"#;
    let limits = Limits { memory: 128 << 20, ..Limits::default() };
    for body in [shared, spread] {
        under_each(body, &[], &limits, |_, run| assert_eq!(run.outcome, Outcome::TooMuchMemory));
    }
}

#[test]
fn nothing_outside_can_be_changed_by_any_call() {
    let outside = visible_directory();
    let victim = outside.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    fs::create_dir(outside.path().join("empty")).unwrap();
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&victim).unwrap();
    let body = r#"
        #define TRY(call) do { errno = 0; if ((long)(call) >= 0) printf("%s ", #call); } while (0)
        int main(int c, char **v) {
            chdir(v[1]);
            TRY(unlink("victim"));
            TRY(rename("victim", "renamed"));
            TRY(truncate("victim", 0));
            TRY(open("victim", O_WRONLY));
            TRY(open("victim", O_RDWR | O_APPEND));
            TRY(open("victim", O_RDONLY | O_TRUNC));
            TRY(open("new", O_CREAT | O_WRONLY, 0600));
            TRY(open(".", O_TMPFILE | O_WRONLY, 0600));
            TRY(mkdir("new", 0700));
            TRY(rmdir("empty"));
            TRY(symlink("a", "new"));
            TRY(link("victim", "new"));
            TRY(mkfifo("new", 0600));
            TRY(chmod("victim", 0777));
            TRY(chown("victim", getuid(), getgid()));
            TRY(utimensat(AT_FDCWD, "victim", 0, 0));
            int f = open("victim", O_RDONLY);
            if (f < 0) return 1;
            TRY(fchmod(f, 0777));
            TRY(futimens(f, 0));
            TRY(ftruncate(f, 0));
            char through[4096];
            snprintf(through, sizeof through, "%s/link", getenv("HOME"));
            char target[4096];
            snprintf(target, sizeof target, "%s/victim", v[1]);
            if (symlink(target, through)) return 2;
            TRY(open(through, O_WRONLY));
            snprintf(through, sizeof through, "%s/hard", getenv("HOME"));
            TRY(link(target, through));
            return 0;
        }"#;
    under_each(body, &[outside.path().to_str().unwrap()], &Limits::default(), |_, run| {
        assert_eq!((run.outcome, text(&run.stdout.bytes).as_str()), (Outcome::Exited(0), ""));
    });
    let after = fs::metadata(&victim).unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    assert_eq!((after.mode(), after.mtime_nsec()), (before.mode(), before.mtime_nsec()));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2);
}

#[test]
fn deleting_what_the_arguments_name_deletes_nothing() {
    let outside = visible_directory();
    fs::create_dir_all(outside.path().join("a/b")).unwrap();
    fs::write(outside.path().join("a/b/c"), "precious").unwrap();
    let body = r#"int main(int c, char **v) { execlp("rm", "rm", "-rf", v[1], "inside", NULL); }"#;
    under_each(body, &[outside.path().to_str().unwrap()], &Limits::default(), |_, run| {
        assert_eq!(run.outcome, Outcome::Exited(1));
        assert!(!run.stderr.bytes.is_empty());
    });
    assert_eq!(fs::read(outside.path().join("a/b/c")).unwrap(), b"precious");
}

/// A process that must survive.
struct Bystander(Child);

impl Bystander {
    fn new() -> Bystander {
        Bystander(Command::new("sleep").arg("1000").spawn().expect("sleep"))
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn signals_do_not_reach_foreign_processes() {
    let mut bystander = Bystander::new();
    let body = r#"
        int main(int c, char **v) {
            int sent = 0;
            for (int i = 1; i < c; i++) sent += kill(atoi(v[i]), SIGKILL) == 0;
            kill(getppid(), SIGKILL);
            kill(getppid(), SIGSTOP);
            kill(1, SIGKILL);
            kill(-1, SIGKILL);
            return 10 + sent;
        }"#;
    let (other, me) = (bystander.0.id().to_string(), std::process::id().to_string());
    under_each(body, &[&other, &me], &Limits::default(), |_, run| {
        assert_eq!(run.outcome, Outcome::Exited(10));
    });
    assert!(bystander.0.try_wait().unwrap().is_none(), "the bystander was killed");
}

#[test]
fn there_is_no_network() {
    let body = r#"
        int main() {
            int kinds[] = {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET};
            for (int i = 0; i < 5; i++)
                if (socket(kinds[i], SOCK_DGRAM, 0) >= 0 || errno != EACCES) return i + 1;
            int pair[2];
            return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ? 9 : 0;
        }"#;
    under_each(body, &[], &Limits::default(), |_, run| assert_eq!(run.outcome, Outcome::Exited(0)));
}

#[test]
fn calls_that_reach_beyond_the_run_are_refused() {
    let body = r#"
        #include <sched.h>
        #include <sys/ipc.h>
        #include <sys/mount.h>
        #include <sys/ptrace.h>
        #include <sys/shm.h>
        #include <sys/syscall.h>
        #define TRY(call) do { errno = 0; if ((long)(call) >= 0) printf("%s ", #call); } while (0)
        void *thread(void *p) { return p; }
        int nothing(void *p) { return 0; }
        int main() {
            static char stack[65536];
            unsigned long arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
            TRY(syscall(SYS_clone3, arguments, 88));
            TRY(clone(nothing, stack + 65536, CLONE_NEWUSER | SIGCHLD, 0));
            TRY(unshare(CLONE_NEWUSER));
            TRY(mount("none", "/mnt", "tmpfs", 0, 0));
            TRY(umount2("/proc", MNT_DETACH));
            TRY(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
            TRY(shmget(IPC_PRIVATE, 4096, 0600));
            TRY(syscall(SYS_keyctl, 0, -3, 1));
            TRY(syscall(SYS_bpf, 0, 0, 0));
            TRY(syscall(SYS_io_uring_setup, 1, arguments));
            TRY(sethostname("x", 1));
            TRY(open("/proc/1/mem", O_RDWR));
            TRY(open("/proc/sys/kernel/ns_last_pid", O_RDWR));
            TRY(open("/dev/shm/../kmsg", O_WRONLY));
            pthread_t t;
            return pthread_create(&t, 0, thread, 0) || pthread_join(t, 0);
        }"#;
    under_each(body, &[], &Limits::default(), |_, run| {
        assert_eq!((run.outcome, text(&run.stdout.bytes).as_str()), (Outcome::Exited(0), ""));
    });
}

#[test]
fn a_daemon_does_not_outlive_its_run() {
    let word = format!("parallax-daemon-{}", std::process::id());
    let body = r#"
        int main() {
            if (fork()) return 0;
            setsid();
            if (fork()) _exit(0);
            for (int s = 1; s < 64; s++) signal(s, SIG_IGN);
            write(1, "up", 2);
            sleep(1000);
        }"#;
    under_each(body, &[&word], &Limits::default(), |_, run| {
        assert_eq!(run.outcome, Outcome::Exited(0));
        assert!(!process_with(&word));
    });
}

#[test]
fn capabilities_and_privileges_are_gone() {
    let body = r#"
        int main() {
            char line[200]; FILE *f = fopen("/proc/self/status", "r");
            while (fgets(line, sizeof line, f))
                if (!strncmp(line, "Cap", 3) && strncmp(line, "CapBnd", 6) || !strncmp(line, "NoNewPrivs", 10)) printf("%s", line);
        }"#;
    under_each(body, &[], &Limits::default(), |_, run| {
        let none = "0000000000000000";
        let expected =
            format!("CapInh:\t{none}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapAmb:\t{none}\nNoNewPrivs:\t1\n");
        assert_eq!(text(&run.stdout.bytes), expected);
    });
}

#[test]
fn a_directory_tree_without_permissions_or_bottom_is_cleaned_up() {
    let body = r#"
        int main() {
            mkdir("locked", 0700); mkdir("locked/in", 0700); close(open("locked/in/f", O_CREAT | O_WRONLY, 0));
            chmod("locked/in", 0); chmod("locked", 0);
            for (int i = 0; i < 3000; i++) if (mkdir("deep", 0700) || chdir("deep")) return 1;
            return 0;
        }"#;
    // Without namespaces `chmod` is refused; the depth is what is left of the test then.
    under_each(body, &[], &Limits::default(), |_, run| {
        assert_eq!(run.outcome, Outcome::Exited(0));
        assert!(run.files_truncated);
    });
}

#[test]
fn a_full_disk_is_the_programs_problem_in_a_run_and_a_clear_message_before() {
    let body = r#"
        int main() {
            for (int i = 0; i < 100; i++) {
                char name[20]; sprintf(name, "f%d", i);
                int f = open(name, O_CREAT | O_WRONLY, 0600);
                for (int k = 0; k < 100; k++) if (write(f, name, 20) < 0) return errno;
                char block[65536] = "x";
                if (write(f, block, sizeof block) < 0) return errno;
            }
        }"#;
    let (mut executor, _directory) = native_with(body, Options { scratch_bytes: 1 << 20, ..options() });
    if executor.confinement() != Some(Confinement::Namespaces) {
        eprintln!("skipped: without namespaces the scratch directory has no size of its own");
        return;
    }
    let run = executor.run(&TestCase::default(), &Limits::default()).unwrap();
    assert_eq!(run.outcome, Outcome::Exited(libc::ENOSPC));
    let large = TestCase { files: vec![("large".into(), vec![1; 2 << 20])], ..TestCase::default() };
    let error = executor.run(&large, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("large") && error.contains("disk is full"), "{error}");
    let run = executor.run(&TestCase::default(), &Limits::default()).unwrap();
    assert_eq!(run.outcome, Outcome::Exited(libc::ENOSPC));
}

#[test]
fn an_interrupt_ends_a_run_at_once() {
    let word = format!("parallax-interrupted-{}", std::process::id());
    for namespaces in [true, false] {
        let interrupt = Interrupt::new();
        let options = Options { namespaces, interrupt: interrupt.clone(), ..options() };
        let (mut executor, _directory) =
            native_with("int main() { if (fork()) setsid(); sleep(1000); }", options);
        let setter = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            interrupt.set();
            Instant::now()
        });
        let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
        let error = executor.run(&TestCase::with_args([&word]), &limits).unwrap_err();
        let ended = Instant::now();
        assert!(matches!(error, Error::Interrupted), "{error}");
        let late = ended - setter.join().unwrap();
        assert!(late < Duration::from_millis(100), "{late:?}");
        assert!(!process_with(&word));
        assert!(matches!(executor.run(&TestCase::default(), &limits), Err(Error::Interrupted)));
    }
}
