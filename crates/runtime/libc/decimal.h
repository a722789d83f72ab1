/* Floating-point operations of the runtime, and the parsers of decimal.c.
 *
 * Always: an operation gives back its first argument, the value that the real function computed, with the label of the
 * operation on the others; without one, and with an event, if the engine would compute another value.
 */
#ifndef PLX_DECIMAL_H
#define PLX_DECIMAL_H

#include <stdint.h>

double __plx_op_decimal(double value, uint64_t digits, int exponent);
float __plx_op_decimalf(float value, uint64_t digits, int exponent);
double __plx_op_math1(double value, double x, unsigned function);
float __plx_op_math1f(float value, float x, unsigned function);
double __plx_op_math2(double value, double x, double y, unsigned function);
float __plx_op_math2f(float value, float x, float y, unsigned function);
double __plx_op_scale(double value, double x, int n);
float __plx_op_scalef(float value, float x, int n);
int __plx_op_exponent(int value, double x);
int __plx_op_exponentf(int value, float x);
unsigned char __plx_op_text(unsigned char value, double x, unsigned spec, unsigned at);
unsigned __plx_op_text_length(unsigned value, double x, unsigned spec);

double __plx_parse_strtod(const char *s, char **end);
float __plx_parse_strtof(const char *s, char **end);
long double __plx_parse_strtold(const char *s, char **end);

#endif
