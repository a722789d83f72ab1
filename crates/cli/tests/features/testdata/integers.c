/* For: every integer instruction of LLVM at every width, casts, comparisons, shifts, division. */
#include "cases.h"

/* All operators on two values of an integer type, unsigned arithmetic inside. */
#define ALL(T, A, B)                                                     \
    do {                                                                 \
        T a = (A), b = (B);                                              \
        OUT((T)(a + b)); OUT((T)(a - b)); OUT((T)(a * b));               \
        OUT((T)(a & b)); OUT((T)(a | b)); OUT((T)(a ^ b));               \
        OUT((T)(~a)); OUT((T)(-a));                                      \
    } while (0)
/* Comparisons as values. */
#define COMPARE(T, A, B)                                                 \
    do {                                                                 \
        T a = (A), b = (B);                                              \
        u8 r[6] = {a == b, a != b, a < b, a <= b, a > b, a >= b};        \
        out(r, sizeof r);                                                \
    } while (0)
/* Shifts by a constant and by a symbolic amount that is in range. */
#define SHIFT(T, BITS, A, N)                                             \
    do {                                                                 \
        T a = (A);                                                       \
        unsigned n = (unsigned)(N) % (BITS);                             \
        OUT((T)(a << 3 % (BITS))); OUT((T)(a >> 3 % (BITS)));            \
        OUT((T)(a << n)); OUT((T)(a >> n));                              \
    } while (0)

CASE(u8_all, "exact") { ALL(u8, in[0], in[1]); COMPARE(u8, in[0], in[1]); }
CASE(i8_all, "exact") { ALL(i8, (i8)in[0], (i8)in[1]); COMPARE(i8, (i8)in[0], (i8)in[1]); }
CASE(u16_all, "exact") { ALL(u16, IN(u16, 0), IN(u16, 2)); COMPARE(u16, IN(u16, 0), IN(u16, 2)); }
CASE(i16_all, "exact") { ALL(i16, IN(i16, 0), IN(i16, 2)); COMPARE(i16, IN(i16, 0), IN(i16, 2)); }
CASE(u32_all, "exact") { ALL(u32, IN(u32, 0), IN(u32, 4)); COMPARE(u32, IN(u32, 0), IN(u32, 4)); }
CASE(i32_all, "exact") { ALL(i32, IN(i32, 0), IN(i32, 4)); COMPARE(i32, IN(i32, 0), IN(i32, 4)); }
CASE(u64_all, "exact") { ALL(u64, IN(u64, 0), IN(u64, 8)); COMPARE(u64, IN(u64, 0), IN(u64, 8)); }
CASE(i64_all, "exact") { ALL(i64, IN(i64, 0), IN(i64, 8)); COMPARE(i64, IN(i64, 0), IN(i64, 8)); }

CASE(shift_u8, "exact") { SHIFT(u8, 8, in[0], in[1]); }
CASE(shift_i8, "exact") { SHIFT(i8, 8, (i8)in[0], in[1]); }
CASE(shift_u16, "exact") { SHIFT(u16, 16, IN(u16, 0), in[2]); }
CASE(shift_i16, "exact") { SHIFT(i16, 16, IN(i16, 0), in[2]); }
CASE(shift_u32, "exact") { SHIFT(u32, 32, IN(u32, 0), in[4]); }
CASE(shift_i32, "exact") { SHIFT(i32, 32, IN(i32, 0), in[4]); }
CASE(shift_u64, "exact") { SHIFT(u64, 64, IN(u64, 0), in[8]); }
CASE(shift_i64, "exact") { SHIFT(i64, 64, IN(i64, 0), in[8]); }

/* A divisor that is a symbolic value and not zero: the guard is the branch before it. */
#define DIVIDE(T, A, B)                                                  \
    do {                                                                 \
        T a = (A), b = (B);                                              \
        if (b == 0 || b == (T)-1)                                        \
            b = 3;                                                       \
        OUT((T)(a / b)); OUT((T)(a % b));                                \
        OUT((T)(a / 7)); OUT((T)(a % 10));                               \
    } while (0)
CASE(divide_u8, "exact; branches 2") { DIVIDE(u8, in[0], in[1]); }
CASE(divide_i8, "exact; branches 2") { DIVIDE(i8, (i8)in[0], (i8)in[1]); }
CASE(divide_u16, "exact; branches 2") { DIVIDE(u16, IN(u16, 0), IN(u16, 2)); }
CASE(divide_i16, "exact; branches 2") { DIVIDE(i16, IN(i16, 0), IN(i16, 2)); }
CASE(divide_u32, "exact; branches 2") { DIVIDE(u32, IN(u32, 0), IN(u32, 4)); }
CASE(divide_i32, "exact; branches 2") { DIVIDE(i32, IN(i32, 0), IN(i32, 4)); }
CASE(divide_u64, "exact; branches 2") { DIVIDE(u64, IN(u64, 0), IN(u64, 8)); }
CASE(divide_i64, "exact; branches 2") { DIVIDE(i64, IN(i64, 0), IN(i64, 8)); }

/* No branch looks at the divisor: only a guard can say that it is not zero. */
CASE(divide_guarded, "exact; guards 1") { OUT(1000000u / IN(u16, 0)); }
CASE(remainder_guarded, "exact; guards 1") { OUT(1000000u % IN(u16, 0)); }

/* Every width from 1 to 64, signed and unsigned: arithmetic, comparison, extension, truncation. */
#define WIDTH(N)                                                         \
    static void width_##N(void) {                                        \
        typedef unsigned _BitInt(N) U;                                   \
        U a = (U)IN(u64, 0), b = (U)IN(u64, 8);                          \
        u64 r[] = {(u64)(U)(a + b), (u64)(U)(a - b), (u64)(U)(a * b),    \
                   (u64)(U)(a & b), (u64)(U)(a ^ b), (u64)(U)~a,         \
                   (u64)(a < b), (u64)(a <= b), (u64)(a == b)};          \
        out(r, sizeof r);                                                \
        if (b != 0) {                                                    \
            u64 q[] = {(u64)(U)(a / b), (u64)(U)(a % b)};                \
            out(q, sizeof q);                                            \
        }                                                                \
    }
#define SIGNED_WIDTH(N)                                                  \
    static void signed_width_##N(void) {                                 \
        typedef _BitInt(N) S;                                            \
        S a = (S)IN(i64, 0), b = (S)IN(i64, 8);                          \
        i64 r[] = {(i64)(S)(a ^ b), (i64)(S)(a | b), (i64)(a < b),       \
                   (i64)(a <= b), (i64)(S)(a >> 1), (i64)(i8)a};         \
        out(r, sizeof r);                                                \
        if (b > 0) {                                                     \
            i64 q[] = {(i64)(S)(a / b), (i64)(S)(a % b)};                \
            out(q, sizeof q);                                            \
        }                                                                \
    }
#define EIGHT(M, A, B, C, D, E, F, G, H) M(A) M(B) M(C) M(D) M(E) M(F) M(G) M(H)
#define FROM_9(M)                                                        \
    EIGHT(M, 9, 10, 11, 12, 13, 14, 15, 16)                              \
    EIGHT(M, 17, 18, 19, 20, 21, 22, 23, 24)                             \
    EIGHT(M, 25, 26, 27, 28, 29, 30, 31, 32)                             \
    EIGHT(M, 33, 34, 35, 36, 37, 38, 39, 40)                             \
    EIGHT(M, 41, 42, 43, 44, 45, 46, 47, 48)                             \
    EIGHT(M, 49, 50, 51, 52, 53, 54, 55, 56)                             \
    EIGHT(M, 57, 58, 59, 60, 61, 62, 63, 64)
EIGHT(WIDTH, 1, 2, 3, 4, 5, 6, 7, 8) FROM_9(WIDTH)
EIGHT(SIGNED_WIDTH, 2, 3, 4, 5, 6, 7, 8, 9)
EIGHT(SIGNED_WIDTH, 10, 15, 17, 23, 24, 25, 31, 32)
EIGHT(SIGNED_WIDTH, 33, 39, 40, 41, 47, 48, 63, 64)
#define CALL_WIDTH(N) width_##N();
#define CALL_SIGNED(N) signed_width_##N();
/* The widths share a case in groups, so that few conditions have to hold at once. */
CASE(width_1_8, "exact") { EIGHT(CALL_WIDTH, 1, 2, 3, 4, 5, 6, 7, 8) }
CASE(width_9_16, "exact") { EIGHT(CALL_WIDTH, 9, 10, 11, 12, 13, 14, 15, 16) }
CASE(width_17_24, "exact") { EIGHT(CALL_WIDTH, 17, 18, 19, 20, 21, 22, 23, 24) }
CASE(width_25_32, "exact") { EIGHT(CALL_WIDTH, 25, 26, 27, 28, 29, 30, 31, 32) }
CASE(width_33_40, "exact") { EIGHT(CALL_WIDTH, 33, 34, 35, 36, 37, 38, 39, 40) }
CASE(width_41_48, "exact") { EIGHT(CALL_WIDTH, 41, 42, 43, 44, 45, 46, 47, 48) }
CASE(width_49_56, "exact") { EIGHT(CALL_WIDTH, 49, 50, 51, 52, 53, 54, 55, 56) }
CASE(width_57_64, "exact") { EIGHT(CALL_WIDTH, 57, 58, 59, 60, 61, 62, 63, 64) }
CASE(signed_width_2_9, "exact") { EIGHT(CALL_SIGNED, 2, 3, 4, 5, 6, 7, 8, 9) }
CASE(signed_width_10_32, "exact") { EIGHT(CALL_SIGNED, 10, 15, 17, 23, 24, 25, 31, 32) }
CASE(signed_width_33_64, "exact") { EIGHT(CALL_SIGNED, 33, 39, 40, 41, 47, 48, 63, 64) }

CASE(casts, "exact") {
    OUT((i64)(i8)in[0]); OUT((u64)(u8)in[0]); OUT((i32)(i16)IN(i16, 1)); OUT((u16)IN(u32, 3));
    OUT((i8)IN(i64, 8)); OUT((u32)(i8)in[7]); OUT((u64)(u32)IN(i32, 4)); OUT((_Bool)in[9]);
    OUT((u64)(uintptr_t)(void *)(uintptr_t)IN(u64, 16));
}
CASE(ternary, "exact") { OUT(in[0] < in[1] ? IN(u32, 4) : (u32)in[8]); }
CASE(logic, "exact; branches 2") { OUT((u8)((in[0] > 3 && in[1] < 200) || in[2] == 5)); }

CASE(builtins, "exact") {
    OUT(__builtin_bswap16(IN(u16, 0))); OUT(__builtin_bswap32(IN(u32, 0))); OUT(__builtin_bswap64(IN(u64, 0)));
    OUT(__builtin_popcount(IN(u32, 0))); OUT(__builtin_popcountll(IN(u64, 3)));
    OUT(__builtin_clz(IN(u32, 0) | 1)); OUT(__builtin_ctz(IN(u32, 0) | 0x80000000u));
    OUT(__builtin_clzll(IN(u64, 0) | 1)); OUT(__builtin_ctzll(IN(u64, 0) | 1ull << 63));
    OUT(__builtin_bitreverse32(IN(u32, 4))); OUT(__builtin_parity(IN(u32, 5)));
    OUT(__builtin_expect(IN(i64, 8), 3)); OUT(__builtin_abs(IN(i32, 4) | 1));
    OUT(__builtin_rotateleft32(IN(u32, 0), 5)); OUT(__builtin_rotateright8(in[0], 3));
    OUT(__builtin_ffs(IN(i32, 8)));
}
CASE(rotate_by_symbolic, "concrete intrinsic") { OUT(__builtin_rotateleft32(IN(u32, 0), in[5])); }
#define OVERFLOW(T, A, B)                                                \
    do {                                                                 \
        T a = (A), b = (B), r;                                           \
        u8 o = __builtin_add_overflow(a, b, &r); OUT(o); OUT(r);         \
        o = __builtin_sub_overflow(a, b, &r); OUT(o); OUT(r);            \
        o = __builtin_mul_overflow(a, b, &r); OUT(o); OUT(r);            \
    } while (0)
CASE(overflow_u32, "exact") { OVERFLOW(u32, IN(u32, 0), IN(u32, 4)); }
CASE(overflow_i32, "exact") { OVERFLOW(i32, IN(i32, 0), IN(i32, 4)); }
CASE(overflow_u64, "exact") { OVERFLOW(u64, IN(u64, 0), IN(u64, 8)); }
CASE(overflow_i64, "exact") { OVERFLOW(i64, IN(i64, 0), IN(i64, 8)); }
CASE(overflow_mixed, "exact") {
    i16 r;
    u8 o = __builtin_mul_overflow(IN(u8, 0), IN(i8, 1), &r);
    OUT(o);
    OUT(r);
}
CASE(saturate, "exact; branches 0") {
    u8 r;
    if (__builtin_add_overflow(in[0], in[1], &r))
        r = 255;
    OUT(r);
}
/* More than 128 bits are made concrete, with an event. */
CASE(wide_bitint, "concrete wide") {
    unsigned _BitInt(129) p = IN(u64, 0);
    p = p + p;
    OUT((u64)(p >> 64));
}
