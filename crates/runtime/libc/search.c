/* Models of functions that look through strings: strlen strnlen strchr index strchrnul strrchr
 * rindex strstr strcasestr strspn strcspn strpbrk strtok strtok_r __strtok_r strsep.
 *
 * In: as the C library's. Out: the same results; whether a symbolic byte belongs to a set is one
 * branch on a disjunction, whether it equals one wanted byte is one branch.
 * Always: the returned places are concrete; the branches say when they hold.
 * Departs: strstr and strcasestr compare place by place where something is symbolic. strtok has
 * its own memory of the string, which the real strtok does not share.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "models.h"

size_t MODEL(strlen)(const char *s) {
    size_t n = strlen(s);
    if (!LABELLED(s, n + 1))
        return n;
    for (n = 0; s[n]; n++) {
    }
    return n;
}

size_t MODEL(strnlen)(const char *s, size_t most) {
    size_t n = strnlen(s, most);
    if (!__plx_symbolic(s, n + 1) && !LABELLED_VALUE(SUM2(s, most)))
        return n;
    for (n = 0; n < most && s[n]; n++) {
    }
    return n;
}

char *MODEL(strchrnul)(const char *s, int c) {
    const char *found = strchrnul(s, c);
    if (!__plx_symbolic(s, (size_t)(found - s) + 1) && !LABELLED_VALUE(SUM2(s, c)))
        return (char *)found;
    while (*s != (char)c && *s)
        s++;
    return (char *)s;
}

char *MODEL(strchr)(const char *s, int c) {
    const char *found = strchrnul(s, c);
    if (!__plx_symbolic(s, (size_t)(found - s) + 1) && !LABELLED_VALUE(SUM2(s, c)))
        return *found == (char)c ? (char *)found : NULL;
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return NULL;
    }
}
FORWARD(char *, index, strchr, (const char *s, int c), s, c)

char *MODEL(strrchr)(const char *s, int c) {
    size_t n = strlen(s) + 1;
    if (!__plx_symbolic(s, n) && !LABELLED_VALUE(SUM2(s, c)))
        return memrchr(s, c, n);
    for (n = 0; s[n]; n++) {
    }
    for (;; n--) {
        if (s[n] == (char)c)
            return (char *)s + n;
        if (n == 0)
            return NULL;
    }
}
FORWARD(char *, rindex, strrchr, (const char *s, int c), s, c)

char *MODEL(strstr)(const char *hay, const char *needle) {
    const char *found = strstr(hay, needle);
    size_t size = strlen(needle);
    size_t examined = found ? (size_t)(found - hay) + size : strlen(hay) + 1;
    if (!__plx_symbolic(hay, examined) && !__plx_symbolic(needle, size + 1) &&
        !LABELLED_VALUE(SUM2(hay, needle)))
        return (char *)found;
    COMPARED(hay, needle, examined, SIZE_MAX);
    for (;; hay++) {
        size_t i = 0;
        while (needle[i] && hay[i] == needle[i])
            i++;
        if (!needle[i])
            return (char *)hay;
        if (!hay[i])
            return NULL;
    }
}

static unsigned char folded(char c, int ascii) {
    return ascii ? ascii_lower((unsigned char)c)
                 : (unsigned char)(*__ctype_tolower_loc())[(unsigned char)c];
}

char *MODEL(strcasestr)(const char *hay, const char *needle) {
    const char *found = strcasestr(hay, needle);
    size_t size = strlen(needle);
    size_t examined = found ? (size_t)(found - hay) + size : strlen(hay) + 1;
    if (!__plx_symbolic(hay, examined) && !__plx_symbolic(needle, size + 1) &&
        !LABELLED_VALUE(SUM2(hay, needle)))
        return (char *)found;
    COMPARED(hay, needle, examined, SIZE_MAX);
    int ascii = charset() != CHARSET_OTHER;
    for (;; hay++) {
        size_t i = 0;
        while (needle[i] && folded(hay[i], ascii) == folded(needle[i], ascii))
            i++;
        if (!needle[i])
            return (char *)hay;
        if (!hay[i])
            return NULL;
    }
}

/* No early exit: one disjunction for the whole set. */
static int is_one_of(char c, const char *set, size_t size) {
    int hit = 0;
    for (size_t i = 0; i < size; i++)
        hit |= c == set[i];
    return hit;
}

size_t MODEL(strspn)(const char *s, const char *set) {
    size_t n = strspn(s, set), size = strlen(set);
    if (!__plx_symbolic(s, n + 1) && !__plx_symbolic(set, size + 1) && !LABELLED_VALUE(SUM2(s, set)))
        return n;
    size = MODEL(strlen)(set);
    for (n = 0; is_one_of(s[n], set, size); n++) {
    }
    return n;
}

size_t MODEL(strcspn)(const char *s, const char *set) {
    size_t n = strcspn(s, set), size = strlen(set);
    if (!__plx_symbolic(s, n + 1) && !__plx_symbolic(set, size + 1) && !LABELLED_VALUE(SUM2(s, set)))
        return n;
    size = MODEL(strlen)(set);
    for (n = 0; s[n] && !is_one_of(s[n], set, size); n++) {
    }
    return n;
}

char *MODEL(strpbrk)(const char *s, const char *set) {
    s += MODEL(strcspn)(s, set);
    return *s ? (char *)s : NULL;
}

char *MODEL(strtok_r)(char *restrict s, const char *restrict set, char **restrict rest) {
    if (!s)
        s = *rest;
    s += MODEL(strspn)(s, set);
    if (!*s) {
        *rest = s;
        return NULL;
    }
    char *end = s + MODEL(strcspn)(s, set);
    if (*end)
        *end++ = 0;
    *rest = end;
    return s;
}
FORWARD(char *, __strtok_r, strtok_r, (char *s, const char *set, char **rest), s, set, rest)

char *MODEL(strtok)(char *restrict s, const char *restrict set) {
    static char *rest;
    return MODEL(strtok_r)(s, set, &rest);
}

char *MODEL(strsep)(char **restrict rest, const char *restrict set) {
    char *s = *rest;
    if (!s)
        return NULL;
    char *end = s + MODEL(strcspn)(s, set);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = NULL;
    }
    return s;
}
