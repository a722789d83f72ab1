/* stdio_wide.c against the real functions. */
#define _GNU_SOURCE
#include "streams.h"
#include <stdarg.h>
#include <wchar.h>

wint_t MODEL(fgetwc)(FILE *), MODEL(getwc)(FILE *), MODEL(getwchar)(void),
    MODEL(fgetwc_unlocked)(FILE *), MODEL(getwc_unlocked)(FILE *), MODEL(getwchar_unlocked)(void),
    MODEL(fputwc)(wchar_t, FILE *), MODEL(putwc)(wchar_t, FILE *), MODEL(putwchar)(wchar_t),
    MODEL(fputwc_unlocked)(wchar_t, FILE *), MODEL(putwc_unlocked)(wchar_t, FILE *),
    MODEL(putwchar_unlocked)(wchar_t);
wchar_t *MODEL(fgetws)(wchar_t *, int, FILE *), *MODEL(fgetws_unlocked)(wchar_t *, int, FILE *);
int MODEL(fputws)(const wchar_t *, FILE *), MODEL(fputws_unlocked)(const wchar_t *, FILE *),
    MODEL(vfwprintf)(FILE *, const wchar_t *, va_list), MODEL(vwprintf)(const wchar_t *, va_list),
    MODEL(wprintf)(const wchar_t *, ...), MODEL(fwprintf)(FILE *, const wchar_t *, ...);

enum { STEPS = 30, MOST = 400 };

static FILE *in(FILE *from) {
    FILE *old = stdin;
    stdin = from;
    return old;
}
static FILE *out(FILE *to) {
    FILE *old = stdout;
    stdout = to;
    return old;
}

#define READS(name, arguments)                                                                     \
    TEST(name) {                                                                                   \
        char *text = any_multibyte(0, MOST);                                                       \
        struct pair p = open_pair(text, strlen(text), "r", 1);                                     \
        for (size_t n = below(STEPS); n > 0; n--) {                                                \
            FILE *side = p.real, *old = in(p.real);                                                \
            (void)side;                                                                            \
            SAME(name arguments, (side = p.model, in(p.model), MODEL(name) arguments));            \
            in(old);                                                                               \
            check_long("feof", feof(p.real), feof(p.model));                                       \
            check_long("ferror", ferror(p.real), ferror(p.model));                                 \
        }                                                                                          \
        close_pair(&p);                                                                            \
    }
READS(fgetwc, (side))
READS(getwc, (side))
READS(getwchar, ())
READS(fgetwc_unlocked, (side))
READS(getwc_unlocked, (side))
READS(getwchar_unlocked, ())

#define READS_LINE(name)                                                                           \
    TEST(name) {                                                                                   \
        char *text = any_multibyte(0, MOST);                                                       \
        struct pair p = open_pair(text, strlen(text), "r", 1);                                     \
        for (size_t n = below(6); n > 0; n--) {                                                    \
            wchar_t a[100] = {0}, b[100] = {0};                                                    \
            int room = 1 + (int)below(99);                                                         \
            SAME_PLACE(name(a, room, p.real), a, MODEL(name)(b, room, p.model), b);                \
            check_bytes("line", a, b, sizeof a);                                                   \
        }                                                                                          \
        close_pair(&p);                                                                            \
    }
READS_LINE(fgetws)
READS_LINE(fgetws_unlocked)

static wchar_t any_character(void) {
    static const wchar_t picks[] = {L'a', L'\n', 0xe9, 0x20ac, 0x1f600, L'z', 0x7f};
    return in_utf8 ? PICK(picks) : (wchar_t)(1 + below(127));
}
#define WRITES(name, arguments)                                                                    \
    TEST(name) {                                                                                   \
        struct pair p = open_output_pair("w");                                                     \
        for (size_t n = below(STEPS); n > 0; n--) {                                                \
            wchar_t c = any_character();                                                           \
            FILE *side = p.real, *old = out(p.real);                                               \
            (void)side;                                                                            \
            SAME(name arguments, (side = p.model, out(p.model), MODEL(name) arguments));           \
            out(old);                                                                              \
        }                                                                                          \
        close_output_pair(&p);                                                                     \
    }
WRITES(fputwc, (c, side))
WRITES(putwc, (c, side))
WRITES(putwchar, (c))
WRITES(fputwc_unlocked, (c, side))
WRITES(putwc_unlocked, (c, side))
WRITES(putwchar_unlocked, (c))

static const wchar_t *any_text(void) {
    static wchar_t text[50];
    size_t n = below(49);
    for (size_t i = 0; i < n; i++)
        text[i] = any_character();
    text[n] = 0;
    return text;
}
#define WRITES_TEXT(name)                                                                          \
    TEST(name) {                                                                                   \
        struct pair p = open_output_pair("w");                                                     \
        for (size_t n = below(6); n > 0; n--) {                                                    \
            const wchar_t *s = any_text();                                                         \
            SAME(name(s, p.real), MODEL(name)(s, p.model));                                        \
        }                                                                                          \
        close_output_pair(&p);                                                                     \
    }
WRITES_TEXT(fputws)
WRITES_TEXT(fputws_unlocked)

static int list(int model, FILE *fp, const wchar_t *f, ...) {
    va_list args;
    va_start(args, f);
    int n = model == 0 ? vfwprintf(fp, f, args) : model == 1 ? MODEL(vfwprintf)(fp, f, args)
          : model == 2 ? vwprintf(f, args) : MODEL(vwprintf)(f, args);
    va_end(args);
    return n;
}
#define PRINTS(name, real_call, model_call)                                                        \
    TEST(name) {                                                                                   \
        struct pair p = open_output_pair("w");                                                     \
        static const wchar_t *const formats[] = {L"%d %ls", L"%5d|%.3ls", L"x%x\n%ls", L"%300d%ls"};\
        const wchar_t *f = PICK(formats), *s = any_text();                                         \
        int d = (int)edge_int();                                                                   \
        FILE *old = out(p.real);                                                                   \
        SAME(real_call, (out(p.model), model_call));                                               \
        out(old);                                                                                  \
        close_output_pair(&p);                                                                     \
    }
PRINTS(wprintf, wprintf(f, d, s), MODEL(wprintf)(f, d, s))
PRINTS(fwprintf, fwprintf(p.real, f, d, s), MODEL(fwprintf)(p.model, f, d, s))
PRINTS(vfwprintf, list(0, p.real, f, d, s), list(1, p.model, f, d, s))
PRINTS(vwprintf, list(2, NULL, f, d, s), list(3, NULL, f, d, s))
