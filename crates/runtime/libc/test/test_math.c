/* math.c against the real functions. */
#define _GNU_SOURCE
#include <math.h>

#include "harness.h"

#undef isnan
#undef isinf
#undef finite

/* Any bits, small numbers, halves, edges. */
static double any_double(void) {
    static const double edges[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 0.5, 1.5, 2.5, 1e308, 5e-324, 4503599627370497.5};
    union { uint64_t bits; double x; } both = {any()};
    switch (below(4)) {
    case 0: return PICK(edges);
    case 1: return (double)(int)below(2000) / 8 - 100;
    case 2: return (double)edge_int();
    default: return both.x;
    }
}

static float any_float(void) {
    union { uint32_t bits; float x; } both = {(uint32_t)any()};
    return once_in(2) ? (float)any_double() : both.x;
}

#define SAME_BYTES(real, model)                                                                 \
    do {                                                                                        \
        errno = 0;                                                                              \
        __typeof__(real) r_ = (real);                                                           \
        int errno_ = errno;                                                                     \
        errno = 0;                                                                              \
        __typeof__(real) m_ = (model);                                                          \
        check_bytes(#real, &r_, &m_, sizeof r_);                                                \
        check_long("errno of " #real, errno_, errno);                                           \
    } while (0)

#define UNARY_OF(type, name, make)                                                              \
    extern type MODEL(name)(type);                                                              \
    TEST(name) {                                                                                \
        type x = make();                                                                        \
        SAME_BYTES(name(x), MODEL(name)(x));                                                    \
    }
#define UNARY(name) UNARY_OF(double, name, any_double) UNARY_OF(float, name##f, any_float)
UNARY(sqrt) UNARY(floor) UNARY(ceil) UNARY(trunc) UNARY(round) UNARY(rint) UNARY(nearbyint) UNARY(sin) UNARY(cos) UNARY(tan)
UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log)
UNARY(log2) UNARY(log10) UNARY(log1p) UNARY(cbrt) UNARY(fabs)

#define BINARY_OF(type, name, make)                                                             \
    extern type MODEL(name)(type, type);                                                        \
    TEST(name) {                                                                                \
        type x = make(), y = make();                                                            \
        SAME_BYTES(name(x, y), MODEL(name)(x, y));                                              \
    }
#define BINARY(name) BINARY_OF(double, name, any_double) BINARY_OF(float, name##f, any_float)
BINARY(pow) BINARY(atan2) BINARY(hypot) BINARY(remainder) BINARY(fmin) BINARY(fmax) BINARY(fmod) BINARY(copysign)

#define SCALE_OF(type, name, make)                                                              \
    extern type MODEL(name)(type, int);                                                         \
    TEST(name) {                                                                                \
        type x = make();                                                                        \
        int n = once_in(3) ? (int)edge_int() : (int)below(2400) - 1200;                         \
        SAME_BYTES(name(x, n), MODEL(name)(x, n));                                              \
    }
SCALE_OF(double, ldexp, any_double) SCALE_OF(float, ldexpf, any_float)
SCALE_OF(double, scalbn, any_double) SCALE_OF(float, scalbnf, any_float)

#define PART_OF(type, name, make, part)                                                         \
    extern type MODEL(name)(type, part *);                                                      \
    TEST(name) {                                                                                \
        type x = make();                                                                        \
        part r = 0, m = 0;                                                                      \
        SAME_BYTES(name(x, &r), MODEL(name)(x, &m));                                            \
        check_bytes("part", &r, &m, sizeof r);                                                  \
    }
PART_OF(double, frexp, any_double, int) PART_OF(float, frexpf, any_float, int)
PART_OF(double, modf, any_double, double) PART_OF(float, modff, any_float, float)

/* Out of the range of a long the result is unspecified. */
#define ROUNDS_OF(result, type, name, make)                                                     \
    extern result MODEL(name)(type);                                                            \
    TEST(name) {                                                                                \
        type x = make();                                                                        \
        if (!(fabs((double)x) < 9e18))                                                          \
            x = (type)2.5;                                                                      \
        check_long(#name, name(x), MODEL(name)(x));                                             \
    }
ROUNDS_OF(long, double, lround, any_double) ROUNDS_OF(long, float, lroundf, any_float)
ROUNDS_OF(long, double, lrint, any_double) ROUNDS_OF(long, float, lrintf, any_float)
ROUNDS_OF(long long, double, llround, any_double) ROUNDS_OF(long long, float, llroundf, any_float)
ROUNDS_OF(long long, double, llrint, any_double) ROUNDS_OF(long long, float, llrintf, any_float)

#define ASKS_OF(type, name, make)                                                               \
    extern int name(type);                                                                      \
    extern int MODEL(name)(type);                                                               \
    TEST(name) {                                                                                \
        type x = make();                                                                        \
        check_long(#name, name(x), MODEL(name)(x));                                             \
    }
ASKS_OF(double, isnan, any_double) ASKS_OF(float, isnanf, any_float) ASKS_OF(double, __isnan, any_double)
ASKS_OF(float, __isnanf, any_float) ASKS_OF(double, isinf, any_double) ASKS_OF(float, isinff, any_float)
ASKS_OF(double, __isinf, any_double) ASKS_OF(float, __isinff, any_float) ASKS_OF(double, finite, any_double)
ASKS_OF(float, finitef, any_float) ASKS_OF(double, __finite, any_double) ASKS_OF(float, __finitef, any_float)
