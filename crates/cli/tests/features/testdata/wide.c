/* For: integers of 65 to 128 bits: arithmetic, comparisons, casts, memory, calls, and the checks people write with them. */
#include "cases.h"
#include <stdarg.h>
#include <limits.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

#define WIDE(at) (((u128)IN(u64, (at) + 8) << 64) | IN(u64, at))
#define ALL(T, A, B)                                                     \
    do {                                                                 \
        T a = (A), b = (B);                                              \
        OUT((T)(a + b)); OUT((T)(a - b)); OUT((T)(a * b));               \
        OUT((T)(a & b)); OUT((T)(a | b)); OUT((T)(a ^ b));               \
        OUT((T)(~a)); OUT((T)(-a));                                      \
    } while (0)
#define COMPARE(T, A, B)                                                 \
    do {                                                                 \
        T a = (A), b = (B);                                              \
        u8 r[6] = {a == b, a != b, a < b, a <= b, a > b, a >= b};        \
        out(r, sizeof r);                                                \
    } while (0)

CASE(unsigned_all, "exact") { ALL(u128, WIDE(0), WIDE(16)); COMPARE(u128, WIDE(0), WIDE(16)); }
CASE(signed_all, "exact") { ALL(i128, WIDE(0), WIDE(16)); COMPARE(i128, WIDE(0), WIDE(16)); }
CASE(extended, "exact") { ALL(i128, IN(i64, 0), IN(i32, 8)); COMPARE(i128, IN(i64, 0), IN(i32, 8)); }
CASE(extended_unsigned, "exact") { ALL(u128, IN(u64, 0), IN(u32, 8)); COMPARE(u128, IN(u64, 0), IN(u32, 8)); }
CASE(extended_differently, "exact") { ALL(i128, IN(i64, 0), IN(u64, 8)); COMPARE(i128, IN(i64, 0), IN(u64, 8)); }
CASE(equal_upper_words, "exact") {
    COMPARE(u128, (u128)7 << 64 | IN(u64, 0), (u128)7 << 64 | IN(u64, 8));
    COMPARE(i128, -((i128)7 << 64) + in[0], -((i128)7 << 64) + in[1]);
}

#define SHIFTS(T, A, N)                                                  \
    do {                                                                 \
        T a = (A);                                                       \
        unsigned n = (unsigned)(N) % 128;                                \
        OUT((T)(a << 5)); OUT((T)(a >> 5)); OUT((T)(a << 64));           \
        OUT((T)(a >> 64)); OUT((T)(a << 77)); OUT((T)(a >> 77));         \
        OUT((T)(a << n)); OUT((T)(a >> n));                              \
    } while (0)
CASE(shifts, "exact") { SHIFTS(u128, WIDE(0), in[16]); }
CASE(shifts_signed, "exact") { SHIFTS(i128, WIDE(0), in[16]); }
CASE(shifted_bit, "exact") { OUT((u128)1 << (in[0] & 127)); }

CASE(divided, "exact") {
    i64 a = IN(i64, 0);
    i32 b = IN(i32, 8) | 1;
    OUT((i128)a / b); OUT((i128)a % b); OUT((i128)a / 10); OUT((i128)a % 1000);
    OUT((u128)IN(u64, 0) / (in[9] | 1)); OUT((u128)IN(u64, 0) % (in[9] | 1));
}
/* The product is not known to be small: a guard says that it was. */
CASE(divided_product, "exact; guards 1") {
    u128 p = (u128)in[0] * in[1] + ((u128)(in[2] & 0) << 70 | (in[3] | 1));
    u64 big = (u64)in[4] << 40;
    OUT((u64)((p * big | p) % 1000007));
}
CASE(mulmod_small, "exact") { OUT((u64)((u128)IN(u32, 0) * IN(u32, 4) % 1000000007)); }
/* More than 64 bits are divided concretely, with an event. */
CASE(mulmod_large, "concrete wide") {
    u64 a = IN(u64, 0) | (u64)1 << 63, b = IN(u64, 8) | (u64)1 << 63;
    OUT((u64)((u128)a * b % 1000000007));
}

static long fit(i128 value) {
    if (value > LONG_MAX || value < LONG_MIN)
        return -1;
    return (long)value;
}
CASE(checked_product, "exact; branches 1") { OUT(fit((i128)IN(i64, 0) * IN(i64, 8))); }
CASE(checked_sum, "exact; branches 1") { OUT(fit((i128)IN(i64, 0) + IN(i64, 8))); }
CASE(checked_difference, "exact; branches 1") { OUT(fit((i128)IN(i64, 0) - IN(i64, 8))); }
CASE(checked_negation, "exact; branches 1") { OUT(fit(-(i128)IN(i64, 0))); }
CASE(checked_digits, "exact; branches 1") {
    long value = 0;
    for (int i = 0; i < 24; i++)
        value = fit((i128)value * 10 + (in[i] % 10));
    OUT(value);
}
CASE(high_word, "exact") {
    u128 p = (u128)IN(u64, 0) * IN(u64, 8);
    OUT((u64)(p >> 64)); OUT((u64)p);
    OUT((i64)(((i128)IN(i64, 16) * IN(i64, 24)) >> 64));
}

CASE(choice, "exact") {
    i128 a = IN(i64, 0), b = IN(i64, 8);
    i128 c = in[16] & 1 ? a : b * 3;
    OUT(c);
    u128 d = in[17] & 1 ? WIDE(0) : WIDE(8);
    OUT(d);
}
/* A choice that only computes is no branch. */
CASE(absolute, "exact; branches 0") {
    i128 a = IN(i64, 0), b = WIDE(8);
    i128 m = a < 0 ? -a : a;
    OUT(m);
    if (b < a)
        b = a * 3;
    OUT(b);
}
CASE(loop_of_wide, "exact") {
    u128 hash = ((u128)0x6C62272E07BB0142u << 64) | 0x62B821756295C58Du;
    for (int i = 0; i < 6; i++)
        hash = (hash ^ in[i]) * (((u128)1 << 88) + 0x13B);
    OUT(hash);
}

struct record { u8 tag; i128 value; u16 end; };
static __attribute__((noinline)) struct record changed(struct record r, i128 by) {
    r.value = r.value * by + r.tag;
    r.end ^= 5;
    return r;
}
CASE(struct_field, "exact") {
    struct record r = {in[0], WIDE(1), IN(u16, 17)};
    r = changed(r, IN(i16, 19));
    OUT(r.tag); OUT(r.value); OUT(r.end);
}
struct single { i128 value; };
static __attribute__((noinline)) struct single doubled(struct single s) { return (struct single){s.value * 2}; }
CASE(struct_of_one, "exact") { OUT(doubled((struct single){WIDE(0)}).value); }

CASE(arrays, "exact") {
    i128 a[4];
    for (int i = 0; i < 4; i++)
        a[i] = (i128)IN(i64, 8 * i) * (i + 1);
    i128 sum = 0;
    for (int i = 0; i < 4; i++)
        sum += a[i] * a[3 - i];
    OUT(sum);
    out(a, sizeof a);
}
CASE(array_at_input, "exact") {
    static const i128 table[4] = {1, -5, (i128)1 << 100, -((i128)3 << 90)};
    OUT(table[in[0] & 3] + in[1]);
    u128 own[3] = {in[1], (u128)in[2] << 80, WIDE(3)};
    OUT(own[in[0] % 3]);
}
CASE(words_in_memory, "exact") {
    u128 v;
    memcpy(&v, in, 16);
    u64 w[2];
    v += 5;
    memcpy(w, &v, 16);
    OUT(w[1]); OUT(w[0]);
    u8 *bytes = (u8 *)&v;
    bytes[8] ^= in[16];
    OUT(v);
}

static __attribute__((noinline)) i128 with_many(i64 a, i64 b, i64 c, i64 d, i64 e, i128 x, i64 f, i128 y) {
    return x * a - y * b + c * d * e * f;
}
static __attribute__((noinline)) i128 recursive(i128 n, int depth) {
    return depth == 0 ? n : recursive(n * 3 + depth, depth - 1);
}
CASE(arguments, "exact") {
    OUT(with_many(in[0], in[1], in[2], in[3], in[4], WIDE(5), in[21], WIDE(22)));
    OUT(recursive(IN(i64, 0), 20));
    i128 (*volatile pointer)(i128, int) = recursive;
    OUT(pointer(WIDE(8), 3));
}
static __attribute__((noinline)) i128 sum_of(int n, ...) {
    va_list list;
    va_start(list, n);
    i128 sum = 0;
    while (n--)
        sum = sum * 3 + va_arg(list, i128);
    va_end(list);
    return sum;
}
CASE(variable_arguments, "exact") {
    OUT(sum_of(5, WIDE(0), (i128)IN(i64, 16), (i128)7, WIDE(24), (i128)in[40]));
}

#define OVERFLOWS(A, B, R)                                               \
    do {                                                                 \
        __typeof__(R) r;                                                 \
        u8 o[3];                                                         \
        o[0] = __builtin_add_overflow((A), (B), &r); OUT(r);             \
        o[1] = __builtin_sub_overflow((A), (B), &r); OUT(r);             \
        o[2] = __builtin_mul_overflow((A), (B), &r); OUT(r);             \
        out(o, 3);                                                       \
    } while (0)
/* Operands of different signs are computed with in 65 bits. */
CASE(overflow_of_mixed_signs, "exact") {
    OVERFLOWS(IN(i64, 0), IN(u64, 8), (i64)0);
    OVERFLOWS(IN(i64, 0), IN(u64, 8), (u64)0);
    OVERFLOWS(IN(i32, 0), IN(u64, 8), (i64)0);
}
CASE(overflow_of_wide, "exact") {
    OVERFLOWS((i128)IN(i64, 0), (i128)IN(i64, 8), (i128)0);
    OVERFLOWS((u128)IN(u64, 0), (u128)IN(u64, 8), (u128)0);
    u128 sum;
    u8 o = __builtin_add_overflow(WIDE(0), WIDE(16), &sum);
    OUT(o);
    o = __builtin_sub_overflow((i128)WIDE(0), (i128)WIDE(16), (i128 *)&sum);
    OUT(o);
}

#define ODD(N)                                                           \
    static void odd_##N(void) {                                          \
        typedef unsigned _BitInt(N) U;                                   \
        typedef signed _BitInt(N) S;                                     \
        U a = (U)WIDE(0), b = (U)WIDE(16);                               \
        u128 r[] = {(U)(a + b), (U)(a - b), (U)(a * b), (U)(a ^ b),      \
                    (U)~a, (U)(a >> 3), (U)(a << 3), a < b, a == b};     \
        out(r, sizeof r);                                                \
        S x = (S)a, y = (S)b;                                            \
        i128 s[] = {(S)(x + y), (S)(x >> 5), x < y, x <= y, (S)IN(i8, 0) * (S)IN(i8, 1)}; \
        out(s, sizeof s);                                                \
        U stored[2] = {a, b};                                            \
        OUT((u64)(stored[0] >> 60)); OUT((u64)stored[1]);                \
    }
ODD(65) ODD(72) ODD(100) ODD(127)
CASE(odd_widths, "exact") { odd_65(); odd_72(); odd_100(); odd_127(); }

/* A switch by a wide value is recorded as what was chosen concretely. */
CASE(wide_switch, "concrete wide") {
    switch ((u128)IN(u64, 0) << 3) {
    case 8: OUT((u8)1); break;
    case (u128)1 << 65: OUT((u8)2); break;
    default: OUT((u8)3);
    }
}
CASE(wide_to_float, "concrete float") {
    double d = (double)((i128)IN(i64, 0) * 3);
    OUT(d > 100.0);
}
