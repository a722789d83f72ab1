/* scanf*.c against the real functions: random formats, and input that nearly matches them. */
#define _GNU_SOURCE
#include "streams.h"
#include <stdarg.h>
#include <unistd.h>

#define DECLARE(prefix)                                                                            \
    int MODEL(prefix##scanf)(const char *, ...), MODEL(prefix##fscanf)(FILE *, const char *, ...), \
        MODEL(prefix##sscanf)(const char *, const char *, ...),                                    \
        MODEL(prefix##vscanf)(const char *, va_list),                                              \
        MODEL(prefix##vfscanf)(FILE *, const char *, va_list),                                     \
        MODEL(prefix##vsscanf)(const char *, const char *, va_list)
DECLARE();
DECLARE(__isoc99_);
DECLARE(__isoc23_);
/* The real ones under the names that libc exports: headers rename `scanf` to the C99 one. */
#define REAL(name, symbol) extern __typeof__(MODEL(name)) real_##name __asm__(symbol)
REAL(scanf, "scanf");
REAL(fscanf, "fscanf");
REAL(sscanf, "sscanf");
REAL(vscanf, "vscanf");
REAL(vfscanf, "vfscanf");
REAL(vsscanf, "vsscanf");
REAL(__isoc99_scanf, "__isoc99_scanf");
REAL(__isoc99_fscanf, "__isoc99_fscanf");
REAL(__isoc99_sscanf, "__isoc99_sscanf");
REAL(__isoc99_vscanf, "__isoc99_vscanf");
REAL(__isoc99_vfscanf, "__isoc99_vfscanf");
REAL(__isoc99_vsscanf, "__isoc99_vsscanf");

enum { TARGETS = 8, TARGET_BYTES = 4096, TEXT = 2000 };

struct call {
    char format[300], input[TEXT];
    size_t format_used, input_used;
    int used;
    /* Targets that get the address of allocated memory, and whether of wide characters. */
    int allocates[TARGETS], wide[TARGETS];
};
static struct call call;
static char targets[2][TARGETS][TARGET_BYTES] __attribute__((aligned(16)));

static void to_format(const char *s) {
    call.format_used += (size_t)sprintf(call.format + call.format_used, "%s", s);
}
static void to_input(const char *s) {
    call.input_used += (size_t)sprintf(call.input + call.input_used, "%s", s);
}

static void add_space(void) {
    static const char *const spaces[] = {"", "", " ", "  ", "\n", "\t ", "\v"};
    if (once_in(3))
        to_format(once_in(2) ? " " : "\n ");
    to_input(PICK(spaces));
}

static void number_input(void) {
    static const char *const numbers[] = {"0",  "-0", "+7",  "0x",   "0x1F", "0X", "-0xg", "017",  "08", "0b1",
                                          "+",  "-",  "99999999999999999999", "-99999999999999999999",
                                          "18446744073709551615", "9223372036854775808", "(nil)", "(nix)",
                                          "",   "x",  "12a", "0xabcdefg", "1,234", "-9223372036854775808"};
    char text[40];
    snprintf(text, sizeof text, "%lld", (long long)edge_int());
    to_input(once_in(2) ? text : PICK(numbers));
}

static void float_input(void) {
    static const char *const floats[] = {"1.5", "-.5", "1e5", "1e", "1e+", "inf", "infinity", "-INF", "infi",
                                         "nan", "NAN(", "0x1.8p3", "0x", "0x.p", ".", "+", "1.2.3", "1e5e5",
                                         "00.1", "1e-400", "1e400", "na", "0x1p", "e5", "-"};
    to_input(PICK(floats));
}

static void text_input(void) {
    static const char *const texts[] = {"abc", "a", "", "hello-world", "a]b", "^x", "\xc3\xa9t\xc3\xa9", "\xff", "a\xe2\x82",
                                        "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "0123", "b c"};
    to_input(PICK(texts));
    if (once_in(20))
        for (int i = 0; i < 150; i++)
            to_input("q");
}

static void add_conversion(void) {
    static const char kinds[] = "ddiuoxXpcsss[[[neEfgaSC%";
    static const char *const lengths[] = {"", "", "", "hh", "h", "l", "ll", "q", "j", "z", "t", "L"};
    static const char *const sets[] = {"a-z]", "^ ]", "]a]", "^]a]", "a-]", "-a]", "0-9]", "z-a]", "abc", "^\n]", "a-ce-g]"};
    char kind = kinds[below(sizeof kinds - 1)];
    const char *length = PICK(lengths);
    int suppress = once_in(6), allocate = 0, is_text = strchr("cs[SC", kind) != NULL;
    char spec[60], *s = spec;
    s += sprintf(s, "%%%s", suppress ? "*" : "");
    /* Text without a width fits: inputs are short. */
    if (once_in(3))
        s += sprintf(s, "%d", (int)below(9));
    if (is_text) {
        length = kind != 'S' && kind != 'C' && once_in(5) ? "l" : "";
        allocate = !suppress && once_in(4);
    } else if (strchr("eEfga", kind)) {
        length = once_in(2) ? "" : once_in(2) ? "l" : "L";
    } else if (kind == 'p' || kind == '%') {
        length = "";
    }
    s += sprintf(s, "%s%s%c", allocate ? "m" : "", length, kind);
    if (kind == '[')
        sprintf(s, "%s", PICK(sets));
    add_space();
    to_format(spec);
    if (strchr("diuoxXp", kind))
        number_input();
    else if (strchr("eEfga", kind))
        float_input();
    else if (is_text)
        text_input();
    else if (kind == '%')
        to_input(once_in(4) ? "" : "%");
    if (!suppress && kind != '%') {
        call.allocates[call.used] = allocate;
        call.wide[call.used] = allocate && (kind == 'S' || kind == 'C' || *length == 'l');
        call.used++;
    }
}

static void any_call(void) {
    static const char *const literals[] = {"", "", "x", ",", "ab", "\xc3\xa9"};
    memset(&call, 0, sizeof call);
    for (size_t n = below(6); n > 0 && call.used < TARGETS - 1; n--) {
        add_conversion();
        const char *literal = PICK(literals);
        to_format(literal);
        to_input(once_in(6) ? "?" : literal);
    }
    add_space();
    if (once_in(30))
        to_format(once_in(2) ? "%" : "%k");
    if (once_in(5) && call.input_used > 0)
        call.input[below(call.input_used)] = (char)(1 + below(255));
    /* glibc leaves a hole in the result of %l[ for bytes that are no character. */
    for (char *p = call.input; *p != '\0' && strstr(call.format, "l["); p++)
        *p = (char)((unsigned char)*p < 0x80 ? *p : 'h');
    call.input_used = strlen(call.input);
    memset(targets, 0xaa, sizeof targets);
    /* Memory that was not allocated is not looked at. */
    for (int i = 0; i < TARGETS; i++)
        if (call.allocates[i])
            memset(targets[0][i], 0, TARGET_BYTES), memset(targets[1][i], 0, TARGET_BYTES);
}

#define ARGUMENTS                                                                                  \
    targets[side][0], targets[side][1], targets[side][2], targets[side][3], targets[side][4],      \
        targets[side][5], targets[side][6], targets[side][7]

static void check_allocated(int i) {
    void *a = *(void **)targets[0][i], *b = *(void **)targets[1][i];
    if (!a != !b)
        failure("'%s' on '%s': target %d allocated by one only", call.format, call.input, i);
    /* %mc has no terminator: its first character at least. */
    if (a && b)
        check_bytes(call.format, a, b, call.wide[i] ? sizeof(wchar_t) : 1);
    free(a), free(b);
    memset(targets[0][i], 0, sizeof a), memset(targets[1][i], 0, sizeof b);
}

static void check_targets(void) {
    for (int i = 0; i < TARGETS; i++) {
        if (call.allocates[i])
            check_allocated(i);
        check_bytes(call.format, targets[0][i], targets[1][i], TARGET_BYTES);
    }
}

#define COMPARE(real, model)                                                                       \
    do {                                                                                           \
        int before = once_in(2) ? 0 : EDOM, side = 0;                                              \
        errno = before;                                                                            \
        int real_n = real, real_errno = errno;                                                     \
        side = 1;                                                                                  \
        errno = before;                                                                            \
        int model_n = model, model_errno = errno;                                                  \
        if (real_n != model_n || real_errno != model_errno)                                        \
            failure("'%s' on '%s': real %d, errno %d, model %d, errno %d", call.format,            \
                    call.input, real_n, real_errno, model_n, model_errno);                         \
        check_targets();                                                                           \
    } while (0)

static struct pair streams;
#define STREAM (side ? streams.model : streams.real)
static FILE *in(FILE *from) {
    FILE *old = stdin;
    stdin = from;
    return old;
}

#define ON_STRING(name)                                                                            \
    TEST(name) {                                                                                   \
        any_call();                                                                                \
        char *input = guarded_copy(0, call.input, call.input_used + 1);                            \
        COMPARE(REAL_OF(name)(input, call.format, ARGUMENTS),                                      \
                MODEL_OF(name)(input, call.format, ARGUMENTS));                                    \
    }
#define ON_STREAM(name, first)                                                                     \
    TEST(name) {                                                                                   \
        any_call();                                                                                \
        streams = open_pair(call.input, call.input_used, "r", 1);                                  \
        for (int i = 0; i < 2; i++) {                                                              \
            FILE *old = in(streams.real);                                                          \
            COMPARE(REAL_OF(name)(first call.format, ARGUMENTS),                                   \
                    (in(streams.model), MODEL_OF(name)(first call.format, ARGUMENTS)));            \
            in(old);                                                                               \
            check_pair(call.format, &streams);                                                     \
        }                                                                                          \
        close_pair(&streams);                                                                      \
    }

#define REAL_OF(name) real_##name
#define MODEL_OF(name) MODEL(name)
#define FROM_STREAM STREAM,
ON_STRING(sscanf)
ON_STRING(__isoc99_sscanf)
ON_STREAM(scanf, )
ON_STREAM(__isoc99_scanf, )
ON_STREAM(fscanf, FROM_STREAM)
ON_STREAM(__isoc99_fscanf, FROM_STREAM)

/* The functions that take a va_list, behind one that makes it. */
#define BEHIND(name, parameters, last, call_it)                                                    \
    static int list_real_##name parameters {                                                       \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        int n = real_##name call_it;                                                               \
        va_end(args);                                                                              \
        return n;                                                                                  \
    }                                                                                              \
    static int list_model_##name parameters {                                                      \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        int n = MODEL(name) call_it;                                                               \
        va_end(args);                                                                              \
        return n;                                                                                  \
    }
BEHIND(vsscanf, (const char *s, const char *f, ...), f, (s, f, args))
BEHIND(vscanf, (const char *f, ...), f, (f, args))
BEHIND(vfscanf, (FILE * fp, const char *f, ...), f, (fp, f, args))
BEHIND(__isoc99_vsscanf, (const char *s, const char *f, ...), f, (s, f, args))
BEHIND(__isoc99_vscanf, (const char *f, ...), f, (f, args))
BEHIND(__isoc99_vfscanf, (FILE * fp, const char *f, ...), f, (fp, f, args))
#undef REAL_OF
#undef MODEL_OF
#define REAL_OF(name) list_real_##name
#define MODEL_OF(name) list_model_##name
ON_STRING(vsscanf)
ON_STRING(__isoc99_vsscanf)
ON_STREAM(vscanf, )
ON_STREAM(__isoc99_vscanf, )
ON_STREAM(vfscanf, FROM_STREAM)
ON_STREAM(__isoc99_vfscanf, FROM_STREAM)

/* glibc 2.36 has no C23 functions: they are those of C99, but for binary numbers with %i. */
static int model_list23(FILE *fp, const char *s, const char *f, ...) {
    va_list args;
    va_start(args, f);
    int n = s ? MODEL(__isoc23_vsscanf)(s, f, args)
              : fp ? MODEL(__isoc23_vfscanf)(fp, f, args) : MODEL(__isoc23_vscanf)(f, args);
    va_end(args);
    return n;
}
static int has_binary(void) { return strstr(call.input, "0b") || strstr(call.input, "0B"); }
#define ON_STRING23(name, by_model)                                                                 \
    TEST(name) {                                                                                   \
        any_call();                                                                                \
        if (has_binary())                                                                          \
            return;                                                                                \
        COMPARE(real___isoc99_sscanf(call.input, call.format, ARGUMENTS), by_model);                \
        int v = 0;                                                                                 \
        check_long("fields", 1, MODEL(__isoc23_sscanf)("-0b101", "%i", &v));                       \
        check_long("binary number", -5, v);                                                        \
    }
ON_STRING23(__isoc23_sscanf, MODEL(__isoc23_sscanf)(call.input, call.format, ARGUMENTS))
ON_STRING23(__isoc23_vsscanf, model_list23(NULL, call.input, call.format, ARGUMENTS))
#define ON_STREAM23(name, by_model)                                                                   \
    TEST(name) {                                                                                   \
        any_call();                                                                                \
        if (has_binary())                                                                          \
            return;                                                                                \
        streams = open_pair(call.input, call.input_used, "r", 1);                                  \
        FILE *old = in(streams.model);                                                             \
        COMPARE(real___isoc99_fscanf(streams.real, call.format, ARGUMENTS), by_model);               \
        in(old);                                                                                   \
        check_pair(call.format, &streams);                                                         \
        close_pair(&streams);                                                                      \
    }
ON_STREAM23(__isoc23_scanf, MODEL(__isoc23_scanf)(call.format, ARGUMENTS))
ON_STREAM23(__isoc23_fscanf, MODEL(__isoc23_fscanf)(streams.model, call.format, ARGUMENTS))
ON_STREAM23(__isoc23_vscanf, model_list23(NULL, NULL, call.format, ARGUMENTS))
ON_STREAM23(__isoc23_vfscanf, model_list23(streams.model, NULL, call.format, ARGUMENTS))
