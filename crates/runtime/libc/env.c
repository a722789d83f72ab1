/* Models of getenv secure_getenv setenv unsetenv putenv, and of strerror
 * strerror_r __xpg_strerror_r strsignal.
 *
 * In: as the C library's. Out: the same results. getenv walks `environ` and branches on symbolic
 * names; the string that setenv stores has the labels of what it was made from.
 * Departs: which existing entry setenv, unsetenv and putenv replace is decided by the real ones;
 * a symbolic name there is an escape, and so is a symbolic error or signal number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "models.h"

extern int MODEL(strncmp)(const char *a, const char *b, size_t n);
extern size_t MODEL(strlen)(const char *s);
extern char *MODEL(strchr)(const char *s, int c);
extern int __xpg_strerror_r(int number, char *buffer, size_t size);

char *MODEL(getenv)(const char *name) {
    size_t n = MODEL(strlen)(name);
    if (n == 0 || !environ)
        return NULL;
    for (char **entry = environ; *entry; entry++)
        if ((*entry)[0] == name[0] && MODEL(strncmp)(*entry, name, n) == 0 && (*entry)[n] == '=')
            return *entry + n + 1;
    return NULL;
}

char *MODEL(secure_getenv)(const char *name) {
    return getauxval(AT_SECURE) ? NULL : MODEL(getenv)(name);
}

/* The library refuses names that are empty or hold '='. */
static int is_bad_name(const char *name) {
    return !name || !*name || MODEL(strchr)(name, '=');
}

int MODEL(setenv)(const char *name, const char *value, int overwrite) {
    if (is_bad_name(name)) {
        errno = EINVAL;
        return -1;
    }
    size_t n = strlen(name);
    __plx_escape("setenv", name, n);
    int kept = !overwrite && getenv(name);
    if (setenv(name, value, overwrite) != 0)
        return -1;
    char *stored = getenv(name);
    if (kept || !stored)
        return 0;
    __plx_copy_labels(stored - n - 1, name, n);
    __plx_clear_labels(stored - 1, 1);
    __plx_copy_labels(stored, value, strlen(value) + 1);
    return 0;
}

int MODEL(unsetenv)(const char *name) {
    if (is_bad_name(name)) {
        errno = EINVAL;
        return -1;
    }
    __plx_escape("unsetenv", name, strlen(name));
    return unsetenv(name);
}

/* The string itself becomes part of the environment, labels and all. Without '=' it is removed. */
int MODEL(putenv)(char *string) {
    const char *equals = MODEL(strchr)(string, '=');
    __plx_escape("putenv", string, equals ? (size_t)(equals - string) : strlen(string));
    return putenv(string);
}

/* The library keeps unknown numbers' texts in memory that it uses again. */
static char *fresh(char *text) {
    if (text)
        __plx_clear_labels(text, strlen(text) + 1);
    return text;
}

char *MODEL(strerror)(int number) {
    __plx_escape_value("strerror", (uint64_t)number);
    return fresh(strerror(number));
}

char *MODEL(strerror_r)(int number, char *buffer, size_t size) {
    __plx_escape_value("strerror_r", (uint64_t)number);
    return fresh(strerror_r(number, buffer, size));
}

int MODEL(__xpg_strerror_r)(int number, char *buffer, size_t size) {
    __plx_escape_value("strerror_r", (uint64_t)number);
    int result = __xpg_strerror_r(number, buffer, size);
    __plx_clear_labels(buffer, strnlen(buffer, size));
    return result;
}

char *MODEL(strsignal)(int number) {
    __plx_escape_value("strsignal", (uint64_t)number);
    return fresh(strsignal(number));
}
