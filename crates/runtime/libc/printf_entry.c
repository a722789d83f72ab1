/* The functions of the printf family: each gives the formatter a sink.
 *
 * In: the program's call. Out: bytes in memory with labels, or output events and the real write.
 * Always holds: a stream or descriptor gets its bytes through the real libc.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* glibc's end of a program that overruns a buffer. */
void __chk_fail(void) __attribute__((noreturn));

/* Bytes of formatted text that become one output event. */
enum { CHUNK = 4096 };

/* Into the memory of a stream of open_memstream. */
static int flush_to_stream(struct plx_sink *sink) {
    size_t n = sink->used;
    sink->used = 0;
    return __plx_io_put(sink->fp, sink->buf, n) == n ? 0 : -1;
}

static int flush_to_events(struct plx_sink *sink) {
    if (sink->used > 0)
        __plx_output(sink->fd, sink->buf, sink->used);
    sink->used = 0;
    return 0;
}

/* Output events for what the format makes of the arguments. */
static void tell(int fd, const char *format, va_list args) {
    char chunk[CHUNK];
    struct plx_sink sink = {.flush = flush_to_events, .fd = fd, .buf = chunk, .room = sizeof chunk};
    int error = errno;
    __plx_io_format(&sink, format, args);
    flush_to_events(&sink);
    errno = error;
}

static int print_to_memory(FILE *fp, const char *format, va_list args) {
    char chunk[CHUNK];
    struct plx_sink sink = {.flush = flush_to_stream, .fp = fp, .buf = chunk, .room = sizeof chunk};
    int result = __plx_io_format(&sink, format, args);
    return sink.used > 0 && flush_to_stream(&sink) < 0 ? -1 : result;
}

/* The formatter tells what is printed; the real function prints it, because its buffering, and so
 * what is left of the output after a crash, depends on the pieces in which it writes. */
int MODEL(vfprintf)(FILE *fp, const char *format, va_list args) {
    if (!format || (fp->_flags & PLX_NO_WRITES) || fp->_mode > 0)
        return vfprintf(fp, format, args);
    int locked = plx_lock(fp);
    int result;
    if (__plx_io_in_memory(fp)) {
        result = print_to_memory(fp, format, args);
    } else {
        __plx_io_report(fp);
        if (fp->_fileno >= 0)
            tell(fp->_fileno, format, args);
        result = vfprintf(fp, format, args);
        __plx_io_reported(fp);
    }
    plx_unlock(fp, locked);
    return result;
}

int MODEL(vdprintf)(int fd, const char *format, va_list args) {
    int error = errno;
    int is_open = fcntl(fd, F_GETFD) >= 0;
    errno = error;
    if (is_open)
        tell(fd, format, args);
    return vdprintf(fd, format, args);
}

int MODEL(vsnprintf)(char *dst, size_t size, const char *format, va_list args) {
    struct plx_sink sink = {.buf = dst, .room = size ? size - 1 : 0};
    int result = __plx_io_format(&sink, format, args);
    if (size)
        dst[sink.used] = '\0';
    return result;
}

int MODEL(vsprintf)(char *dst, const char *format, va_list args) {
    return MODEL(vsnprintf)(dst, SIZE_MAX, format, args);
}

/* The sink's own memory is full: more of it. */
static int grow_memory(struct plx_sink *sink) {
    char *more = realloc(sink->buf, 2 * sink->room + 1);
    if (!more)
        return -1;
    sink->buf = more;
    sink->room *= 2;
    return 0;
}

int MODEL(vasprintf)(char **dst, const char *format, va_list args) {
    enum { FIRST_ROOM = 100 };
    struct plx_sink sink = {.flush = grow_memory, .room = FIRST_ROOM};
    sink.buf = malloc(FIRST_ROOM + 1);
    if (!sink.buf)
        return -1;
    int result = __plx_io_format(&sink, format, args);
    if (result < 0) {
        free(sink.buf);
        return result;
    }
    sink.buf[sink.used] = '\0';
    char *fitting = realloc(sink.buf, sink.used + 1);
    *dst = fitting ? fitting : sink.buf;
    return result;
}

int MODEL(vprintf)(const char *format, va_list args) {
    return MODEL(vfprintf)(stdout, format, args);
}

/* The variadic ones: `call` with `args` in scope. */
#define VARIADIC(declaration, last, call)                                                          \
    int declaration {                                                                              \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        int result = call;                                                                         \
        va_end(args);                                                                              \
        return result;                                                                             \
    }

VARIADIC(MODEL(printf)(const char *f, ...), f, MODEL(vfprintf)(stdout, f, args))
VARIADIC(MODEL(fprintf)(FILE *fp, const char *f, ...), f, MODEL(vfprintf)(fp, f, args))
VARIADIC(MODEL(dprintf)(int fd, const char *f, ...), f, MODEL(vdprintf)(fd, f, args))
VARIADIC(MODEL(sprintf)(char *s, const char *f, ...), f, MODEL(vsprintf)(s, f, args))
VARIADIC(MODEL(snprintf)(char *s, size_t n, const char *f, ...), f, MODEL(vsnprintf)(s, n, f, args))
VARIADIC(MODEL(asprintf)(char **s, const char *f, ...), f, MODEL(vasprintf)(s, f, args))
VARIADIC(MODEL(__asprintf)(char **s, const char *f, ...), f, MODEL(vasprintf)(s, f, args))

/* What _FORTIFY_SOURCE makes of the above. The check of %n in writable formats is left out. */
int MODEL(__vfprintf_chk)(FILE *fp, int flag, const char *f, va_list args) {
    (void)flag;
    return MODEL(vfprintf)(fp, f, args);
}
int MODEL(__vprintf_chk)(int flag, const char *f, va_list args) {
    (void)flag;
    return MODEL(vfprintf)(stdout, f, args);
}
int MODEL(__vdprintf_chk)(int fd, int flag, const char *f, va_list args) {
    (void)flag;
    return MODEL(vdprintf)(fd, f, args);
}
int MODEL(__vasprintf_chk)(char **s, int flag, const char *f, va_list args) {
    (void)flag;
    return MODEL(vasprintf)(s, f, args);
}
int MODEL(__vsnprintf_chk)(char *s, size_t n, int flag, size_t room, const char *f, va_list args) {
    (void)flag;
    if (room < n)
        __chk_fail();
    return MODEL(vsnprintf)(s, n, f, args);
}
int MODEL(__vsprintf_chk)(char *s, int flag, size_t room, const char *f, va_list args) {
    (void)flag;
    if (room == 0)
        __chk_fail();
    int n = MODEL(vsnprintf)(s, room, f, args);
    if (n >= 0 && (size_t)n >= room)
        __chk_fail();
    return n;
}
VARIADIC(MODEL(__fprintf_chk)(FILE *fp, int flag, const char *f, ...), f,
         MODEL(__vfprintf_chk)(fp, flag, f, args))
VARIADIC(MODEL(__printf_chk)(int flag, const char *f, ...), f,
         MODEL(__vprintf_chk)(flag, f, args))
VARIADIC(MODEL(__dprintf_chk)(int fd, int flag, const char *f, ...), f,
         MODEL(__vdprintf_chk)(fd, flag, f, args))
VARIADIC(MODEL(__asprintf_chk)(char **s, int flag, const char *f, ...), f,
         MODEL(__vasprintf_chk)(s, flag, f, args))
VARIADIC(MODEL(__snprintf_chk)(char *s, size_t n, int flag, size_t room, const char *f, ...), f,
         MODEL(__vsnprintf_chk)(s, n, flag, room, f, args))
VARIADIC(MODEL(__sprintf_chk)(char *s, int flag, size_t room, const char *f, ...), f,
         MODEL(__vsprintf_chk)(s, flag, room, f, args))
