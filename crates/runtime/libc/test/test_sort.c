/* sort.c against the real functions, with consistent, inconsistent and stateful comparisons. */
#define _GNU_SOURCE
#include <search.h>

#include "harness.h"

typedef int comparison(const void *, const void *);
typedef int comparison_r(const void *, const void *, void *);
extern void MODEL(qsort)(void *, size_t, size_t, comparison *),
    MODEL(qsort_r)(void *, size_t, size_t, comparison_r *, void *),
    *MODEL(bsearch)(const void *, const void *, size_t, size_t, comparison *),
    *MODEL(lfind)(const void *, const void *, size_t *, size_t, comparison *),
    *MODEL(lsearch)(const void *, void *, size_t *, size_t, comparison *);

/* What a comparison function saw: a hash of the order and places of its arguments. */
struct seen {
    const char *base;
    const void *key;
    size_t size;
    int mode;
    uint64_t hash, calls;
};
static struct seen *seen;

static int compare(const void *a, const void *b) {
    uint64_t left = a == seen->key ? 999999 : (uint64_t)((const char *)a - seen->base);
    uint64_t right = (uint64_t)((const char *)b - seen->base);
    seen->hash = (seen->hash ^ left) * 1099511628211u;
    seen->hash = (seen->hash ^ right) * 1099511628211u;
    seen->calls++;
    switch (seen->mode) {
    case 0:
        return memcmp(a, b, 1);
    case 1: /* inconsistent */
        return (int)(seen->hash >> 33) % 3 - 1;
    case 2: /* stateful */
        return (int)(seen->calls % 5) - 2;
    default:
        return -memcmp(a, b, seen->size);
    }
}

static int compare_r(const void *a, const void *b, void *more) {
    seen = more;
    return compare(a, b);
}

static void check_seen(const struct seen *r, const struct seen *m) {
    check_long("calls", (int64_t)r->calls, (int64_t)m->calls);
    check_long("sequence of calls", (int64_t)r->hash, (int64_t)m->hash);
}

static size_t any_size(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 31, 32, 33, 40, 100};
    return PICK(sizes);
}

/* An array twice: a and b, and what is seen of each. */
#define TWO_ARRAYS                                                                              \
    size_t size = any_size(), n = below(once_in(10) ? 80 : 20);                                 \
    unsigned char *a = any_bytes(0, n * size), *b = guarded_copy(1, a, n * size);               \
    int mode = (int)below(4);                                                                   \
    struct seen r = {(char *)a, NULL, size, mode, 0, 0}, m = {(char *)b, NULL, size, mode, 0, 0}

TEST(qsort) {
    TWO_ARRAYS;
    seen = &r;
    qsort(a, n, size, compare);
    seen = &m;
    MODEL(qsort)(b, n, size, compare);
    check_bytes("array", a, b, n * size);
    check_seen(&r, &m);
}

TEST(qsort_r) {
    TWO_ARRAYS;
    qsort_r(a, n, size, compare_r, &r);
    MODEL(qsort_r)(b, n, size, compare_r, &m);
    check_bytes("array", a, b, n * size);
    check_seen(&r, &m);
}

TEST(bsearch) {
    TWO_ARRAYS;
    unsigned char *key = any_bytes(2, size);
    r.key = m.key = key;
    seen = &r;
    qsort(a, n, size, compare);
    memcpy(b, a, n * size);
    r.hash = r.calls = 0;
    if (n && once_in(2))
        memcpy(key, a + below(n) * size, size);
    const void *found = bsearch(key, a, n, size, compare);
    seen = &m;
    check_place("found", found, a, MODEL(bsearch)(key, b, n, size, compare), b);
    check_seen(&r, &m);
}

TEST(lfind) {
    TWO_ARRAYS;
    unsigned char *key = any_bytes(2, size);
    r.key = m.key = key;
    seen = &r;
    const void *found = lfind(key, a, &n, size, compare);
    seen = &m;
    check_place("found", found, a, MODEL(lfind)(key, b, &n, size, compare), b);
    check_seen(&r, &m);
}

TEST(lsearch) {
    size_t size = any_size(), n = below(20), model_n = n;
    unsigned char *a = any_bytes(0, (n + 1) * size), *b = guarded_copy(1, a, (n + 1) * size);
    unsigned char *key = any_bytes(2, size);
    int mode = (int)below(4);
    struct seen r = {(char *)a, key, size, mode, 0, 0}, m = {(char *)b, key, size, mode, 0, 0};
    size_t room = (n + 1) * size;
    seen = &r;
    const void *found = lsearch(key, a, &n, size, compare);
    seen = &m;
    check_place("found", found, a, MODEL(lsearch)(key, b, &model_n, size, compare), b);
    check_seen(&r, &m);
    check_long("number", (int64_t)n, (int64_t)model_n);
    check_bytes("array", a, b, room);
}
