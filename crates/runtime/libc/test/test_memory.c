/* memory.c against the real functions. */
#define _GNU_SOURCE
#include <strings.h>

#include "harness.h"

extern int MODEL(memcmp)(const void *, const void *, size_t), MODEL(bcmp)(const void *, const void *, size_t),
    MODEL(__memcmpeq)(const void *, const void *, size_t), MODEL(ffs)(int), MODEL(ffsl)(long),
    MODEL(ffsll)(long long);
extern void *MODEL(memchr)(const void *, int, size_t), *MODEL(memrchr)(const void *, int, size_t),
    *MODEL(rawmemchr)(const void *, int), *MODEL(__rawmemchr)(const void *, int),
    *MODEL(memmem)(const void *, size_t, const void *, size_t),
    *MODEL(memccpy)(void *, const void *, int, size_t),
    *MODEL(__mempcpy_chk)(void *, const void *, size_t, size_t);
extern int __memcmpeq(const void *, const void *, size_t);
extern void *__rawmemchr(const void *, int), *__mempcpy_chk(void *, const void *, size_t, size_t);

enum { MOST = 80 };

/* Two blocks that are often equal up to some place. */
#define TWO_BLOCKS                                                                              \
    size_t n = below(MOST);                                                                     \
    unsigned char *a = any_bytes(0, n), *b = guarded_copy(1, a, n);                             \
    if (n && once_in(2))                                                                        \
        b[below(n)] = (unsigned char)any()

static int sign(int v) {
    return (v > 0) - (v < 0);
}

/* The library's value besides the sign depends on the processor and on n. */
TEST(memcmp) {
    TWO_BLOCKS;
    SAME(sign(memcmp(a, b, n)), sign(MODEL(memcmp)(a, b, n)));
}

TEST(bcmp) {
    TWO_BLOCKS;
    SAME(sign(bcmp(a, b, n)), sign(MODEL(bcmp)(a, b, n)));
}

/* Only whether it is zero is promised. */
TEST(__memcmpeq) {
    TWO_BLOCKS;
    SAME(__memcmpeq(a, b, n) == 0, MODEL(__memcmpeq)(a, b, n) == 0);
}

/* A byte that is in the block, mostly; sometimes with bits above it set. */
static int wanted_byte(const unsigned char *a, size_t n) {
    int c = n && !once_in(4) ? a[below(n)] : (int)below(256);
    return once_in(4) ? c | (int)(any() << 8) : c;
}

TEST(memchr) {
    size_t n = below(MOST);
    unsigned char *a = any_bytes(0, n);
    int c = wanted_byte(a, n);
    size_t most = memchr(a, c, n) && once_in(4) ? SIZE_MAX / 2 : n;
    SAME(memchr(a, c, most), MODEL(memchr)(a, c, most));
}

TEST(memrchr) {
    size_t n = below(MOST);
    unsigned char *a = any_bytes(0, n);
    int c = wanted_byte(a, n);
    SAME(memrchr(a, c, n), MODEL(memrchr)(a, c, n));
}

TEST(rawmemchr) {
    size_t n = 1 + below(MOST);
    unsigned char *a = any_bytes(0, n);
    int c = a[below(n)];
    SAME(rawmemchr(a, c), MODEL(rawmemchr)(a, c));
}

TEST(__rawmemchr) {
    size_t n = 1 + below(MOST);
    unsigned char *a = any_bytes(0, n);
    int c = a[below(n)];
    SAME(__rawmemchr(a, c), MODEL(__rawmemchr)(a, c));
}

TEST(memmem) {
    size_t n = below(once_in(8) ? 2000 : MOST), m = below(once_in(3) ? n + 2 : 5);
    unsigned char *a = any_bytes(0, n), *b = any_bytes(1, m);
    if (m <= n && once_in(2))
        memcpy(b, a + below(n - m + 1), m);
    SAME(memmem(a, n, b, m), MODEL(memmem)(a, n, b, m));
}

TEST(memccpy) {
    size_t n = below(MOST);
    unsigned char *a = any_bytes(0, n), *to = any_bytes(1, n), *other = guarded_copy(2, to, n);
    int c = wanted_byte(a, n);
    SAME_PLACE(memccpy(to, a, c, n), to, MODEL(memccpy)(other, a, c, n), other);
    check_bytes("copy", to, other, n);
}

#define COPIES(name)                                                                            \
    TEST(name) {                                                                                \
        size_t n = below(MOST), room = n + below(9);                                            \
        unsigned char *a = any_bytes(0, n), *to = any_bytes(1, room);                           \
        unsigned char *other = guarded_copy(2, to, room);                                       \
        SAME_PLACE(name(to, a, n, room), to, MODEL(name)(other, a, n, room), other);            \
        check_bytes("copy", to, other, room);                                                   \
    }
COPIES(__mempcpy_chk)

TEST(ffs) {
    int v = (int)(any() << below(32)) * !once_in(9);
    SAME(ffs(v), MODEL(ffs)(v));
}

TEST(ffsl) {
    long v = (long)(any() << below(64)) * !once_in(9);
    SAME(ffsl(v), MODEL(ffsl)(v));
}

TEST(ffsll) {
    long long v = (long long)(any() << below(64)) * !once_in(9);
    SAME(ffsll(v), MODEL(ffsll)(v));
}
