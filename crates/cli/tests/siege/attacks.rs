//! What programs try that know how Parallax works: for each its name, what stands before `main`, and what it does in every run.

/// Name, declarations, statements.
pub const ATTACKS: &[(&str, &str, &str)] = &[
    // Constructors: they must not run in the server.
    ("a constructor ends the server", "CONSTRUCTOR { if (is_served()) _exit(0); }", ""),
    ("a constructor never ends in the server", "CONSTRUCTOR { if (is_served()) for (;;) pause(); }", ""),
    ("a constructor cuts the arena", "CONSTRUCTOR { for (int fd = 3; fd < 400; fd++) ftruncate(fd, 0); }", ""),
    (
        "a constructor writes replies",
        r#"CONSTRUCTOR {
            char bytes[64] = "AAAA";
            for (int fd = 3; fd < 400; fd++) for (int n = 1; n < 64; n++) send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        }"#,
        "",
    ),
    ("a constructor closes everything", "CONSTRUCTOR { for (int fd = 0; fd < 400; fd++) close(fd); }", ""),
    (
        "a constructor is the server",
        r#"CONSTRUCTOR {
            unsigned ready = 0x504c5801; char command[4096], reply[24] = {0};
            if (send(192, &ready, 4, MSG_NOSIGNAL) != 4) return;
            while (read(191, command, sizeof command) > 0) { send(192, reply, sizeof reply, MSG_NOSIGNAL); if (fork() == 0) for (;;); }
            _exit(0);
        }"#,
        "",
    ),
    (
        "a function before all constructors",
        r#"static void early(void) { if (fcntl(192, F_GETFD) >= 0) _exit(0); }
        __attribute__((section(".preinit_array"), used)) static void (*entry)(void) = early;"#,
        "",
    ),
    (
        "a constructor sets limits",
        r#"CONSTRUCTOR {
            struct rlimit few = {16, 16}, small = {4096, 4096};
            setrlimit(RLIMIT_NOFILE, &few); setrlimit(RLIMIT_FSIZE, &small); signal(SIGCHLD, SIG_IGN);
            sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0);
        }"#,
        "",
    ),
    (
        "a constructor leaves a daemon",
        r#"CONSTRUCTOR {
            prctl(PR_SET_CHILD_SUBREAPER, 0);
            if (fork() == 0) { setsid(); if (fork() == 0) { for (int s = 1; s < 64; s++) signal(s, SIG_IGN); for (;;) pause(); } _exit(0); }
            wait(0);
        }"#,
        "",
    ),
    // The runtime is linked into the program: its names and its state are there.
    (
        "functions in the place of those that the server calls",
        r#"int kill(pid_t p, int s) { return 0; }
        pid_t waitpid(pid_t p, int *s, int o) { errno = ECHILD; return -1; }
        int sigtimedwait(const sigset_t *s, siginfo_t *i, const struct timespec *t) { errno = EAGAIN; return -1; }
        ssize_t send(int fd, const void *b, size_t n, int f) { return n; }
        int raise(int s) { return 0; }
        int madvise(void *p, size_t n, int a) { return 0; }"#,
        "",
    ),
    (
        "second names of functions that the server calls",
        r#"static int nothing(void) { return 0; }
        int setrlimit(__rlimit_resource_t r, const struct rlimit *l) __attribute__((alias("nothing")));
        pid_t setsid(void) __attribute__((alias("nothing")));"#,
        "",
    ),
    (
        "names of the runtime",
        r#"extern char __plx_counters[] __attribute__((weak)), __plx_stays __attribute__((weak));
        extern void __plx_stage_mark(void *, void (*)(void)) __attribute__((weak));
        int __plx_probe = 7;"#,
        "if (__plx_counters) memset(__plx_counters, 255, 4096); if (__plx_stage_mark) __plx_stage_mark(malloc(100000), abort);",
    ),
    (
        "the word that a run has ended, and on",
        r#"static void forge(unsigned char *at, unsigned long len) { if (len == 4096) { ((unsigned *)at)[1] = 1; ((unsigned *)at)[2] = 512; } }"#,
        r#"if (argc > 1 && argv[1][0] == 'g') { each_shared(forge); syscall(SYS_kill, getpid(), SIGSTOP); rename("../work", "../aside"); symlink(VICTIM, "../work"); }"#,
    ),
    (
        "the word that a run has not started",
        r#"static void forge(unsigned char *at, unsigned long len) { if (len == 4096) { ((unsigned *)at)[0] = 2; ((unsigned *)at)[3] = 1; } }"#,
        "each_shared(forge);",
    ),
    (
        "garbage in the trace on some inputs",
        r#"static void garble(unsigned char *at, unsigned long len) { memset(at, 0xa5, len < 9000 ? len : 9000); }"#,
        "if (argc > 1 && argv[1][0] == 'g') each_shared(garble);",
    ),
    (
        "code that is changed while it runs",
        "__attribute__((noinline)) static int answer(void) { return 1; }",
        r#"unsigned char *code = (void *)answer; syscall(SYS_mprotect, (unsigned long)code & ~4095ul, 8192, 7);
        memcpy(code, "\xb8\x09\0\0\0\xc3", 6);"#,
    ),
    ("a run that begins anew", "static ucontext_t again; static int times;", "getcontext(&again); if (times++ < 3) setcontext(&again);"),
    (
        "a filter of its own",
        "",
        r#"struct { unsigned short code; unsigned char yes, no; unsigned k; } steps[] = {{32, 0, 0, 0}, {21, 0, 1, SYS_kill}, {6, 0, 0, 0x50001}, {6, 0, 0, 0x7fff0000}};
        struct { unsigned short len; void *steps; } program = {4, steps};
        syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); syscall(SYS_prctl, PR_SET_SECCOMP, 2, &program, 0, 0);"#,
    ),
    // Processes that act while directories are looked at and emptied.
    (
        "a daemon that swaps directories for links",
        "",
        r#"if (syscall(SYS_fork) == 0) { setsid(); if (syscall(SYS_fork) == 0)
            for (;;) { mkdir("d", 0700); rename("d", "e"); symlink(VICTIM, "d"); unlink("d"); rename("e", "d"); } _exit(0); }"#,
    ),
    ("processes that follow each other without end", "", "if (syscall(SYS_fork) == 0) for (;;) { if (syscall(SYS_fork)) _exit(0); setsid(); }"),
    // The directory of the run.
    (
        "directories and streams that are exchanged",
        "",
        r#"syscall(SYS_renameat2, AT_FDCWD, "../work", AT_FDCWD, "../tmp", 2);
        syscall(SYS_renameat2, AT_FDCWD, "../io/stdout", AT_FDCWD, "../io/stdin", 2);"#,
    ),
    (
        "links and pipes in the place of streams",
        "",
        r#"unlink("../io/stdout"); symlink(VICTIM "/file", "../io/stdout"); unlink("../io/stdin"); mkfifo("../io/stdin", 0600);"#,
    ),
    (
        "names of any kind and a file of terabytes",
        "",
        r#"char name[64]; for (int i = 1; i < 20; i++) { sprintf(name, "a\nb\033[31m%c%d\xff", i, i); close(open(name, O_CREAT | O_WRONLY, 0)); symlink("x\n\xff", name + 1); }
        signal(SIGXFSZ, SIG_IGN); int f = open("big", O_CREAT | O_WRONLY, 0600); ftruncate(f, 1L << 42); pwrite(f, "x", 1, 1L << 41); ftruncate(1, 1L << 40);"#,
    ),
    (
        "nobody may look",
        "",
        r#"umask(0777); mkdir("y", 0700); close(open("y/f", O_CREAT | O_WRONLY, 0)); chmod("y", 0); chmod(".", 0); chmod("../io", 0); chmod("../tmp", 0); chmod("..", 0);"#,
    ),
    ("all descriptors written to, closed and used up", "", r#"for (int fd = 0; fd < 1024; fd++) { write(fd, "\1\0\0\0\0\0\0\0", 8); close(fd); } while (open("/dev/null", O_RDWR) >= 0);"#),
    (
        "signals to everybody on some inputs",
        "",
        "if (argc > 1 && argv[1][0] == 'g') { syscall(SYS_kill, 1, SIGKILL); syscall(SYS_kill, -1, SIGKILL); } syscall(SYS_kill, getppid(), SIGCHLD);",
    ),
];
