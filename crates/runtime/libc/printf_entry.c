/* The functions of the printf family: each gives the formatter a sink.
 *
 * In: the program's call. Out: bytes in memory with labels, or output events and the real write.
 * Always holds: a stream or descriptor gets its bytes through the real libc.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *MODEL(realloc)(void *p, size_t n);
ssize_t MODEL(write)(int fd, const void *p, size_t n);
/* glibc's end of a program that overruns a buffer. */
void __chk_fail(void) __attribute__((noreturn));

/* Bytes of formatted text that become one output event. */
enum { CHUNK = 4096 };

static int flush_to_stream(struct plx_sink *sink) {
    size_t n = sink->used;
    sink->used = 0;
    return __plx_io_put(sink->fp, sink->buf, n) == n ? 0 : -1;
}

int MODEL(vfprintf)(FILE *fp, const char *format, va_list args) {
    /* A stream for wide characters takes no bytes. */
    if (fwide(fp, -1) >= 0)
        return -1;
    if (fp->_flags & PLX_NO_WRITES) {
        fp->_flags |= PLX_ERR_SEEN;
        errno = EBADF;
        return -1;
    }
    if (!format) {
        errno = EINVAL;
        return -1;
    }
    char chunk[CHUNK];
    struct plx_sink sink = {.flush = flush_to_stream, .fp = fp, .buf = chunk, .room = sizeof chunk};
    int locked = plx_lock(fp);
    int result = __plx_io_format(&sink, format, args);
    if (sink.used > 0) {
        int error = errno;
        if (flush_to_stream(&sink) < 0)
            result = -1;
        else
            errno = error;
    }
    plx_unlock(fp, locked);
    return result;
}

static int flush_to_descriptor(struct plx_sink *sink) {
    size_t done = 0;
    while (done < sink->used) {
        ssize_t n = MODEL(write)(sink->fd, sink->buf + done, sink->used - done);
        if (n < 0)
            return -1;
        done += n;
    }
    sink->used = 0;
    return 0;
}

int MODEL(vdprintf)(int fd, const char *format, va_list args) {
    int error = errno;
    if (lseek(fd, 0, SEEK_CUR) < 0 && errno != ESPIPE)
        return -1;
    errno = error;
    char chunk[CHUNK];
    struct plx_sink sink = {.flush = flush_to_descriptor, .fd = fd, .buf = chunk, .room = CHUNK};
    int result = __plx_io_format(&sink, format, args);
    return flush_to_descriptor(&sink) < 0 ? -1 : result;
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
    char *more = MODEL(realloc)(sink->buf, 2 * sink->room + 1);
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
    char *fitting = MODEL(realloc)(sink.buf, sink.used + 1);
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
