/* For: varargs, indirect calls, callbacks, pointers to libc functions, recursion through pointers. */
#include "cases.h"
#include <ctype.h>
#include <stdarg.h>

static u64 sum_ints(int n, ...) {
    va_list l;
    u64 s = 0;
    va_start(l, n);
    for (int i = 0; i < n; i++)
        s = s * 31 + va_arg(l, int);
    va_end(l);
    return s;
}
static u64 by_kind(const char *kinds, ...) {
    va_list l;
    u64 s = 0;
    va_start(l, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': s = s * 31 + va_arg(l, int); break;
        case 'l': s = s * 31 + va_arg(l, long); break;
        case 'p': s = s * 31 + *va_arg(l, u8 *); break;
        case 'd': s = s * 31 + (va_arg(l, double) > 1.0); break;
        case 'L': s = s * 31 + (va_arg(l, long double) > 1.0L); break;
        }
    va_end(l);
    return s;
}
CASE(few_ints, "exact") { OUT(sum_ints(3, in[0], 7, (int)IN(i16, 1))); }
CASE(more_than_six, "exact") { OUT(sum_ints(8, in[0], in[1], 2, in[3], in[4], in[5], 6, in[7])); }
CASE(more_than_fourteen, "exact") {
    OUT(sum_ints(18, in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9], in[10], in[11],
                 in[12], in[13], in[14], in[15], in[16], in[17]));
}
CASE(mixed_kinds, "exact") {
    OUT(by_kind("ilpdi", in[0], IN(long, 1), in + 9, 2.5, in[10]));
    OUT(by_kind("dddddddddidlLi", 1., 2., 3., 4., 5., 6., 7., 8., 9., in[0], 0.5, IN(long, 1), 2.0L, in[9]));
    OUT(by_kind("iiiiiiiLlLi", 1, in[0], 3, 4, in[1], 6, in[2], 3.0L, IN(long, 3), 0.5L, in[12]));
}
static u64 with_list(int n, va_list l) {
    u64 s = 0;
    while (n--)
        s = s * 7 + va_arg(l, int);
    return s;
}
static u64 passes_down(int n, ...) {
    va_list l, copy;
    va_start(l, n);
    va_copy(copy, l);
    u64 s = with_list(n, l);
    va_end(l);
    s ^= with_list(n, copy) << 1;
    va_end(copy);
    va_start(l, n);
    s += va_arg(l, int);
    va_end(l);
    return s;
}
CASE(list_passed_down_and_copied, "exact") { OUT(passes_down(9, in[0], 1, in[2], 3, in[4], 5, in[6], in[7], in[8])); }
struct big { u32 a[5]; };
struct two { u64 a, b; };
static u64 structs(int n, ...) {
    va_list l;
    u64 s = 0;
    va_start(l, n);
    for (int i = 0; i < n; i++) {
        struct two t = va_arg(l, struct two);
        struct big b = va_arg(l, struct big);
        s = s * 31 + t.a + 3 * t.b + 5 * b.a[4] + va_arg(l, int);
    }
    va_end(l);
    return s;
}
CASE(structs_as_variadic_arguments, "right") {
    struct two t = {IN(u64, 0), IN(u64, 8)};
    struct big b = {{1, 2, 3, 4, IN(u32, 16)}};
    OUT(structs(2, t, b, in[20], t, b, in[21]));
}
static u64 after_list(int n, ...) { (void)n; return 5; }
CASE(labels_of_a_list_do_not_outlive_the_call, "labels 0") {
    after_list(2, in[0], in[1]);
    OUT(sum_ints(2, 1, 2));
}

static u32 add(u32 a, u32 b) { return a + b; }
static u32 multiply(u32 a, u32 b) { return a * b; }
typedef u32 (*binary)(u32, u32);
static binary operations[2] = {add, multiply};
CASE(indirect_calls, "exact") {
    volatile int which = 1;
    OUT(operations[which](IN(u32, 0), IN(u32, 4)));
    OUT(operations[!which](IN(u32, 0), IN(u32, 4)));
}
CASE(symbolic_choice_of_function, "right") { OUT(operations[in[8] & 1](IN(u32, 0), IN(u32, 4))); }
static u32 apply(binary f, u32 a, u32 b, int depth) { return depth ? f(apply(f, a, b, depth - 1), b) : a; }
CASE(recursion_through_pointers, "exact") { OUT(apply(multiply, in[0], in[1], 6)); }
static u64 many(u8 a, u16 b, u32 c, u64 d, i8 e, i16 f, i32 g, i64 h, u8 *i, u8 j, u64 k, u8 l, u8 m, u8 n, u8 o,
                u8 p, u8 q, u8 r) {
    return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h + 23 * *i + 29 * j + 31 * k + 37 * l +
           41 * m + 43 * n + 47 * o + 53 * p + 59 * q + 61 * r;
}
CASE(many_arguments, "exact") {
    OUT(many(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in + 8, in[9], in[10], in[11], in[12],
             in[13], in[14], in[15], in[16], in[17]));
}
/* Called with fewer arguments than it takes, in the old way. */
static int old_style();
CASE(old_style_call, "exact") { OUT(old_style(in[0], in[1])); }
static int old_style(a, b) int a, b; { return a * 256 + b; }

typedef int (*character)(int);
typedef int (*compare)(const char *, const char *);
typedef size_t (*length)(const char *);
static character character_functions[2] = {tolower, isdigit};
static compare compares[2] = {strcmp, strcasecmp};
static length lengths[1] = {strlen};
CASE(table_of_libc_functions, "exact") {
    volatile int i = 0;
    char text[4] = {in[0], in[1], in[2], 0};
    OUT((u8)character_functions[i](in[3]));
    OUT((u8)(character_functions[1 - i](in[4]) != 0));
    OUT((u8)(compares[i](text, "ab") > 0));
    OUT((u8)(compares[1 - i](text, "Ab") == 0));
    OUT((u32)lengths[i](text));
}
static int ascending(const void *a, const void *b) { return *(const u8 *)a - *(const u8 *)b; }
CASE(qsort_with_symbolic_data, "exact; branches 5") {
    qsort(in, 6, 1, ascending);
    out(in, 6);
}
static int words_ascending(const void *a, const void *b) {
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}
CASE(bsearch_with_symbolic_key, "exact; branches 1") {
    static u32 sorted[7] = {3, 9, 27, 81, 243, 729, 2187};
    u32 key = IN(u16, 0);
    u32 *found = bsearch(&key, sorted, 7, sizeof *sorted, words_ascending);
    OUT((u8)(found ? found - sorted : 99));
}
__attribute__((weak)) u8 weak_function(u8 b) { return b + 1; }
extern u8 missing_function(u8) __attribute__((weak));
extern u8 missing_data[4] __attribute__((weak));
CASE(weak_symbols, "exact") {
    OUT(weak_function(in[0]));
    OUT((u8)(missing_function ? missing_function(in[0]) : 3));
    OUT((u8)(missing_data == 0));
}
static inline __attribute__((always_inline)) u8 inlined(u8 b) { return b * 5; }
CASE(inline_functions, "exact") { OUT(inlined(in[0])); }
static u8 nested(u8 b) { return b ^ 1; }
static u8 returns_argument_of_call(u8 b) { return nested(nested(b) + 1); }
CASE(calls_in_arguments, "exact") { OUT((u16)add(returns_argument_of_call(in[0]), nested(in[1]))); }
/* A callee that ignores its symbolic argument must not hand its label to the next call. */
static u8 ignores(u8 b) { (void)b; return 4; }
static u8 gives(u8 b) { return b; }
CASE(ignored_arguments, "labels 0") { ignores(in[0]); OUT(gives(7)); }
