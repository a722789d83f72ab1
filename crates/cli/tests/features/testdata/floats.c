/* For: float and double as expressions: operations, conversions, calls, memory, functions of math.h, what is read and printed. And
 * where they end: other rounding modes, -ffast-math, long double, vectors. */
#include "cases.h"
#include <fenv.h>
#include <math.h>
#include <stdarg.h>

#define D(at) IN(double, at)
#define F(at) IN(float, at)

CASE(arithmetic, "exact") {
    double a = D(0), b = D(8);
    OUT(a + b); OUT(a - b); OUT(a * b); OUT(a / b); OUT(-a);
    float f = F(16), g = F(20);
    OUT(f + g); OUT(f - g); OUT(f * g); OUT(f / g); OUT(-f);
}
/* NaNs of both kinds, infinities, subnormal numbers. */
CASE(special_numbers, "exact") {
    u64 bits = IN(u64, 0) | (u64)0x7ff0 << 48, small = IN(u64, 8) >> 12;
    double a, b;
    memcpy(&a, &bits, 8);
    memcpy(&b, &small, 8);
    OUT(a + 1); OUT(a * b); OUT(b + b); OUT(b / 3); OUT(a == a);
}
CASE(comparisons, "exact") {
    double a = D(0), b = in[1];
    OUT((u8)(a < b)); OUT((u8)(a <= b)); OUT((u8)(a > b)); OUT((u8)(a >= b)); OUT((u8)(a == b)); OUT((u8)(a != b));
    OUT((u8)isunordered(a, b)); OUT((u8)isless(a, b)); OUT((u8)islessgreater(a, b)); OUT((u8)!(a < b));
}
CASE(branches_on_numbers, "exact; branches 2") {
    double half = in[0] / 2.0;
    OUT((u8)(half > 20.25 ? 1 : in[1]));
    if (half + in[2] < 100)
        OUT((u8)7);
}
CASE(from_integers, "exact") {
    OUT((double)IN(i32, 0)); OUT((double)IN(u64, 0)); OUT((double)IN(i64, 8)); OUT((float)IN(u64, 16)); OUT((float)IN(i16, 2));
    OUT((double)in[3]); OUT((float)(i8)in[4]);
}
CASE(to_integers, "exact") {
    double a = IN(i32, 0) / 7.0;
    OUT((i32)a); OUT((i64)(a * 1000)); OUT((u32)(u64)fabs(a)); OUT((u64)fabs(a)); OUT((i8)(in[5] / 3.0)); OUT((u16)(in[6] * 1.5f));
}
CASE(between_formats, "exact") { OUT((float)D(0)); OUT((double)F(8)); OUT((float)(F(12) * 2.0)); }
CASE(parts_of_numbers, "exact") {
    double a = D(0);
    OUT(fabs(a)); OUT(copysign(3.0, a)); OUT((u8)!!signbit(a)); OUT((u8)!!isnan(a)); OUT((u8)!!isinf(a)); OUT((u8)!!isfinite(a));
    OUT((u8)!!isnormal(a)); OUT(fabsf(F(8)));
}
CASE(rounding_functions, "exact") {
    double a = IN(i32, 0) / 4.0;
    OUT(floor(a)); OUT(ceil(a)); OUT(trunc(a)); OUT(round(a)); OUT(rint(a)); OUT(nearbyint(a)); OUT(lround(a)); OUT(lrint(a));
    OUT(floorf(F(4)));
}
CASE(functions, "exact") {
    double a = in[0] / 16.0, b = in[1] + 1;
    OUT(sqrt(a)); OUT(fmod(a, b)); OUT(remainder(a, b)); OUT(fmin(a, b)); OUT(fmax(a, b)); OUT(ldexp(a, in[2])); OUT(sin(a)); OUT(exp(a));
    OUT(log(b)); OUT(pow(a, b)); OUT(atan2(a, b)); OUT(hypot(a, b)); OUT(fma(a, b, 1.5)); OUT(cosf((float)a));
    int e;
    double whole;
    OUT(frexp(a, &e)); OUT(e); OUT(modf(a, &whole)); OUT(whole);
}
static double third(double a, int n, float b) { return n ? a / 3 : b; }
static double sum(int n, ...) {
    va_list list;
    double all = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        all += va_arg(list, double);
    va_end(list);
    return all;
}
struct point { double x, y; };
static struct point turned(struct point p) { return (struct point){-p.y, p.x}; }
CASE(arguments_and_results, "exact") {
    double (*volatile through)(double, int, float) = third;
    OUT(third(D(0), in[8], F(12))); OUT(through(in[0], 1, 2));
    OUT(sum(10, (double)in[0], 1.0, (double)in[1], 1.0, 2.0, 3.0, 4.0, 5.0, (double)in[2], (double)in[3]));
    struct point p = turned((struct point){in[4], in[5] / 2.0});
    OUT(p.x); OUT(p.y);
}
CASE(memory_of_numbers, "exact") {
    double many[4] = {in[0], in[1] / 2.0, 3, in[2]};
    double copy[4];
    memcpy(copy, many, sizeof copy);
    union { double d; u8 bytes[8]; } both = {copy[1] + copy[3]};
    OUT(both.bytes[7]); OUT(both.bytes[6]); OUT(copy[0] < copy[1] ? copy[0] : copy[2]);
}
/* Digits of the text are those of the input, so that there is something to read on every input. */
static char *number(char *text, const char *format) {
    int at = 0;
    for (int i = 0; format[i]; i++)
        text[i] = format[i] == 'd' ? (char)('0' + in[at++] % 10) : format[i];
    text[strlen(format)] = '\0';
    return text;
}
CASE(numbers_from_text, "exact") {
    char text[40], *end;
    OUT(atof(number(text, " -d.dd"))); OUT(strtod(number(text, "ddd.dx"), &end)); OUT((u8)(end - text));
    OUT(strtod(number(text, "d.de+d"), NULL)); OUT(strtof(number(text, "0.0ddd"), NULL)); OUT(strtod(number(text, ".d"), NULL));
    OUT(strtod(number(text, "d.e"), &end)); OUT((u8)(end - text));
    double a;
    float f;
    OUT((u8)sscanf(number(text, "d.d dde-d"), "%lf %f", &a, &f)); OUT(a); OUT(f);
}
CASE(numbers_as_text, "exact") {
    double a = in[0] / 8.0;
    char all[200];
    int length = snprintf(all, sizeof all, "%f %.2f %8.1f|%-9.3e|%g %+.0f %G %#.3g %a %05.1f\n", a, a, a, a, a, a, a * 1e6, a, a, a);
    out(all, (unsigned)length);
    char text[40];
    int n = snprintf(text, sizeof text, "%.3f", (float)in[1] / 3);
    OUT((u8)n);
    out(text, 3);
}
/* What has no expression is executed right, and said. */
CASE(other_rounding, "concrete float") {
    double a = in[0];
    fesetround(FE_UPWARD);
    volatile double third = a / 3;
    double up = rint(third);
    fesetround(FE_TONEAREST);
    OUT(third); OUT(up); OUT((u8)(in[1] + 1));
}
__attribute__((noinline)) static double reordered(double a, double b) {
#pragma clang fp reassociate(on) contract(fast)
    return a * 0.1 + b * 0.1 + a * 0.3;
}
CASE(reordered_operations, "right") { OUT(reordered(in[0], in[1])); }
CASE(long_double, "concrete float") {
    long double d = in[0];
    OUT((u32)(sqrtl(d * d) + 0.5L)); OUT((u32)sqrt(in[1]));
}
CASE(long_double_from_text, "escape strtold") {
    char text[40];
    OUT((double)strtold(number(text, "d.d"), NULL));
}
typedef double pair __attribute__((vector_size(16)));
CASE(vectors_of_numbers, "concrete vector") {
    pair a = {in[0], 2}, b = {3, in[1]};
    a = a * b + 1;
    OUT(a[0]); OUT(a[1]);
}
CASE(hexadecimal_and_infinite_text, "escape strtod") {
    char text[40];
    OUT(strtod(number(text, "0xd.d"), NULL)); OUT(strtod(number(text, "inf"), NULL)); OUT(strtod(number(text, "dddddddddddddddddddddddd"), NULL));
}
