/* Models of wcstol wcstoul wcstoll wcstoull wcstoimax wcstoumax.
 *
 * In: as the C library's. Out: the same value, end pointer and errno; see number.c.
 * Departs: white space outside ASCII is told by the real iswspace on concrete values.
 */
#define _GNU_SOURCE
#include <wchar.h>
#include <wctype.h>

#include "models.h"

extern int MODEL(iswspace)(wint_t c);

static int is_space(wchar_t c) {
    return MODEL(iswspace)((wint_t)c);
}

/* The value of a digit, or something that is too large for any base. */
static unsigned digit_value(wchar_t c, unsigned base) {
    unsigned d = (unsigned)c - L'0';
    if (base <= 10 || d < 10)
        return d;
    d = ((unsigned)c | 0x20) - L'a';
    return d < 26 ? d + 10 : base;
}

#define CHARACTER wchar_t
#include "parse_integer.h"

#define PARSER(type, name, flags)                                                               \
    type MODEL(name)(const wchar_t *restrict s, wchar_t **restrict end, int base) {             \
        return (type)parse(s, end, base, flags);                                                \
    }                                                                                           \
    type MODEL(__isoc23_##name)(const wchar_t *restrict s, wchar_t **restrict end, int base) {  \
        return (type)parse(s, end, base, (flags) | BINARY_PREFIX);                              \
    }

PARSER(long, wcstol, SIGNED)
PARSER(unsigned long, wcstoul, 0)
FORWARD(long long, wcstoll, wcstol, (const wchar_t *s, wchar_t **end, int base), s, end, base)
FORWARD(unsigned long long, wcstoull, wcstoul,
        (const wchar_t *s, wchar_t **end, int base), s, end, base)
FORWARD(intmax_t, wcstoimax, wcstol, (const wchar_t *s, wchar_t **end, int base), s, end, base)
FORWARD(uintmax_t, wcstoumax, wcstoul, (const wchar_t *s, wchar_t **end, int base), s, end, base)
FORWARD(long long, __isoc23_wcstoll, __isoc23_wcstol,
        (const wchar_t *s, wchar_t **end, int base), s, end, base)
FORWARD(unsigned long long, __isoc23_wcstoull, __isoc23_wcstoul,
        (const wchar_t *s, wchar_t **end, int base), s, end, base)
