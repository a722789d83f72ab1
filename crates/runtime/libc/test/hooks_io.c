/* The input and output hooks of plx.h for native tests; see hooks_io.h.
 *
 * Always holds: a byte that a model asks to have labelled is compared with the byte of the file
 * that it is said to come from.
 */
#define _GNU_SOURCE
#include "hooks_io.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned hook_filled, hook_ended, hook_fd_reads;
static int recorded_fd = -1;
static char *recorded;
static size_t recorded_used, recorded_room;

void record_output(int fd) {
    recorded_fd = fd;
    recorded_used = 0;
}

const char *recorded_output(size_t *n) {
    *n = recorded_used;
    return recorded;
}

void __plx_output(int fd, const void *p, size_t n) {
    if (fd != recorded_fd)
        return;
    if (recorded_used + n > recorded_room) {
        recorded_room = 2 * (recorded_used + n);
        recorded = realloc(recorded, recorded_room);
    }
    memcpy(recorded + recorded_used, p, n);
    recorded_used += n;
}

/* The n bytes at p are said to be those of the file at this offset. */
static void check_origin(const char *hook, int fd, const char *p, size_t n, int64_t at) {
    char piece[512];
    for (size_t done = 0; done < n;) {
        size_t part = n - done < sizeof piece ? n - done : sizeof piece;
        ssize_t got = pread(fd, piece, part, at + (int64_t)done);
        if (got <= 0 || memcmp(piece, p + done, (size_t)got) != 0) {
            failure("%s: %zu bytes at %p do not come from offset %lld", hook, n, (const void *)p,
                    (long long)at);
            return;
        }
        done += (size_t)got;
    }
}

static int is_regular(int fd) {
    struct stat info;
    return fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

void __plx_stream_filled(FILE *stream) {
    hook_filled++;
    int saved = errno;
    int fd = fileno(stream);
    size_t n = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);
    if (is_regular(fd))
        check_origin("__plx_stream_filled", fd, stream->_IO_read_ptr, n,
                     lseek(fd, 0, SEEK_CUR) - (int64_t)n);
    errno = saved;
}

void __plx_stream_ended(FILE *stream) {
    hook_ended++;
    if (!feof(stream))
        failure("__plx_stream_ended: the stream is not at its end");
}

void __plx_fd_read(int fd, void *p, size_t n, int64_t at) {
    hook_fd_reads++;
    int saved = errno;
    if (is_regular(fd))
        check_origin("__plx_fd_read", fd, p, n, at >= 0 ? at : lseek(fd, 0, SEEK_CUR) - (int64_t)n);
    errno = saved;
}
