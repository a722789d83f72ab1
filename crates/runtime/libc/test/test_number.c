/* number.c against the real functions. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <locale.h>

#include "harness.h"

/* Text like a number: blanks, signs, prefixes, digits of some base, values near the limits. */
static char *number_text(int slot, int base) {
    static const char *const blanks[] = {"", "", "", " ", "\t\n\v\f\r ", "  ", "\xa0", "\x85"};
    static const char *const signs[] = {"", "", "", "-", "+", "--", "+-", "- "};
    static const char *const prefixes[] = {"", "", "", "0", "00", "0x", "0X", "0b", "0B", "x"};
    static const char *const limits[] = {
        "9223372036854775807", "9223372036854775808", "9223372036854775809", "18446744073709551615",
        "18446744073709551616", "99999999999999999999999", "2147483647", "2147483648", "4294967296",
        "7fffffffffffffff", "8000000000000000", "8000000000000001", "ffffffffffffffff",
        "10000000000000000", "777777777777777777777", "1000000000000000000000", "1777777777777777777777",
        "2000000000000000000000", "0000000000000000000000000000000000000000001", "zzzzzzzzzzzz",
        "zzzzzzzzzzzzz", "111111111111111111111111111111111111111111111111111111111111111",
    };
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char buffer[300];
    int n = snprintf(buffer, sizeof buffer, "%s%s%s", PICK(blanks), PICK(signs), PICK(prefixes));
    if (once_in(3)) {
        n += snprintf(buffer + n, 100, "%s", PICK(limits));
    } else {
        size_t kinds = base > 1 && base < 37 && !once_in(4) ? (size_t)base : 16;
        for (size_t i = below(once_in(3) ? 70 : 8); i > 0; i--)
            buffer[n++] = digits[once_in(30) ? below(62) : below(kinds)];
    }
    static const char ends[] = "gxX.-+ 8z\xff";
    if (once_in(3))
        buffer[n++] = ends[below(sizeof ends)];
    buffer[n] = 0;
    return guarded_copy(slot, buffer, strlen(buffer) + 1);
}

static int any_base(void) {
    static const int bases[] = {0, 0, 10, 10, 16, 8, 2, 36};
    return once_in(3) ? (int)below(40) - 2 : PICK(bases);
}

/* real and model are calls with the arguments s, end (model_end) and base. */
#define NUMBER_CASE(name, real, model)                                                          \
    TEST(name) {                                                                                \
        int base = any_base(), group = once_in(2);                                              \
        char *s = number_text(0, base), *r = (char *)1, *m = (char *)1, **end = &r;             \
        char **model_end = &m;                                                                  \
        (void)group;                                                                            \
        SAME(real, model);                                                                      \
        check_long("end", r - s, m - s);                                                        \
        end = model_end = NULL;                                                                 \
        SAME(real, model);                                                                      \
    }
#define NUMBERS(type, name, real)                                                               \
    extern type MODEL(name)(const char *, char **, int);                                        \
    NUMBER_CASE(name, real(s, end, base), MODEL(name)(s, model_end, base))
#define NUMBERS_WITH(type, name, real, more_type, more)                                         \
    extern type MODEL(name)(const char *, char **, int, more_type);                             \
    NUMBER_CASE(name, real(s, end, base, more), MODEL(name)(s, model_end, base, more))
#define NUMBER_FAMILY(type, name)                                                               \
    extern type __##name##_internal(const char *, char **, int, int);                           \
    extern type __##name##_l(const char *, char **, int, locale_t);                             \
    NUMBERS(type, name, name)                                                                   \
    NUMBERS_WITH(type, name##_l, name##_l, locale_t, c_locale())                                \
    NUMBERS_WITH(type, __##name##_l, __##name##_l, locale_t, c_locale())                        \
    NUMBERS_WITH(type, __##name##_internal, __##name##_internal, int, group)                    \
    BINARY(type, __isoc23_##name, name, NO_MORE)                                                       \
    BINARY(type, __isoc23_##name##_l, name, WITH_LOCALE, c_locale())

static locale_t c_locale(void) {
    static locale_t made;
    return made ? made : (made = newlocale(LC_ALL_MASK, "C", NULL));
}

/* This libc does not know the prefix 0b: what it stands for is looked up by hand, the rest must be
 * as without it. `more` are the model's parameters after the base. */
#define NO_MORE
#define WITH_LOCALE , locale_t
#define BINARY(type, name, real, more, ...)                                                     \
    extern type MODEL(name)(const char *, char **, int more);                                   \
    TEST(name) {                                                                                \
        int base = any_base();                                                                  \
        char *s = number_text(0, base), *r = NULL, *m = NULL;                                   \
        size_t at = strspn(s, " \t\n\v\f\r");                                                   \
        at += s[at] == '-' || s[at] == '+';                                                     \
        if ((base == 0 || base == 2) && s[at] == '0' && (s[at + 1] | 0x20) == 'b') {            \
            char text[300];                                                                     \
            snprintf(text, sizeof text, "%.*s%s", (int)at, s, s + at + 2);                      \
            int digit = s[at + 2] == '0' || s[at + 2] == '1';                                   \
            type value = MODEL(name)(s, &m, base, ##__VA_ARGS__);                               \
            check_long("value", digit ? (int64_t)real(text, &r, 2) : 0, (int64_t)value);        \
            check_long("end", digit ? r - text + 2 : (long)at + 1, m - s);                      \
            return;                                                                             \
        }                                                                                       \
        SAME(real(s, &r, base), MODEL(name)(s, &m, base, ##__VA_ARGS__));                       \
        check_place("end", r, s, m, s);                                                         \
    }

NUMBER_FAMILY(long, strtol)
NUMBER_FAMILY(long long, strtoll)
NUMBER_FAMILY(unsigned long, strtoul)
NUMBER_FAMILY(unsigned long long, strtoull)
NUMBERS(long long, strtoq, strtoq)
NUMBERS(unsigned long long, strtouq, strtouq)
NUMBERS(intmax_t, strtoimax, strtoimax)
NUMBERS(uintmax_t, strtoumax, strtoumax)
BINARY(intmax_t, __isoc23_strtoimax, strtoimax, NO_MORE)
BINARY(uintmax_t, __isoc23_strtoumax, strtoumax, NO_MORE)

/* Through a pointer: the header calls these functions pure, and errno would not be read again. */
#define SIMPLE(type, name)                                                                      \
    extern type MODEL(name)(const char *);                                                      \
    TEST(name) {                                                                                \
        char *s = number_text(0, 10);                                                           \
        type (*volatile real)(const char *) = name;                                             \
        SAME(real(s), MODEL(name)(s));                                                          \
    }
SIMPLE(int, atoi)
SIMPLE(long, atol)
SIMPLE(long long, atoll)

#define ABSOLUTE(type, name)                                                                    \
    extern type MODEL(name)(type);                                                              \
    TEST(name) {                                                                                \
        type v = (type)edge_int();                                                              \
        SAME(name(v), MODEL(name)(v));                                                          \
    }
ABSOLUTE(int, abs)
ABSOLUTE(long, labs)
ABSOLUTE(long long, llabs)
ABSOLUTE(intmax_t, imaxabs)

/* Division by zero and of the least number by -1 are undefined. */
#define DIVIDES(type, result, name, least)                                                      \
    extern result MODEL(name)(type, type);                                                      \
    TEST(name) {                                                                                \
        type a = (type)edge_int(), b = (type)edge_int();                                        \
        if (b == 0 || (a == least && b == -1))                                                  \
            b = 3;                                                                              \
        result r = name(a, b), m = MODEL(name)(a, b);                                           \
        check_long("quotient", r.quot, m.quot);                                                 \
        check_long("remainder", r.rem, m.rem);                                                  \
    }
DIVIDES(int, div_t, div, INT32_MIN)
DIVIDES(long, ldiv_t, ldiv, INT64_MIN)
DIVIDES(long long, lldiv_t, lldiv, INT64_MIN)
DIVIDES(intmax_t, imaxdiv_t, imaxdiv, INT64_MIN)
