/* The writing side of stdio: output events with the labels of what is written.
 *
 * In: glibc's real FILE and the bytes that the program writes to it. Out: one event for every
 * modelled call, before the real libc gets the bytes. Code that <stdio.h> inlines (putc_unlocked)
 * stores into the stream's buffer without a call; such bytes carry their labels in the shadow of
 * the buffer. For every stream a mark says up to where its buffer has been reported; what lies
 * between the mark and the write pointer becomes an event at the next call that concerns the
 * stream: a write, __overflow (the inlined code calls it when the buffer is full), a flush, a
 * seek, a close, the end of the process (a handler of atexit).
 *
 * Always holds: for every descriptor the events, in order, hold the bytes that reach it, provided
 * that the stream is flushed; bytes that the process loses in a buffer (_exit, a crash) have
 * events too. Only bytes that are not reported yet carry labels in a stream's buffer, except in
 * streams of open_memstream, whose buffer is the program's memory.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <limits.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    FILE *fp;
    const char *mark;
    /* For a stream of open_memstream: where the program finds its memory. */
    char **memory;
};

/* One entry for every stream that was written to and is not closed. */
static struct stream *streams;
static size_t stream_count, stream_room, last_used;

static struct stream *find(FILE *fp) {
    if (last_used < stream_count && streams[last_used].fp == fp)
        return &streams[last_used];
    for (size_t i = 0; i < stream_count; i++) {
        if (streams[i].fp == fp) {
            last_used = i;
            return &streams[i];
        }
    }
    return NULL;
}

/* Null only if there is no memory: then inlined bytes are reported again rather than never. */
static struct stream *find_or_add(FILE *fp) {
    enum { FIRST_ROOM = 16 };
    struct stream *known = find(fp);
    if (known)
        return known;
    if (stream_count == stream_room) {
        size_t room = stream_room ? 2 * stream_room : FIRST_ROOM;
        struct stream *more = realloc(streams, room * sizeof *more);
        if (!more)
            return NULL;
        /* What inlined code has stored when the process ends is told then. */
        if (!streams)
            atexit(__plx_report_streams);
        streams = more;
        stream_room = room;
    }
    last_used = stream_count++;
    streams[last_used] = (struct stream){.fp = fp};
    return &streams[last_used];
}

static void forget(FILE *fp) {
    struct stream *known = find(fp);
    if (known)
        *known = streams[--stream_count];
}

static void emit(FILE *fp, const void *p, size_t n) {
    if (n > 0 && fp->_fileno >= 0 && !(fp->_flags & PLX_NO_WRITES))
        __plx_output(fp->_fileno, p, n);
}

void __plx_io_report(FILE *fp) {
    char *from = fp->_IO_write_base, *to = fp->_IO_write_ptr;
    struct stream *known = find(fp);
    if (!known && from >= to)
        return;
    if (known && known->mark >= from && known->mark <= to)
        from = (char *)known->mark;
    if (from >= to)
        return;
    emit(fp, from, to - from);
    if (!known)
        known = find_or_add(fp);
    if (known && !known->memory)
        __plx_clear_labels(from, to - from);
    if (known)
        known->mark = to;
}

void __plx_io_reported(FILE *fp) {
    struct stream *known = find_or_add(fp);
    if (known)
        known->mark = fp->_IO_write_ptr;
}

int __plx_io_in_memory(FILE *fp) {
    struct stream *known = find(fp);
    return known && known->memory;
}

void __plx_report_streams(void) {
    for (size_t i = 0; i < stream_count; i++)
        __plx_io_report(streams[i].fp);
}

/* What a call of the real libc must not lose: the labels in the memory of open_memstream. */
struct before {
    char *base;
    size_t used;
};

static struct before before_write(FILE *fp) {
    __plx_io_report(fp);
    return (struct before){fp->_IO_write_base, fp->_IO_write_ptr - fp->_IO_write_base};
}

/* `put` of the n bytes at p were written. */
static void after_write(FILE *fp, struct before old, const void *p, size_t put) {
    struct stream *known = find_or_add(fp);
    if (!known)
        return;
    if (known->memory) {
        if (fp->_IO_write_base != old.base)
            __plx_copy_labels(fp->_IO_write_base, old.base, old.used);
        __plx_copy_labels(fp->_IO_write_ptr - put, p, put);
    }
    known->mark = fp->_IO_write_ptr;
}

size_t __plx_io_put(FILE *fp, const void *p, size_t n) {
    struct before old = before_write(fp);
    emit(fp, p, n);
    size_t put = fwrite_unlocked(p, 1, n, fp);
    after_write(fp, old, p, put);
    return put;
}

size_t __plx_io_length(const char *s, size_t max) {
    size_t n = strnlen(s, max);
    if (!__plx_symbolic(s, n < max ? n + 1 : n))
        return n;
    n = 0;
    while (n < max && s[n] != '\0')
        n++;
    return n;
}

/* Called by code that <stdio.h> inlines for putc_unlocked and putchar_unlocked. */
int MODEL(__overflow)(FILE *fp, int c) {
    struct before old = before_write(fp);
    char byte = (char)c;
    if (c != EOF)
        emit(fp, &byte, 1);
    int result = __overflow(fp, c);
    after_write(fp, old, &byte, result != EOF && c != EOF);
    return result == EOF || c == EOF ? result : (unsigned char)c;
}

static int put_byte(int c, FILE *fp) {
    struct before old = before_write(fp);
    char byte = (char)c;
    emit(fp, &byte, 1);
    int result = fputc_unlocked(c, fp);
    after_write(fp, old, &byte, result != EOF);
    return result == EOF ? EOF : (unsigned char)c;
}

int MODEL(fputc)(int c, FILE *fp) {
    int locked = plx_lock(fp);
    int result = put_byte(c, fp);
    plx_unlock(fp, locked);
    return result;
}

int MODEL(putc)(int c, FILE *fp) { return MODEL(fputc)(c, fp); }
int MODEL(_IO_putc)(int c, FILE *fp) { return MODEL(fputc)(c, fp); }
int MODEL(putchar)(int c) { return MODEL(fputc)(c, stdout); }
int MODEL(fputc_unlocked)(int c, FILE *fp) { return put_byte(c, fp); }
int MODEL(putc_unlocked)(int c, FILE *fp) { return put_byte(c, fp); }
int MODEL(putchar_unlocked)(int c) { return put_byte(c, stdout); }

int MODEL(fputs_unlocked)(const char *s, FILE *fp) {
    size_t n = __plx_io_length(s, SIZE_MAX);
    struct before old = before_write(fp);
    emit(fp, s, n);
    int result = fputs_unlocked(s, fp);
    after_write(fp, old, s, result == EOF ? 0 : n);
    return result;
}

int MODEL(fputs)(const char *s, FILE *fp) {
    int locked = plx_lock(fp);
    int result = MODEL(fputs_unlocked)(s, fp);
    plx_unlock(fp, locked);
    return result;
}

int MODEL(puts)(const char *s) {
    int locked = plx_lock(stdout);
    size_t n = __plx_io_length(s, SIZE_MAX);
    before_write(stdout);
    emit(stdout, s, n);
    emit(stdout, "\n", 1);
    int result = puts(s);
    __plx_io_reported(stdout);
    plx_unlock(stdout, locked);
    return result;
}

size_t MODEL(fwrite_unlocked)(const void *p, size_t size, size_t count, FILE *fp) {
    size_t n = size * count;
    if (n == 0)
        return 0;
    struct before old = before_write(fp);
    emit(fp, p, n);
    size_t put = fwrite_unlocked(p, size, count, fp);
    after_write(fp, old, p, put == count ? n : 0);
    return put;
}

size_t MODEL(fwrite)(const void *p, size_t size, size_t count, FILE *fp) {
    int locked = plx_lock(fp);
    size_t put = MODEL(fwrite_unlocked)(p, size, count, fp);
    plx_unlock(fp, locked);
    return put;
}

int MODEL(fflush)(FILE *fp) {
    if (fp)
        __plx_io_report(fp);
    else
        __plx_report_streams();
    int result = fflush(fp);
    if (fp)
        __plx_io_reported(fp);
    return result;
}

int MODEL(fflush_unlocked)(FILE *fp) { return MODEL(fflush)(fp); }
void MODEL(_flushlbf)(void) {
    __plx_report_streams();
    _flushlbf();
}

FILE *MODEL(open_memstream)(char **memory, size_t *size) {
    FILE *fp = open_memstream(memory, size);
    struct stream *known = fp ? find_or_add(fp) : NULL;
    if (known) {
        *known = (struct stream){.fp = fp, .mark = fp->_IO_write_ptr, .memory = memory};
        __plx_clear_labels(fp->_IO_write_base, fp->_IO_buf_end - fp->_IO_buf_base);
    }
    return fp;
}

int MODEL(fclose)(FILE *fp) {
    struct before old = before_write(fp);
    struct stream *known = find(fp);
    char **memory = known ? known->memory : NULL;
    forget(fp);
    int result = fclose(fp);
    if (memory && *memory && *memory != old.base)
        __plx_copy_labels(*memory, old.base, old.used);
    return result;
}

int MODEL(pclose)(FILE *fp) {
    __plx_io_report(fp);
    forget(fp);
    return pclose(fp);
}

int MODEL(fcloseall)(void) {
    __plx_report_streams();
    return fcloseall();
}

FILE *MODEL(freopen)(const char *path, const char *mode, FILE *fp) {
    __plx_io_report(fp);
    forget(fp);
    if (path)
        __plx_escape("freopen", path, strlen(path) + 1);
    return freopen(path, mode, fp);
}
FILE *MODEL(freopen64)(const char *path, const char *mode, FILE *fp) {
    return MODEL(freopen)(path, mode, fp);
}

int MODEL(setvbuf)(FILE *fp, char *buf, int mode, size_t size) {
    __plx_io_report(fp);
    int result = setvbuf(fp, buf, mode, size);
    __plx_io_reported(fp);
    return result;
}
void MODEL(setbuf)(FILE *fp, char *buf) {
    __plx_io_report(fp);
    setbuf(fp, buf);
    __plx_io_reported(fp);
}
void MODEL(setbuffer)(FILE *fp, char *buf, size_t size) {
    __plx_io_report(fp);
    setbuffer(fp, buf, size);
    __plx_io_reported(fp);
}
void MODEL(setlinebuf)(FILE *fp) {
    __plx_io_report(fp);
    setlinebuf(fp);
    __plx_io_reported(fp);
}

/* Bytes that were not reported yet will never be written. */
void MODEL(__fpurge)(FILE *fp) {
    __fpurge(fp);
    __plx_io_reported(fp);
}
