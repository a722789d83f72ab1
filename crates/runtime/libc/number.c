/* Models of functions on numbers: strtol strtoul strtoll strtoull strtoimax strtoumax strtoq
 * strtouq, their _l, __*_internal and __isoc23_ variants, atoi atol atoll, abs labs llabs imaxabs, div ldiv lldiv
 * imaxdiv.
 *
 * In: as the C library's. Out: the same value, end pointer and errno. The value is an exact
 * expression over the digits; each digit is branched on as a digit, and overflow only where so many
 * digits have been read that it is possible.
 * Always: the end pointer is concrete.
 * Departs: digit grouping (the last argument of __strtol_internal) is the real function plus an escape. The _l variants take their white space from the current
 * locale where something is symbolic. The __isoc23_ ones know the prefix 0b, as in glibc 2.38.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

#undef abs
#undef labs

/* White space of the current locale; only sets other than ASCII and UTF-8 need the table. */
static int is_space(char c) {
    if (charset() == CHARSET_OTHER)
        return (*__ctype_b_loc())[(unsigned char)c] & _ISspace;
    return ascii_space((unsigned char)c);
}

/* The value of a digit, or something that is too large for any base. */
static unsigned digit_value(char c, unsigned base) {
    unsigned char d = (unsigned char)(c - '0');
    if (base <= 10 || d < 10)
        return d;
    d = (unsigned char)((c | 0x20) - 'a');
    return d < 26 ? d + 10u : 255;
}

#define CHARACTER char
#include "parse_integer.h"

/* Bytes that matter: up to where the real function stopped and what it had to look at there, or
 * (where it found no number) white space, a sign and a prefix. */
static size_t looked_at(const char *s, const char *stop) {
    return (stop > s ? (size_t)(stop - s) : strspn(s, " \t\n\v\f\r") + 1) + 3;
}

/* The real function's answer if nothing symbolic is involved, else the model's. */
#define PARSE(type, real, flags)                                                                \
    int before = errno;                                                                         \
    char *stop = NULL;                                                                          \
    type value = real;                                                                          \
    if (LABELLED_VALUE(SUM2(s, base)) || __plx_symbolic(s, looked_at(s, stop))) {               \
        errno = before;                                                                         \
        return (type)parse(s, end, base, flags);                                                \
    }                                                                                           \
    if (end && stop)                                                                            \
        *end = stop;                                                                            \
    return value

#define PARSER(type, name, flags)                                                               \
    extern type __##name##_internal(const char *, char **, int, int);                           \
    extern type __##name##_l(const char *, char **, int, locale_t);                             \
    type MODEL(name)(const char *restrict s, char **restrict end, int base) {                   \
        PARSE(type, name(s, &stop, base), flags);                                               \
    }                                                                                           \
    type MODEL(__isoc23_##name)(const char *restrict s, char **restrict end, int base) {        \
        return (type)parse(s, end, base, (flags) | BINARY_PREFIX);                              \
    }                                                                                           \
    type MODEL(name##_l)(const char *restrict s, char **restrict end, int base, locale_t l) {   \
        PARSE(type, __##name##_l(s, &stop, base, l), flags);                                    \
    }                                                                                           \
    FORWARD(type, __##name##_l, name##_l,                                                       \
            (const char *s, char **end, int base, locale_t l), s, end, base, l)                 \
    type MODEL(__isoc23_##name##_l)(const char *s, char **end, int base, locale_t l) {          \
        (void)l;                                                                                \
        return (type)parse(s, end, base, (flags) | BINARY_PREFIX);                              \
    }                                                                                           \
    type MODEL(__##name##_internal)(const char *restrict s, char **restrict end, int base,      \
                                    int group) {                                                \
        if (!group)                                                                             \
            return MODEL(name)(s, end, base);                                                   \
        char *stop = NULL;                                                                      \
        type value = __##name##_internal(s, &stop, base, group);                                \
        __plx_escape("__" #name "_internal", s, looked_at(s, stop));                            \
        if (end && stop)                                                                        \
            *end = stop;                                                                        \
        return value;                                                                           \
    }

PARSER(long, strtol, SIGNED)
PARSER(long long, strtoll, SIGNED)
PARSER(unsigned long, strtoul, 0)
PARSER(unsigned long long, strtoull, 0)
FORWARD(long long, strtoq, strtoll, (const char *s, char **end, int base), s, end, base)
FORWARD(unsigned long long, strtouq, strtoull,
        (const char *s, char **end, int base), s, end, base)
FORWARD(intmax_t, strtoimax, strtol, (const char *s, char **end, int base), s, end, base)
FORWARD(uintmax_t, strtoumax, strtoul, (const char *s, char **end, int base), s, end, base)
FORWARD(intmax_t, __isoc23_strtoimax, __isoc23_strtol,
        (const char *s, char **end, int base), s, end, base)
FORWARD(uintmax_t, __isoc23_strtoumax, __isoc23_strtoul,
        (const char *s, char **end, int base), s, end, base)

int MODEL(atoi)(const char *s) {
    return (int)MODEL(strtol)(s, NULL, 10);
}

long MODEL(atol)(const char *s) {
    return MODEL(strtol)(s, NULL, 10);
}
FORWARD(long long, atoll, atol, (const char *s), s)

/* Negation through unsigned types: the most negative number stays itself, as in the library. */
int MODEL(abs)(int v) {
    return (int)(v < 0 ? -(unsigned)v : (unsigned)v);
}

long MODEL(labs)(long v) {
    return (long)(v < 0 ? -(unsigned long)v : (unsigned long)v);
}
FORWARD(long long, llabs, labs, (long long v), v)
FORWARD(intmax_t, imaxabs, labs, (intmax_t v), v)

div_t MODEL(div)(int a, int b) {
    return (div_t){a / b, a % b};
}

ldiv_t MODEL(ldiv)(long a, long b) {
    return (ldiv_t){a / b, a % b};
}

lldiv_t MODEL(lldiv)(long long a, long long b) {
    return (lldiv_t){a / b, a % b};
}

imaxdiv_t MODEL(imaxdiv)(intmax_t a, intmax_t b) {
    return (imaxdiv_t){a / b, a % b};
}
