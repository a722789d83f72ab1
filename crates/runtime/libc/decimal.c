/* Models of strtod strtof atof strtold, and the parser behind them and scanf.
 *
 * In: text. Out: the real function's value and end. The digits of a decimal number are an integer (an exact expression over
 * them), and the value is the number nearest to that integer times a power of ten: one operator.
 * Always: each character is branched on as a digit, a point, a letter of the exponent, so that the path says what the
 * text looks like; the end pointer is concrete.
 * Departs: hexadecimal numbers, infinities and NaNs, more digits than 64 bits hold, another decimal point than '.', and
 * long double are the real function plus an escape.
 */
#define _GNU_SOURCE
#include "decimal.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

enum {
    /* That many digits always fit into 64 bits. */
    SAFE_DIGITS = 19,
    /* Digits of an exponent; more are left to the real function. */
    EXPONENT_DIGITS = 5,
    /* Beyond these exponents of the last digit a number of any digits may be too large or too small for its type. */
    LARGE_EXPONENT = 15,
    SMALL_EXPONENT = -30
};

struct decimal {
    uint64_t digits;
    int exponent, negative;
    const char *end;
};

/* The digits at s; how many there are. -1 if they are too many. */
static int read_digits(const char **s, uint64_t *value, int before) {
    int count = 0;
    for (;; ++*s, ++count) {
        unsigned char d = (unsigned char)(**s - '0');
        if (d >= 10)
            return count;
        if (before + count >= SAFE_DIGITS && *value > (UINT64_MAX - 9) / 10)
            return -1;
        *value = *value * 10 + d;
    }
}

/* Behind the digits: "e", a sign, digits; or nothing. 0 if that is more than can be expressed. */
static int read_exponent(struct decimal *d) {
    const char *s = d->end;
    if ((*s | 0x20) != 'e')
        return 1;
    s++;
    int negative = *s == '-';
    if (negative || *s == '+')
        s++;
    uint64_t value = 0;
    const char *first = s;
    if (read_digits(&s, &value, 0) < 0 || s - first > EXPONENT_DIGITS)
        return 0;
    if (s == first)
        return 1;
    d->end = s;
    d->exponent += negative ? -(int)value : (int)value;
    return 1;
}

/* A decimal number at the beginning of the text: 0 if there is none that can be expressed. */
static int parse(const char *s, struct decimal *d) {
    const char *point = localeconv()->decimal_point;
    if (point[0] != '.' || point[1] != '\0')
        return 0;
    while (ascii_space((unsigned char)*s))
        s++;
    *d = (struct decimal){.negative = *s == '-'};
    if (d->negative || *s == '+')
        s++;
    if (*s == '0' && (s[1] | 0x20) == 'x')
        return 0;
    int whole = read_digits(&s, &d->digits, 0), fraction = 0;
    if (whole < 0)
        return 0;
    if (*s == '.') {
        const char *digits = s + 1;
        fraction = read_digits(&digits, &d->digits, whole);
        if (fraction < 0)
            return 0;
        if (whole + fraction > 0)
            s = digits;
    }
    if (whole + fraction == 0)
        return 0;
    d->end = s;
    d->exponent = -fraction;
    return read_exponent(d);
}

/* Bytes that the real function looked at. */
static size_t looked_at(const char *s, const char *stop) {
    return (stop > s ? (size_t)(stop - s) : strspn(s, " \t\n\v\f\r") + 1) + 8;
}

static int symbolic(const char *s, const char *stop) {
    return LABELLED_VALUE((uintptr_t)s) || __plx_symbolic(s, looked_at(s, stop));
}

/* errno is the real function's for the number that it is now: that it is one that fits its type is a condition. */
#define PARSE(type, name, operation, absolute, largest, smallest)                               \
    type __plx_parse_##name(const char *s, char **end) {                                        \
        char *stop = NULL;                                                                      \
        type real = name(s, &stop);                                                             \
        if (end)                                                                                \
            *end = stop;                                                                        \
        if (!symbolic(s, stop))                                                                 \
            return real;                                                                        \
        struct decimal d;                                                                       \
        if (!parse(s, &d) || d.end != stop) {                                                   \
            __plx_escape(#name, s, looked_at(s, stop));                                         \
            return real;                                                                        \
        }                                                                                       \
        type value = operation(absolute(real), d.digits, d.exponent);                           \
        if (d.exponent > LARGE_EXPONENT || d.exponent < SMALL_EXPONENT) {                       \
            int error = errno;                                                                  \
            if (value > (largest) || (value < (smallest) && d.digits != 0))                     \
                errno = error;                                                                  \
        }                                                                                       \
        return d.negative ? -value : value;                                                     \
    }
PARSE(double, strtod, __plx_op_decimal, __builtin_fabs, 1.7976931348623157e308, 2.2250738585072014e-308)
PARSE(float, strtof, __plx_op_decimalf, __builtin_fabsf, 3.40282347e38f, 1.17549435e-38f)

double MODEL(strtod)(const char *restrict s, char **restrict end) {
    return __plx_parse_strtod(s, end);
}

float MODEL(strtof)(const char *restrict s, char **restrict end) {
    return __plx_parse_strtof(s, end);
}

long double __plx_parse_strtold(const char *s, char **end) {
    char *stop = NULL;
    long double value = strtold(s, &stop);
    __plx_escape("strtold", s, looked_at(s, stop));
    if (end)
        *end = stop;
    return value;
}

long double MODEL(strtold)(const char *restrict s, char **restrict end) {
    return __plx_parse_strtold(s, end);
}

double MODEL(atof)(const char *s) {
    return __plx_parse_strtod(s, NULL);
}
