/* The floating-point operations of decimal.h for models that are compiled without instrumentation.
 *
 * Always: they give back the value that the real function computed.
 */
#include "../decimal.h"

#define FIRST(type, name, ...)                                                                  \
    type name(type value, __VA_ARGS__) {                                                        \
        return value;                                                                           \
    }
#pragma clang diagnostic ignored "-Wunused-parameter"
FIRST(double, __plx_op_decimal, uint64_t digits, int exponent)
FIRST(float, __plx_op_decimalf, uint64_t digits, int exponent)
FIRST(double, __plx_op_math1, double x, unsigned function)
FIRST(float, __plx_op_math1f, float x, unsigned function)
FIRST(double, __plx_op_math2, double x, double y, unsigned function)
FIRST(float, __plx_op_math2f, float x, float y, unsigned function)
FIRST(double, __plx_op_scale, double x, int n)
FIRST(float, __plx_op_scalef, float x, int n)
FIRST(int, __plx_op_exponent, double x)
FIRST(int, __plx_op_exponentf, float x)
FIRST(unsigned char, __plx_op_text, double x, unsigned spec, unsigned at)
FIRST(unsigned, __plx_op_text_length, double x, unsigned spec)
