/* The reading side of stdio.
 *
 * In: glibc's real FILE. Bytes are taken from its buffer by plain loads, so they keep the labels
 * in the buffer's shadow; only refilling is left to the real libc, after which the runtime labels
 * the buffer. Out: the bytes, with labels. Always holds: position, flags and buffer of the stream
 * are those that the real functions would have left.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The real ones, which end the program when a buffer is too small. */
char *__fgets_chk(char *dst, size_t size, int n, FILE *fp);
char *__fgets_unlocked_chk(char *dst, size_t size, int n, FILE *fp);
size_t __fread_chk(void *dst, size_t room, size_t size, size_t count, FILE *fp);
size_t __fread_unlocked_chk(void *dst, size_t room, size_t size, size_t count, FILE *fp);

int __plx_io_fill(FILE *fp) {
    if (fp->_IO_read_ptr < fp->_IO_read_end)
        return 0;
    /* Pushed-back bytes are used up, but the main buffer still has labelled bytes. */
    int labelled = (fp->_flags & PLX_IN_BACKUP) && fp->_IO_save_base < fp->_IO_save_end;
    /* The real function may write out what this stream or stdout has pending. */
    if (fp->_flags & PLX_PUTTING)
        __plx_io_report(fp);
    if (fp->_flags & (PLX_UNBUFFERED | PLX_LINE_BUFFERED))
        __plx_io_report(stdout);
    int c = __underflow(fp);
    if (c == EOF) {
        if (!(fp->_flags & PLX_ERR_SEEN))
            __plx_stream_ended(fp);
        return EOF;
    }
    if (!labelled)
        __plx_stream_filled(fp);
    return 0;
}

/* Called by code that <stdio.h> inlines for getc_unlocked and getchar_unlocked. */
int MODEL(__uflow)(FILE *fp) {
    return plx_getc(fp);
}

int MODEL(__underflow)(FILE *fp) {
    return __plx_io_fill(fp) == EOF ? EOF : *(unsigned char *)fp->_IO_read_ptr;
}

int MODEL(fgetc)(FILE *fp) {
    int locked = plx_lock(fp);
    int c = plx_getc(fp);
    plx_unlock(fp, locked);
    return c;
}

int MODEL(getc)(FILE *fp) { return MODEL(fgetc)(fp); }
int MODEL(_IO_getc)(FILE *fp) { return MODEL(fgetc)(fp); }
int MODEL(getchar)(void) { return MODEL(fgetc)(stdin); }
int MODEL(fgetc_unlocked)(FILE *fp) { return plx_getc(fp); }
int MODEL(getc_unlocked)(FILE *fp) { return plx_getc(fp); }
int MODEL(getchar_unlocked)(void) { return plx_getc(stdin); }

int __plx_io_unread(FILE *fp, int c) {
    char *old_ptr = fp->_IO_read_ptr, *old_end = fp->_IO_read_end;
    int was_backup = fp->_flags & PLX_IN_BACKUP;
    /* The real function may switch a writing stream to reading. */
    if (fp->_flags & PLX_PUTTING)
        __plx_io_report(fp);
    int result = ungetc(c, fp);
    if (result == EOF)
        return EOF;
    if (was_backup && fp->_IO_read_end != old_end) {
        /* The area for pushed-back bytes was full and has moved. */
        size_t kept = old_end - old_ptr;
        __plx_copy_labels(fp->_IO_read_end - kept, old_ptr, kept);
    }
    /* The byte is there already: this store brings its label. */
    *fp->_IO_read_ptr = (char)c;
    return (unsigned char)c;
}

int MODEL(ungetc)(int c, FILE *fp) {
    if (c == EOF)
        return EOF;
    int locked = plx_lock(fp);
    int result = __plx_io_unread(fp, c);
    plx_unlock(fp, locked);
    return result;
}

/* Length of the piece p[0..n) up to and including the first `delim`; n if there is none. */
static size_t piece(const char *p, size_t n, int delim, int *found) {
    *found = 0;
    if (!__plx_symbolic(p, n) && !__plx_symbolic_value(delim)) {
        const char *at = memchr(p, delim, n);
        *found = at != NULL;
        return at ? (size_t)(at - p) + 1 : n;
    }
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)p[i] == (unsigned char)delim) {
            *found = 1;
            return i + 1;
        }
    }
    return n;
}

/* `checked`: as __fgets_chk, which finds nothing to read where there is no room. */
static char *get_line(char *dst, int n, FILE *fp, int checked) {
    if (n <= 0)
        return NULL;
    if (n == 1 && !checked) {
        dst[0] = '\0';
        return dst;
    }
    /* As glibc does even where its buffer has enough. */
    if (fp->_mode == 0)
        fwide(fp, -1);
    /* An earlier error must not be taken for one of this call. */
    int old_error = fp->_flags & PLX_ERR_SEEN;
    fp->_flags &= ~PLX_ERR_SEEN;
    size_t room = (size_t)n - 1, got = 0;
    int found = 0;
    while (room > 0 && !found && __plx_io_fill(fp) != EOF) {
        size_t have = fp->_IO_read_end - fp->_IO_read_ptr;
        size_t len = piece(fp->_IO_read_ptr, have < room ? have : room, '\n', &found);
        __builtin_memcpy(dst + got, fp->_IO_read_ptr, len);
        fp->_IO_read_ptr += len;
        got += len;
        room -= len;
    }
    int failed = (fp->_flags & PLX_ERR_SEEN) && errno != EAGAIN;
    fp->_flags |= old_error;
    if (got == 0 || failed)
        return NULL;
    dst[got] = '\0';
    return dst;
}

static char *locked_line(char *dst, int n, FILE *fp, int checked) {
    int locked = plx_lock(fp);
    char *result = get_line(dst, n, fp, checked);
    plx_unlock(fp, locked);
    return result;
}

char *MODEL(fgets)(char *dst, int n, FILE *fp) { return locked_line(dst, n, fp, 0); }
char *MODEL(fgets_unlocked)(char *dst, int n, FILE *fp) { return get_line(dst, n, fp, 0); }
char *MODEL(__fgets_chk)(char *dst, size_t size, int n, FILE *fp) {
    return n > 0 && (size_t)n > size ? __fgets_chk(dst, size, n, fp) : locked_line(dst, n, fp, 1);
}
char *MODEL(__fgets_unlocked_chk)(char *dst, size_t size, int n, FILE *fp) {
    return n > 0 && (size_t)n > size ? __fgets_unlocked_chk(dst, size, n, fp)
                                     : get_line(dst, n, fp, 1);
}

/* What the buffer cannot give: the real function reads straight into dst; labels come from the
 * place in the file. */
static size_t read_direct(char *dst, size_t want, FILE *fp) {
    int was_error = fp->_flags & PLX_ERR_SEEN;
    fp->_flags &= ~PLX_ERR_SEEN;
    size_t got = fread_unlocked(dst, 1, want, fp);
    size_t ahead = fp->_IO_read_end - fp->_IO_read_ptr;
    if (got > 0 && fp->_fileno >= 0) {
        int saved = errno;
        int64_t now = lseek(fp->_fileno, 0, SEEK_CUR);
        errno = saved;
        __plx_fd_read(fp->_fileno, dst, got, now < 0 ? -1 : now - (int64_t)(ahead + got));
    } else if (got > 0) {
        __plx_clear_labels(dst, got);
    }
    if (ahead > 0)
        __plx_stream_filled(fp);
    if (got < want && !(fp->_flags & PLX_ERR_SEEN))
        __plx_stream_ended(fp);
    fp->_flags |= was_error;
    return got;
}

static size_t read_bytes(char *dst, size_t want, FILE *fp) {
    size_t got = 0;
    while (got < want) {
        size_t have = fp->_IO_read_end - fp->_IO_read_ptr, left = want - got;
        if (have > 0) {
            size_t n = have < left ? have : left;
            __builtin_memcpy(dst + got, fp->_IO_read_ptr, n);
            fp->_IO_read_ptr += n;
            got += n;
        } else if (fp->_flags & PLX_IN_BACKUP && fp->_IO_save_base < fp->_IO_save_end) {
            /* Back to the main buffer, which has more. fread gives a stream no orientation. */
            int mode = fp->_mode;
            if (__plx_io_fill(fp) == EOF)
                break;
            fp->_mode = mode;
        } else if (!(fp->_flags & PLX_IN_BACKUP) && fp->_IO_buf_base &&
                   left < (size_t)(fp->_IO_buf_end - fp->_IO_buf_base)) {
            if (__plx_io_fill(fp) == EOF)
                break;
        } else {
            if (fp->_flags & PLX_PUTTING)
                __plx_io_report(fp);
            return got + read_direct(dst + got, left, fp);
        }
    }
    return got;
}

size_t MODEL(fread_unlocked)(void *dst, size_t size, size_t count, FILE *fp) {
    size_t want = size * count;
    if (want == 0)
        return 0;
    size_t got = read_bytes(dst, want, fp);
    return got == want ? count : got / size;
}

size_t MODEL(fread)(void *dst, size_t size, size_t count, FILE *fp) {
    int locked = plx_lock(fp);
    size_t got = MODEL(fread_unlocked)(dst, size, count, fp);
    plx_unlock(fp, locked);
    return got;
}

size_t MODEL(__fread_chk)(void *dst, size_t room, size_t size, size_t count, FILE *fp) {
    size_t want;
    if (__builtin_mul_overflow(size, count, &want) || want > room)
        return __fread_chk(dst, room, size, count, fp);
    return MODEL(fread)(dst, size, count, fp);
}
size_t MODEL(__fread_unlocked_chk)(void *dst, size_t room, size_t size, size_t count, FILE *fp) {
    size_t want;
    if (__builtin_mul_overflow(size, count, &want) || want > room)
        return __fread_unlocked_chk(dst, room, size, count, fp);
    return MODEL(fread_unlocked)(dst, size, count, fp);
}

/* Makes room for `needed` bytes; the sizes asked for are glibc's, programs see them in *room. */
static int grow(char **line, size_t *room, size_t needed) {
    if (needed <= *room)
        return 0;
    if (needed < 2 * *room)
        needed = 2 * *room;
    char *moved = realloc(*line, needed);
    if (!moved)
        return -1;
    *line = moved;
    *room = needed;
    return 0;
}

static ssize_t get_delimited(char **line, size_t *room, int delim, FILE *fp) {
    enum { FIRST_SIZE = 120 };
    if (*line == NULL || *room == 0) {
        char *fresh = realloc(*line, FIRST_SIZE);
        if (!fresh)
            return -1;
        *line = fresh;
        *room = FIRST_SIZE;
    }
    if (__plx_io_fill(fp) == EOF)
        return -1;
    size_t got = 0;
    int found = 0;
    do {
        size_t len = piece(fp->_IO_read_ptr, fp->_IO_read_end - fp->_IO_read_ptr, delim, &found);
        if (SSIZE_MAX - got < len) {
            errno = EOVERFLOW;
            return -1;
        }
        if (grow(line, room, got + len + 1) < 0)
            return -1;
        __builtin_memcpy(*line + got, fp->_IO_read_ptr, len);
        fp->_IO_read_ptr += len;
        got += len;
    } while (!found && __plx_io_fill(fp) != EOF);
    (*line)[got] = '\0';
    return (ssize_t)got;
}

ssize_t MODEL(getdelim)(char **line, size_t *room, int delim, FILE *fp) {
    if (!line || !room) {
        errno = EINVAL;
        return -1;
    }
    int locked = plx_lock(fp);
    /* As in glibc: a stream with an earlier error gives no line. */
    ssize_t result = ferror_unlocked(fp) ? -1 : get_delimited(line, room, delim, fp);
    plx_unlock(fp, locked);
    return result;
}

ssize_t MODEL(__getdelim)(char **line, size_t *room, int delim, FILE *fp) {
    return MODEL(getdelim)(line, room, delim, fp);
}
ssize_t MODEL(getline)(char **line, size_t *room, FILE *fp) {
    return MODEL(getdelim)(line, room, '\n', fp);
}

/* Moving in a stream writes pending bytes out and may read a block. */
static void moved(FILE *fp) {
    if (!(fp->_flags & (PLX_PUTTING | PLX_IN_BACKUP)) && fp->_IO_read_base < fp->_IO_read_end)
        __plx_stream_filled(fp);
    __plx_io_reported(fp);
}

int MODEL(fseek)(FILE *fp, long offset, int whence) {
    __plx_io_report(fp);
    int result = fseek(fp, offset, whence);
    moved(fp);
    return result;
}
int MODEL(fseeko)(FILE *fp, off_t offset, int whence) {
    __plx_io_report(fp);
    int result = fseeko(fp, offset, whence);
    moved(fp);
    return result;
}
int MODEL(fseeko64)(FILE *fp, off_t offset, int whence) {
    return MODEL(fseeko)(fp, offset, whence);
}
int MODEL(fsetpos)(FILE *fp, const fpos_t *pos) {
    __plx_io_report(fp);
    int result = fsetpos(fp, pos);
    moved(fp);
    return result;
}
int MODEL(fsetpos64)(FILE *fp, const fpos_t *pos) { return MODEL(fsetpos)(fp, pos); }
void MODEL(rewind)(FILE *fp) {
    __plx_io_report(fp);
    rewind(fp);
    moved(fp);
}
