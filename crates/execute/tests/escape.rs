//! Programs that know how they are run and try to get out: through our directories, descriptors and limits. Every test sets up its
//! own victim and looks at it afterwards; each goes through both kinds of confinement that the kernel may offer.

mod common;
use common::attack::*;
use common::*;
use parallax_execute::*;
use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::process::{Child, Command};
use std::time::Duration;

/// A process of the test's own that a run must not reach.
struct Sleeper(Child);

impl Sleeper {
    fn new() -> Sleeper {
        Sleeper(Command::new("sleep").arg("1000").spawn().expect("sleep"))
    }

    fn number(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn links_in_the_place_of_our_directories_lead_nowhere() {
    let victim = Victim::new();
    let body = r#"
        int main(int c, char **v) {
            const char *ours[] = {"work", "tmp", "io"};
            mkdir("inside", 0); symlink(v[1], "link");
            chdir("..");
            for (int i = 0; i < 3; i++) {
                char away[20]; sprintf(away, "away%d", i);
                if (v[2][0] == 'r') rmdir(ours[i]);
                rename(ours[i], away);
                symlink(v[1], ours[i]);
            }
            mkdir(".parallax-trash-0", 0700);
            symlink(v[1], ".parallax-trash-1"); symlink(v[1], ".parallax-trash-0/x");
            return 7;
        }"#;
    for how in ["rename", "remove"] {
        twice_under_each(body, &[victim.path(), how], &Limits::default(), |_, run| {
            assert_eq!(run.outcome, Outcome::Exited(7));
            victim.is_untouched();
        });
    }
}

#[test]
fn links_instead_of_the_files_of_streams_are_neither_written_nor_read() {
    let victim = Victim::new();
    let body = r#"
        int main(int c, char **v) {
            char target[4096]; snprintf(target, sizeof target, "%s/one", v[1]);
            chdir("../io");
            const char *names[] = {"stdin", "stdout", "stderr"};
            for (int i = 0; i < 3; i++) { unlink(names[i]); symlink(target, names[i]); }
            write(1, "printed", 7);
            return 0;
        }"#;
    twice_under_each(body, &[victim.path()], &Limits::default(), |_, run| {
        assert_eq!(run.stdout.bytes, b"printed");
        victim.is_untouched();
    });
}

#[test]
fn a_process_that_swaps_directories_for_links_after_the_run_is_dead_before_anyone_looks() {
    let victim = Victim::new();
    let body = r#"
        static int helper(void *arg) {
            char **v = arg;
            for (int s = 1; s < 64; s++) signal(s, SIG_IGN);
            for (;;) {
                for (int i = 0; i < 30; i++) {
                    char name[20], away[20]; sprintf(name, "d%d", i); sprintf(away, "e%d", i);
                    rename(name, away); symlink(v[1], name); unlink(name); rename(away, name);
                }
                chdir(".."); rename("work", "aside"); symlink(v[1], "work"); unlink("work"); rename("aside", "work"); chdir("work");
            }
        }
        int main(int c, char **v) {
            static char stacks[3][65536];
            for (int i = 0; i < 30; i++) {
                char name[20]; sprintf(name, "d%d", i); mkdir(name, 0700);
                sprintf(name, "d%d/file", i); close(open(name, O_CREAT | O_WRONLY, 0600));
            }
            if (fork() == 0) { setsid(); if (fork() == 0) helper(v); _exit(0); }
            // A process that is the server's child, as the run itself is.
            clone(helper, stacks[0] + 65536, CLONE_PARENT | SIGCHLD, v);
            // One that shares files and memory with the run.
            clone(helper, stacks[1] + 65536, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, v);
            usleep(20000);
            _exit(3);
        }"#;
    twice_under_each(body, &[victim.path()], &Limits::default(), |_, run| {
        assert_eq!(run.outcome, Outcome::Exited(3));
        victim.is_untouched();
    });
}

#[test]
fn a_pair_of_datagram_sockets_reaches_no_listener_of_the_host() {
    let directory = visible_directory();
    let path = directory.path().join("listener");
    let by_path = UnixDatagram::bind(&path).unwrap();
    let name = format!("parallax-test-{}", std::process::id());
    let abstract_address = SocketAddr::from_abstract_name(&name).unwrap();
    let by_name = UnixDatagram::bind_addr(&abstract_address).unwrap();
    let stream = UnixListener::bind(directory.path().join("stream")).unwrap();
    let body = r#"
        static int address(struct sockaddr_un *a, const char *at) {
            memset(a, 0, sizeof *a);
            a->sun_family = AF_UNIX;
            strcpy(a->sun_path + (*at != '/'), at);
            return offsetof(struct sockaddr_un, sun_path) + (*at != '/') + strlen(at) + (*at == '/');
        }
        int main(int c, char **v) {
            int kinds[] = {SOCK_DGRAM, SOCK_RAW, SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM | SOCK_CLOEXEC};
            for (int k = 0; k < 5; k++) {
                int pair[2] = {-1, -1};
                socketpair(AF_UNIX, kinds[k], 0, pair);
                for (int i = 1; i < c; i++) {
                    struct sockaddr_un a; int len = address(&a, v[i]);
                    struct iovec data = {"sent", 4};
                    struct msghdr m = {.msg_name = &a, .msg_namelen = len, .msg_iov = &data, .msg_iovlen = 1};
                    TRY(sendto(pair[0], "sent", 4, 0, (void *)&a, len));
                    if (kinds[k] != SOCK_SEQPACKET) TRY(sendmsg(pair[0], &m, 0));
                    else sendmsg(pair[0], &m, 0);
                    TRY(connect(pair[0], (void *)&a, len));
                    TRY(bind(pair[0], (void *)&a, len));
                }
                TRY(socket(AF_UNIX, kinds[k], 0));
            }
            int pair[2]; char byte = 0;
            return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(pair[0], "x", 1) != 1 || read(pair[1], &byte, 1) != 1;
        }"#;
    let stream_path = directory.path().join("stream");
    let args = [path.to_str().unwrap(), &name, stream_path.to_str().unwrap()];
    twice_under_each(&format!("#include <stddef.h>\n{body}"), &args, &Limits::default(), |_, run| {
        nothing_worked(&run);
    });
    for socket in [&by_path, &by_name] {
        socket.set_nonblocking(true).unwrap();
        assert!(socket.recv(&mut [0; 10]).is_err(), "a datagram arrived");
    }
    stream.set_nonblocking(true).unwrap();
    assert!(stream.accept().is_err(), "a connection arrived");
}

/// Limits and scheduling of a process.
fn settings(pid: &str) -> (String, String) {
    let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap();
    let stat = read("stat");
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap()..].split(' ').collect();
    let affinity = read("status").lines().find(|l| l.starts_with("Cpus_allowed:")).unwrap().to_string();
    (read("limits"), format!("{} {} {affinity}", fields[16], fields[17]))
}

#[test]
fn limits_and_priorities_of_foreign_processes_and_of_the_server_stay() {
    let sleeper = Sleeper::new();
    let before = settings(&sleeper.number());
    let body = r#"
        int main(int c, char **v) {
            int others[] = {atoi(v[1]), getppid(), 1};
            struct rlimit was; getrlimit(RLIMIT_NOFILE, &was);
            printf("%ld\n", (long)was.rlim_cur);
            fflush(stdout);
            for (int i = 0; i < 3; i++) {
                int p = others[i];
                struct rlimit few = {7, 7};
                struct sched_param param = {0};
                cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one);
                long attributes[8] = {56};
                TRY(prlimit(p, RLIMIT_NOFILE, &few, 0));
                TRY(prlimit(p, RLIMIT_FSIZE, &few, 0));
                TRY(setpriority(PRIO_PROCESS, p, 19));
                TRY(setpriority(PRIO_PGRP, p, 19));
                TRY(syscall(SYS_ioprio_set, 1, p, 3 << 13));
                TRY(sched_setscheduler(p, SCHED_BATCH, &param));
                TRY(sched_setparam(p, &param));
                TRY(sched_setaffinity(p, sizeof one, &one));
                TRY(syscall(SYS_sched_setattr, p, attributes, 0));
                TRY(syscall(SYS_migrate_pages, p, 8, attributes, attributes));
                TRY(syscall(SYS_move_pages, p, 0, 0, 0, 0, 0));
                TRY(syscall(SYS_kcmp, getpid(), p, 0, 1, 1));
                TRY(setpgid(p, 0));
            }
            TRY(setpriority(PRIO_USER, 0, 19));
            TRY(setpriority(PRIO_USER, getuid(), 19));
            TRY(syscall(SYS_ioprio_set, 3, getuid(), 3 << 13));
            return setrlimit(RLIMIT_NOFILE, &was) || setpriority(PRIO_PROCESS, 0, 1);
        }"#;
    twice_under_each(body, &[&sleeper.number()], &Limits::default(), |_, run| {
        // The number of descriptors is what it was in the run before, too.
        assert_eq!((run.outcome, text(&run.stdout.bytes).as_str()), (Outcome::Exited(0), "1024\n"));
        assert_eq!(settings(&sleeper.number()), before);
    });
}

#[test]
fn there_are_three_descriptors_and_no_way_to_those_of_the_server() {
    let body = r#"
        int main() {
            for (int fd = 3; fd < 4096; fd++) TRY(fcntl(fd, F_GETFD));
            char path[64];
            int servers[] = {getppid(), 1};
            for (int i = 0; i < 2; i++) {
                int pidfd = syscall(SYS_pidfd_open, servers[i], 0);
                for (int fd = 0; fd < 256; fd++) {
                    TRY(syscall(SYS_pidfd_getfd, pidfd, fd, 0));
                    snprintf(path, sizeof path, "/proc/%d/fd/%d", servers[i], fd);
                    TRY(open(path, O_RDONLY | O_NONBLOCK));
                    TRY(open(path, O_WRONLY | O_NONBLOCK));
                }
                for (int k = 0; k < 2; k++) {
                    snprintf(path, sizeof path, "/proc/%d/mem", servers[i]);
                    TRY(open(path, k ? O_RDWR : O_RDONLY));
                }
                snprintf(path, sizeof path, "/proc/%d/oom_score_adj", servers[i]);
                TRY(open(path, O_WRONLY));
            }
            return 0;
        }"#;
    twice_under_each(body, &[], &Limits::default(), |_, run| nothing_worked(&run));
}

#[test]
fn a_program_that_uses_up_all_its_descriptors_ends_as_it_says() {
    let body = r#"
        int main() {
            for (int fd = 0; fd < 2000; fd++) { write(fd, "\1\0\0\0\0\0\0\0", 8); ftruncate(fd, 3); fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK); flock(fd, LOCK_EX); }
            while (dup(1) >= 0);
            for (int fd = 0; fd < 2000; fd++) close(fd);
            return 6;
        }"#;
    twice_under_each(body, &[], &Limits::default(), |_, run| {
        assert_eq!((run.outcome, run.stdout.bytes), (Outcome::Exited(6), b"\x01\0\0".to_vec()));
    });
}

#[test]
fn flags_of_the_streams_do_not_last_to_the_next_run() {
    let body = r#"
        int main() {
            printf("%x %x %ld", fcntl(0, F_GETFL), fcntl(1, F_GETFL), lseek(1, 0, SEEK_CUR)); fflush(stdout);
            fcntl(0, F_SETFL, O_NONBLOCK); fcntl(1, F_SETFL, O_APPEND | O_NONBLOCK); lseek(1, 100, SEEK_SET); return 0;
        }"#;
    let mut first = None;
    twice_under_each(body, &[], &Limits::default(), |_, run| {
        let expected = first.get_or_insert_with(|| run.stdout.bytes.clone());
        assert_eq!(run.stdout.bytes, *expected);
    });
}

#[test]
fn memory_that_no_process_has_mapped_or_in_use_is_limited_too() {
    let file = r#"
        int main() {
            static char block[1 << 20]; memset(block, 1, sizeof block);
            for (int i = 0; i < 500; i++) {
                int f = syscall(SYS_memfd_create, "x", 0);
                if (f < 0) return 3;
                for (int k = 0; k < 8; k++) write(f, block, sizeof block);
            }
            for (;;) pause();
        }"#;
    let unused = r#"
        int main() {
            for (;;) {
                char *p = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                if (p == MAP_FAILED) return 3;
                memset(p, 1, 4 << 20);
                madvise(p, 4 << 20, MADV_DONTNEED);
            }
        }"#;
    let hidden = r#"
        void *eat(void *x) {
            for (;;) {
                char *p = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                if (p != MAP_FAILED) memset(p, 1, 4 << 20); else usleep(1000);
            }
        }
        int main() { pthread_t t; pthread_create(&t, 0, eat, 0); pthread_exit(0); }"#;
    let limits = Limits { memory: 128 << 20, time: Duration::from_secs(30), ..Limits::default() };
    twice_under_each(file, &[], &limits, |_, run| {
        assert!(matches!(run.outcome, Outcome::Exited(3) | Outcome::TooMuchMemory), "{run:?}");
    });
    for body in [unused, hidden] {
        twice_under_each(body, &[], &limits, |_, run| assert_eq!(run.outcome, Outcome::TooMuchMemory));
    }
}

#[test]
fn memory_that_several_processes_share_is_counted_once() {
    let body = r#"
        int main() {
            char *p = mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            memset(p, 1, 64 << 20);
            for (int i = 0; i < 10; i++) if (fork() == 0) { long sum = 0; for (long k = 0; k < 64 << 20; k += 4096) sum += p[k]; usleep(50000); _exit(sum != 16384); }
            int bad = 0, status; while (wait(&status) > 0) bad |= status;
            return bad != 0;
        }"#;
    let limits = Limits { memory: 128 << 20, time: Duration::from_secs(60), ..Limits::default() };
    twice_under_each(body, &[], &limits, |_, run| assert_eq!(run.outcome, Outcome::Exited(0)));
}

#[test]
fn threads_count_as_processes() {
    let body = r#"
        void *wait_for_ever(void *x) { for (;;) pause(); }
        int main(int c, char **v) {
            pthread_attr_t small; pthread_attr_init(&small); pthread_attr_setstacksize(&small, 65536);
            for (int i = 0; i < atoi(v[1]); i++) { pthread_t t; pthread_create(&t, &small, wait_for_ever, 0); }
            usleep(c > 2 ? 50000 : 30000000);
            return 5;
        }"#;
    let limits = Limits { time: Duration::from_secs(30), ..Limits::default() };
    twice_under_each(body, &["200"], &limits, |_, run| assert_eq!(run.outcome, Outcome::TooManyProcesses));
    twice_under_each(body, &["50", "few"], &limits, |_, run| assert_eq!(run.outcome, Outcome::Exited(5)));
}
