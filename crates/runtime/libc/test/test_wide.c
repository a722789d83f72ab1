/* wide.c and wide_number.c against the real functions. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <wchar.h>

#include "harness.h"

enum { MOST = 60 };

/* A wide string that shares a start or an end with another. */
static wchar_t *wide_like(int slot, const wchar_t *like) {
    size_t n = wcslen(like), from = once_in(3) ? below(n + 1) : 0, kept = n - from;
    if (once_in(2))
        kept = below(kept + 1);
    wchar_t *s = guarded_copy(slot, like + from, (kept + 1) * sizeof *s);
    s[kept] = 0;
    if (kept && once_in(3))
        s[below(kept)] ^= 0x20;
    for (size_t i = 0; i < kept; i++)
        s[i] = s[i] ? s[i] : L'!';
    return s;
}

#define TWO_STRINGS                                                                             \
    wchar_t *a = any_wide(0, MOST);                                                             \
    wchar_t *b = once_in(4) ? any_wide(1, MOST) : wide_like(1, a);                              \
    size_t n = once_in(4) ? 1000 : below(12);                                                   \
    (void)n

/* The model is declared with the type of the real function. */
#define ON_TWO(name, ...)                                                                       \
    extern __typeof__(name) MODEL(name);                                                        \
    TEST(name) {                                                                                \
        TWO_STRINGS;                                                                            \
        SAME(name(a, b, ##__VA_ARGS__), MODEL(name)(a, b, ##__VA_ARGS__));                      \
    }
ON_TWO(wcscasecmp)
ON_TWO(wcsncasecmp, n)
ON_TWO(wcsspn)
ON_TWO(wcscspn)
ON_TWO(wcspbrk)
ON_TWO(wcsstr)
ON_TWO(wcswcs)

static int sign(int v) {
    return (v > 0) - (v < 0);
}

/* The library's value besides the sign depends on the processor and on the place. */
#define ORDERS(name, ...)                                                                       \
    extern __typeof__(name) MODEL(name);                                                        \
    TEST(name) {                                                                                \
        TWO_STRINGS;                                                                            \
        SAME(sign(name(a, b, ##__VA_ARGS__)), sign(MODEL(name)(a, b, ##__VA_ARGS__)));          \
    }
ORDERS(wcscmp)
ORDERS(wcsncmp, n)
ORDERS(wcscoll)

#define ON_ONE(name, ...)                                                                       \
    extern __typeof__(name) MODEL(name);                                                        \
    TEST(name) {                                                                                \
        wchar_t *s = any_wide(0, MOST);                                                         \
        size_t length = wcslen(s), n = once_in(4) ? 1000 : below(length + 1);                   \
        wchar_t c = once_in(4) ? L'q' : s[below(length + 1)];                                   \
        (void)n, (void)c;                                                                       \
        SAME(name(s, ##__VA_ARGS__), MODEL(name)(s, ##__VA_ARGS__));                            \
    }
ON_ONE(wcslen)
ON_ONE(wcsnlen, n)
ON_ONE(wcschr, c)
ON_ONE(wcschrnul, c)
ON_ONE(wcsrchr, c)
ON_ONE(wcswidth, n)
ON_ONE(wmemchr, c, length)

extern __typeof__(wmemcmp) MODEL(wmemcmp);
TEST(wmemcmp) {
    size_t n = below(MOST);
    wchar_t *a = (wchar_t *)any_bytes(0, n * sizeof *a), *b = guarded_copy(1, a, n * sizeof *a);
    if (n && once_in(2))
        b[below(n)] = (wchar_t)edge_int();
    SAME(sign(wmemcmp(a, b, n)), sign(MODEL(wmemcmp)(a, b, n)));
}

/* The targets begin with a string of their own, for the functions that append. */
#define COPIES(name, size, ...)                                                                 \
    extern __typeof__(name) MODEL(name);                                                        \
    TEST(name) {                                                                                \
        wchar_t *s = any_wide(0, MOST), *start = any_wide(3, MOST), c = s[0];                   \
        size_t length = wcslen(s), held = wcslen(start) + 1, n = below(MOST), room = (size);    \
        wchar_t *to = (wchar_t *)any_bytes(1, (room > held ? room : held) * sizeof *to);        \
        size_t bytes = (room > held ? room : held) * sizeof *to;                                \
        memcpy(to, start, held * sizeof *to);                                                   \
        wchar_t *other = guarded_copy(2, to, bytes);                                            \
        (void)n, (void)c, (void)length;                                                         \
        SAME_PLACE(name(to, __VA_ARGS__), to, MODEL(name)(other, __VA_ARGS__), other);          \
        check_bytes("copy", to, other, bytes);                                                  \
    }
COPIES(wcscpy, length + 1, s)
COPIES(wcpcpy, length + 1, s)
COPIES(wcsncpy, n, s, n)
COPIES(wcpncpy, n, s, n)
COPIES(wcscat, held + length, s)
COPIES(wcsncat, held + (n < length ? n : length), s, n)
COPIES(wmemcpy, length + 1, s, length + 1)
COPIES(wmempcpy, length + 1, s, length + 1)
COPIES(wmemmove, length + 1, s, length + 1)
COPIES(wmemset, n, c, n)

extern __typeof__(wcsdup) MODEL(wcsdup);
TEST(wcsdup) {
    wchar_t *s = any_wide(0, MOST), *r = wcsdup(s), *m = MODEL(wcsdup)(s);
    check_bytes("copy", r, m, (wcslen(s) + 1) * sizeof *s);
    free(r), free(m);
}

extern __typeof__(wcstok) MODEL(wcstok);
TEST(wcstok) {
    wchar_t *s = any_wide(0, 30);
    size_t size = (wcslen(s) + 1) * sizeof *s;
    wchar_t *t = guarded_copy(1, s, size), *rest = NULL, *other_rest = NULL;
    for (int i = 0; i < 20; i++) {
        const wchar_t *set = once_in(9) ? L"" : once_in(2) ? L"a0" : L"b9 A";
        wchar_t *r = wcstok(i ? NULL : s, set, &rest), *m = MODEL(wcstok)(i ? NULL : t, set, &other_rest);
        check_place("token", r, s, m, t);
        check_place("rest", rest, s, other_rest, t);
        check_bytes("string", s, t, size);
        if (!r)
            break;
    }
}

static wchar_t *number_text(int slot) {
    static const wchar_t *const texts[] = {
        L"9223372036854775807", L"9223372036854775808", L"18446744073709551615", L"18446744073709551616",
        L"0x", L"0xg", L"0x7fffffffffffffff", L"0b101", L"zz", L"\u017f\u0131", L"\u0661\u0662", L"12\u00e9",
        L"0777", L"08", L"", L"0", L"9999999999999999999999"};
    static const wchar_t *const starts[] = {L"", L"", L" ", L"\t\n", L"\u2003", L"\u00a0", L"-", L" +", L"--"};
    wchar_t text[80];
    int n = swprintf(text, 80, L"%ls%ls", PICK(starts), once_in(3) ? PICK(texts) : L"");
    if (n < 0) { /* not in this locale: only ASCII then */
        wcscpy(text, L"-12");
        n = 3;
    }
    for (size_t i = below(25); i > 0; i--)
        text[n++] = L"0123456789abfzAZ"[below(once_in(9) ? 16 : 10)];
    text[n++] = 0;
    return guarded_copy(slot, text, (size_t)n * sizeof *text);
}

#define NUMBERS(name, real)                                                                     \
    extern __typeof__(real) MODEL(name);                                                        \
    TEST(name) {                                                                                \
        static const int bases[] = {0, 10, 16, 8, 2, 36, 1, -1, 37, 7};                         \
        int base = PICK(bases);                                                                 \
        wchar_t *s = number_text(0), *r = s, *m = s;                                            \
        if (wcspbrk(s, L"bB") && *#name == '_')                                                 \
            base = 10; /* the prefix 0b, which this libc does not know */                       \
        SAME(real(s, &r, base), MODEL(name)(s, &m, base));                                      \
        check_place("end", r, s, m, s);                                                         \
        SAME(real(s, NULL, base), MODEL(name)(s, NULL, base));                                  \
    }
NUMBERS(wcstol, wcstol)
NUMBERS(wcstoul, wcstoul)
NUMBERS(wcstoll, wcstoll)
NUMBERS(wcstoull, wcstoull)
NUMBERS(wcstoimax, wcstoimax)
NUMBERS(wcstoumax, wcstoumax)
NUMBERS(__isoc23_wcstol, wcstol)
NUMBERS(__isoc23_wcstoul, wcstoul)
NUMBERS(__isoc23_wcstoll, wcstoll)
NUMBERS(__isoc23_wcstoull, wcstoull)
