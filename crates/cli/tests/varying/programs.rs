//! Programs whose output varies by itself: for each what it does, in a few statements of C.
//!
//! In a program, these statements are the body of `vary`, which runs on inputs with a `!` only (see `skeleton.c`).

/// Name and statements.
pub const PROGRAMS: &[(&str, &str)] = &[
    // Addresses.
    ("address of a function", r#"printf("at %p\n", (void *)main);"#),
    ("address of a local variable", r#"int x; printf("at %p\n", (void *)&x);"#),
    ("address of a block", r#"printf("%p\n", malloc(10));"#),
    ("address of a library function", r#"printf("%lx\n", (unsigned long)printf);"#),
    ("address as a decision", r#"puts((unsigned long)malloc(10) >> 12 & 1 ? "odd" : "even");"#),
    ("address as an exit status", r#"exit((unsigned long)main >> 12 & 7);"#),
    ("address decides a crash", r#"int x; if ((unsigned long)&x >> 8 & 1) abort();"#),
    ("address in a file", r#"FILE *f = fopen("out", "w"); fprintf(f, "%p\n", (void *)f); fclose(f);"#),
    (
        "address decides whether there is a file",
        r#"if ((unsigned long)malloc(1) >> 13 & 1) fclose(fopen("out", "w"));"#,
    ),
    (
        "name of a file by address",
        r#"char s[40]; sprintf(s, "out-%lx", (unsigned long)main >> 12); fclose(fopen(s, "w"));"#,
    ),
    ("top of the heap", r#"printf("%p\n", sbrk(0));"#),
    ("difference of addresses", r#"int x; printf("%ld\n", (long)((char *)&x - (char *)malloc(3)));"#),
    (
        "hash order by address",
        r#"char *p[8]; for (int i = 0; i < 8; i++) p[i] = malloc(40);
        for (int i = 0; i < 8; i++) for (int k = 0; k < 7; k++) if ((unsigned long)p[k] % 1009 > (unsigned long)p[k + 1] % 1009) { char *q = p[k]; p[k] = p[k + 1]; p[k + 1] = q; }
        for (int i = 0; i < 8; i++) printf("%ld ", (long)(p[i] - p[0])); puts("");"#,
    ),
    ("auxiliary vector", r#"printf("%lx %lx\n", getauxval(AT_RANDOM), getauxval(AT_SYSINFO_EHDR));"#),
    (
        "depth of the stack",
        r#"extern char **environ; printf("%ld\n", (long)((char *)environ - (char *)__builtin_frame_address(0)) & 0xfff);"#,
    ),
    // Time.
    ("seconds", r#"printf("%ld\n", (long)time(0));"#),
    ("parity of the second", r#"puts(time(0) & 1 ? "tick" : "tock");"#),
    (
        "microseconds",
        r#"struct timeval t; gettimeofday(&t, 0); printf("%ld.%06ld\n", (long)t.tv_sec, (long)t.tv_usec);"#,
    ),
    ("parity of the microsecond", r#"struct timeval t; gettimeofday(&t, 0); exit(t.tv_usec & 1);"#),
    (
        "monotonic clock",
        r#"struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf("up %ld.%09ld s\n", (long)t.tv_sec, t.tv_nsec);"#,
    ),
    ("processor time", r#"printf("%ld clocks\n", (long)clock());"#),
    (
        "time of a calculation",
        r#"struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); for (volatile int i = 0; i < 1000; i++); clock_gettime(CLOCK_MONOTONIC, &b); printf("took %ld ns\n", (b.tv_nsec - a.tv_nsec));"#,
    ),
    (
        "a calculation is slow",
        r#"struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); for (volatile int i = 0; i < 3000; i++); clock_gettime(CLOCK_MONOTONIC, &b); puts(b.tv_nsec - a.tv_nsec > 5000 ? "slow" : "fast");"#,
    ),
    ("date and time", r#"time_t t = time(0); printf("%s", ctime(&t));"#),
    ("time-stamp counter", r#"printf("%llu\n", (unsigned long long)__builtin_ia32_rdtsc());"#),
    ("parity of the time-stamp counter", r#"puts(__builtin_ia32_rdtsc() >> 4 & 1 ? "one" : "zero");"#),
    ("seed from the clock", r#"srand(time(0)); printf("%d\n", rand());"#),
    (
        "seed from the clock and process",
        r#"srand(time(0) ^ getpid() << 16); printf("dice %d %d\n", rand() % 6, rand() % 6);"#,
    ),
    ("up time", r#"FILE *f = fopen("/proc/uptime", "r"); char s[99]; puts(f && fgets(s, 99, f) ? s : "?");"#),
    (
        "system information",
        r#"struct sysinfo i; sysinfo(&i); printf("%ld up, %lu free, load %lu, %d processes\n", i.uptime, i.freeram, i.loads[0], i.procs);"#,
    ),
    // Processes and processors.
    ("process number", r#"printf("pid %d of %d\n", (int)getpid(), (int)getppid());"#),
    ("session and group", r#"printf("%d %d\n", (int)getsid(0), (int)getpgrp());"#),
    (
        "number of a child",
        r#"pid_t p = fork(); if (!p) _exit(0); waitpid(p, 0, 0); printf("child %d\n", (int)p);"#,
    ),
    ("number of a thread", r#"printf("%ld\n", (long)syscall(SYS_gettid));"#),
    ("processor", r#"printf("on %d\n", sched_getcpu());"#),
    ("parity of the processor", r#"exit(sched_getcpu() & 1);"#),
    (
        "processors that may be used",
        r#"cpu_set_t s; sched_getaffinity(0, sizeof s, &s); printf("%d\n", CPU_COUNT(&s));"#,
    ),
    (
        "priority and scheduling",
        r#"printf("%d %d %d\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), nice(0));"#,
    ),
    // Random numbers.
    ("random bytes", r#"unsigned x; getrandom(&x, sizeof x, 0); printf("%u\n", x);"#),
    (
        "random device",
        r#"unsigned char s[4]; FILE *f = fopen("/dev/urandom", "r"); fread(s, 1, 4, f); printf("%02x%02x\n", s[0], s[1]);"#,
    ),
    ("coin in the output", r#"puts(coin(2) ? "heads" : "tails");"#),
    ("coin in the exit status", r#"exit(coin(2));"#),
    ("coin in standard error", r#"if (coin(2)) fputs("warning: bad luck\n", stderr);"#),
    ("coin decides a crash", r#"if (coin(2)) abort();"#),
    ("coin decides which crash", r#"if (coin(2)) abort(); raise(SIGSEGV);"#),
    ("coin decides whether there is a file", r#"if (coin(2)) fclose(fopen("out", "w"));"#),
    (
        "coin in a file",
        r#"FILE *f = fopen("out", "w"); fprintf(f, "result: %d\n", (int)coin(2)); fclose(f);"#,
    ),
    ("coin decides the mode of a file", r#"fclose(fopen("out", "w")); chmod("out", coin(2) ? 0600 : 0644);"#),
    ("coin in the number of lines", r#"for (int i = coin(2); i >= 0; i--) puts("line");"#),
    ("coin of one in ten", r#"exit(coin(10) == 0);"#),
    ("coin of one in a hundred", r#"if (coin(100) == 0) puts("jackpot");"#),
    ("coin of four in five", r#"puts(coin(5) ? "usual" : "unusual");"#),
    ("die with six sides", r#"printf("rolled a %d, total %d\n", (int)coin(6) + 1, (int)coin(6) + 1);"#),
    ("sixteen coins", r#"for (int i = 0; i < 16; i++) puts(coin(2) ? "yes" : "no");"#),
    (
        "random word",
        r#"static const char *w[] = {"red", "dark blue", "3.5", "-7", "", "x=1"}; printf("colour: %s\n", w[coin(6)]);"#,
    ),
    ("random order", r#"int n = coin(6); for (int i = 0; i < 6; i++) printf("item %d\n", (i + n) % 6);"#),
    ("random number of many lengths", r#"printf("%lu\n", coin(1u << 30) >> coin(30));"#),
    (
        "random signed number and exponent",
        r#"printf("%g\n", ((double)coin(1000000) - 500000) / (1 + coin(100000)));"#,
    ),
    ("hang by chance", r#"if (coin(2)) for (;;) pause();"#),
    ("temporary name", r#"char s[] = "out-XXXXXX"; close(mkstemp(s)); puts(s);"#),
    // Memory that nobody has written.
    ("uninitialised stack", r#"dirty(3); garbage();"#),
    (
        "uninitialised stack as a decision",
        r#"volatile unsigned char b[64]; volatile unsigned char *p = b; puts(p[17] & 4 ? "set" : "clear");"#,
    ),
    (
        "sum of an uninitialised stack",
        r#"volatile unsigned char b[128]; volatile unsigned char *p = b; unsigned s = 0; for (int i = 0; i < 128; i++) s += p[i]; printf("%u\n", s);"#,
    ),
    (
        "uninitialised heap",
        r#"unsigned char *p = malloc(100); for (int i = 0; i < 100; i += 9) printf("%02x", p[i]); puts("");"#,
    ),
    (
        "memory after free",
        r#"char *p = malloc(100); strcpy(p, "a text that is freed"); free(p); printf("%.20s\n", (char *)opaque(p));"#,
    ),
    ("uninitialised heap as an exit status", r#"unsigned char *p = malloc(2000); exit(p[1000] & 1);"#),
    (
        "reused heap",
        r#"for (int i = 0; i < 20; i++) { char *q = malloc(200); memset(q, i, 200); free(opaque(q)); } unsigned char *p = malloc(200); printf("%d\n", p[100]);"#,
    ),
    // Threads and children.
    (
        "order of threads",
        r#"pthread_t t[4]; for (long i = 0; i < 4; i++) pthread_create(t + i, 0, thread_prints, (void *)i); for (int i = 0; i < 4; i++) pthread_join(t[i], 0);"#,
    ),
    (
        "race of threads",
        r#"pthread_t t[2]; for (long i = 0; i < 2; i++) pthread_create(t + i, 0, thread_counts, 0); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); printf("%d\n", counter);"#,
    ),
    (
        "first of two threads",
        r#"pthread_t t[2]; for (long i = 0; i < 2; i++) pthread_create(t + i, 0, thread_first, (void *)(i + 1)); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); exit(counter);"#,
    ),
    (
        "order of children",
        r#"for (int i = 0; i < 3; i++) if (!fork()) { printf("child %d\n", i); fflush(stdout); _exit(0); } while (wait(0) > 0);"#,
    ),
    // The machine, and what is ours.
    // Others that were tried: memory, files and processes.
    ("statistics of the allocator", r#"free(malloc(100000)); malloc_stats();"#),
    (
        "a record with gaps in a file",
        r#"struct { char c; long n; char d; } *s = malloc(sizeof *s); s->c = 1; s->n = 2; s->d = 3;
        FILE *f = fopen("record", "w"); fwrite(s, sizeof *s, 1, f); fclose(f);"#,
    ),
    (
        "end of a larger block",
        r#"char *p = malloc(10); memset(p, 65, 10); p = opaque(realloc(p, 3000));
        unsigned sum = 0; for (int i = 10; i < 3000; i++) sum += (unsigned char)p[i]; printf("%u\n", sum);"#,
    ),
    (
        "order of the numbers of files",
        r#"struct stat s[2]; fclose(fopen("p", "w")); fclose(fopen("q", "w")); stat("p", s); stat("q", s + 1);
        puts(s[0].st_ino % 7 < s[1].st_ino % 7 ? "p first" : "q first");"#,
    ),
    ("number of a directory as an exit status", r#"struct stat s; stat(".", &s); exit(s.st_ino % 5);"#),
    ("coin decides where a link leads", r#"symlink(coin(2) ? "one" : "two", "link");"#),
    ("coin of one in ten thousand", r#"puts(coin(10000) ? "usual" : "rare");"#),
    (
        "secret of the stack",
        r#"unsigned long c; __asm__ volatile("mov %%fs:0x28, %0" : "=r"(c)); printf("%lx\n", c);"#,
    ),
    (
        "processes that write to one pipe",
        r#"int p[2]; pipe(p);
        for (int i = 0; i < 3; i++) if (!fork()) { char c = 'a' + i; usleep(coin(200)); write(p[1], &c, 1); _exit(0); }
        close(p[1]); for (char c; read(p[0], &c, 1) == 1;) putchar(c); putchar('\n'); while (wait(0) > 0);"#,
    ),
    ("memory by kind", r#"cat("/proc/self/smaps_rollup"); cat("/proc/self/sched");"#),
    ("host name", r#"struct utsname u; uname(&u); printf("%s %s %s\n", u.nodename, u.release, u.version);"#),
    (
        "path of the program",
        r#"char s[4096] = ""; readlink("/proc/self/exe", s, 4095); printf("%s %zu\n", s, strlen(s));"#,
    ),
    (
        "path from the auxiliary vector",
        r#"char *s = (char *)getauxval(AT_EXECFN); printf("%s %zu\n", s, strlen(s));"#,
    ),
    (
        "file of the program",
        r#"struct stat s; stat("/proc/self/exe", &s); printf("%lu:%lu %ld %ld\n", (unsigned long)s.st_dev, (unsigned long)s.st_ino, (long)s.st_mtime, (long)s.st_ctime);"#,
    ),
    (
        "parity of the number of the program's file",
        r#"struct stat s; stat("/proc/self/exe", &s); exit(s.st_ino & 1);"#,
    ),
    ("maps", r#"cat("/proc/self/maps");"#),
    (
        "first line of the maps",
        r#"FILE *f = fopen("/proc/self/maps", "r"); char s[999]; if (f && fgets(s, 999, f)) printf("%s", s);"#,
    ),
    ("mounts", r#"cat("/proc/self/mounts");"#),
    ("mounts with their numbers", r#"cat("/proc/self/mountinfo");"#),
    ("status", r#"cat("/proc/self/status");"#),
    ("numbers of the process", r#"cat("/proc/self/stat");"#),
    ("size in pages", r#"cat("/proc/self/statm");"#),
    ("environment and arguments", r#"cat("/proc/self/environ"); cat("/proc/self/cmdline");"#),
    ("control groups and limits", r#"cat("/proc/self/cgroup"); cat("/proc/self/limits");"#),
    ("counters of input and output", r#"cat("/proc/self/io"); cat("/proc/self/schedstat");"#),
    (
        "namespaces",
        r#"const char *n[] = {"mnt", "pid", "ipc", "uts", "net", "user"}; for (int i = 0; i < 6; i++) { char p[40], s[99] = ""; sprintf(p, "/proc/self/ns/%s", n[i]); readlink(p, s, 98); puts(s); }"#,
    ),
    (
        "parity of a namespace",
        r#"struct stat s; stat("/proc/self/ns/mnt", &s); puts(s.st_ino / 5 & 1 ? "odd" : "even");"#,
    ),
    (
        "descriptors",
        r#"for (int i = 0; i < 3; i++) { char p[40], s[999] = ""; sprintf(p, "/proc/self/fd/%d", i); readlink(p, s, 998); puts(s); }"#,
    ),
    (
        "numbers of the standard streams",
        r#"struct stat s; for (int i = 0; i < 3; i++) { fstat(i, &s); printf("%lu:%lu\n", (unsigned long)s.st_dev, (unsigned long)s.st_ino); }"#,
    ),
    (
        "terminal or pipe",
        r#"struct stat s; fstat(1, &s); printf("%d %d %o\n", isatty(0), isatty(1), s.st_mode & S_IFMT);"#,
    ),
    (
        "page faults",
        r#"struct rusage u; getrusage(RUSAGE_SELF, &u); printf("%ld %ld faults, %ld %ld switches\n", u.ru_minflt, u.ru_majflt, u.ru_nvcsw, u.ru_nivcsw);"#,
    ),
    ("parity of page faults", r#"struct rusage u; getrusage(RUSAGE_SELF, &u); exit(u.ru_minflt & 1);"#),
    ("memory in use", r#"struct rusage u; getrusage(RUSAGE_SELF, &u); printf("%ld kB\n", u.ru_maxrss);"#),
    ("memory of the machine", r#"cat("/proc/meminfo"); cat("/proc/loadavg");"#),
    (
        "working directory",
        r#"char s[4096]; struct stat t; stat(".", &t); printf("%s %lu:%lu\n", getcwd(s, 4096), (unsigned long)t.st_dev, (unsigned long)t.st_ino);"#,
    ),
    (
        "directory",
        r#"DIR *d = opendir("."); struct dirent *e; fclose(fopen("b", "w")); fclose(fopen("a", "w")); while ((e = readdir(d))) printf("%s %lu\n", e->d_name, (unsigned long)e->d_ino);"#,
    ),
    (
        "directories above",
        r#"DIR *d = opendir(".."); struct dirent *e; while ((e = readdir(d))) puts(e->d_name);"#,
    ),
    (
        "times of a new file",
        r#"fclose(fopen("out", "w")); struct stat s; stat("out", &s); printf("%ld %ld %lu\n", (long)s.st_mtime, (long)s.st_ctim.tv_nsec, (unsigned long)s.st_ino);"#,
    ),
    (
        "users and mask",
        r#"mode_t m = umask(0); printf("%d %d %o %s\n", (int)getuid(), (int)getgid(), m, getenv("HOME"));"#,
    ),
    (
        "free space",
        r#"struct statvfs s; statvfs(".", &s); printf("%lu %lu %lu\n", (unsigned long)s.f_bfree, (unsigned long)s.f_ffree, (unsigned long)s.f_fsid);"#,
    ),
    // Near a limit.
    ("near the time-out", r#"usleep(900000 + coin(200000));"#),
    (
        "computes until near the time-out",
        r#"struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); do clock_gettime(CLOCK_MONOTONIC, &b); while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < 970);"#,
    ),
    (
        "near the memory limit",
        r#"size_t n = 1000u << 20; void *p = malloc(n + (coin(48) << 20)); puts(p ? "enough" : "not enough");"#,
    ),
];
