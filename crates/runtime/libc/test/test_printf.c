/* printf.c and printf_entry.c against the real functions: random formats with random arguments.
 *
 * One call passes all arguments that a format can ask for: integers and pointers first, then
 * floating point. In the x86-64 calling convention the two kinds come from different registers,
 * and what does not fit into registers is read in order, so a format may mix them freely. */
#define _GNU_SOURCE
#include "streams.h"
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

int MODEL(printf)(const char *, ...), MODEL(fprintf)(FILE *, const char *, ...),
    MODEL(dprintf)(int, const char *, ...), MODEL(sprintf)(char *, const char *, ...),
    MODEL(snprintf)(char *, size_t, const char *, ...), MODEL(asprintf)(char **, const char *, ...),
    MODEL(__asprintf)(char **, const char *, ...), MODEL(vprintf)(const char *, va_list),
    MODEL(vfprintf)(FILE *, const char *, va_list), MODEL(vdprintf)(int, const char *, va_list),
    MODEL(vsprintf)(char *, const char *, va_list),
    MODEL(vsnprintf)(char *, size_t, const char *, va_list),
    MODEL(vasprintf)(char **, const char *, va_list), MODEL(__printf_chk)(int, const char *, ...),
    MODEL(__fprintf_chk)(FILE *, int, const char *, ...),
    MODEL(__dprintf_chk)(int, int, const char *, ...),
    MODEL(__sprintf_chk)(char *, int, size_t, const char *, ...),
    MODEL(__snprintf_chk)(char *, size_t, int, size_t, const char *, ...),
    MODEL(__asprintf_chk)(char **, int, const char *, ...),
    MODEL(__vprintf_chk)(int, const char *, va_list),
    MODEL(__vfprintf_chk)(FILE *, int, const char *, va_list),
    MODEL(__vdprintf_chk)(int, int, const char *, va_list),
    MODEL(__vsprintf_chk)(char *, int, size_t, const char *, va_list),
    MODEL(__vsnprintf_chk)(char *, size_t, int, size_t, const char *, va_list),
    MODEL(__vasprintf_chk)(char **, int, const char *, va_list);
int __asprintf(char **, const char *, ...), __printf_chk(int, const char *, ...),
    __fprintf_chk(FILE *, int, const char *, ...), __dprintf_chk(int, int, const char *, ...),
    __sprintf_chk(char *, int, size_t, const char *, ...),
    __snprintf_chk(char *, size_t, int, size_t, const char *, ...),
    __asprintf_chk(char **, int, const char *, ...), __vprintf_chk(int, const char *, va_list),
    __vfprintf_chk(FILE *, int, const char *, va_list),
    __vdprintf_chk(int, int, const char *, va_list),
    __vsprintf_chk(char *, int, size_t, const char *, va_list),
    __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list),
    __vasprintf_chk(char **, int, const char *, va_list);

enum { INTEGERS = 24, DOUBLES = 8, FORMAT = 400, ROOM = 1 << 16 };

struct call {
    char format[FORMAT];
    /* Those of the real and of the model's call differ where %n stores. */
    int64_t integers[2][INTEGERS];
    double doubles[DOUBLES];
    long counts[2][INTEGERS];
    int used, used_doubles, positional, fortified;
};
static struct call call;
static char text[2][ROOM];

static int add_integer(int64_t v) {
    call.integers[0][call.used] = call.integers[1][call.used] = v;
    return ++call.used;
}

static char *add_number(char *f, int may_be_negative) {
    int n = once_in(40) ? (int)below(3000) : (int)below(25);
    if (!once_in(4))
        return f + sprintf(f, "%d", n);
    int at = add_integer(may_be_negative && once_in(4) ? -(int64_t)below(20) : n);
    return f + (call.positional ? sprintf(f, "*%d$", at) : sprintf(f, "*"));
}

static char *add_conversion(char *f) {
    static const char *const lengths[] = {"", "", "", "hh", "h", "l", "ll", "q", "j", "z", "t", "L"};
    static const char kinds[] = "ddiuoxXcspnbeEfFgGaAmCS%kKy";
    static const double doubles[] = {0.0, -0.0, 1.0, -1.5, 3.14159265358979, 1e300, 1e-300,
                                     123456789.125, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 99.9995};
    char kind = kinds[below(sizeof kinds - 1)];
    const char *length = PICK(lengths);
    int is_float = strchr("eEfFgGaA", kind) != NULL;
    char spec[100], *s = spec;
    for (size_t n = once_in(2) ? 0 : below(4); n > 0; n--)
        *s++ = "-+ #0'I"[below(once_in(9) ? 7 : 6)];
    if (once_in(2))
        /* glibc pads a number on the right with zeros if it has met an unknown conversion. */
        s = add_number(s, !is_float || !memchr(spec, '0', (size_t)(s - spec)));
    if (once_in(3)) {
        *s++ = '.';
        if (!once_in(5))
            s = add_number(s, 1);
    }
    if (strchr("pmCS%kKy", kind) || is_float)
        length = once_in(9) && is_float ? "l" : "";
    if (kind == 'c' && once_in(2))
        length = "";
    if (kind == 'n' && call.fortified)
        kind = 'd';
    int at = 0;
    int is_wide = kind == 'S' || (kind == 's' && strchr("lqjztL", length[0]) && length[0]);
    if (kind == 'C')
        at = add_integer(once_in(9) ? -1 : once_in(2) ? 'w' : (int64_t)below(0x3000));
    else if (is_wide)
        at = add_integer((intptr_t)any_wide(6 + (int)below(3), 20));
    else if (kind == 's')
        at = add_integer(once_in(12) ? 0 : (intptr_t)any_string((int)below(5), once_in(20) ? 6000 : 40));
    else if (kind == 'n') {
        at = add_integer(0);
        for (int i = 0; i < 2; i++)
            call.integers[i][at - 1] = (intptr_t)&call.counts[i][at - 1];
    } else if (kind == 'p')
        at = add_integer(once_in(3) ? 0 : (int64_t)any());
    else if (strchr("diuoxXbc", kind))
        at = add_integer(edge_int());
    else if (is_float) {
        at = ++call.used_doubles;
        call.doubles[at - 1] = once_in(3) ? PICK(doubles) : (double)edge_int() / (1 + (double)below(999));
    }
    *s = '\0';
    f += sprintf(f, "%%");
    if (call.positional && at)
        f += sprintf(f, "%d$", at);
    return f + sprintf(f, "%s%s%c", spec, length, kind);
}

static void any_call(int fortified) {
    static const char *const literals[] = {"", "x", "hello, ", "\n", "%%", "\xc3\xa9", "\xff", "a b", ": "};
    memset(&call, 0, sizeof call);
    call.fortified = fortified;
    /* With fortification a gap in the positions ends the program. */
    call.positional = !fortified && once_in(6);
    char *f = call.format;
    for (size_t n = below(7); n > 0 && call.used < INTEGERS - 3 && call.used_doubles < DOUBLES; n--) {
        f += sprintf(f, "%s", PICK(literals));
        /* Positions of floating-point arguments would count the integers too. */
        char *start = f;
        int doubles = call.used_doubles;
        f = add_conversion(f);
        if (call.positional && (call.used_doubles != doubles || strpbrk(start, "mkKy"))) {
            call.used_doubles = doubles;
            f = start;
        }
    }
    /* Not with positions or unknown conversions, where ISO C and POSIX define nothing. */
    *f = '\0';
    if (once_in(40) && !call.positional && !strpbrk(call.format, "kKyh"))
        f += sprintf(f, once_in(2) ? "%%" : "%%5");
    else if (once_in(40) && !call.positional)
        f += sprintf(f, "%%99999999999d");
    strcpy(f, PICK(literals));
}

#define I(i) call.integers[side][i]
#define ARGUMENTS                                                                                  \
    I(0), I(1), I(2), I(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), I(11), I(12), I(13), I(14), \
        I(15), I(16), I(17), I(18), I(19), I(20), I(21), I(22), I(23), call.doubles[0],            \
        call.doubles[1], call.doubles[2], call.doubles[3], call.doubles[4], call.doubles[5],       \
        call.doubles[6], call.doubles[7]

static void check_call(void) {
    for (int i = 0; i < INTEGERS; i++)
        check_long(call.format, call.counts[0][i], call.counts[1][i]);
}

/* `real` and `model` are expressions over `side`, 0 and 1. */
#define COMPARE(real, model)                                                                       \
    do {                                                                                           \
        int before = once_in(2) ? 0 : (int)below(140);                                             \
        int side = 0;                                                                              \
        errno = before;                                                                            \
        int real_n = real;                                                                         \
        int real_errno = errno;                                                                    \
        side = 1;                                                                                  \
        errno = before;                                                                            \
        int model_n = model;                                                                       \
        int model_errno = errno;                                                                   \
        check_long(call.format, real_n, model_n);                                                  \
        if (real_n < 0)                                                                            \
            check_long("errno", real_errno, model_errno);                                          \
        check_call();                                                                              \
    } while (0)

static void rubbish(void) {
    memset(text[0], 0x5a, sizeof text[0]);
    memset(text[1], 0x5a, sizeof text[1]);
}
static void same_text(void) { check_bytes(call.format, text[0], text[1], sizeof text[0]); }

#define TO_MEMORY(name, fortify, ...)                                                              \
    TEST(name) {                                                                                   \
        any_call(fortify);                                                                         \
        size_t size = once_in(9) ? 0 : once_in(2) ? below(60) : ROOM;                              \
        (void)size;                                                                                \
        rubbish();                                                                                 \
        COMPARE(name(text[side], ##__VA_ARGS__ call.format, ARGUMENTS),                            \
                MODEL(name)(text[side], ##__VA_ARGS__ call.format, ARGUMENTS));                    \
        same_text();                                                                               \
    }
#define SIZED size,
#define CHECKED 1, ROOM,
#define SIZED_CHECKED size, 1, ROOM,
TO_MEMORY(snprintf, 0, SIZED)
TO_MEMORY(sprintf, 0, )
TO_MEMORY(__sprintf_chk, 1, CHECKED)
TO_MEMORY(__snprintf_chk, 1, SIZED_CHECKED)

#define TO_ALLOCATED(name, ...)                                                                    \
    TEST(name) {                                                                                   \
        any_call(1);                                                                               \
        char *out[2] = {NULL, NULL};                                                               \
        COMPARE(name(&out[side], ##__VA_ARGS__ call.format, ARGUMENTS),                            \
                MODEL(name)(&out[side], ##__VA_ARGS__ call.format, ARGUMENTS));                    \
        check_text(call.format, out[0], out[1]);                                                   \
        free(out[0]), free(out[1]);                                                                \
    }
#define FLAG 1,
TO_ALLOCATED(asprintf, )
TO_ALLOCATED(__asprintf, )
TO_ALLOCATED(__asprintf_chk, FLAG)

static struct pair streams;
#define STREAM (side ? streams.model : streams.real)
static FILE *out(FILE *to) {
    FILE *old = stdout;
    stdout = to;
    return old;
}

/* Several calls on one stream, with buffered bytes of other calls around them. */
#define TO_STREAM(name, fortify, first)                                                            \
    TEST(name) {                                                                                   \
        streams = open_output_pair(once_in(9) ? "r" : "w");                                        \
        for (size_t n = 1 + below(3); n > 0; n--) {                                                \
            any_call(fortify);                                                                     \
            FILE *old = out(streams.real);                                                         \
            COMPARE(name(first call.format, ARGUMENTS),                                            \
                    (out(streams.model), MODEL(name)(first call.format, ARGUMENTS)));              \
            out(old);                                                                              \
            check_pair(#name, &streams);                                                           \
        }                                                                                          \
        close_output_pair(&streams);                                                               \
    }
#define ON_STREAM STREAM,
#define ON_STREAM_CHECKED STREAM, 1,
#define ON_DESCRIPTOR fileno(STREAM),
#define ON_DESCRIPTOR_CHECKED fileno(STREAM), 1,
TO_STREAM(printf, 0, )
TO_STREAM(fprintf, 0, ON_STREAM)
TO_STREAM(dprintf, 0, ON_DESCRIPTOR)
TO_STREAM(__printf_chk, 1, FLAG)
TO_STREAM(__fprintf_chk, 1, ON_STREAM_CHECKED)
TO_STREAM(__dprintf_chk, 1, ON_DESCRIPTOR_CHECKED)

/* The functions that take a va_list, behind one that makes it. */
#define BEHIND(name, parameters, last, call_it)                                                    \
    static int real_##name parameters {                                                            \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        int printed = name call_it;                                                                      \
        va_end(args);                                                                              \
        return printed;                                                                                \
    }                                                                                              \
    static int model_##name parameters {                                                           \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        int printed = MODEL(name) call_it;                                                               \
        va_end(args);                                                                              \
        return printed;                                                                                \
    }
BEHIND(vprintf, (const char *f, ...), f, (f, args))
BEHIND(vfprintf, (FILE * fp, const char *f, ...), f, (fp, f, args))
BEHIND(vdprintf, (int fd, const char *f, ...), f, (fd, f, args))
BEHIND(vsprintf, (char *s, const char *f, ...), f, (s, f, args))
BEHIND(vsnprintf, (char *s, size_t n, const char *f, ...), f, (s, n, f, args))
BEHIND(vasprintf, (char **s, const char *f, ...), f, (s, f, args))
BEHIND(__vprintf_chk, (int flag, const char *f, ...), f, (flag, f, args))
BEHIND(__vfprintf_chk, (FILE * fp, int flag, const char *f, ...), f, (fp, flag, f, args))
BEHIND(__vdprintf_chk, (int fd, int flag, const char *f, ...), f, (fd, flag, f, args))
BEHIND(__vsprintf_chk, (char *s, int flag, size_t room, const char *f, ...), f,
       (s, flag, room, f, args))
BEHIND(__vsnprintf_chk, (char *s, size_t n, int flag, size_t room, const char *f, ...), f,
       (s, n, flag, room, f, args))
BEHIND(__vasprintf_chk, (char **s, int flag, const char *f, ...), f, (s, flag, f, args))

#define LIST_TO_MEMORY(name, fortify, ...)                                                         \
    TEST(name) {                                                                                   \
        any_call(fortify);                                                                         \
        size_t size = once_in(9) ? 0 : once_in(2) ? below(60) : ROOM;                              \
        (void)size;                                                                                \
        rubbish();                                                                                 \
        COMPARE(real_##name(text[side], ##__VA_ARGS__ call.format, ARGUMENTS),                     \
                model_##name(text[side], ##__VA_ARGS__ call.format, ARGUMENTS));                   \
        same_text();                                                                               \
    }
LIST_TO_MEMORY(vsprintf, 0, )
LIST_TO_MEMORY(vsnprintf, 0, SIZED)
LIST_TO_MEMORY(__vsprintf_chk, 1, CHECKED)
LIST_TO_MEMORY(__vsnprintf_chk, 1, SIZED_CHECKED)

#define LIST_TO_ALLOCATED(name, ...)                                                               \
    TEST(name) {                                                                                   \
        any_call(1);                                                                               \
        char *out[2] = {NULL, NULL};                                                               \
        COMPARE(real_##name(&out[side], ##__VA_ARGS__ call.format, ARGUMENTS),                     \
                model_##name(&out[side], ##__VA_ARGS__ call.format, ARGUMENTS));                   \
        check_text(call.format, out[0], out[1]);                                                   \
        free(out[0]), free(out[1]);                                                                \
    }
LIST_TO_ALLOCATED(vasprintf, )
LIST_TO_ALLOCATED(__vasprintf_chk, FLAG)

#define LIST_TO_STREAM(name, fortify, first)                                                       \
    TEST(name) {                                                                                   \
        streams = open_output_pair(once_in(9) ? "r" : "w");                                        \
        any_call(fortify);                                                                         \
        FILE *old = out(streams.real);                                                             \
        COMPARE(real_##name(first call.format, ARGUMENTS),                                         \
                (out(streams.model), model_##name(first call.format, ARGUMENTS)));                 \
        out(old);                                                                                  \
        check_pair(#name, &streams);                                                               \
        close_output_pair(&streams);                                                               \
    }
LIST_TO_STREAM(vprintf, 0, )
LIST_TO_STREAM(vfprintf, 0, ON_STREAM)
LIST_TO_STREAM(vdprintf, 0, ON_DESCRIPTOR)
LIST_TO_STREAM(__vprintf_chk, 1, FLAG)
LIST_TO_STREAM(__vfprintf_chk, 1, ON_STREAM_CHECKED)
LIST_TO_STREAM(__vdprintf_chk, 1, ON_DESCRIPTOR_CHECKED)

/* What the calls above cannot hold: long double, and output of more bytes than an int counts. */
TEST(long_double_and_overflow) {
    static const char *const formats[] = {"%Lf|%d", "%.3Le|%d", "%20Lg|%d", "%-La|%d", "%1$Lf|%2$d"};
    long double v = (long double)edge_int() / 7;
    const char *f = PICK(formats);
    int d = (int)edge_int();
    rubbish();
    SAME(snprintf(text[0], ROOM, f, v, d), MODEL(snprintf)(text[1], ROOM, f, v, d));
    same_text();
    /* Formats that fail at once: glibc takes seconds for two billion blanks. */
    static const char *const large[] = {"%2147483648d", "%.2147483648d", "%9999999999s", "%d%99999999999c"};
    const char *g = PICK(large);
    SAME(snprintf(NULL, 0, g, 1, 2), MODEL(snprintf)(NULL, 0, g, 1, 2));
    SAME(dprintf(-1, "%d", d), MODEL(dprintf)(-1, "%d", d));
}
