//! Programs that go for what is hard to count or to undo: memory of the kernel's, directories that are exchanged, processes faster than
//! they are killed, and a server that is in the program's hands. Each goes through both kinds of confinement that the kernel may offer.

mod common;
use common::attack::*;
use common::*;
use parallax_execute::*;
use std::time::Duration;

fn within(memory: u64) -> Limits {
    Limits { memory, time: Duration::from_secs(30), ..Limits::default() }
}

#[test]
fn memory_in_buffers_of_the_kernel_is_limited_too() {
    let sockets = r#"
        int main() {
            static char block[65536];
            for (int i = 0; i < 500; i++) {
                int pair[2], most = 1 << 30;
                if (socketpair(AF_UNIX, i % 2 ? SOCK_STREAM : SOCK_SEQPACKET, 0, pair)) return 3;
                for (int k = 0; k < 2; k++) {
                    setsockopt(pair[k], SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
                    fcntl(pair[k], F_SETFL, O_NONBLOCK);
                    while (write(pair[k], block, 60000) > 0);
                }
            }
            for (;;) pause();
        }"#;
    let pipes = r#"
        int main() {
            static char block[65536];
            for (int k = 0; k < 6; k++) if (fork() == 0) {
                int ends[2];
                for (int i = 0; i < 500; i++) { if (pipe2(ends, O_NONBLOCK)) break; while (write(ends[1], block, 4096) > 0); }
                for (;;) pause();
            }
            for (;;) pause();
        }"#;
    // One page of each two megabytes is read, and is the same page of zeros every time.
    let tables = r#"
        int main() {
            volatile char *far = mmap(0, 1L << 39, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (far == MAP_FAILED) return 3;
            for (long at = 0; at < 1L << 39; at += 1 << 21) far[at];
            for (;;) pause();
        }"#;
    for body in [sockets, pipes, tables] {
        twice_under_each(body, &[], &within(96 << 20), |_, run| {
            assert_eq!(run.outcome, Outcome::TooMuchMemory, "{body}");
        });
    }
}

#[test]
fn pipes_and_sockets_that_many_processes_share_are_counted_once() {
    let body = r#"
        int main() {
            int ends[2];
            for (int i = 0; i < 40; i++) if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
            for (int i = 0; i < 20; i++) if (fork() == 0) { usleep(60000); _exit(0); }
            int bad = 0, status; while (wait(&status) > 0) bad |= status;
            return bad != 0;
        }"#;
    twice_under_each(body, &[], &within(128 << 20), |_, run| assert_eq!(run.outcome, Outcome::Exited(0)));
}

#[test]
fn what_could_not_be_counted_is_refused() {
    let body = r#"
        #include <sys/uio.h>
        int main() {
            int pair[2], ends[2];
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(ends)) return 1;
            char space[CMSG_SPACE(sizeof(int))] = {0};
            struct iovec data = {"x", 1};
            struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
            struct cmsghdr *c = CMSG_FIRSTHDR(&m);
            c->cmsg_level = SOL_SOCKET; c->cmsg_type = SCM_RIGHTS; c->cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(c), &pair[0], sizeof(int));
            struct mmsghdr many = {.msg_hdr = m};
            TRY(sendmsg(pair[0], &m, 0));
            TRY(sendmmsg(pair[0], &many, 1, 0));
            TRY(vmsplice(ends[1], &data, 1, 0));
            TRY(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20));
            return 0;
        }"#;
    twice_under_each(body, &[], &Limits::default(), |_, run| nothing_worked(&run));
}

#[test]
fn requests_to_file_systems_of_the_host_reach_nobody() {
    let victim = Victim::new();
    // Flags, attributes, labels, subvolumes and snapshots of btrfs, attributes of FAT, space of XFS, a frozen file system.
    let body = r#"
        int main(int c, char **v) {
            unsigned long requests[] = {0x40086602, 0x401c5820, 0x41009432, 0x5000940e, 0x5000940f, 0x50009418, 0x50009401, 0x40047211,
                0x40305828, 0x40305824, 0xc0045877, 0xc0045878, 0xc0185879, 0x40086685};
            static char argument[8192] = "x";
            chdir(v[1]);
            int files[] = {open("one", O_RDONLY), open(".", O_RDONLY)};
            for (int f = 0; f < 2; f++)
                for (int i = 0; i < sizeof requests / sizeof *requests; i++) TRY(ioctl(files[f], requests[i], argument));
            int ready = -1;
            return ioctl(files[0], FIONREAD, &ready) || ready != 3;
        }"#;
    twice_under_each(body, &[victim.path()], &Limits::default(), |_, run| nothing_worked(&run));
    victim.is_untouched();
}

#[test]
fn directories_and_streams_that_are_exchanged_are_put_back_in_the_same_server() {
    let body = r#"
        int main() {
            char world[64] = {0};
            readlink("/proc/self/ns/mnt", world, 63);
            printf("%s", world); fflush(stdout);
            struct stat s; if (stat("/tmp/left", &s) == 0 || stat("../tmp/left", &s) == 0) return 1;
            close(open("/tmp/left", O_CREAT | O_WRONLY, 0600));
            close(open("../io/more", O_CREAT | O_WRONLY, 0600));
            rename("../io/stdout", "../io/stdin"); unlink("../io/stderr"); mkfifo("../io/stdout", 0600); mkdir("../io/stderr", 0700);
            syscall(SYS_renameat2, AT_FDCWD, "../work", AT_FDCWD, "../tmp", 2);
            chmod("../tmp", 0); chmod("../work", 0); chmod("../io", 0); chmod("..", 0);
            return 5;
        }"#;
    let mut worlds = Vec::new();
    twice_under_each(body, &[], &Limits::default(), |level, run| {
        assert_eq!(run.outcome, Outcome::Exited(5));
        if level == Confinement::Namespaces {
            worlds.push(text(&run.stdout.bytes));
        }
    });
    assert!(worlds[0].starts_with("mnt:") && worlds[0] == worlds[1], "{worlds:?}");
}

#[test]
fn trees_without_bottom_and_names_of_any_kind_are_cleared_up() {
    let body = r#"
        int main() {
            char name[300];
            for (int i = 1; i < 100; i++) {
                sprintf(name, "a\nb\033[2J%c\xff%d", i, i);
                close(open(name, O_CREAT | O_WRONLY, 0));
                strcat(name, "l"); symlink("/dev/../\n\xff", name);
                strcat(name, "p"); mkfifo(name, 0);
            }
            signal(SIGXFSZ, SIG_IGN);
            int f = open("sparse", O_CREAT | O_RDWR, 0600);
            ftruncate(f, 1L << 42); pwrite(f, "x", 1, 1L << 41); posix_fallocate(f, 0, 1L << 36); ftruncate(1, 1L << 42);
            for (int i = 0; i < 4000; i++) if (mkdir("d", 0700) || chdir("d")) break;
            return 5;
        }"#;
    twice_under_each(body, &[], &within(1 << 30), |_, run| {
        assert_eq!((run.outcome, run.stdout.bytes.len()), (Outcome::Exited(5), 0));
    });
}

#[test]
fn processes_that_multiply_and_end_at_once_do_not_outlive_their_run() {
    let word = format!("parallax-storm-{}", std::process::id());
    // Every process makes others, in a session of its own, and ends. (For half a second: should they get away, the machine survives.)
    let body = r#"
        int main(int c, char **v) {
            struct timespec begin, now;
            clock_gettime(CLOCK_MONOTONIC, &begin);
            for (int s = 1; s < 64; s++) signal(s, SIG_IGN);
            int p = fork();
            if (p > 0) { usleep(20000); return 4; }
            for (;;) {
                clock_gettime(CLOCK_MONOTONIC, &now);
                if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 > 500) _exit(0);
                if (c > 2 ? fork() && fork() : fork()) _exit(0);
                setsid(); prctl(PR_SET_CHILD_SUBREAPER, 1);
            }
        }"#;
    let body = format!("#include <sys/prctl.h>\n#include <time.h>\n{body}");
    for args in [vec![word.as_str()], vec![&word, "two"]] {
        twice_under_each(&body, &args, &Limits::default(), |level, run| {
            let ended = matches!(run.outcome, Outcome::Exited(4) | Outcome::TooManyProcesses);
            assert!(ended, "{level:?} {:?}", run.outcome);
            assert!(!process_with(&word), "{level:?}");
        });
    }
}

/// Speaks the server's part itself: says that every run has ended, at once, and does what it likes behind that.
const TAKEN_OVER: &str = r#"
    #include <sys/prctl.h>
    static void serve(void (*attack)(void)) {
        unsigned ready = 0x504c5801;
        char command[4096], reply[24] = {0};
        prctl(PR_SET_CHILD_SUBREAPER, 0); prctl(PR_SET_PDEATHSIG, 0);
        send(192, &ready, sizeof ready, 0);
        while (read(191, command, sizeof command) > 0) { attack(); send(192, reply, sizeof reply, 0); }
        for (;;) pause();
    }"#;

#[test]
fn limits_hold_and_nothing_is_left_where_the_server_is_in_the_hands_of_the_program() {
    let processes = r#"
        static void attack(void) { for (int i = 0; i < 40; i++) if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); } }
        int main() { serve(attack); }"#;
    let memory = r#"
        static void attack(void) { if (fork() == 0) { memset(malloc(200 << 20), 1, 200 << 20); for (;;) pause(); } usleep(100000); }
        int main() { serve(attack); }"#;
    let directory = directory();
    let limits = Limits { memory: 8 << 20, time: Duration::from_secs(20), ..Limits::default() };
    for (name, body, wanted) in
        [("processes", processes, Outcome::TooManyProcesses), ("memory", memory, Outcome::TooMuchMemory)]
    {
        let program = compile(directory.path(), name, &format!("{TAKEN_OVER}\n{body}"));
        for namespaces in [true, false] {
            let arena = Some(ArenaSizes { request: 1 << 20, ..ArenaSizes::native() });
            let options = Options { namespaces, arena, ..options() };
            let mut executor = Executor::new(&program, Kind::Instrumented, options).expect("executor");
            let mut run = || executor.run(&TestCase::default(), &limits).expect("run").outcome;
            let outcomes: Vec<Outcome> = (0..20).map(|_| run()).collect();
            assert!(outcomes.contains(&wanted), "{name}, namespaces {namespaces}: {outcomes:?}");
            drop(executor);
            let word = program.to_str().unwrap();
            assert!(soon(|| !process_with(word)), "{name}, namespaces {namespaces}: something is left");
        }
    }
}

#[test]
fn a_server_that_takes_all_memory_before_its_first_run_is_ended() {
    let body = r#"int main() { for (int i = 0; i < 400; i++) memset(malloc(16 << 20), 1, 16 << 20); for (;;) pause(); }"#;
    let directory = directory();
    let program = compile(directory.path(), "greedy", body);
    for namespaces in [true, false] {
        let options = Options { namespaces, start_time: Duration::from_secs(60), ..options() };
        let error = Executor::new(&program, Kind::Instrumented, options).err().expect("it does not serve");
        assert!(error.to_string().contains("too much memory"), "{error}");
        assert!(soon(|| !process_with(program.to_str().unwrap())));
    }
}
