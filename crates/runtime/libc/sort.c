/* Models of qsort qsort_r bsearch lfind lsearch.
 *
 * In: as the C library's. Out: the same order, from the same calls of the comparison function on
 * the same addresses in the same sequence as glibc 2.36, so that inconsistent or stateful
 * comparison functions give the same result too.
 * Always: there is no short cut to the real functions: what a comparison function returns may be
 * symbolic even where the elements are not (they may be pointers), and the branch on it is here.
 * Departs: glibc sorts in place by another algorithm if there is not a quarter of the machine's
 * memory for a copy; here, only if there is no memory at all, and then with an escape.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>

#include "models.h"

typedef int comparison(const void *, const void *, void *);

/* Elements larger than this are sorted through pointers, and moved once at the end. */
enum { LARGEST_DIRECT = 32, ON_STACK = 1024 };

struct sort {
    size_t size;
    int indirect;
    /* One of the two. */
    int (*plain)(const void *, const void *);
    comparison *compare;
    void *more;
    char *spare;
};

/* Usual sizes as one load and one store, which is much less than a copy of any size. */
struct eight {
    uint64_t bits;
} __attribute__((packed, may_alias));
struct four {
    uint32_t bits;
} __attribute__((packed, may_alias));

#define MOVE(to, from, size)                                                                    \
    do {                                                                                        \
        if ((size) == 8)                                                                        \
            ((struct eight *)(to))->bits = ((const struct eight *)(from))->bits;                \
        else if ((size) == 4)                                                                   \
            ((struct four *)(to))->bits = ((const struct four *)(from))->bits;                  \
        else                                                                                    \
            __builtin_memcpy((to), (from), (size));                                             \
    } while (0)

/* The halves are sorted first, the lower one (which is the smaller if n is odd) before the other. */
static void merge_sort(const struct sort *s, char *base, size_t n) {
    if (n <= 1)
        return;
    size_t low = n / 2, high = n - low, size = s->size;
    char *a = base, *b = base + low * size, *to = s->spare;
    merge_sort(s, a, low);
    merge_sort(s, b, high);
    while (low > 0 && high > 0) {
        const void *x = s->indirect ? *(const void *const *)a : a;
        const void *y = s->indirect ? *(const void *const *)b : b;
        int order = s->plain ? s->plain(x, y) : s->compare(x, y, s->more);
        if (order <= 0) {
            MOVE(to, a, size);
            a += size, low--;
        } else {
            MOVE(to, b, size);
            b += size, high--;
        }
        to += size;
    }
    if (low > 0)
        __builtin_memcpy(to, a, low * size);
    __builtin_memcpy(base, s->spare, (n - high) * size);
}

/* Element i belongs where pointers[i] says it is now: follow each cycle once. */
static void move_to_places(char *base, size_t n, size_t size, char **pointers, char *one) {
    for (size_t i = 0; i < n; i++) {
        char *here = base + i * size;
        if (pointers[i] == here)
            continue;
        __builtin_memcpy(one, here, size);
        size_t at = i;
        while (pointers[at] != here) {
            char *from = pointers[at], *to = base + at * size;
            pointers[at] = to;
            __builtin_memcpy(to, from, size);
            at = (size_t)(from - base) / size;
        }
        pointers[at] = base + at * size;
        __builtin_memcpy(base + at * size, one, size);
    }
}

static void sort_indirect(struct sort s, char *base, size_t n, char *spare) {
    size_t size = s.size;
    char **pointers = (char **)spare + n;
    for (size_t i = 0; i < n; i++)
        pointers[i] = base + i * size;
    s.size = sizeof *pointers;
    s.indirect = 1;
    s.spare = spare;
    merge_sort(&s, (char *)pointers, n);
    move_to_places(base, n, size, pointers, (char *)(pointers + n));
}

/* 0 if there is no memory. */
static int sort(struct sort s, char *base, size_t n) {
    size_t needed = s.size > LARGEST_DIRECT ? 2 * n * sizeof(void *) + s.size : n * s.size;
    uint64_t on_stack[ON_STACK / sizeof(uint64_t)];
    s.spare = needed < ON_STACK ? (char *)on_stack : malloc(needed);
    if (!s.spare)
        return 0;
    if (s.size > LARGEST_DIRECT)
        sort_indirect(s, base, n, s.spare);
    else
        merge_sort(&s, base, n);
    if (s.spare != (char *)on_stack)
        free(s.spare);
    return 1;
}

void MODEL(qsort_r)(void *base, size_t n, size_t size, comparison *compare, void *more) {
    if (sort((struct sort){size, 0, NULL, compare, more, NULL}, base, n))
        return;
    __plx_escape("qsort_r", base, n * size);
    qsort_r(base, n, size, compare, more);
    __plx_clear_labels(base, n * size);
}

void MODEL(qsort)(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    if (sort((struct sort){size, 0, compare, NULL, NULL, NULL}, base, n))
        return;
    __plx_escape("qsort", base, n * size);
    qsort(base, n, size, compare);
    __plx_clear_labels(base, n * size);
}

void *MODEL(bsearch)(const void *key, const void *base, size_t n, size_t size,
                     int (*compare)(const void *, const void *)) {
    size_t from = 0, to = n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        const char *p = (const char *)base + middle * size;
        int order = compare(key, p);
        if (order == 0)
            return (void *)p;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

void *MODEL(lfind)(const void *key, const void *base, size_t *n, size_t size,
                   int (*compare)(const void *, const void *)) {
    const char *p = base;
    for (size_t i = 0; i < *n; i++, p += size)
        if (compare(key, p) == 0)
            return (void *)p;
    return NULL;
}

void *MODEL(lsearch)(const void *key, void *base, size_t *n, size_t size,
                     int (*compare)(const void *, const void *)) {
    void *found = MODEL(lfind)(key, base, n, size, compare);
    if (found)
        return found;
    found = (char *)base + *n * size;
    __builtin_memcpy(found, key, size);
    ++*n;
    return found;
}
