/* copy.c against the real functions. */
#define _GNU_SOURCE
#include "harness.h"

extern char *MODEL(strcpy)(char *, const char *), *MODEL(stpcpy)(char *, const char *),
    *MODEL(__stpcpy)(char *, const char *), *MODEL(strncpy)(char *, const char *, size_t),
    *MODEL(stpncpy)(char *, const char *, size_t), *MODEL(__stpncpy)(char *, const char *, size_t),
    *MODEL(strcat)(char *, const char *), *MODEL(strncat)(char *, const char *, size_t),
    *MODEL(strdup)(const char *), *MODEL(__strdup)(const char *),
    *MODEL(strndup)(const char *, size_t), *MODEL(__strndup)(const char *, size_t),
    *MODEL(__strcpy_chk)(char *, const char *, size_t),
    *MODEL(__stpcpy_chk)(char *, const char *, size_t),
    *MODEL(__strncpy_chk)(char *, const char *, size_t, size_t),
    *MODEL(__stpncpy_chk)(char *, const char *, size_t, size_t),
    *MODEL(__strcat_chk)(char *, const char *, size_t),
    *MODEL(__strncat_chk)(char *, const char *, size_t, size_t), *MODEL(basename)(const char *),
    *MODEL(__xpg_basename)(char *), *MODEL(dirname)(char *);
extern char *__stpcpy(char *, const char *), *__stpncpy(char *, const char *, size_t),
    *__strdup(const char *), *__strndup(const char *, size_t),
    *__strcpy_chk(char *, const char *, size_t), *__stpcpy_chk(char *, const char *, size_t),
    *__strncpy_chk(char *, const char *, size_t, size_t),
    *__stpncpy_chk(char *, const char *, size_t, size_t), *__strcat_chk(char *, const char *, size_t),
    *__strncat_chk(char *, const char *, size_t, size_t), *__xpg_basename(char *), *dirname(char *);

enum { MOST = 120 };

/* `room` bytes of rubbish twice: to and other. */
#define TWO_TARGETS(size)                                                                       \
    size_t room = (size);                                                                       \
    char *to = (char *)any_bytes(1, room), *other = guarded_copy(2, to, room)

#define COPIES(name, size, ...)                                                                 \
    TEST(name) {                                                                                \
        char *s = any_string(0, MOST);                                                          \
        size_t n = below(2 * MOST), most = strnlen(s, n);                                       \
        TWO_TARGETS(size);                                                                      \
        (void)n, (void)most;                                                                    \
        SAME_PLACE(name(to, s, ##__VA_ARGS__), to, MODEL(name)(other, s, ##__VA_ARGS__), other); \
        check_bytes("copy", to, other, room);                                                   \
    }
COPIES(strcpy, strlen(s) + 1)
COPIES(stpcpy, strlen(s) + 1)
COPIES(__stpcpy, strlen(s) + 1)
COPIES(strncpy, n, n)
COPIES(stpncpy, n, n)
COPIES(__stpncpy, n, n)
COPIES(__strcpy_chk, strlen(s) + 1 + below(4), room)
COPIES(__stpcpy_chk, strlen(s) + 1 + below(4), room)
COPIES(__strncpy_chk, n + below(4), n, room)
COPIES(__stpncpy_chk, n + below(4), n, room)

/* The targets begin with a string of their own. */
#define APPENDS(name, size, ...)                                                                \
    TEST(name) {                                                                                \
        char *s = any_string(0, MOST), *start = any_string(3, MOST);                            \
        size_t n = once_in(9) ? SIZE_MAX : below(2 * MOST), most = strnlen(s, n);               \
        size_t held = strlen(start) + 1;                                                        \
        TWO_TARGETS(held + (size));                                                             \
        memcpy(to, start, held), memcpy(other, start, held);                                    \
        (void)most;                                                                             \
        SAME_PLACE(name(to, s, ##__VA_ARGS__), to, MODEL(name)(other, s, ##__VA_ARGS__), other); \
        check_bytes("copy", to, other, room);                                                   \
    }
APPENDS(strcat, strlen(s))
APPENDS(strncat, most, n)
APPENDS(__strcat_chk, strlen(s) + below(4), room)
APPENDS(__strncat_chk, most + below(4), n, room)

#define DUPLICATES(name, ...)                                                                   \
    TEST(name) {                                                                                \
        char *s = any_string(0, MOST);                                                          \
        size_t n = once_in(9) ? SIZE_MAX : below(2 * MOST);                                     \
        (void)n;                                                                                \
        char *r = name(s, ##__VA_ARGS__), *m = MODEL(name)(s, ##__VA_ARGS__);                   \
        check_text(#name, r, m);                                                                \
        free(r), free(m);                                                                       \
    }
DUPLICATES(strdup)
DUPLICATES(__strdup)
DUPLICATES(strndup, n)
DUPLICATES(__strndup, n)

#define PATHS(name)                                                                             \
    TEST(name) {                                                                                \
        char *s = string_of(0, 12, once_in(2) ? "/a" : "//a.");                                 \
        size_t size = strlen(s) + 1;                                                            \
        char *t = guarded_copy(1, s, size);                                                     \
        char *r = name(s), *m = MODEL(name)(t);                                                 \
        check_text(#name, r, m);                                                                \
        if (r >= s && r < s + size)                                                             \
            check_place("place", r, s, m, t);                                                   \
        check_bytes("path", s, t, size);                                                        \
    }
PATHS(basename)
PATHS(__xpg_basename)
PATHS(dirname)
