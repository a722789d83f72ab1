/* stdio_write.c against the real functions: sessions of calls on two equal streams. At the end
 * the output events must be exactly the bytes that reached the model's file. */
#define _GNU_SOURCE
#include "streams.h"
#include <stdio_ext.h>
#include <sys/wait.h>
#include <unistd.h>

int MODEL(__overflow)(FILE *, int), MODEL(fputc)(int, FILE *), MODEL(putc)(int, FILE *),
    MODEL(_IO_putc)(int, FILE *), MODEL(putchar)(int), MODEL(fputc_unlocked)(int, FILE *),
    MODEL(putc_unlocked)(int, FILE *), MODEL(putchar_unlocked)(int),
    MODEL(fputs)(const char *, FILE *), MODEL(fputs_unlocked)(const char *, FILE *),
    MODEL(puts)(const char *), MODEL(fflush)(FILE *), MODEL(fflush_unlocked)(FILE *),
    MODEL(fclose)(FILE *), MODEL(pclose)(FILE *), MODEL(fcloseall)(void),
    MODEL(setvbuf)(FILE *, char *, int, size_t), MODEL(fprintf)(FILE *, const char *, ...);
size_t MODEL(fwrite)(const void *, size_t, size_t, FILE *),
    MODEL(fwrite_unlocked)(const void *, size_t, size_t, FILE *);
void MODEL(_flushlbf)(void), MODEL(setbuf)(FILE *, char *), MODEL(setlinebuf)(FILE *),
    MODEL(setbuffer)(FILE *, char *, size_t), MODEL(__fpurge)(FILE *), __plx_report_streams(void);
FILE *MODEL(freopen)(const char *, const char *, FILE *),
    *MODEL(freopen64)(const char *, const char *, FILE *), *MODEL(open_memstream)(char **, size_t *);
int _IO_putc(int, FILE *);
void _flushlbf(void);

enum { STEPS = 24, MOST = 6000 };

/* What a header inlines. */
#define INLINED_PUTC(c, fp, overflow)                                                              \
    ((fp)->_IO_write_ptr >= (fp)->_IO_write_end ? overflow(fp, (unsigned char)(c))                 \
                                                : (unsigned char)(*(fp)->_IO_write_ptr++ = (char)(c)))

#define OP(name) static void op_##name(struct pair *p)

static int any_char(void) {
    return once_in(5) ? '\n' : once_in(20) ? -1 : (int)below(300);
}

#define PUTS_ONE(name)                                                                             \
    OP(name) {                                                                                     \
        int c = any_char();                                                                        \
        SAME(name(c, p->real), MODEL(name)(c, p->model));                                          \
    }
PUTS_ONE(fputc)
PUTS_ONE(putc)
PUTS_ONE(_IO_putc)
PUTS_ONE(fputc_unlocked)
PUTS_ONE(putc_unlocked)
OP(__overflow) {
    for (size_t n = 1 + below(10); n > 0; n--) {
        int c = any_char() & 0xff;
        SAME(INLINED_PUTC(c, p->real, __overflow), INLINED_PUTC(c, p->model, MODEL(__overflow)));
    }
}

static FILE *swap(FILE *out) {
    FILE *old = stdout;
    stdout = out;
    return old;
}
/* Functions that take no stream, on a stdout of ours. */
#define ON_STDOUT(by_libc, by_model)                                                               \
    do {                                                                                           \
        FILE *old = swap(p->real);                                                                 \
        SAME(by_libc, (swap(p->model), by_model));                                                      \
        swap(old);                                                                                 \
    } while (0)
OP(putchar) {
    int c = any_char();
    ON_STDOUT(putchar(c), MODEL(putchar)(c));
}
OP(putchar_unlocked) {
    int c = any_char();
    ON_STDOUT(putchar_unlocked(c), MODEL(putchar_unlocked)(c));
}
OP(puts) {
    char *s = any_string(0, once_in(5) ? MOST : 100);
    ON_STDOUT(puts(s), MODEL(puts)(s));
}

#define PUTS_STRING(name)                                                                          \
    OP(name) {                                                                                     \
        char *s = any_string(0, once_in(5) ? MOST : 100);                                          \
        SAME(name(s, p->real), MODEL(name)(s, p->model));                                          \
    }
PUTS_STRING(fputs)
PUTS_STRING(fputs_unlocked)

#define PUTS_BLOCK(name)                                                                           \
    OP(name) {                                                                                     \
        size_t size = once_in(2) ? 1 : below(9);                                                   \
        size_t count = below(once_in(5) ? 600 : 40) * (once_in(9) ? 0 : 1);                        \
        void *s = any_bytes(0, size * count);                                                      \
        SAME(name(s, size, count, p->real), MODEL(name)(s, size, count, p->model));                \
    }
PUTS_BLOCK(fwrite)
PUTS_BLOCK(fwrite_unlocked)

OP(fflush) { SAME(fflush(p->real), MODEL(fflush)(p->model)); }
OP(fflush_unlocked) { SAME(fflush_unlocked(p->real), MODEL(fflush_unlocked)(p->model)); }
OP(_flushlbf) {
    (void)p;
    SAME((_flushlbf(), 0), (MODEL(_flushlbf)(), 0));
}
/* Something that no model sees, as a library without instrumentation would do. */
OP(foreign) {
    int c = any_char();
    SAME(fputc(c, p->real), fputc(c, p->model));
}

static char buffers[2][BUFSIZ];
OP(setvbuf) {
    static const int modes[] = {_IOFBF, _IOLBF, _IONBF, 99};
    int mode = PICK(modes);
    size_t size = 1 + below(BUFSIZ);
    int own = once_in(2);
    SAME(setvbuf(p->real, own ? buffers[0] : NULL, mode, size),
         MODEL(setvbuf)(p->model, own ? buffers[1] : NULL, mode, size));
}
OP(setbuf) {
    int own = once_in(2);
    SAME((setbuf(p->real, own ? buffers[0] : NULL), 0),
         (MODEL(setbuf)(p->model, own ? buffers[1] : NULL), 0));
}
OP(setbuffer) {
    int own = once_in(2);
    size_t size = 1 + below(BUFSIZ);
    SAME((setbuffer(p->real, own ? buffers[0] : NULL, size), 0),
         (MODEL(setbuffer)(p->model, own ? buffers[1] : NULL, size), 0));
}
OP(setlinebuf) { SAME((setlinebuf(p->real), 0), (MODEL(setlinebuf)(p->model), 0)); }
OP(report) {
    (void)p;
    __plx_report_streams();
}

typedef void op(struct pair *);
static op *const all_ops[] = {op_fputc, op___overflow, op_fputs,   op_fwrite,     op_puts,
                              op_fflush, op___overflow, op_report, op___overflow, op_putchar};

static void session(op *focus, const char *name, const char *mode) {
    struct pair p = open_output_pair(mode);
    for (size_t steps = 1 + below(STEPS); steps > 0; steps--) {
        if (once_in(2))
            PICK(all_ops)(&p);
        else
            focus(&p);
        check_pair(name, &p);
    }
    close_output_pair(&p);
}

#define SESSION(name)                                                                              \
    TEST(name) { session(op_##name, #name, once_in(6) ? "a" : once_in(9) ? "r" : "w"); }
SESSION(fputc)
SESSION(putc)
SESSION(_IO_putc)
SESSION(fputc_unlocked)
SESSION(putc_unlocked)
SESSION(putchar)
SESSION(putchar_unlocked)
SESSION(puts)
SESSION(__overflow)
SESSION(fputs)
SESSION(fputs_unlocked)
SESSION(fwrite)
SESSION(fwrite_unlocked)
SESSION(fflush)
SESSION(fflush_unlocked)
SESSION(_flushlbf)
SESSION(setvbuf)
SESSION(setbuf)
SESSION(setbuffer)
SESSION(setlinebuf)
TEST(fclose) { session(op___overflow, "fclose", "w"); }

/* Bytes of un-modelled functions are found in the buffer and reported too, while it holds them. */
TEST(foreign_output) {
    struct pair p = open_output_pair("w");
    setvbuf(p.real, buffers[0], _IOFBF, BUFSIZ), setvbuf(p.model, buffers[1], _IOFBF, BUFSIZ);
    for (size_t steps = 1 + below(STEPS); steps > 0; steps--) {
        op *const ops[] = {op_foreign, op_fputc, op___overflow, op_fflush};
        PICK(ops)(&p);
    }
    close_output_pair(&p);
}

TEST(__fpurge) {
    struct pair p = open_output_pair("w");
    setvbuf(p.real, buffers[0], _IOFBF, BUFSIZ), setvbuf(p.model, buffers[1], _IOFBF, BUFSIZ);
    op_fputs(&p), op_fflush(&p);
    /* The first byte goes through __overflow and is reported; the inlined ones are not. */
    op___overflow(&p);
    SAME((__fpurge(p.real), 0), (MODEL(__fpurge)(p.model), 0));
    check_pair("__fpurge", &p);
    close_pair(&p);
}

#define REOPENS(name)                                                                              \
    TEST(name) {                                                                                   \
        struct pair p = open_output_pair("w");                                                     \
        op_fputs(&p), op___overflow(&p);                                                           \
        int fails = once_in(3);                                                                    \
        const char *path = fails ? "/no/such/file" : "/dev/null";                                  \
        SAME(name(path, "w", p.real) == NULL, MODEL(name)(path, "w", p.model) == NULL);            \
        size_t events;                                                                             \
        recorded_output(&events);                                                                  \
        char *s = any_string(0, 50);                                                               \
        if (!fails) {                                                                              \
            SAME(fputs(s, p.real), MODEL(fputs)(s, p.model));                                      \
            close_pair(&p);                                                                        \
        }                                                                                          \
    }
REOPENS(freopen)
REOPENS(freopen64)

TEST(open_memstream) {
    char *memory[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    struct pair p = {.is_pipe = 1};
    p.real = open_memstream(&memory[0], &size[0]);
    p.model = MODEL(open_memstream)(&memory[1], &size[1]);
    for (size_t steps = below(STEPS); steps > 0; steps--) {
        PICK(all_ops)(&p);
        check_pair("open_memstream", &p);
    }
    SAME(fclose(p.real), MODEL(fclose)(p.model));
    check_long("size", (int64_t)size[0], (int64_t)size[1]);
    check_bytes("memory", memory[0], memory[1], size[0] + 1);
    free(memory[0]), free(memory[1]);
}

/* A process for each case would be slow: every hundredth does. */
static int every_hundredth(void) {
    static unsigned turn;
    return turn++ % 100 == 0;
}

TEST(pclose) {
    if (!every_hundredth())
        return;
    FILE *a = popen("exit 3", "w"), *b = popen("exit 3", "w");
    SAME(pclose(a), MODEL(pclose)(b));
}

TEST(fcloseall) {
    if (!every_hundredth())
        return;
    struct pair p = open_output_pair("w");
    op_fputs(&p), op___overflow(&p);
    fflush(p.real);
    pid_t child = fork();
    if (child == 0)
        _exit(MODEL(fcloseall)() != 0);
    int status = -1;
    waitpid(child, &status, 0);
    check_long("status of fcloseall", 0, status);
    /* The child has written the model's bytes; they must not be written twice. */
    __fpurge(p.model);
    close_pair(&p);
}
