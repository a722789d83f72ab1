/* search.c against the real functions. */
#define _GNU_SOURCE
#include <strings.h>

#include "harness.h"

extern size_t MODEL(strlen)(const char *), MODEL(strnlen)(const char *, size_t),
    MODEL(strspn)(const char *, const char *), MODEL(strcspn)(const char *, const char *);
extern char *MODEL(strchr)(const char *, int), *MODEL(index)(const char *, int),
    *MODEL(strchrnul)(const char *, int), *MODEL(strrchr)(const char *, int),
    *MODEL(rindex)(const char *, int), *MODEL(strstr)(const char *, const char *),
    *MODEL(strcasestr)(const char *, const char *), *MODEL(strpbrk)(const char *, const char *),
    *MODEL(strtok)(char *, const char *), *MODEL(strtok_r)(char *, const char *, char **),
    *MODEL(__strtok_r)(char *, const char *, char **), *MODEL(strsep)(char **, const char *);
extern char *__strtok_r(char *, const char *, char **);

enum { MOST = 300 };

TEST(strlen) {
    char *s = any_string(0, MOST);
    SAME(strlen(s), MODEL(strlen)(s));
}

TEST(strnlen) {
    char *s = any_string(0, MOST);
    size_t n = once_in(8) ? SIZE_MAX : below(40);
    if (once_in(3)) { /* exactly n bytes and no terminator */
        n = strlen(s);
        s = guarded_copy(1, s, n);
    }
    SAME(strnlen(s, n), MODEL(strnlen)(s, n));
}

/* A character of the string, its terminator, or any; sometimes with bits above it set. */
static int wanted(const char *s) {
    int c = once_in(4) ? (int)below(256) : s[below(strlen(s) + 1)];
    return once_in(4) ? c ^ (int)(any() << 8) : c;
}

#define FINDS(name)                                                                             \
    TEST(name) {                                                                                \
        char *s = any_string(0, MOST);                                                          \
        int c = wanted(s);                                                                      \
        SAME(name(s, c), MODEL(name)(s, c));                                                    \
    }
FINDS(strchr)
FINDS(index)
FINDS(strchrnul)
FINDS(strrchr)
FINDS(rindex)

#define FINDS_STRING(name)                                                                      \
    TEST(name) {                                                                                \
        char *s = any_string(0, MOST);                                                          \
        char *t = once_in(2) ? string_like(1, s) : any_string(1, 4);                            \
        SAME(name(s, t), MODEL(name)(s, t));                                                    \
    }
FINDS_STRING(strstr)
FINDS_STRING(strcasestr)
FINDS_STRING(strspn)
FINDS_STRING(strcspn)
FINDS_STRING(strpbrk)

#define TOKENS(name, real_call, model_call)                                                     \
    TEST(name) {                                                                                \
        char *s = string_of(0, 60, "ab,;"), *t = guarded_copy(1, s, strlen(s) + 1);             \
        size_t size = strlen(s) + 1;                                                            \
        char *rest = s, *other_rest = t;                                                        \
        for (int i = 0; i < 20 && rest; i++) {                                                  \
            const char *set = once_in(9) ? "" : once_in(3) ? "," : ";,";                        \
            char *first = i ? NULL : s, *other_first = i ? NULL : t;                            \
            char *r = real_call, *m = model_call;                                               \
            (void)first, (void)other_first;                                                     \
            check_place(#name, r, s, m, t);                                                     \
            check_place("rest", rest, s, other_rest, t);                                        \
            check_bytes("string", s, t, size);                                                  \
            if (!r)                                                                             \
                break;                                                                          \
        }                                                                                       \
    }
TOKENS(strtok, strtok(first, set), MODEL(strtok)(other_first, set))
TOKENS(strtok_r, strtok_r(first, set, &rest), MODEL(strtok_r)(other_first, set, &other_rest))
TOKENS(__strtok_r, __strtok_r(first, set, &rest), MODEL(__strtok_r)(other_first, set, &other_rest))
TOKENS(strsep, strsep(&rest, set), MODEL(strsep)(&other_rest, set))
