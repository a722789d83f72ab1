/* Models of functions on wide strings: wcslen wcsnlen wcscmp wcsncmp wcscasecmp wcsncasecmp
 * wcscoll wcschr wcschrnul wcsrchr wcsspn wcscspn wcspbrk wcsstr wcswcs wcstok wcscpy wcpcpy
 * wcsncpy wcpncpy wcscat wcsncat wcsdup wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset
 * wcswidth.
 *
 * In: as the C library's. Out: the same results; the plain loops run for concrete strings too,
 * because wide strings are short where they occur at all and asking first would cost more.
 * Departs: wcscmp, wcsncmp and wmemcmp return -1, 0 or 1; the library's magnitude depends on the
 * processor. wcscoll in locales with collation rules is the real one plus an escape.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "models.h"

extern wint_t MODEL(towlower)(wint_t c);
extern int MODEL(wcwidth)(wchar_t c);

size_t MODEL(wcslen)(const wchar_t *s) {
    size_t n = wcslen(s);
    if (!LABELLED(s, (n + 1) * sizeof *s))
        return n;
    for (n = 0; s[n]; n++) {
    }
    return n;
}

size_t MODEL(wcsnlen)(const wchar_t *s, size_t most) {
    size_t n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

static int order(wchar_t a, wchar_t b) {
    return a < b ? -1 : a > b;
}

int MODEL(wcscmp)(const wchar_t *a, const wchar_t *b) {
    while (*a == *b && *a)
        a++, b++;
    return order(*a, *b);
}

int MODEL(wcsncmp)(const wchar_t *a, const wchar_t *b, size_t most) {
    for (size_t i = 0; i < most; i++)
        if (a[i] != b[i] || !a[i])
            return order(a[i], b[i]);
    return 0;
}

int MODEL(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return order(a[i], b[i]);
    return 0;
}

int MODEL(wcsncasecmp)(const wchar_t *a, const wchar_t *b, size_t most) {
    for (size_t i = 0; i < most; i++) {
        wint_t c = MODEL(towlower)((wint_t)a[i]), d = MODEL(towlower)((wint_t)b[i]);
        if (c != d || !c)
            return (int)(c - d);
    }
    return 0;
}

int MODEL(wcscasecmp)(const wchar_t *a, const wchar_t *b) {
    return MODEL(wcsncasecmp)(a, b, SIZE_MAX);
}

int MODEL(wcscoll)(const wchar_t *a, const wchar_t *b) {
    if ((uint32_t)(uintptr_t)nl_langinfo(_NL_COLLATE_NRULES) == 0)
        return MODEL(wcscmp)(a, b);
    __plx_escape("wcscoll", a, (wcslen(a) + 1) * sizeof *a);
    __plx_escape("wcscoll", b, (wcslen(b) + 1) * sizeof *b);
    return wcscoll(a, b);
}

wchar_t *MODEL(wcschrnul)(const wchar_t *s, wchar_t c) {
    while (*s != c && *s)
        s++;
    return (wchar_t *)s;
}

wchar_t *MODEL(wcschr)(const wchar_t *s, wchar_t c) {
    for (;; s++) {
        if (*s == c)
            return (wchar_t *)s;
        if (!*s)
            return NULL;
    }
}

wchar_t *MODEL(wcsrchr)(const wchar_t *s, wchar_t c) {
    for (size_t n = MODEL(wcslen)(s) + 1; n > 0; n--)
        if (s[n - 1] == c)
            return (wchar_t *)s + n - 1;
    return NULL;
}

wchar_t *MODEL(wmemchr)(const wchar_t *s, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] == c)
            return (wchar_t *)s + i;
    return NULL;
}

/* No early exit: one disjunction for the whole set. */
static int is_one_of(wchar_t c, const wchar_t *set, size_t size) {
    int hit = 0;
    for (size_t i = 0; i < size; i++)
        hit |= c == set[i];
    return hit;
}

size_t MODEL(wcsspn)(const wchar_t *s, const wchar_t *set) {
    size_t n = 0, size = MODEL(wcslen)(set);
    while (is_one_of(s[n], set, size))
        n++;
    return n;
}

size_t MODEL(wcscspn)(const wchar_t *s, const wchar_t *set) {
    size_t n = 0, size = MODEL(wcslen)(set);
    while (s[n] && !is_one_of(s[n], set, size))
        n++;
    return n;
}

wchar_t *MODEL(wcspbrk)(const wchar_t *s, const wchar_t *set) {
    s += MODEL(wcscspn)(s, set);
    return *s ? (wchar_t *)s : NULL;
}

wchar_t *MODEL(wcsstr)(const wchar_t *hay, const wchar_t *needle) {
    for (;; hay++) {
        size_t i = 0;
        while (needle[i] && hay[i] == needle[i])
            i++;
        if (!needle[i])
            return (wchar_t *)hay;
        if (!hay[i])
            return NULL;
    }
}
FORWARD(wchar_t *, wcswcs, wcsstr, (const wchar_t *hay, const wchar_t *needle), hay, needle)

wchar_t *MODEL(wcstok)(wchar_t *restrict s, const wchar_t *restrict set,
                       wchar_t **restrict rest) {
    if (!s)
        s = *rest;
    if (!s)
        return NULL;
    s += MODEL(wcsspn)(s, set);
    if (!*s) {
        *rest = NULL;
        return NULL;
    }
    wchar_t *end = s + MODEL(wcscspn)(s, set);
    *rest = *end ? end + 1 : NULL;
    if (*end)
        *end = 0;
    return s;
}

static void copy(wchar_t *to, const wchar_t *from, size_t n) {
    __builtin_memcpy(to, from, n * sizeof *to);
}

wchar_t *MODEL(wcpcpy)(wchar_t *restrict to, const wchar_t *restrict from) {
    size_t n = MODEL(wcslen)(from);
    copy(to, from, n + 1);
    return to + n;
}

wchar_t *MODEL(wcscpy)(wchar_t *restrict to, const wchar_t *restrict from) {
    MODEL(wcpcpy)(to, from);
    return to;
}

wchar_t *MODEL(wcpncpy)(wchar_t *restrict to, const wchar_t *restrict from, size_t room) {
    size_t n = MODEL(wcsnlen)(from, room);
    copy(to, from, n);
    __builtin_memset(to + n, 0, (room - n) * sizeof *to);
    return to + n;
}

wchar_t *MODEL(wcsncpy)(wchar_t *restrict to, const wchar_t *restrict from, size_t room) {
    MODEL(wcpncpy)(to, from, room);
    return to;
}

wchar_t *MODEL(wcscat)(wchar_t *restrict to, const wchar_t *restrict from) {
    MODEL(wcpcpy)(to + MODEL(wcslen)(to), from);
    return to;
}

wchar_t *MODEL(wcsncat)(wchar_t *restrict to, const wchar_t *restrict from, size_t most) {
    wchar_t *end = to + MODEL(wcslen)(to);
    size_t n = MODEL(wcsnlen)(from, most);
    copy(end, from, n);
    end[n] = 0;
    return to;
}

wchar_t *MODEL(wcsdup)(const wchar_t *s) {
    size_t n = MODEL(wcslen)(s) + 1;
    wchar_t *made = malloc(n * sizeof *s);
    if (made)
        copy(made, s, n);
    return made;
}

wchar_t *MODEL(wmemcpy)(wchar_t *restrict to, const wchar_t *restrict from, size_t n) {
    copy(to, from, n);
    return to;
}

wchar_t *MODEL(wmempcpy)(wchar_t *restrict to, const wchar_t *restrict from, size_t n) {
    copy(to, from, n);
    return to + n;
}

wchar_t *MODEL(wmemmove)(wchar_t *to, const wchar_t *from, size_t n) {
    return __builtin_memmove(to, from, n * sizeof *to);
}

wchar_t *MODEL(wmemset)(wchar_t *to, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = c;
    return to;
}

int MODEL(wcswidth)(const wchar_t *s, size_t most) {
    int width = 0;
    for (size_t i = 0; i < most && s[i]; i++) {
        int one = MODEL(wcwidth)(s[i]);
        if (one < 0)
            return -1;
        width += one;
    }
    return width;
}
