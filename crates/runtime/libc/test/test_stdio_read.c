/* stdio_read.c against the real functions: sessions of calls on two equal streams, in which the
 * function under test is frequent and everything else that moves a stream is mixed in. */
#define _GNU_SOURCE
#include "streams.h"
#include <unistd.h>

int MODEL(fgetc)(FILE *), MODEL(getc)(FILE *), MODEL(_IO_getc)(FILE *), MODEL(getchar)(void),
    MODEL(fgetc_unlocked)(FILE *), MODEL(getc_unlocked)(FILE *), MODEL(getchar_unlocked)(void),
    MODEL(__uflow)(FILE *), MODEL(__underflow)(FILE *), MODEL(ungetc)(int, FILE *),
    MODEL(fseek)(FILE *, long, int), MODEL(fseeko)(FILE *, off_t, int),
    MODEL(fseeko64)(FILE *, off_t, int), MODEL(fsetpos)(FILE *, const fpos_t *),
    MODEL(fsetpos64)(FILE *, const fpos_t *), MODEL(fputc)(int, FILE *), MODEL(fflush)(FILE *);
void MODEL(rewind)(FILE *);
char *MODEL(fgets)(char *, int, FILE *), *MODEL(fgets_unlocked)(char *, int, FILE *),
    *MODEL(__fgets_chk)(char *, size_t, int, FILE *),
    *MODEL(__fgets_unlocked_chk)(char *, size_t, int, FILE *);
size_t MODEL(fread)(void *, size_t, size_t, FILE *),
    MODEL(fread_unlocked)(void *, size_t, size_t, FILE *),
    MODEL(__fread_chk)(void *, size_t, size_t, size_t, FILE *),
    MODEL(__fread_unlocked_chk)(void *, size_t, size_t, size_t, FILE *);
ssize_t MODEL(getdelim)(char **, size_t *, int, FILE *),
    MODEL(__getdelim)(char **, size_t *, int, FILE *), MODEL(getline)(char **, size_t *, FILE *);

int _IO_getc(FILE *), __underflow(FILE *);
char *__fgets_chk(char *, size_t, int, FILE *), *__fgets_unlocked_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *),
    __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);

enum { MOST = 20000, STEPS = 24 };
static char content[MOST], real_bytes[MOST], model_bytes[MOST];

/* What a header inlines. */
#define INLINED_GETC(fp, refill)                                                                   \
    ((fp)->_IO_read_ptr >= (fp)->_IO_read_end ? refill(fp) : *(unsigned char *)(fp)->_IO_read_ptr++)

static size_t any_count(void) {
    return once_in(6) ? below(MOST) : once_in(3) ? below(5000) : below(30);
}

#define OP(name) static void op_##name(struct pair *p)
#define READS_ONE(name) OP(name) { SAME(name(p->real), MODEL(name)(p->model)); }
READS_ONE(fgetc)
READS_ONE(getc)
READS_ONE(_IO_getc)
READS_ONE(fgetc_unlocked)
READS_ONE(getc_unlocked)
OP(__uflow) { SAME(INLINED_GETC(p->real, __uflow), INLINED_GETC(p->model, MODEL(__uflow))); }
OP(__underflow) {
    SAME(p->real->_IO_read_ptr < p->real->_IO_read_end ? 1 : __underflow(p->real),
         p->model->_IO_read_ptr < p->model->_IO_read_end ? 1 : MODEL(__underflow)(p->model));
}

/* Functions that take no stream, on a stdin of ours. */
static FILE *swap(FILE *in) {
    FILE *old = stdin;
    stdin = in;
    return old;
}
#define READS_STDIN(name)                                                                          \
    OP(name) {                                                                                     \
        FILE *old = swap(p->real);                                                                 \
        SAME(name(), (swap(p->model), MODEL(name)()));                                             \
        swap(old);                                                                                 \
    }
READS_STDIN(getchar)
READS_STDIN(getchar_unlocked)

enum { WRITING = 0x800, PUSHED_BACK = 0x100 };
OP(ungetc) {
    /* glibc mixes up its buffers if a byte is pushed back while it writes. */
    if (p->real->_flags & WRITING)
        return;
    /* Also runs that outgrow the area for pushed-back bytes. */
    size_t n = once_in(20) ? 1 + below(600) : 1;
    /* A position before the start of the file is not defined. */
    if (!p->is_pipe && (ftell(p->real) < (long)n || ftell(p->model) < (long)n))
        return;
    while (n-- > 0) {
        int c = once_in(10) ? EOF : (int)below(256);
        SAME(ungetc(c, p->real), MODEL(ungetc)(c, p->model));
    }
}

static void same_bytes(size_t n) { check_bytes("bytes read", real_bytes, model_bytes, n); }
static void rubbish(size_t n) {
    memset(real_bytes, 0x55, n);
    memset(model_bytes, 0x55, n);
}

#define READS_LINE(name, ...)                                                                      \
    OP(name) {                                                                                     \
        int n = once_in(20) ? (int)below(3) - 1 : (int)(1 + any_count());                          \
        size_t most = n > 0 ? (size_t)n : 0;                                                       \
        rubbish(most);                                                                             \
        SAME_PLACE(name(real_bytes, ##__VA_ARGS__ n, p->real), real_bytes,                         \
                   MODEL(name)(model_bytes, ##__VA_ARGS__ n, p->model), model_bytes);              \
        same_bytes(most);                                                                          \
    }
READS_LINE(fgets, )
READS_LINE(fgets_unlocked, )
#define ROOM most + 1,
READS_LINE(__fgets_chk, ROOM)
READS_LINE(__fgets_unlocked_chk, ROOM)

#define READS_BLOCK(name, ...)                                                                     \
    OP(name) {                                                                                     \
        size_t size = once_in(2) ? 1 : below(17), count = any_count();                             \
        count = size ? count / size : count;                                                       \
        rubbish(size *count);                                                                      \
        SAME(name(real_bytes, ##__VA_ARGS__ size, count, p->real),                                 \
             MODEL(name)(model_bytes, ##__VA_ARGS__ size, count, p->model));                       \
        same_bytes(size *count);                                                                   \
    }
READS_BLOCK(fread, )
READS_BLOCK(fread_unlocked, )
#undef ROOM
#define ROOM size *count,
READS_BLOCK(__fread_chk, ROOM)
READS_BLOCK(__fread_unlocked_chk, ROOM)

static char *lines[2];
static size_t rooms[2];
static void same_line(ssize_t n) {
    check_long("room of the line", (int64_t)rooms[0], (int64_t)rooms[1]);
    if (n > 0)
        check_bytes("line", lines[0], lines[1], (size_t)n + 1);
    if (once_in(3)) {
        free(lines[0]), free(lines[1]);
        lines[0] = lines[1] = NULL;
    }
}
#define READS_DELIMITED(name, ...)                                                                 \
    OP(name) {                                                                                     \
        ssize_t n = 0;                                                                             \
        int delim = once_in(2) ? '\n' : once_in(2) ? (int)below(256) : 'a';                        \
        (void)delim;                                                                               \
        SAME(n = name(&lines[0], &rooms[0], ##__VA_ARGS__ p->real),                                \
             MODEL(name)(&lines[1], &rooms[1], ##__VA_ARGS__ p->model));                           \
        same_line(n);                                                                              \
    }
#define DELIM delim,
READS_DELIMITED(getdelim, DELIM)
READS_DELIMITED(__getdelim, DELIM)
READS_DELIMITED(getline, )

static const int whences[] = {SEEK_SET, SEEK_CUR, SEEK_END, SEEK_SET, 77};
#define SEEKS(name)                                                                                \
    OP(name) {                                                                                     \
        int whence = PICK(whences);                                                                \
        long at = whence == SEEK_SET ? (long)any_count() : (long)below(200) - 100;                 \
        SAME(name(p->real, at, whence), MODEL(name)(p->model, at, whence));                        \
    }
SEEKS(fseek)
SEEKS(fseeko)
SEEKS(fseeko64)
#define SETS_POSITION(name, get, type)                                                             \
    OP(name) {                                                                                     \
        type a, b;                                                                                 \
        if (get(p->real, &a) != 0 || get(p->model, &b) != 0)                                       \
            return;                                                                                \
        op_fgetc(p);                                                                               \
        SAME(name(p->real, &a), MODEL(name)(p->model, (const fpos_t *)&b));                        \
    }
SETS_POSITION(fsetpos, fgetpos, fpos_t)
SETS_POSITION(fsetpos64, fgetpos64, fpos64_t)
OP(rewind) {
    SAME((rewind(p->real), 0), (MODEL(rewind)(p->model), 0));
}
OP(write) {
    if (p->is_pipe)
        return;
    /* ISO C wants a change of position between reading and writing; glibc gets lost without it
     * after ungetc. */
    SAME(fseek(p->real, 0, SEEK_CUR), MODEL(fseek)(p->model, 0, SEEK_CUR));
    for (size_t n = below(5); n > 0; n--) {
        int c = (int)below(256);
        SAME(fputc(c, p->real), MODEL(fputc)(c, p->model));
    }
    if (once_in(2))
        SAME(fseek(p->real, 0, SEEK_CUR), MODEL(fseek)(p->model, 0, SEEK_CUR));
    else
        SAME(fflush(p->real), MODEL(fflush)(p->model));
}
OP(flush) {
    /* glibc's fflush takes the pushed-back bytes for those of its buffer. */
    if (p->real->_flags & PUSHED_BACK)
        return;
    SAME(fflush(p->real), MODEL(fflush)(p->model));
}
OP(clear) { clearerr(p->real), clearerr(p->model); }

typedef void op(struct pair *);
static op *const all_ops[] = {op_fgetc, op___uflow, op_fgets, op_fread,  op_getline, op_ungetc,
                              op_fseek, op_rewind,  op_write, op_flush, op_clear,   op_getdelim,
                              op___uflow, op_fread};

static void session(op *focus, const char *name) {
    size_t n = any_content(content, once_in(2) ? MOST : 3000);
    struct pair p = open_pair(content, n, once_in(8) ? "w" : once_in(2) ? "r+" : "r", 1);
    for (size_t steps = 1 + below(STEPS); steps > 0; steps--) {
        if (once_in(2))
            PICK(all_ops)(&p);
        else
            focus(&p);
        check_pair(name, &p);
    }
    close_pair(&p);
}

#define SESSION(name)                                                                              \
    TEST(name) { session(op_##name, #name); }
SESSION(fgetc)
SESSION(getc)
SESSION(_IO_getc)
SESSION(fgetc_unlocked)
SESSION(getc_unlocked)
SESSION(getchar)
SESSION(getchar_unlocked)
SESSION(__uflow)
SESSION(__underflow)
SESSION(ungetc)
SESSION(fgets)
SESSION(fgets_unlocked)
SESSION(__fgets_chk)
SESSION(__fgets_unlocked_chk)
SESSION(fread)
SESSION(fread_unlocked)
SESSION(__fread_chk)
SESSION(__fread_unlocked_chk)
SESSION(getdelim)
SESSION(__getdelim)
SESSION(getline)
SESSION(fseek)
SESSION(fseeko)
SESSION(fseeko64)
SESSION(fsetpos)
SESSION(fsetpos64)
SESSION(rewind)

/* Reading to the end must be seen: a refill for what was read, an event for the end. */
TEST(end_of_stream) {
    size_t n = any_content(content, MOST);
    struct pair p = open_pair(content, n, "r", 0);
    unsigned ended = hook_ended, labelled = hook_filled + hook_fd_reads;
    if (once_in(2))
        while (MODEL(fgetc)(p.model) != EOF)
            ;
    else
        while (MODEL(fread)(model_bytes, 1, 1 + below(9000), p.model) > 0)
            ;
    if (hook_ended == ended)
        failure("no event for the end of the stream");
    if (n > 0 && hook_filled + hook_fd_reads == labelled)
        failure("%zu bytes were read without labels", n);
    while (fgetc(p.real) != EOF)
        ;
    close_pair(&p);
}
