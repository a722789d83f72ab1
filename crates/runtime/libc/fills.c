/* Functions that fill the caller's memory with what is no input: file status, times, limits.
 *
 * In: the program's call. Out: the real call; the memory that it filled becomes concrete, a
 * symbolic path that it was given is an escape. Always holds: result and errno are the real ones.
 * A file's size depends on the length of an input, which is not a variable: it is concrete.
 */
#define _GNU_SOURCE
#include "plx.h"
#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static void path(const char *name, const char *p) {
    if (p)
        __plx_escape(name, p, strlen(p) + 1);
}

/* A function with result type `type` that fills *(out), if it is not null, when `ok` holds of
 * `result`. `first` runs before the call. */
#define FILLS(type, name, parameters, arguments, out, ok, first)                                   \
    type MODEL(name) parameters {                                                                  \
        first;                                                                                     \
        type result = name arguments;                                                              \
        if ((out) && (ok))                                                                         \
            __plx_clear_labels((void *)(out), sizeof *(out));                                      \
        return result;                                                                             \
    }

#define STATS(name, info)                                                                          \
    FILLS(int, name, (const char *p, struct info *out), (p, out), out, result == 0, path(#name, p))
#define STATS_FD(name, info)                                                                       \
    FILLS(int, name, (int fd, struct info *out), (fd, out), out, result == 0, )
#define STATS_AT(name, info)                                                                       \
    FILLS(int, name, (int fd, const char *p, struct info *out, int flags), (fd, p, out, flags),    \
          out, result == 0, path(#name, p))

STATS(stat, stat)
STATS(stat64, stat64)
STATS(lstat, stat)
STATS(lstat64, stat64)
STATS_FD(fstat, stat)
STATS_FD(fstat64, stat64)
STATS_FD(tcgetattr, termios)
STATS_AT(fstatat, stat)
STATS_AT(fstatat64, stat64)
FILLS(int, statx, (int fd, const char *p, int flags, unsigned mask, struct statx *out),
      (fd, p, flags, mask, out), out, result == 0, path("statx", p))

FILLS(time_t, time, (time_t * out), (out), out, result != (time_t)-1, )
FILLS(int, gettimeofday, (struct timeval * out, void *zone), (out, zone), out, result == 0, )
FILLS(int, clock_gettime, (clockid_t id, struct timespec *out), (id, out), out, result == 0, )
FILLS(int, clock_getres, (clockid_t id, struct timespec *out), (id, out), out, result == 0, )
FILLS(int, timespec_get, (struct timespec * out, int base), (out, base), out, result != 0, )
FILLS(int, getrlimit, (__rlimit_resource_t what, struct rlimit *out), (what, out), out,
      result == 0, )
FILLS(int, getrlimit64, (__rlimit_resource_t what, struct rlimit64 *out), (what, out), out,
      result == 0, )
FILLS(int, uname, (struct utsname * out), (out), out, result == 0, )
FILLS(int, getitimer, (__itimer_which_t which, struct itimerval *out), (which, out), out,
      result == 0, )
FILLS(int, sigprocmask, (int how, const sigset_t *set, sigset_t *out), (how, set, out), out,
      result == 0, )
FILLS(int, sigpending, (sigset_t * out), (out), out, result == 0, )
FILLS(int, sigaltstack, (const stack_t *stack, stack_t *out), (stack, out), out, result == 0, )

int MODEL(pipe)(int ends[2]) {
    int result = pipe(ends);
    if (result == 0)
        __plx_clear_labels(ends, 2 * sizeof *ends);
    return result;
}
int MODEL(pipe2)(int ends[2], int flags) {
    int result = pipe2(ends, flags);
    if (result == 0)
        __plx_clear_labels(ends, 2 * sizeof *ends);
    return result;
}

int MODEL(poll)(struct pollfd *fds, nfds_t count, int timeout) {
    int result = poll(fds, count, timeout);
    for (nfds_t i = 0; result >= 0 && i < count; i++)
        __plx_clear_labels(&fds[i].revents, sizeof fds[i].revents);
    return result;
}

int MODEL(select)(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout) {
    int result = select(count, in, out, except, timeout);
    fd_set *sets[] = {in, out, except};
    for (int i = 0; i < 3; i++)
        if (sets[i])
            __plx_clear_labels(sets[i], sizeof *sets[i]);
    if (timeout)
        __plx_clear_labels(timeout, sizeof *timeout);
    return result;
}

/* Broken-down time is computed from a number: its label is lost here. */
#define BREAKS_DOWN(name)                                                                          \
    struct tm *MODEL(name##_r)(const time_t *when, struct tm *out) {                               \
        __plx_escape(#name "_r", when, sizeof *when);                                              \
        struct tm *result = name##_r(when, out);                                                   \
        if (result)                                                                                \
            __plx_clear_labels(out, sizeof *out);                                                  \
        return result;                                                                             \
    }                                                                                              \
    struct tm *MODEL(name)(const time_t *when) {                                                   \
        __plx_escape(#name, when, sizeof *when);                                                   \
        struct tm *result = name(when);                                                            \
        if (result)                                                                                \
            __plx_clear_labels(result, sizeof *result);                                            \
        return result;                                                                             \
    }
BREAKS_DOWN(gmtime)
BREAKS_DOWN(localtime)

time_t MODEL(mktime)(struct tm *when) {
    __plx_escape("mktime", when, sizeof *when);
    time_t result = mktime(when);
    __plx_clear_labels(when, sizeof *when);
    return result;
}

size_t MODEL(strftime)(char *dst, size_t room, const char *format, const struct tm *when) {
    __plx_escape("strftime", format, strlen(format) + 1);
    __plx_escape("strftime", when, sizeof *when);
    size_t n = strftime(dst, room, format, when);
    if (n > 0 || room > 0)
        __plx_clear_labels(dst, n < room ? n + 1 : room);
    return n;
}

ssize_t MODEL(readlink)(const char *p, char *dst, size_t room) {
    path("readlink", p);
    ssize_t n = readlink(p, dst, room);
    if (n > 0)
        __plx_clear_labels(dst, (size_t)n);
    return n;
}
ssize_t MODEL(readlinkat)(int fd, const char *p, char *dst, size_t room) {
    path("readlinkat", p);
    ssize_t n = readlinkat(fd, p, dst, room);
    if (n > 0)
        __plx_clear_labels(dst, (size_t)n);
    return n;
}

char *MODEL(getcwd)(char *dst, size_t room) {
    char *result = getcwd(dst, room);
    if (result)
        __plx_clear_labels(result, strlen(result) + 1);
    return result;
}
char *MODEL(realpath)(const char *p, char *dst) {
    path("realpath", p);
    char *result = realpath(p, dst);
    if (result)
        __plx_clear_labels(result, strlen(result) + 1);
    return result;
}
int MODEL(gethostname)(char *dst, size_t room) {
    int result = gethostname(dst, room);
    if (result == 0)
        __plx_clear_labels(dst, strnlen(dst, room));
    return result;
}
struct dirent *MODEL(readdir)(DIR *dir) {
    struct dirent *entry = readdir(dir);
    if (entry)
        __plx_clear_labels(entry, entry->d_reclen);
    return entry;
}
struct dirent64 *MODEL(readdir64)(DIR *dir) {
    struct dirent64 *entry = readdir64(dir);
    if (entry)
        __plx_clear_labels(entry, entry->d_reclen);
    return entry;
}
