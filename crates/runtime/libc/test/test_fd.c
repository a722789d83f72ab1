/* fd.c against the real functions. */
#define _GNU_SOURCE
#include "hooks_io.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t MODEL(read)(int, void *, size_t), MODEL(pread)(int, void *, size_t, off_t),
    MODEL(pread64)(int, void *, size_t, off_t), MODEL(__read_chk)(int, void *, size_t, size_t),
    MODEL(__pread_chk)(int, void *, size_t, off_t, size_t),
    MODEL(__pread64_chk)(int, void *, size_t, off_t, size_t),
    MODEL(readv)(int, const struct iovec *, int), MODEL(preadv)(int, const struct iovec *, int, off_t),
    MODEL(preadv64)(int, const struct iovec *, int, off_t), MODEL(write)(int, const void *, size_t),
    MODEL(pwrite)(int, const void *, size_t, off_t), MODEL(pwrite64)(int, const void *, size_t, off_t),
    MODEL(writev)(int, const struct iovec *, int), MODEL(pwritev)(int, const struct iovec *, int, off_t),
    MODEL(pwritev64)(int, const struct iovec *, int, off_t), MODEL(recv)(int, void *, size_t, int),
    MODEL(recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *),
    MODEL(send)(int, const void *, size_t, int),
    MODEL(sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t),
    MODEL(sendfile)(int, int, off_t *, size_t), MODEL(sendfile64)(int, int, off_t *, size_t),
    MODEL(copy_file_range)(int, off_t *, int, off_t *, size_t, unsigned),
    MODEL(splice)(int, off_t *, int, off_t *, size_t, unsigned);
void *MODEL(mmap)(void *, size_t, int, int, int, off_t), *MODEL(mmap64)(void *, size_t, int, int, int, off_t),
    *MODEL(mremap)(void *, size_t, size_t, int, ...);
int MODEL(munmap)(void *, size_t);
ssize_t __read_chk(int, void *, size_t, size_t), __pread_chk(int, void *, size_t, off_t, size_t),
    __pread64_chk(int, void *, size_t, off_t, size_t);

enum { MOST = 6000 };
static int files[2] = {-1, -1};
static char content[MOST], bytes[2][MOST];

/* Two files with the same content; -1 as a descriptor now and then. */
static size_t prepare(size_t n) {
    for (size_t i = 0; i < n; i++)
        content[i] = (char)below(256);
    for (int i = 0; i < 2; i++) {
        if (files[i] < 0)
            files[i] = memfd_create("fd", 0);
        if (ftruncate(files[i], 0) != 0 || pwrite(files[i], content, n, 0) != (ssize_t)n)
            failure("a test file cannot be written");
        lseek(files[i], 0, SEEK_SET);
    }
    memset(bytes, 0x5a, sizeof bytes);
    record_output(files[1]);
    return n;
}

static void same_files(void) {
    check_long("position", lseek(files[0], 0, SEEK_CUR), lseek(files[1], 0, SEEK_CUR));
    check_long("size", lseek(files[0], 0, SEEK_END), lseek(files[1], 0, SEEK_END));
    char a[MOST], b[MOST];
    ssize_t n = pread(files[0], a, sizeof a, 0), m = pread(files[1], b, sizeof b, 0);
    check_bytes("file", a, b, (size_t)(n < m ? n : m));
}

/* Several calls in a row; `n` bytes at most, at offset `at`. */
#define READS(name, arguments_real, arguments_model)                                               \
    TEST(name) {                                                                                   \
        size_t size = prepare(below(MOST));                                                        \
        for (size_t i = 1 + below(4); i > 0; i--) {                                                \
            int bad = once_in(20);                                                                 \
            size_t n = once_in(9) ? 0 : below(MOST);                                               \
            off_t at = once_in(20) ? -1 : (off_t)below(size + 10);                                 \
            int fd[2] = {bad ? -1 : files[0], bad ? -1 : files[1]};                                \
            (void)at;                                                                              \
            unsigned before = hook_fd_reads;                                                       \
            ssize_t got = -1;                                                                      \
            SAME(got = name arguments_real, MODEL(name) arguments_model);                          \
            if (n > 0 && got >= 0 && hook_fd_reads == before)                                      \
                failure("%zd bytes read and no word of it", got);                                  \
            check_bytes("bytes read", bytes[0], bytes[1], MOST);                                   \
        }                                                                                          \
        same_files();                                                                              \
    }
READS(read, (fd[0], bytes[0], n), (fd[1], bytes[1], n))
READS(pread, (fd[0], bytes[0], n, at), (fd[1], bytes[1], n, at))
READS(pread64, (fd[0], bytes[0], n, at), (fd[1], bytes[1], n, at))
READS(__read_chk, (fd[0], bytes[0], n, MOST), (fd[1], bytes[1], n, MOST))
READS(__pread_chk, (fd[0], bytes[0], n, at, MOST), (fd[1], bytes[1], n, at, MOST))
READS(__pread64_chk, (fd[0], bytes[0], n, at, MOST), (fd[1], bytes[1], n, at, MOST))

enum { PARTS = 4 };
static struct iovec parts[2][PARTS];
/* n bytes in up to four parts, some of them empty. */
static int split(size_t n) {
    size_t from = 0;
    for (int i = 0; i < PARTS; i++) {
        size_t part = i == PARTS - 1 ? n - from : below(n - from + 1);
        for (int side = 0; side < 2; side++)
            parts[side][i] = (struct iovec){bytes[side] + from, part};
        from += part;
    }
    return PARTS;
}
READS(readv, (fd[0], parts[0], split(n)), (fd[1], parts[1], PARTS))
READS(preadv, (fd[0], parts[0], split(n), at), (fd[1], parts[1], PARTS, at))
READS(preadv64, (fd[0], parts[0], split(n), at), (fd[1], parts[1], PARTS, at))

/* The output events must be the bytes written, call after call. */
#define WRITES(name, arguments_real, arguments_model)                                              \
    TEST(name) {                                                                                   \
        prepare(below(100));                                                                       \
        for (size_t i = 0; i < MOST; i++)                                                          \
            bytes[0][i] = bytes[1][i] = (char)below(256);                                          \
        size_t wanted = 0;                                                                         \
        for (size_t i = 1 + below(3); i > 0; i--) {                                                \
            int bad = once_in(20);                                                                 \
            size_t n = once_in(9) ? 0 : below(1500), told;                                         \
            off_t at = once_in(20) ? -1 : (off_t)below(1000);                                      \
            int fd[2] = {bad ? -1 : files[0], bad ? -1 : files[1]};                                \
            (void)at;                                                                              \
            ssize_t put = -1;                                                                      \
            SAME(put = name arguments_real, MODEL(name) arguments_model);                          \
            const char *events = recorded_output(&told);                                           \
            if (put > 0)                                                                           \
                check_bytes("output event", bytes[1], events + wanted, (size_t)put);               \
            wanted += put > 0 ? (size_t)put : 0;                                                   \
            check_long("bytes in output events", (int64_t)wanted, (int64_t)told);                  \
        }                                                                                          \
        same_files();                                                                              \
    }
WRITES(write, (fd[0], bytes[0], n), (fd[1], bytes[1], n))
WRITES(pwrite, (fd[0], bytes[0], n, at), (fd[1], bytes[1], n, at))
WRITES(pwrite64, (fd[0], bytes[0], n, at), (fd[1], bytes[1], n, at))
WRITES(writev, (fd[0], parts[0], split(n)), (fd[1], parts[1], PARTS))
WRITES(pwritev, (fd[0], parts[0], split(n), at), (fd[1], parts[1], PARTS, at))
WRITES(pwritev64, (fd[0], parts[0], split(n), at), (fd[1], parts[1], PARTS, at))

/* One pair of sockets for each side. */
static int sockets[2][2];
static void open_sockets(void) {
    for (int i = 0; i < 2; i++)
        if (sockets[i][0] == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i]) != 0)
            failure("no sockets");
}
#define RECEIVES(name, more)                                                                       \
    TEST(name) {                                                                                   \
        open_sockets();                                                                            \
        char *s = any_string(0, 200);                                                              \
        size_t n = strlen(s), most = below(300);                                                   \
        for (int i = 0; i < 2; i++)                                                                \
            if (write(sockets[i][0], s, n) != (ssize_t)n)                                          \
                failure("a socket cannot be written");                                             \
        memset(bytes, 0x5a, sizeof bytes);                                                         \
        SAME(name(sockets[0][1], bytes[0], most, MSG_DONTWAIT more),                               \
             MODEL(name)(sockets[1][1], bytes[1], most, MSG_DONTWAIT more));                       \
        check_bytes("received", bytes[0], bytes[1], MOST);                                         \
        for (int i = 0; i < 2; i++)                                                                \
            while (recv(sockets[i][1], bytes[i], MOST, MSG_DONTWAIT) > 0)                          \
                ;                                                                                  \
    }
#define NOWHERE , NULL, NULL
#define TO_PEER , NULL, 0
RECEIVES(recv, )
RECEIVES(recvfrom, NOWHERE)
#define SENDS(name, more)                                                                          \
    TEST(name) {                                                                                   \
        open_sockets();                                                                            \
        record_output(sockets[1][0]);                                                              \
        char *s = any_string(0, 200);                                                              \
        size_t n = strlen(s), told;                                                                \
        SAME(name(sockets[0][0], s, n, 0 more), MODEL(name)(sockets[1][0], s, n, 0 more));         \
        const char *events = recorded_output(&told);                                               \
        check_long("bytes in output events", (int64_t)n, (int64_t)told);                           \
        check_bytes("output events", s, events, n);                                                \
        for (int i = 0; i < 2; i++)                                                                \
            while (recv(sockets[i][1], bytes[i], MOST, MSG_DONTWAIT) > 0)                          \
                ;                                                                                  \
    }
SENDS(send, )
SENDS(sendto, TO_PEER)

static int outputs[2] = {-1, -1};
/* From the files to two others. */
#define COPIES(name, arguments_real, arguments_model)                                              \
    TEST(name) {                                                                                   \
        size_t size = prepare(below(MOST)), n = below(MOST), told;                                 \
        for (int i = 0; i < 2; i++) {                                                              \
            if (outputs[i] < 0)                                                                    \
                outputs[i] = memfd_create("copy", 0);                                              \
            if (ftruncate(outputs[i], 0) != 0)                                                     \
                failure("a test file cannot be cut");                                              \
            lseek(outputs[i], 0, SEEK_SET);                                                        \
        }                                                                                          \
        record_output(outputs[1]);                                                                 \
        off_t at[2] = {(off_t)below(size + 1), 0};                                                 \
        at[1] = at[0];                                                                             \
        int own = once_in(2);                                                                      \
        SAME(name arguments_real, MODEL(name) arguments_model);                                    \
        check_long("offset", at[0], at[1]);                                                        \
        ssize_t a = pread(outputs[0], bytes[0], MOST, 0), b = pread(outputs[1], bytes[1], MOST, 0);\
        check_long("copied", a, b);                                                                \
        const char *events = recorded_output(&told);                                               \
        check_long("bytes in output events", b, (int64_t)told);                                    \
        check_bytes("output events", bytes[1], events, told);                                      \
        same_files();                                                                              \
    }
COPIES(sendfile, (outputs[0], files[0], own ? &at[0] : NULL, n),
       (outputs[1], files[1], own ? &at[1] : NULL, n))
COPIES(sendfile64, (outputs[0], files[0], own ? &at[0] : NULL, n),
       (outputs[1], files[1], own ? &at[1] : NULL, n))
COPIES(copy_file_range, (files[0], own ? &at[0] : NULL, outputs[0], NULL, n, 0),
       (files[1], own ? &at[1] : NULL, outputs[1], NULL, n, 0))
TEST(splice) {
    size_t size = prepare(1 + below(MOST - 1)), n = 1 + below(3000);
    int a[2], b[2];
    if (pipe(a) != 0 || pipe(b) != 0)
        failure("no pipes");
    off_t at[2] = {(off_t)below(size), 0};
    at[1] = at[0];
    record_output(b[1]);
    ssize_t moved = 0;
    SAME(moved = splice(files[0], &at[0], a[1], NULL, n, 0),
         MODEL(splice)(files[1], &at[1], b[1], NULL, n, 0));
    size_t told;
    recorded_output(&told);
    check_long("bytes in output events", moved, (int64_t)told);
    close(a[0]), close(a[1]), close(b[0]), close(b[1]);
}

#define MAPS(name)                                                                                 \
    TEST(name) {                                                                                   \
        size_t size = prepare(1 + below(MOST - 1));                                                \
        unsigned before = hook_fd_reads;                                                           \
        size_t n = 1 + below(2 * MOST);                                                            \
        off_t at = once_in(3) ? 4096 : once_in(9) ? 1 : 0;                                         \
        int fd = once_in(9) ? -1 : files[1], flags = once_in(9) ? MAP_ANONYMOUS : 0;               \
        char *a = mmap(NULL, n, PROT_READ, MAP_PRIVATE | flags, fd, at);                           \
        int real_errno = errno;                                                                    \
        char *b = MODEL(name)(NULL, n, PROT_READ, MAP_PRIVATE | flags, fd, at);                    \
        check_long("failed", a == MAP_FAILED, b == MAP_FAILED);                                    \
        if (a == MAP_FAILED) {                                                                     \
            check_long("errno", real_errno, errno);                                                \
            return;                                                                                \
        }                                                                                          \
        int has_bytes = !flags && at < (off_t)size;                                                \
        check_long("reads told", has_bytes, hook_fd_reads != before);                              \
        size_t there = has_bytes ? size - (size_t)at : 0;                                          \
        check_bytes("mapped", a, b, n < there ? n : there);                                        \
        SAME(munmap(a, n), MODEL(munmap)(b, n));                                                   \
    }
MAPS(mmap)
MAPS(mmap64)
TEST(munmap) {
    void *a = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *b = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int off = once_in(3);
    SAME(munmap((char *)a + off, 8192), MODEL(munmap)((char *)b + off, 8192));
    if (off)
        munmap(a, 8192), munmap(b, 8192);
}
TEST(mremap) {
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char text[100];
    for (size_t i = 0; i < sizeof text; i++)
        p[i] = text[i] = (char)below(256);
    size_t size = 4096 * (1 + below(20));
    char *q = MODEL(mremap)(p, 4096, size, MREMAP_MAYMOVE);
    if (q == MAP_FAILED)
        failure("mremap to %zu bytes: %s", size, strerror(errno));
    else
        check_bytes("kept", text, q, sizeof text), munmap(q, size);
}
