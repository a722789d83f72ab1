/* decimal.c against the real functions. */
#define _GNU_SOURCE
#include "harness.h"

static char *float_text(int slot) {
    static const char *const texts[] = {"inf", "-nan", "nan(123)", "1e400", "0x1p-3", "1e", "."};
    return once_in(3) ? string_like(slot, PICK(texts)) : string_of(slot, 20, "00129.e+-x ");
}

#define FLOATS(type, name)                                                                      \
    extern type MODEL(name)(const char *, char **);                                             \
    TEST(name) {                                                                                \
        char *s = float_text(0), *r_end, *m_end;                                                \
        errno = 0;                                                                              \
        type r = name(s, &r_end);                                                               \
        int r_errno = errno;                                                                    \
        errno = 0;                                                                              \
        type m = MODEL(name)(s, &m_end);                                                        \
        check_long("errno", r_errno, errno);                                                    \
        check_bytes("value", &r, &m, sizeof r == 16 ? 10 : sizeof r);                           \
        check_place("end", r_end, s, m_end, s);                                                 \
        m = MODEL(name)(s, NULL);                                                               \
        check_bytes("value without end", &r, &m, sizeof r == 16 ? 10 : sizeof r);               \
    }
FLOATS(double, strtod)
FLOATS(float, strtof)
FLOATS(long double, strtold)

extern double MODEL(atof)(const char *);
TEST(atof) {
    char *s = float_text(0);
    double r = atof(s), m = MODEL(atof)(s);
    check_bytes("value", &r, &m, sizeof r);
}
