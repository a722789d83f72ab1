/* compare.c against the real functions. */
#define _GNU_SOURCE
#include <strings.h>

#include "harness.h"

extern int MODEL(strcmp)(const char *, const char *), MODEL(strcoll)(const char *, const char *),
    MODEL(strcasecmp)(const char *, const char *), MODEL(__strcasecmp)(const char *, const char *),
    MODEL(strverscmp)(const char *, const char *), MODEL(__strverscmp)(const char *, const char *),
    MODEL(strncmp)(const char *, const char *, size_t),
    MODEL(strncasecmp)(const char *, const char *, size_t);
extern size_t MODEL(strxfrm)(char *, const char *, size_t);
extern int __strcasecmp(const char *, const char *), __strverscmp(const char *, const char *);

enum { MOST = 300 };

#define TWO_STRINGS                                                                             \
    char *a = any_string(0, MOST);                                                              \
    char *b = once_in(4) ? any_string(1, MOST) : string_like(1, a)

#define COMPARES(name)                                                                          \
    TEST(name) {                                                                                \
        TWO_STRINGS;                                                                            \
        SAME(name(a, b), MODEL(name)(a, b));                                                    \
    }
COMPARES(strcmp)
COMPARES(strcoll)
COMPARES(strcasecmp)
COMPARES(__strcasecmp)

#define COMPARES_SOME(name)                                                                     \
    TEST(name) {                                                                                \
        TWO_STRINGS;                                                                            \
        size_t n = once_in(6) ? SIZE_MAX : below(once_in(2) ? 8 : MOST);                        \
        if (once_in(4)) { /* no terminator within the limit */                                  \
            n = below(strlen(a) + 1);                                                           \
            a = guarded_copy(2, a, n);                                                          \
        }                                                                                       \
        SAME(name(a, b, n), MODEL(name)(a, b, n));                                              \
    }
COMPARES_SOME(strncmp)
COMPARES_SOME(strncasecmp)

#define COMPARES_VERSIONS(name)                                                                 \
    TEST(name) {                                                                                \
        char *a = string_of(0, 12, once_in(2) ? "01" : "0019a.");                               \
        char *b = once_in(2) ? string_of(1, 12, "0019a.") : string_like(1, a);                  \
        SAME(name(a, b), MODEL(name)(a, b));                                                    \
    }
COMPARES_VERSIONS(strverscmp)
COMPARES_VERSIONS(__strverscmp)

TEST(strxfrm) {
    char *s = any_string(0, 40);
    size_t room = below(50);
    unsigned char *to = any_bytes(1, room), *other = guarded_copy(2, to, room);
    SAME(strxfrm((char *)to, s, room), MODEL(strxfrm)((char *)other, s, room));
    check_bytes("copy", to, other, room);
}
