/* See streams.h. */
#define _GNU_SOURCE
#include "streams.h"
#include <sys/mman.h>
#include <unistd.h>

int MODEL(fclose)(FILE *);

enum { MOST_CONTENT = 20000 };
static int files[2] = {-1, -1};
static char *user_buffer[2];

size_t any_content(char *dst, size_t most) {
    static const char *const alphabets[] = {"ab\n", "0123456789 \n", "x", "a b\tc\n\r",
                                            "abcdefghijklmnopqrstuvwxyz\n", "+-0x1f9 .e,\n"};
    const char *alphabet = PICK(alphabets);
    size_t kinds = strlen(alphabet);
    size_t n = once_in(4) ? below(most + 1) : below(200);
    int all_bytes = once_in(5);
    for (size_t i = 0; i < n; i++)
        dst[i] = all_bytes ? (char)below(256) : alphabet[below(kinds)];
    return n;
}

/* A descriptor of its own, at the start of a file with this content. */
static int file_with(int which, const char *content, size_t n) {
    if (files[which] < 0)
        files[which] = memfd_create("stream", 0);
    if (ftruncate(files[which], 0) != 0 || pwrite(files[which], content, n, 0) != (ssize_t)n)
        failure("a test file cannot be written");
    lseek(files[which], 0, SEEK_SET);
    return dup(files[which]);
}

static int pipe_with(const char *content, size_t n) {
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], content, n) != (ssize_t)n)
        failure("a pipe cannot be filled");
    close(ends[1]);
    return ends[0];
}

struct pair open_pair(const char *content, size_t n, const char *mode, int allow_pipe) {
    struct pair p = {.is_pipe = allow_pipe && once_in(4)};
    int a = p.is_pipe ? pipe_with(content, n) : file_with(0, content, n);
    int b = p.is_pipe ? pipe_with(content, n) : file_with(1, content, n);
    if (p.is_pipe)
        mode = "r";
    p.real = fdopen(a, mode);
    p.model = fdopen(b, mode);
    set_buffering(&p);
    return p;
}

struct pair open_output_pair(const char *mode) {
    struct pair p = {.real = fdopen(file_with(0, "", 0), mode),
                     .model = fdopen(file_with(1, "", 0), mode)};
    set_buffering(&p);
    record_output(fileno(p.model));
    return p;
}

void set_buffering(struct pair *p) {
    static const int modes[] = {_IOFBF, _IOFBF, _IOLBF, _IONBF};
    if (once_in(3))
        return;
    int mode = PICK(modes);
    size_t size = once_in(2) ? 1 + below(64) : 1 + below(8192);
    for (int i = 0; i < 2; i++)
        user_buffer[i] = realloc(user_buffer[i], size);
    setvbuf(p->real, user_buffer[0], mode, size);
    setvbuf(p->model, user_buffer[1], mode, size);
}

void check_pair(const char *after, struct pair *p) {
    FILE *a = p->real, *b = p->model;
    char what[80];
    snprintf(what, sizeof what, "after %s: feof", after);
    check_long(what, feof(a), feof(b));
    snprintf(what, sizeof what, "after %s: ferror", after);
    check_long(what, ferror(a), ferror(b));
    snprintf(what, sizeof what, "after %s: orientation", after);
    check_long(what, fwide(a, 0), fwide(b, 0));
    snprintf(what, sizeof what, "after %s: bytes in the read buffer", after);
    check_long(what, a->_IO_read_end - a->_IO_read_ptr, b->_IO_read_end - b->_IO_read_ptr);
    snprintf(what, sizeof what, "after %s: bytes in the write buffer", after);
    check_long(what, a->_IO_write_ptr - a->_IO_write_base, b->_IO_write_ptr - b->_IO_write_base);
    if (p->is_pipe)
        return;
    snprintf(what, sizeof what, "after %s: position", after);
    check_long(what, ftell(a), ftell(b));
    snprintf(what, sizeof what, "after %s: position of the descriptor", after);
    check_long(what, lseek(fileno(a), 0, SEEK_CUR), lseek(fileno(b), 0, SEEK_CUR));
}

static size_t content_of(int which, char *dst) {
    ssize_t n = pread(files[which], dst, 2 * MOST_CONTENT, 0);
    return n < 0 ? 0 : (size_t)n;
}

static char content[2][2 * MOST_CONTENT];

static void close_both(struct pair *p, int (*model)(FILE *)) {
    int is_pipe = p->is_pipe;
    SAME(fclose(p->real), model(p->model));
    if (is_pipe)
        return;
    size_t a = content_of(0, content[0]), b = content_of(1, content[1]);
    check_long("size of the file", (int64_t)a, (int64_t)b);
    check_bytes("content of the file", content[0], content[1], a < b ? a : b);
}

void close_pair(struct pair *p) {
    close_both(p, MODEL(fclose));
}

void close_output_pair(struct pair *p) {
    close_both(p, MODEL(fclose));
    size_t written = content_of(1, content[1]), n;
    const char *events = recorded_output(&n);
    check_long("bytes in output events", (int64_t)written, (int64_t)n);
    check_bytes("output events", content[1], events, n < written ? n : written);
    record_output(-1);
}
