/* Models of functions on numbers: strtol strtoul strtoll strtoull strtoimax strtoumax, their _l,
 * __*_internal and __isoc23_ variants, atoi atol atoll, abs labs llabs imaxabs, div ldiv lldiv
 * imaxdiv, strtod strtof strtold atof.
 *
 * In: as the C library's. Out: the same value, end pointer and errno. The value is an exact
 * expression over the digits; each digit is branched on as a digit, and overflow only where so many
 * digits have been read that it is possible.
 * Always: the end pointer is concrete.
 * Departs: floating-point parsing is the real one plus an escape, and so is digit grouping (the
 * last argument of __strtol_internal). The _l variants take their white space from the current
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

enum { SIGNED = 1, BINARY_PREFIX = 2 };

static const char *after_space(const char *s) {
    const unsigned short *class = charset() == CHARSET_OTHER ? *__ctype_b_loc() : NULL;
    while (class ? class[(unsigned char)*s] & _ISspace : ascii_space((unsigned char)*s))
        s++;
    return s;
}

/* Past "0x" (or "0b" where that is known) if the base allows it; settles base 0. */
static const char *after_prefix(const char *s, int *base, int flags) {
    if (*s != '0') {
        *base = *base ? *base : 10;
        return s;
    }
    if ((*base == 0 || *base == 16) && (s[1] | 0x20) == 'x') {
        *base = 16;
        return s + 2;
    }
    if ((flags & BINARY_PREFIX) && (*base == 0 || *base == 2) && (s[1] | 0x20) == 'b') {
        *base = 2;
        return s + 2;
    }
    *base = *base ? *base : 8;
    return s;
}

/* The value of a digit, or something that is too large for any base. */
static unsigned digit_value(unsigned char c, unsigned base) {
    unsigned char d = (unsigned char)(c - '0');
    if (base <= 10 || d < 10)
        return d;
    d = (unsigned char)((c | 0x20) - 'a');
    return d < 26 ? d + 10u : 255;
}

struct digits {
    uint64_t value;
    const char *end;
    int overflow;
    /* An upper bound of the bits that the value can have. */
    unsigned bits;
};

static struct digits read_digits(const char *s, unsigned base) {
    struct digits r = {0, s, 0, 0};
    unsigned bits_each = 1;
    while ((1u << bits_each) < base)
        bits_each++;
    for (;; r.end++) {
        unsigned d = digit_value((unsigned char)*r.end, base);
        if (d >= base)
            return r;
        r.bits += bits_each;
        if (r.overflow)
            continue;
        if (r.bits > 64 && (r.value > UINT64_MAX / base ||
                            (r.value == UINT64_MAX / base && d > UINT64_MAX % base)))
            r.overflow = 1;
        else
            r.value = r.value * base + d;
    }
}

static uint64_t in_range(struct digits r, int negative, int flags) {
    uint64_t most = flags & SIGNED ? (uint64_t)INT64_MAX + (unsigned)negative : UINT64_MAX;
    if (r.overflow || (r.bits >= 64 && r.value > most)) {
        errno = ERANGE;
        return most;
    }
    return negative ? -r.value : r.value;
}

static uint64_t parse(const char *start, char **end, int base, int flags) {
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    const char *s = after_space(start);
    int negative = 0;
    if (*s == '-') {
        negative = 1;
        s++;
    } else if (*s == '+') {
        s++;
    }
    const char *first = after_prefix(s, &base, flags);
    struct digits r = read_digits(first, (unsigned)base);
    if (r.end == first) {
        /* "0x" and no digit: the zero is the number. Anything else is none. */
        if (end)
            *end = (char *)(first != s ? first - 1 : start);
        return 0;
    }
    if (end)
        *end = (char *)r.end;
    return in_range(r, negative, flags);
}

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
    if (labelled(s, looked_at(s, stop)) || labelled_value((uint64_t)base)) {                    \
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
    ALIAS(__##name##_l, name##_l);                                                              \
    ALIAS(__isoc23_##name##_l, name##_l);                                                       \
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
ALIAS(strtoimax, strtol);
ALIAS(strtoumax, strtoul);
ALIAS(__isoc23_strtoimax, __isoc23_strtol);
ALIAS(__isoc23_strtoumax, __isoc23_strtoul);

int MODEL(atoi)(const char *s) {
    return (int)MODEL(strtol)(s, NULL, 10);
}

long MODEL(atol)(const char *s) {
    return MODEL(strtol)(s, NULL, 10);
}
ALIAS(atoll, atol);

/* Negation through unsigned types: the most negative number stays itself, as in the library. */
int MODEL(abs)(int v) {
    return (int)(v < 0 ? -(unsigned)v : (unsigned)v);
}

long MODEL(labs)(long v) {
    return (long)(v < 0 ? -(unsigned long)v : (unsigned long)v);
}
ALIAS(llabs, labs);
ALIAS(imaxabs, labs);

div_t MODEL(div)(int a, int b) {
    return (div_t){a / b, a % b};
}

ldiv_t MODEL(ldiv)(long a, long b) {
    return (ldiv_t){a / b, a % b};
}
ALIAS(lldiv, ldiv);
ALIAS(imaxdiv, ldiv);

#define REAL_FLOAT(type, name)                                                                  \
    type MODEL(name)(const char *restrict s, char **restrict end) {                             \
        char *stop;                                                                             \
        type value = name(s, &stop);                                                            \
        __plx_escape(#name, s, looked_at(s, stop));                                             \
        if (end)                                                                                \
            *end = stop;                                                                        \
        return value;                                                                           \
    }
REAL_FLOAT(double, strtod)
REAL_FLOAT(float, strtof)
REAL_FLOAT(long double, strtold)

double MODEL(atof)(const char *s) {
    return MODEL(strtod)(s, NULL);
}
