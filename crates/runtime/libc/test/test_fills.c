/* fills.c against the real functions. Times differ from call to call: there the model's lies between
 * two of the real ones. */
#define _GNU_SOURCE
#include "harness.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SAME_FUNCTION(name) extern __typeof__(name) MODEL(name)
static const char *any_path(void) {
    static const char *const paths[] = {"/", "/etc/passwd", "/no/such", "", ".", "/dev/null"};
    return PICK(paths);
}
static int any_fd(void) { return once_in(3) ? -1 : (int)below(4); }

/* Both results with their memory, which starts as the same rubbish. */
#define FILLED(type, real, model)                                                                  \
    do {                                                                                           \
        type a, b;                                                                                 \
        memset(&a, 0x5a, sizeof a), memset(&b, 0x5a, sizeof b);                                    \
        SAME(real, model);                                                                         \
        check_bytes(#real, &a, &b, sizeof a);                                                      \
    } while (0)
#define STATS(name, info)                                                                          \
    SAME_FUNCTION(name);                                                                           \
    TEST(name) {                                                                                   \
        const char *p = any_path();                                                                \
        FILLED(struct info, name(p, &a), MODEL(name)(p, &b));                                      \
    }
STATS(stat, stat)
STATS(stat64, stat64)
STATS(lstat, stat)
STATS(lstat64, stat64)
#define STATS_FD(name, info)                                                                       \
    SAME_FUNCTION(name);                                                                           \
    TEST(name) {                                                                                   \
        int fd = any_fd();                                                                         \
        FILLED(struct info, name(fd, &a), MODEL(name)(fd, &b));                                    \
    }
STATS_FD(fstat, stat)
STATS_FD(fstat64, stat64)
STATS_FD(tcgetattr, termios)
#define STATS_AT(name, info)                                                                       \
    SAME_FUNCTION(name);                                                                           \
    TEST(name) {                                                                                   \
        const char *p = any_path();                                                                \
        int flags = once_in(2) ? 0 : AT_SYMLINK_NOFOLLOW;                                          \
        FILLED(struct info, name(AT_FDCWD, p, &a, flags), MODEL(name)(AT_FDCWD, p, &b, flags));    \
    }
STATS_AT(fstatat, stat)
STATS_AT(fstatat64, stat64)
SAME_FUNCTION(statx);
TEST(statx) {
    const char *p = any_path();
    FILLED(struct statx, statx(AT_FDCWD, p, 0, STATX_BASIC_STATS, &a),
           MODEL(statx)(AT_FDCWD, p, 0, STATX_BASIC_STATS, &b));
}

#define PLAIN(name, type, real, model)                                                             \
    SAME_FUNCTION(name);                                                                           \
    TEST(name) { FILLED(type, real, model); }
PLAIN(uname, struct utsname, uname(&a), MODEL(uname)(&b))
PLAIN(clock_getres, struct timespec, clock_getres(CLOCK_REALTIME, &a), MODEL(clock_getres)(CLOCK_REALTIME, &b))
PLAIN(getrlimit, struct rlimit, getrlimit(RLIMIT_NOFILE, &a), MODEL(getrlimit)(RLIMIT_NOFILE, &b))
PLAIN(getrlimit64, struct rlimit64, getrlimit64(RLIMIT_CORE, &a), MODEL(getrlimit64)(RLIMIT_CORE, &b))
PLAIN(getitimer, struct itimerval, getitimer(ITIMER_REAL, &a), MODEL(getitimer)(ITIMER_REAL, &b))
PLAIN(sigpending, sigset_t, sigpending(&a), MODEL(sigpending)(&b))
PLAIN(sigprocmask, sigset_t, sigprocmask(SIG_BLOCK, NULL, &a), MODEL(sigprocmask)(SIG_BLOCK, NULL, &b))
PLAIN(sigaltstack, stack_t, sigaltstack(NULL, &a), MODEL(sigaltstack)(NULL, &b))

/* A moment in nanoseconds by each function, between two by clock_gettime. */
static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
#define CLOCK(name, resolution, read)                                                              \
    SAME_FUNCTION(name);                                                                           \
    TEST(name) {                                                                                   \
        int64_t before = now(), t = 0;                                                             \
        read;                                                                                      \
        if (t + (resolution) < before || t > now() + (resolution))                                 \
            failure(#name ": not the time of day");                                                \
    }
CLOCK(time, 2000000000LL, { time_t v = 0; check_long("both", MODEL(time)(&v), v); t = v * 1000000000LL; })
CLOCK(gettimeofday, 1000, {
    struct timeval v;
    check_long("result", 0, MODEL(gettimeofday)(&v, NULL));
    t = v.tv_sec * 1000000000LL + v.tv_usec * 1000LL;
})
CLOCK(clock_gettime, 0, {
    struct timespec v;
    check_long("result", 0, MODEL(clock_gettime)(CLOCK_REALTIME, &v));
    t = v.tv_sec * 1000000000LL + v.tv_nsec;
})
CLOCK(timespec_get, 0, {
    struct timespec v;
    check_long("result", TIME_UTC, MODEL(timespec_get)(&v, TIME_UTC));
    t = v.tv_sec * 1000000000LL + v.tv_nsec;
})

/* Broken-down time. */
#define BREAKS_DOWN(name)                                                                          \
    SAME_FUNCTION(name);                                                                           \
    SAME_FUNCTION(name##_r);                                                                       \
    TEST(name##_r) {                                                                               \
        time_t when = (time_t)edge_int();                                                          \
        FILLED(struct tm, name##_r(&when, &a) == NULL, MODEL(name##_r)(&when, &b) == NULL);        \
    }                                                                                              \
    TEST(name) {                                                                                   \
        time_t when = (time_t)(int)edge_int();                                                     \
        struct tm a = *name(&when), b = *MODEL(name)(&when);                                       \
        check_bytes(#name, &a, &b, sizeof a);                                                      \
    }
BREAKS_DOWN(gmtime)
BREAKS_DOWN(localtime)
SAME_FUNCTION(mktime);
TEST(mktime) {
    struct tm a = {.tm_year = (int)below(300), .tm_mon = (int)below(30), .tm_mday = (int)below(60)}, b = a;
    SAME(mktime(&a), MODEL(mktime)(&b));
    check_bytes("normalised", &a, &b, sizeof a);
}
SAME_FUNCTION(strftime);
TEST(strftime) {
    static const char *const formats[] = {"%Y-%m-%d", "%c", "", "%s%%", "%A, %d. %B"};
    struct tm when = {.tm_year = (int)below(300), .tm_mon = (int)below(12), .tm_mday = 1 + (int)below(28)};
    const char *f = PICK(formats);
    size_t room = below(40);
    char a[40] = {0}, b[40] = {0};
    size_t n = 0;
    SAME(n = strftime(a, room, f, &when), MODEL(strftime)(b, room, f, &when));
    if (n > 0)
        check_text("text", a, b);
}

SAME_FUNCTION(readlink);
SAME_FUNCTION(readlinkat);
SAME_FUNCTION(getcwd);
SAME_FUNCTION(realpath);
SAME_FUNCTION(gethostname);
static char text[2][5000];
#define TEXT(name, real, model)                                                                    \
    TEST(name) {                                                                                   \
        const char *p = once_in(2) ? "/proc/self/exe" : any_path();                                \
        size_t room = below(200);                                                                  \
        memset(text, 0, sizeof text);                                                              \
        (void)p, (void)room;                                                                       \
        SAME(real, model);                                                                         \
        check_bytes(#name, text[0], text[1], sizeof text[0]);                                      \
    }
TEXT(readlink, readlink(p, text[0], room), MODEL(readlink)(p, text[1], room))
TEXT(readlinkat, readlinkat(AT_FDCWD, p, text[0], room), MODEL(readlinkat)(AT_FDCWD, p, text[1], room))
TEXT(getcwd, getcwd(text[0], room) == NULL, MODEL(getcwd)(text[1], room) == NULL)
TEXT(realpath, realpath(p, text[0]) == NULL, MODEL(realpath)(p, text[1]) == NULL)
TEXT(gethostname, gethostname(text[0], room), MODEL(gethostname)(text[1], room))

SAME_FUNCTION(pipe);
SAME_FUNCTION(pipe2);
#define PIPES(name, ...)                                                                           \
    TEST(name) {                                                                                   \
        int ends[2] = {-1, -1};                                                                    \
        char c = 0;                                                                                \
        check_long("result", 0, MODEL(name)(ends, ##__VA_ARGS__));                                 \
        check_long("written", 1, write(ends[1], "x", 1));                                          \
        check_long("read", 1, read(ends[0], &c, 1));                                               \
        close(ends[0]), close(ends[1]);                                                            \
    }
PIPES(pipe)
PIPES(pipe2, O_CLOEXEC)

SAME_FUNCTION(poll);
TEST(poll) {
    struct pollfd a[2] = {{.fd = any_fd(), .events = POLLOUT}, {.fd = 99, .events = POLLIN}}, b[2];
    memcpy(b, a, sizeof a);
    SAME(poll(a, 2, 0), MODEL(poll)(b, 2, 0));
    check_bytes("poll", a, b, sizeof a);
}
SAME_FUNCTION(select);
TEST(select) {
    fd_set a, b;
    struct timeval ta = {0, 0}, tb = {0, 0};
    int fd = once_in(4) ? 900 : 2;
    FD_ZERO(&a);
    FD_SET(fd, &a);
    b = a;
    SAME(select(fd + 1, NULL, &a, NULL, &ta), MODEL(select)(fd + 1, NULL, &b, NULL, &tb));
    check_bytes("select", &a, &b, sizeof a);
}
SAME_FUNCTION(readdir);
SAME_FUNCTION(readdir64);
#define LISTS(name)                                                                                \
    TEST(name) {                                                                                   \
        DIR *a = opendir("/etc"), *b = opendir("/etc");                                            \
        for (size_t n = below(10); n > 0; n--) {                                                   \
            struct dirent *x = (void *)name(a), *y = (void *)MODEL(name)(b);                       \
            check_text("entry", x ? x->d_name : NULL, y ? y->d_name : NULL);                       \
        }                                                                                          \
        closedir(a), closedir(b);                                                                  \
    }
LISTS(readdir)
LISTS(readdir64)
