/* Input and output on file descriptors.
 *
 * In: the program's system calls. Out: the real call; bytes that came from an input get their
 * labels, bytes that were written become an output event, memory that the kernel filled with
 * anything else becomes concrete. Always holds: arguments, result and errno are the real ones.
 *
 * An output event is made after the real write, with the bytes that it took: after a partial
 * write the program writes the rest again.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The real ones, which end the program when a buffer is too small. */
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t room);

/* `got` of `wanted` bytes were read to p. */
static ssize_t was_read(int fd, void *p, size_t wanted, ssize_t got, int64_t at) {
    if (got < 0 || wanted == 0)
        return got;
    int error = errno;
    __plx_fd_read(fd, p, (size_t)got, at);
    errno = error;
    return got;
}

ssize_t MODEL(read)(int fd, void *p, size_t n) { return was_read(fd, p, n, read(fd, p, n), -1); }
ssize_t MODEL(pread)(int fd, void *p, size_t n, off_t at) {
    return was_read(fd, p, n, pread(fd, p, n, at), at);
}
ssize_t MODEL(pread64)(int fd, void *p, size_t n, off_t at) { return MODEL(pread)(fd, p, n, at); }
ssize_t MODEL(__read_chk)(int fd, void *p, size_t n, size_t room) {
    return was_read(fd, p, n, __read_chk(fd, p, n, room), -1);
}
ssize_t MODEL(__pread_chk)(int fd, void *p, size_t n, off_t at, size_t room) {
    return was_read(fd, p, n, __pread_chk(fd, p, n, at, room), at);
}
ssize_t MODEL(__pread64_chk)(int fd, void *p, size_t n, off_t at, size_t room) {
    return was_read(fd, p, n, __pread64_chk(fd, p, n, at, room), at);
}

static size_t total(const struct iovec *parts, int count) {
    size_t n = 0;
    for (int i = 0; i < count; i++)
        n += parts[i].iov_len;
    return n;
}

/* `got` bytes were scattered over the parts; `at` as in __plx_fd_read, but -1: unknown. */
static ssize_t were_read(int fd, const struct iovec *parts, int count, ssize_t got, int64_t at) {
    if (got < 0 || total(parts, count) == 0)
        return got;
    int error = errno;
    if (got == 0)
        __plx_fd_read(fd, parts[0].iov_base, 0, at);
    size_t left = (size_t)got;
    for (int i = 0; i < count && left > 0; i++) {
        size_t n = parts[i].iov_len < left ? parts[i].iov_len : left;
        if (n > 0)
            __plx_fd_read(fd, parts[i].iov_base, n, at);
        if (at >= 0)
            at += (int64_t)n;
        left -= n;
    }
    errno = error;
    return got;
}

ssize_t MODEL(readv)(int fd, const struct iovec *parts, int count) {
    ssize_t got = readv(fd, parts, count);
    int error = errno;
    int64_t now = got > 0 ? lseek(fd, 0, SEEK_CUR) : -1;
    errno = error;
    return were_read(fd, parts, count, got, now < 0 ? -1 : now - got);
}
ssize_t MODEL(preadv)(int fd, const struct iovec *parts, int count, off_t at) {
    return were_read(fd, parts, count, preadv(fd, parts, count, at), at);
}
ssize_t MODEL(preadv64)(int fd, const struct iovec *parts, int count, off_t at) {
    return MODEL(preadv)(fd, parts, count, at);
}

static ssize_t was_written(int fd, const void *p, ssize_t put) {
    if (put > 0)
        __plx_output(fd, p, (size_t)put);
    return put;
}

ssize_t MODEL(write)(int fd, const void *p, size_t n) { return was_written(fd, p, write(fd, p, n)); }
ssize_t MODEL(pwrite)(int fd, const void *p, size_t n, off_t at) {
    return was_written(fd, p, pwrite(fd, p, n, at));
}
ssize_t MODEL(pwrite64)(int fd, const void *p, size_t n, off_t at) {
    return MODEL(pwrite)(fd, p, n, at);
}

static ssize_t were_written(int fd, const struct iovec *parts, int count, ssize_t put) {
    size_t left = put > 0 ? (size_t)put : 0;
    for (int i = 0; i < count && left > 0; i++) {
        size_t n = parts[i].iov_len < left ? parts[i].iov_len : left;
        if (n > 0)
            __plx_output(fd, parts[i].iov_base, n);
        left -= n;
    }
    return put;
}

ssize_t MODEL(writev)(int fd, const struct iovec *parts, int count) {
    return were_written(fd, parts, count, writev(fd, parts, count));
}
ssize_t MODEL(pwritev)(int fd, const struct iovec *parts, int count, off_t at) {
    return were_written(fd, parts, count, pwritev(fd, parts, count, at));
}
ssize_t MODEL(pwritev64)(int fd, const struct iovec *parts, int count, off_t at) {
    return MODEL(pwritev)(fd, parts, count, at);
}

/* Sockets are no inputs, but they are read from and written to. */
ssize_t MODEL(recv)(int fd, void *p, size_t n, int flags) {
    ssize_t got = recv(fd, p, n, flags);
    if (got > 0)
        __plx_clear_labels(p, (size_t)got);
    return got;
}
ssize_t MODEL(recvfrom)(int fd, void *p, size_t n, int flags, struct sockaddr *from,
                        socklen_t *length) {
    socklen_t room = from && length ? *length : 0;
    ssize_t got = recvfrom(fd, p, n, flags, from, length);
    if (got > 0)
        __plx_clear_labels(p, (size_t)got);
    if (got >= 0 && room > 0) {
        __plx_clear_labels(from, *length < room ? *length : room);
        __plx_clear_labels(length, sizeof *length);
    }
    return got;
}
ssize_t MODEL(send)(int fd, const void *p, size_t n, int flags) {
    return was_written(fd, p, send(fd, p, n, flags));
}
ssize_t MODEL(sendto)(int fd, const void *p, size_t n, int flags, const struct sockaddr *to,
                      socklen_t length) {
    return was_written(fd, p, sendto(fd, p, n, flags, to, length));
}

/* The kernel copies between descriptors: the bytes are shown to the runtime as if the program had
 * read and written them, in pieces; one escape says so if any of them is symbolic. */
static void was_copied(const char *name, int in, int out, int64_t from, size_t n) {
    enum { PIECE = 4096 };
    char bytes[PIECE];
    int error = errno;
    while (from >= 0 && n > 0) {
        ssize_t got = pread(in, bytes, n < PIECE ? n : PIECE, from);
        if (got <= 0)
            break;
        __plx_fd_read(in, bytes, (size_t)got, from);
        __plx_escape(name, bytes, (size_t)got);
        __plx_output(out, bytes, (size_t)got);
        from += got;
        n -= (size_t)got;
    }
    errno = error;
}

/* The offset at which such a call will read. */
static int64_t copy_offset(int in, const off_t *at) {
    int error = errno;
    int64_t offset = at ? (int64_t)*at : (int64_t)lseek(in, 0, SEEK_CUR);
    errno = error;
    return offset;
}

ssize_t MODEL(sendfile)(int out, int in, off_t *at, size_t n) {
    int64_t from = copy_offset(in, at);
    ssize_t put = sendfile(out, in, at, n);
    if (put > 0)
        was_copied("sendfile", in, out, from, (size_t)put);
    return put;
}
ssize_t MODEL(sendfile64)(int out, int in, off_t *at, size_t n) {
    return MODEL(sendfile)(out, in, at, n);
}
ssize_t MODEL(copy_file_range)(int in, off_t *in_at, int out, off_t *out_at, size_t n,
                               unsigned flags) {
    int64_t from = copy_offset(in, in_at);
    ssize_t put = copy_file_range(in, in_at, out, out_at, n, flags);
    if (put > 0)
        was_copied("copy_file_range", in, out, from, (size_t)put);
    return put;
}
ssize_t MODEL(splice)(int in, off_t *in_at, int out, off_t *out_at, size_t n, unsigned flags) {
    int64_t from = copy_offset(in, in_at);
    ssize_t put = splice(in, in_at, out, out_at, n, flags);
    if (put > 0)
        was_copied("splice", in, out, from, (size_t)put);
    return put;
}

/* Fresh memory is concrete; that of a file has the labels of the file. */
void *MODEL(mmap)(void *where, size_t n, int protection, int flags, int fd, off_t at) {
    void *p = mmap(where, n, protection, flags, fd, at);
    if (p == MAP_FAILED)
        return p;
    __plx_clear_labels(p, n);
    struct stat info;
    int error = errno;
    if (!(flags & MAP_ANONYMOUS) && (protection & PROT_READ) && fstat(fd, &info) == 0 &&
        info.st_size > at) {
        size_t left = (size_t)(info.st_size - at);
        __plx_fd_read(fd, p, n < left ? n : left, at);
    }
    errno = error;
    return p;
}
void *MODEL(mmap64)(void *where, size_t n, int protection, int flags, int fd, off_t at) {
    return MODEL(mmap)(where, n, protection, flags, fd, at);
}
int MODEL(munmap)(void *p, size_t n) {
    int result = munmap(p, n);
    if (result == 0)
        __plx_clear_labels(p, n);
    return result;
}

/* The fifth argument counts only with MREMAP_FIXED. */
void *MODEL(mremap)(void *old, size_t old_size, size_t size, int flags, ...) {
    void *wanted = NULL;
    if (flags & MREMAP_FIXED) {
        va_list args;
        va_start(args, flags);
        wanted = va_arg(args, void *);
        va_end(args);
    }
    void *p = mremap(old, old_size, size, flags, wanted);
    if (p != MAP_FAILED && p != old) {
        size_t kept = old_size < size ? old_size : size;
        __plx_copy_labels(p, old, kept);
        __plx_clear_labels(old, old_size);
    }
    return p;
}
