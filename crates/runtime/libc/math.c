/* Models of the functions of math.h on double and float.
 *
 * In: as the C library's. Out: the real function's value and errno, with the label of an operator that the engine evaluates
 * with the same function (crates/trace/src/float/functions.rs has the numbers). Tests and parts of a number are
 * plain C on its bits.
 * Departs: functions of long double, complex numbers, and those that are not here lose their labels, with an escape.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>

#include "decimal.h"
#include "plx.h"

#undef isnan
#undef isinf
#undef finite

enum {
    SQRT, FLOOR, CEIL, TRUNC, ROUND, RINT, FREXP, FREXP_EXPONENT, MODF, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH,
    EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, CBRT
};
enum { POW, ATAN2, HYPOT, REMAINDER, MIN, MAX, SCALE, FMOD };

#define UNARY(name, number)                                                                     \
    double MODEL(name)(double x) {                                                              \
        return __plx_op_math1(name(x), x, number);                                              \
    }                                                                                           \
    float MODEL(name##f)(float x) {                                                             \
        return __plx_op_math1f(name##f(x), x, number);                                          \
    }
UNARY(sqrt, SQRT)
UNARY(floor, FLOOR)
UNARY(ceil, CEIL)
UNARY(trunc, TRUNC)
UNARY(round, ROUND)
UNARY(rint, RINT)
UNARY(nearbyint, RINT)
UNARY(sin, SIN)
UNARY(cos, COS)
UNARY(tan, TAN)
UNARY(asin, ASIN)
UNARY(acos, ACOS)
UNARY(atan, ATAN)
UNARY(sinh, SINH)
UNARY(cosh, COSH)
UNARY(tanh, TANH)
UNARY(exp, EXP)
UNARY(exp2, EXP2)
UNARY(expm1, EXPM1)
UNARY(log, LOG)
UNARY(log2, LOG2)
UNARY(log10, LOG10)
UNARY(log1p, LOG1P)
UNARY(cbrt, CBRT)

#define BINARY(name, number)                                                                    \
    double MODEL(name)(double x, double y) {                                                    \
        return __plx_op_math2(name(x, y), x, y, number);                                        \
    }                                                                                           \
    float MODEL(name##f)(float x, float y) {                                                    \
        return __plx_op_math2f(name##f(x, y), x, y, number);                                    \
    }
BINARY(pow, POW)
BINARY(atan2, ATAN2)
BINARY(hypot, HYPOT)
BINARY(remainder, REMAINDER)
BINARY(fmin, MIN)
BINARY(fmax, MAX)
BINARY(fmod, FMOD)

#define PARTS(type, f, op)                                                                      \
    type MODEL(ldexp##f)(type x, int n) {                                                       \
        return __plx_op_scale##f(ldexp##f(x, n), x, n);                                         \
    }                                                                                           \
    type MODEL(scalbn##f)(type x, int n) {                                                      \
        return __plx_op_scale##f(scalbn##f(x, n), x, n);                                        \
    }                                                                                           \
    type MODEL(frexp##f)(type x, int *exponent) {                                               \
        int e = 0;                                                                              \
        type mantissa = frexp##f(x, &e);                                                        \
        *exponent = __plx_op_exponent##f(e, x);                                                 \
        return op(mantissa, x, FREXP);                                                          \
    }                                                                                           \
    type MODEL(modf##f)(type x, type *whole) {                                                  \
        type part = 0;                                                                          \
        type fraction = modf##f(x, &part);                                                      \
        *whole = op(part, x, TRUNC);                                                            \
        return op(fraction, x, MODF);                                                           \
    }                                                                                           \
    long MODEL(lround##f)(type x) {                                                             \
        return (long)MODEL(round##f)(x);                                                        \
    }                                                                                           \
    long long MODEL(llround##f)(type x) {                                                       \
        return (long long)MODEL(round##f)(x);                                                   \
    }                                                                                           \
    long MODEL(lrint##f)(type x) {                                                              \
        return (long)MODEL(rint##f)(x);                                                         \
    }                                                                                           \
    long long MODEL(llrint##f)(type x) {                                                        \
        return (long long)MODEL(rint##f)(x);                                                    \
    }                                                                                           \
    type MODEL(fabs##f)(type x) {                                                               \
        return __builtin_fabs##f(x);                                                            \
    }                                                                                           \
    type MODEL(copysign##f)(type x, type y) {                                                   \
        return __builtin_copysign##f(x, y);                                                     \
    }
PARTS(double, , __plx_op_math1)
PARTS(float, f, __plx_op_math1f)

/* The bits without the sign, and those of infinity. */
#define TESTS(type, f, word, infinity)                                                          \
    static word bits##f(type x) {                                                               \
        union { type x; word bits; } both = {x};                                                \
        return both.bits;                                                                       \
    }                                                                                           \
    static word magnitude##f(type x) {                                                          \
        return bits##f(x) & ((word)-1 >> 1);                                                    \
    }                                                                                           \
    int MODEL(isnan##f)(type x) {                                                               \
        return magnitude##f(x) > (infinity);                                                    \
    }                                                                                           \
    int MODEL(isinf##f)(type x) {                                                               \
        return (magnitude##f(x) == (infinity)) * (1 - 2 * (int)(bits##f(x) >> (8 * sizeof x - 1))); \
    }                                                                                           \
    int MODEL(finite##f)(type x) {                                                              \
        return magnitude##f(x) < (infinity);                                                    \
    }                                                                                           \
    int MODEL(__isnan##f)(type x) {                                                             \
        return MODEL(isnan##f)(x);                                                              \
    }                                                                                           \
    int MODEL(__isinf##f)(type x) {                                                             \
        return MODEL(isinf##f)(x);                                                              \
    }                                                                                           \
    int MODEL(__finite##f)(type x) {                                                            \
        return MODEL(finite##f)(x);                                                             \
    }
TESTS(double, , uint64_t, UINT64_C(0x7ff0000000000000))
TESTS(float, f, uint32_t, UINT32_C(0x7f800000))
