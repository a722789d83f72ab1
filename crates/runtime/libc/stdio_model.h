/* What the stdio models share: glibc's stream flags, cheap locking, and the two directions of a
 * stream.
 *
 * In: the program's own FILE objects, as glibc laid them out. Out: the same objects, with labels
 * on the bytes of their buffers. Always holds: a model leaves a FILE in a state that the real
 * functions, un-modelled libraries and code inlined from <stdio.h> can go on with.
 */
#ifndef PLX_STDIO_MODEL_H
#define PLX_STDIO_MODEL_H

#include "plx.h"
#include <stdarg.h>

/* Flags of glibc's FILE that its public headers do not name. */
enum {
    PLX_UNBUFFERED = 0x0002,
    PLX_NO_WRITES = 0x0008,
    PLX_EOF_SEEN = 0x0010,
    PLX_ERR_SEEN = 0x0020,
    PLX_IN_BACKUP = 0x0100,
    PLX_LINE_BUFFERED = 0x0200,
    PLX_PUTTING = 0x0800,
    /* In _flags2: a second thread exists. */
    PLX_NEED_LOCK = 128,
};

int __underflow(FILE *);

/* glibc takes no lock before the first thread is created; neither do the models. */
static inline int plx_lock(FILE *fp) {
    if (!(fp->_flags2 & PLX_NEED_LOCK))
        return 0;
    flockfile(fp);
    return 1;
}
static inline void plx_unlock(FILE *fp, int locked) {
    if (locked)
        funlockfile(fp);
}

/* stdio_read.c: the buffer is empty; make the next byte available with its label. EOF or 0. */
int __plx_io_fill(FILE *fp);
/* stdio_read.c: ungetc without the lock. */
int __plx_io_unread(FILE *fp, int c);

static inline int plx_getc(FILE *fp) {
    if (fp->_IO_read_ptr >= fp->_IO_read_end && __plx_io_fill(fp) == EOF)
        return EOF;
    return *(unsigned char *)fp->_IO_read_ptr++;
}

/* stdio_write.c: n bytes at p go to the stream: output event, then the real write.
 * The number of bytes that the real libc took. */
size_t __plx_io_put(FILE *fp, const void *p, size_t n);
/* stdio_write.c: is this a stream of open_memstream? */
int __plx_io_in_memory(FILE *fp);
/* stdio_write.c: bytes that inlined code stored into the stream's buffer become output events. */
void __plx_io_report(FILE *fp);
/* stdio_write.c: what is in the stream's buffer now has been reported. */
void __plx_io_reported(FILE *fp);
/* stdio_write.c: all streams; also called when the process ends. */
void __plx_report_streams(void);

/* The length of s, at most max: its bytes are looked at one by one where they are symbolic, so
 * that the place of the terminator is on the path condition. */
size_t __plx_io_length(const char *s, size_t max);

/* printf.c: writes formatted bytes to a stream, a descriptor or memory. */
struct plx_sink {
    /* Takes the collected bytes; 0 or -1. Null: memory, `buf` is the destination. */
    int (*flush)(struct plx_sink *sink);
    FILE *fp;
    int fd;
    char *buf;
    size_t used, room;
    /* Bytes formatted so far, also those for which there was no room. */
    size_t total;
};
int __plx_io_format(struct plx_sink *sink, const char *format, va_list args);

int MODEL(vfprintf)(FILE *fp, const char *format, va_list args);
int MODEL(fprintf)(FILE *fp, const char *format, ...);

#endif
