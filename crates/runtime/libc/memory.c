/* Models of functions on blocks of memory: memcmp bcmp __memcmpeq memchr memrchr rawmemchr
 * __rawmemchr memmem memccpy ffs ffsl ffsll, and __mempcpy_chk. (memcpy, memmove,
 * memset and their relatives are part of the runtime library itself.)
 *
 * In: as the C library's. Out: the same results; every comparison of a symbolic byte is a branch.
 * Departs: the result of memcmp and relatives has the right sign but not the real one's magnitude,
 * which depends on the processor and on n; where something is symbolic it is the difference of the
 * first bytes that differ. memmem compares place by place, so its time is the product of the lengths where
 * something is symbolic.
 */
#define _GNU_SOURCE
#include <string.h>

#include "models.h"

extern void __chk_fail(void) __attribute__((noreturn));

int MODEL(memcmp)(const void *a, const void *b, size_t n) {
    if (!__plx_symbolic(a, n) && !__plx_symbolic(b, n) && !LABELLED_VALUE(SUM3(a, b, n)))
        return memcmp(a, b, n);
    const unsigned char *p = a, *q = b;
    __plx_compared(a, b, n);
    for (size_t i = 0; i < n; i++)
        if (p[i] != q[i])
            return p[i] - q[i];
    return 0;
}
FORWARD(int, bcmp, memcmp, (const void *a, const void *b, size_t n), a, b, n)
FORWARD(int, __memcmpeq, memcmp, (const void *a, const void *b, size_t n), a, b, n)

void *MODEL(memchr)(const void *s, int c, size_t n) {
    const unsigned char *p = s;
    const unsigned char *found = memchr(s, c, n);
    size_t examined = found ? (size_t)(found - p) + 1 : n;
    if (!__plx_symbolic(s, examined) && !LABELLED_VALUE(SUM3(s, c, n)))
        return (void *)found;
    for (size_t i = 0; i < n; i++)
        if (p[i] == (unsigned char)c)
            return (void *)(p + i);
    return NULL;
}

void *MODEL(memrchr)(const void *s, int c, size_t n) {
    if (!__plx_symbolic(s, n) && !LABELLED_VALUE(SUM3(s, c, n)))
        return memrchr(s, c, n);
    const unsigned char *p = s;
    for (size_t i = n; i > 0; i--)
        if (p[i - 1] == (unsigned char)c)
            return (void *)(p + i - 1);
    return NULL;
}

void *MODEL(rawmemchr)(const void *s, int c) {
    const unsigned char *p = s;
    const unsigned char *found = rawmemchr(s, c);
    if (!__plx_symbolic(s, (size_t)(found - p) + 1) && !LABELLED_VALUE(SUM2(s, c)))
        return (void *)found;
    while (*p != (unsigned char)c)
        p++;
    return (void *)p;
}
FORWARD(void *, __rawmemchr, rawmemchr, (const void *s, int c), s, c)

void *MODEL(memmem)(const void *hay, size_t hay_size, const void *needle, size_t size) {
    const unsigned char *h = hay, *n = needle;
    if (!__plx_symbolic(hay, hay_size) && !__plx_symbolic(needle, size) &&
        !LABELLED_VALUE(SUM2(hay, needle) + SUM2(hay_size, size)))
        return memmem(hay, hay_size, needle, size);
    /* The token is the needle, or as much of the haystack if that is what is known. */
    __plx_compared(hay, needle,
                   __plx_symbolic(needle, size) && hay_size < size ? hay_size : size);
    if (size > hay_size)
        return NULL;
    for (size_t at = 0; at <= hay_size - size; at++) {
        size_t i = 0;
        while (i < size && h[at + i] == n[i])
            i++;
        if (i == size)
            return (void *)(h + at);
    }
    return NULL;
}

void *MODEL(memccpy)(void *restrict to, const void *restrict from, int c, size_t n) {
    const char *found = MODEL(memchr)(from, c, n);
    if (found)
        n = (size_t)(found - (const char *)from) + 1;
    __builtin_memcpy(to, from, n);
    return found ? (char *)to + n : NULL;
}

void *MODEL(__mempcpy_chk)(void *restrict to, const void *restrict from, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return (char *)__builtin_memcpy(to, from, n) + n;
}

/* The place of the lowest set bit, by halving: shifts and comparisons only, so that a symbolic
 * argument gives an exact expression. */
int MODEL(ffsll)(long long value) {
    unsigned long long v = (unsigned long long)value;
    int place = 1;
    if (v == 0)
        return 0;
    for (int half = 32; half > 0; half >>= 1) {
        int low_is_empty = (v & ((1ull << half) - 1)) == 0;
        v >>= low_is_empty * half;
        place += low_is_empty * half;
    }
    return place;
}
FORWARD(int, ffsl, ffsll, (long value), value)

int MODEL(ffs)(int value) {
    return MODEL(ffsll)((unsigned)value);
}
