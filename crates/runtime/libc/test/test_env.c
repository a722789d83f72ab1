/* env.c against the real functions; the environment is put back after every case. */
#define _GNU_SOURCE
#include <unistd.h>

#include "harness.h"

extern char *MODEL(getenv)(const char *), *MODEL(secure_getenv)(const char *), *MODEL(strerror)(int),
    *MODEL(strerror_r)(int, char *, size_t), *MODEL(strsignal)(int);
extern int MODEL(setenv)(const char *, const char *, int), MODEL(unsetenv)(const char *),
    MODEL(putenv)(char *), MODEL(__xpg_strerror_r)(int, char *, size_t);
extern int __xpg_strerror_r(int, char *, size_t);

static const char *const names[] = {"A", "AB", "ABC", "B", "", "A=", "=", "PATH", "A=B"};

/* A small environment of its own; a second one of the same entries for the second function. */
static char **any_environment(int slot) {
    static const char *const entries[] = {"A=1", "AB=2", "ABC=", "A=B=3", "B", "=x", "PATH=/", "AB"};
    static char *lists[2][8];
    size_t n = below(8);
    for (size_t i = 0; i < n; i++)
        lists[slot][i] = (char *)PICK(entries);
    lists[slot][n] = NULL;
    return lists[slot];
}

#define GETS(name)                                                                              \
    TEST(name) {                                                                                \
        char **kept = environ;                                                                  \
        environ = once_in(20) ? NULL : any_environment(0);                                      \
        const char *wanted = PICK(names);                                                       \
        wanted = guarded_copy(1, wanted, strlen(wanted) + 1);                                   \
        SAME(name(wanted), MODEL(name)(wanted));                                                \
        environ = kept;                                                                         \
    }
GETS(getenv)
GETS(secure_getenv)

/* The same change on two copies of the environment; then the copies are compared. */
static void check_environments(char **real, char **model) {
    size_t i = 0;
    for (; real[i] && model[i]; i++)
        check_text("entry", real[i], model[i]);
    check_place("end", real[i], NULL, model[i], NULL);
}

#define CHANGES(name, change, model_change)                                                     \
    TEST(name) {                                                                                \
        char **kept = environ, *copy[9], *other[9];                                             \
        char **list = any_environment(0);                                                       \
        for (int i = 0; i < 8; i++)                                                             \
            copy[i] = other[i] = list[i];                                                       \
        copy[8] = other[8] = NULL;                                                              \
        const char *wanted = PICK(names);                                                       \
        char *value = any_string(1, 9), *text = string_of(2, 6, "AB=");                         \
        int overwrite = once_in(2);                                                             \
        (void)wanted, (void)value, (void)text, (void)overwrite;                                 \
        environ = copy;                                                                         \
        errno = 0;                                                                              \
        int r = change, r_errno = errno;                                                        \
        char **changed = environ, *result[20];                                                  \
        int n = 0;                                                                              \
        while (changed[n])                                                                      \
            result[n] = changed[n], n++;                                                        \
        result[n] = NULL;                                                                       \
        environ = other;                                                                        \
        errno = 0;                                                                              \
        int m = model_change, m_errno = errno;                                                  \
        check_long("result", r, m);                                                             \
        check_long("errno", r_errno, m_errno);                                                  \
        check_environments(result, environ);                                                    \
        environ = kept;                                                                         \
    }
CHANGES(setenv, setenv(wanted, value, overwrite), ({
            hook_copied_to = NULL;
            const char *before = getenv(wanted);
            int done = MODEL(setenv)(wanted, value, overwrite);
            if (done == 0 && (overwrite || !before))
                check_place("labels copied to", getenv(wanted), NULL, hook_copied_to, NULL);
            else
                check_place("no labels copied", NULL, NULL, hook_copied_to, NULL);
            done;
        }))
CHANGES(unsetenv, unsetenv(wanted), MODEL(unsetenv)(wanted))
CHANGES(putenv, putenv(text), MODEL(putenv)(text))

TEST(strerror) {
    char copy[200];
    int number = once_in(4) ? (int)edge_int() : (int)below(140);
    snprintf(copy, sizeof copy, "%s", strerror(number));
    check_text("text", copy, MODEL(strerror)(number));
}

TEST(strsignal) {
    char copy[200];
    int number = once_in(4) ? (int)edge_int() : (int)below(70);
    snprintf(copy, sizeof copy, "%s", strsignal(number));
    check_text("text", copy, MODEL(strsignal)(number));
}

TEST(strerror_r) {
    char a[60], b[60];
    int number = once_in(2) ? (int)edge_int() : (int)below(140);
    size_t size = 1 + below(60);
    memset(a, 1, sizeof a), memset(b, 1, sizeof b);
    const char *r = strerror_r(number, a, size), *m = MODEL(strerror_r)(number, b, size);
    check_text("text", r, m);
    check_long("in the buffer", r == a, m == b);
    check_bytes("buffer", a, b, sizeof a);
}

TEST(__xpg_strerror_r) {
    char a[60], b[60];
    int number = once_in(2) ? (int)edge_int() : (int)below(140);
    size_t size = 1 + below(60);
    memset(a, 1, sizeof a), memset(b, 1, sizeof b);
    SAME(__xpg_strerror_r(number, a, size), MODEL(__xpg_strerror_r)(number, b, size));
    check_bytes("buffer", a, b, sizeof a);
}
