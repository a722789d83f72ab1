/* Models of functions that copy strings: strcpy stpcpy __stpcpy strncpy stpncpy __stpncpy strcat
 * strncat strdup __strdup strndup __strndup, their _chk variants, basename __xpg_basename
 * dirname.
 *
 * In: as the C library's. Out: the same bytes, each with the label of the byte it came from.
 * Always: the length is found by the model of strlen (which branches on symbolic bytes) and the
 * bytes are moved by memory intrinsics, which move or clear labels.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "models.h"

extern void __chk_fail(void) __attribute__((noreturn));
extern size_t MODEL(strlen)(const char *s);
extern size_t MODEL(strnlen)(const char *s, size_t most);
extern char *MODEL(strrchr)(const char *s, int c);
extern void *MODEL(memrchr)(const void *s, int c, size_t n);

char *MODEL(stpcpy)(char *restrict to, const char *restrict from) {
    size_t n = MODEL(strlen)(from);
    __builtin_memcpy(to, from, n + 1);
    return to + n;
}
FORWARD(char *, __stpcpy, stpcpy, (char *to, const char *from), to, from)

char *MODEL(strcpy)(char *restrict to, const char *restrict from) {
    MODEL(stpcpy)(to, from);
    return to;
}

char *MODEL(stpncpy)(char *restrict to, const char *restrict from, size_t room) {
    size_t n = MODEL(strnlen)(from, room);
    __builtin_memcpy(to, from, n);
    __builtin_memset(to + n, 0, room - n);
    return to + n;
}
FORWARD(char *, __stpncpy, stpncpy, (char *to, const char *from, size_t room), to, from, room)

char *MODEL(strncpy)(char *restrict to, const char *restrict from, size_t room) {
    MODEL(stpncpy)(to, from, room);
    return to;
}

char *MODEL(strcat)(char *restrict to, const char *restrict from) {
    MODEL(stpcpy)(to + MODEL(strlen)(to), from);
    return to;
}

char *MODEL(strncat)(char *restrict to, const char *restrict from, size_t most) {
    char *end = to + MODEL(strlen)(to);
    size_t n = MODEL(strnlen)(from, most);
    __builtin_memcpy(end, from, n);
    end[n] = 0;
    return to;
}

static char *duplicate(const char *s, size_t n) {
    char *copy = malloc(n + 1);
    if (!copy)
        return NULL;
    __builtin_memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

char *MODEL(strdup)(const char *s) {
    return duplicate(s, MODEL(strlen)(s));
}
FORWARD(char *, __strdup, strdup, (const char *s), s)

char *MODEL(strndup)(const char *s, size_t most) {
    return duplicate(s, MODEL(strnlen)(s, most));
}
FORWARD(char *, __strndup, strndup, (const char *s, size_t most), s, most)

char *MODEL(__stpcpy_chk)(char *restrict to, const char *restrict from, size_t room) {
    size_t n = MODEL(strlen)(from);
    if (n >= room)
        __chk_fail();
    __builtin_memcpy(to, from, n + 1);
    return to + n;
}

char *MODEL(__strcpy_chk)(char *restrict to, const char *restrict from, size_t room) {
    MODEL(__stpcpy_chk)(to, from, room);
    return to;
}

char *MODEL(__stpncpy_chk)(char *restrict to, const char *restrict from, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return MODEL(stpncpy)(to, from, n);
}

char *MODEL(__strncpy_chk)(char *restrict to, const char *restrict from, size_t n, size_t room) {
    MODEL(__stpncpy_chk)(to, from, n, room);
    return to;
}

char *MODEL(__strcat_chk)(char *restrict to, const char *restrict from, size_t room) {
    size_t n = MODEL(strlen)(to);
    if (n >= room)
        __chk_fail();
    MODEL(__stpcpy_chk)(to + n, from, room - n);
    return to;
}

char *MODEL(__strncat_chk)(char *restrict to, const char *restrict from, size_t most,
                           size_t room) {
    size_t n = MODEL(strlen)(to), more = MODEL(strnlen)(from, most);
    if (n + more >= room)
        __chk_fail();
    return MODEL(strncat)(to, from, more);
}

/* <string.h>'s basename; <libgen.h> makes it __xpg_basename. */
char *MODEL(basename)(const char *path) {
    char *slash = MODEL(strrchr)(path, '/');
    return slash ? slash + 1 : (char *)path;
}

/* The length of the path without trailing slashes. */
static size_t without_slashes(const char *path, size_t n) {
    while (n > 0 && path[n - 1] == '/')
        n--;
    return n;
}

char *MODEL(__xpg_basename)(char *path) {
    if (!path || !*path)
        return (char *)".";
    size_t whole = MODEL(strlen)(path), n = without_slashes(path, whole);
    if (n == 0)
        return path + whole - 1;
    if (n < whole)
        path[n] = 0;
    char *slash = MODEL(memrchr)(path, '/', n);
    return slash ? slash + 1 : path;
}

char *MODEL(dirname)(char *path) {
    if (!path)
        return (char *)".";
    size_t whole = MODEL(strlen)(path), n = without_slashes(path, whole);
    char *slash = MODEL(memrchr)(path, '/', n ? n : whole);
    if (!slash)
        return (char *)".";
    if (n == 0) {
        n = whole == 2 ? 2 : 1;
    } else {
        n = without_slashes(path, (size_t)(slash - path));
        if (n == 0)
            n = slash - path == 1 ? 2 : 1;
    }
    path[n] = 0;
    return path;
}
