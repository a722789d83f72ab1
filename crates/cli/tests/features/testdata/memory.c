/* For: bit-fields, unions, structures by value, copies, tables, stack objects, initialisers. */
#include "cases.h"
#include <alloca.h>

struct bits {
    unsigned a : 3;
    signed b : 5;
    unsigned c : 11;
    unsigned d : 1;
    u64 e : 37;
    i64 f : 20;
};
CASE(bit_fields, "exact") {
    struct bits s = {0};
    s.a = in[0];
    s.b = (i8)in[1];
    s.c = IN(u16, 2);
    s.d = in[4];
    s.e = IN(u64, 5);
    s.f = IN(i64, 13);
    s.a += s.d;
    s.c ^= s.b;
    OUT((u32)s.a); OUT((i32)s.b); OUT((u32)s.c); OUT((u32)s.d); OUT((u64)s.e); OUT((i64)s.f);
    OUT((u8)(s.b < 0)); OUT((u8)(s.f < s.e));
}
CASE(bit_field_in_memory, "exact") {
    struct bits s;
    memset(&s, in[0], sizeof s);
    OUT((u32)s.a); OUT((i32)s.b); OUT((u32)s.c); OUT((u64)s.e);
    s.c = 5;
    out(&s, sizeof s);
}
union pun {
    u64 whole;
    u32 half[2];
    u8 bytes[8];
    struct { u16 low; i16 next; } part;
};
CASE(unions, "exact") {
    union pun p;
    p.whole = IN(u64, 0);
    p.bytes[3] = in[9];
    p.half[1] ^= 0x01020304;
    OUT(p.whole); OUT(p.part.next); OUT(p.half[0]);
}

struct small { u8 a; u32 b; u16 c; };              /* 12 bytes: two registers */
struct pair { u64 a, b; };                          /* 16 bytes: two registers */
struct large { u32 a; u64 b; u8 c[17]; };           /* in memory */
struct mixed { double d; u32 n; };                  /* one of each register class */
struct one { u8 b; };
static u32 take_small(struct small s) { return s.a * 3 + s.b - s.c; }
static u64 take_pair(struct pair p, u8 k) { return p.a * k ^ p.b; }
static u64 take_large(u8 before, struct large l, u8 after) { return l.a + l.b * before + l.c[16] - after; }
static u32 take_mixed(struct mixed m) { return m.n * 3; }
static struct small make_small(u8 a, u32 b) { struct small s = {a, b, (u16)(a + b)}; return s; }
static struct pair make_pair(u64 a) { struct pair p = {a, ~a}; return p; }
static struct large make_large(u32 a) {
    struct large l = {a, a * 7ull, {0}};
    l.c[16] = a >> 8;
    return l;
}
static struct one make_one(u8 b) { struct one o = {b + 1}; return o; }
CASE(structs_by_value, "exact") {
    struct small s = {in[0], IN(u32, 1), IN(u16, 5)};
    struct pair p = {IN(u64, 7), IN(u64, 15)};
    struct large l = {IN(u32, 0), IN(u64, 4), {0}};
    l.c[16] = in[20];
    OUT(take_small(s)); OUT(take_pair(p, in[3])); OUT(take_large(in[1], l, in[2]));
}
CASE(struct_with_double_by_value, "exact") {
    struct mixed m = {1.5, IN(u32, 0)};
    OUT(take_mixed(m));
}
CASE(structs_returned, "exact") {
    struct small s = make_small(in[0], IN(u32, 1));
    struct pair p = make_pair(IN(u64, 3));
    struct large l = make_large(IN(u32, 11));
    OUT(s.a); OUT(s.b); OUT(s.c); OUT(p.a); OUT(p.b); OUT(l.a); OUT(l.b); OUT(l.c[16]);
    OUT(make_one(in[5]).b);
}
static u64 through(struct large (*f)(u32), u32 a) { return f(a).b; }
CASE(struct_returned_through_pointer, "exact") { OUT(through(make_large, IN(u32, 0))); }
static u32 many_structs(struct large a, struct large b, struct large c, struct large d, struct large e,
                        struct large f, struct large g, struct large h, struct large i, struct large j) {
    return a.a + 3 * b.a + 5 * c.a + 7 * d.a + 11 * e.a + 13 * f.a + 17 * g.a + 19 * h.a + 23 * i.a + 29 * j.a;
}
CASE(many_structs_by_value, "exact") {
    struct large l[10] = {{0}};
    for (int i = 0; i < 10; i++)
        l[i].a = in[i];
    OUT(many_structs(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], l[8], l[9]));
}
/* The callee's copy is its own. */
static u8 change(struct large l) { l.c[0] ^= 0x55; l.a = 0; return l.c[0]; }
CASE(struct_copy_is_private, "exact") {
    struct large l = {IN(u32, 0), 1, {in[4]}};
    OUT(change(l)); OUT(l.c[0]); OUT(l.a);
}

CASE(copies, "exact") {
    u8 a[40], b[40];
    struct large s = {IN(u32, 0), IN(u64, 4), {in[12], in[13]}}, t;
    memset(a, 7, sizeof a);
    memset(b, in[0], 9);
    memset(b + 9, 0, sizeof b - 9);
    memcpy(a + 3, in, 20);
    memmove(a + 1, a + 5, 12);
    memmove(b + 6, b + 2, 12);
    t = s;
    s.a = 0;
    out(a, sizeof a); out(b, sizeof b); OUT(t.a); OUT(t.b); OUT(t.c[1]); OUT(s.a);
}
CASE(overwritten_with_a_constant, "labels 0") {
    u8 a[8];
    memcpy(a, in, 8);
    memset(a, 'x', 8);
    out(a, sizeof a);
}

static const u8 squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
static u32 words[8] = {10, 20, 30, 40, 50, 60, 70, 80};
CASE(table_of_constants, "exact") { OUT(squares[in[0] & 15]); }
CASE(table_of_words, "exact") { OUT(words[in[0] & 7]); }
CASE(table_of_symbolic_bytes, "exact") { OUT(in[in[0] & 15]); }
CASE(table_on_the_heap, "exact") {
    u16 *t = malloc(8 * sizeof *t);
    for (int i = 0; i < 8; i++)
        t[i] = i * i + in[1];
    OUT(t[in[0] & 7]);
    free(t);
}
CASE(table_on_the_stack, "exact") {
    u32 t[8];
    for (int i = 0; i < 8; i++)
        t[i] = i * 1000;
    OUT(t[in[0] & 7]);
}
CASE(table_of_two_dimensions, "exact") {
    static const u8 grid[4][8] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    OUT(grid[in[0] & 3][in[1] & 7]);
}
CASE(write_through_symbolic_index, "concrete store-address") {
    u8 t[16] = {0};
    t[in[0] & 15] = in[1];
    out(t, sizeof t);
}
/* Symbolic and concrete bytes in one word, and words that cross a page. */
CASE(mixed_word, "exact") {
    u8 a[8] = {1, in[0], 3, in[1], 5, 6, in[2], 8};
    OUT(*(u64 *)a);
    OUT(*(u32 *)(a + 3));
}
static u8 pages[3 * 4096] __attribute__((aligned(4096)));
CASE(word_across_pages, "exact") {
    pages[4096] = in[0];
    OUT(*(u32 *)(pages + 4093));
    OUT(*(u32 *)(pages + 4096));
    *(u64 *)(pages + 2 * 4096 - 3) = IN(u64, 8);
    OUT(*(u64 *)(pages + 2 * 4096 - 3));
    pages[2 * 4096] = 9;
    OUT(*(u64 *)(pages + 2 * 4096 - 3));
}
/* Concrete stores end a label, also where only a part of a word is written. */
CASE(part_overwritten, "exact") {
    u32 w = IN(u32, 0);
    ((u8 *)&w)[2] = 0x7f;
    OUT(w);
    *(u16 *)pages = IN(u16, 4);
    pages[0] = 1;
    OUT(*(u16 *)pages);
}
CASE(alloca_and_arrays_of_variable_length, "exact") {
    int n = 5;
    u8 v[n];
    u8 *p = alloca(n + 3);
    for (int i = 0; i < n; i++) {
        v[i] = in[i] + i;
        p[i + 3] = in[i] ^ 0xff;
    }
    out(v, n);
    out(p + 3, n);
}
static u64 down(int n, u8 *p) {
    u8 local[4] = {p[0], p[1], 0, 0};
    return n == 0 ? local[0] : local[1] + 3 * down(n - 1, p + 1);
}
CASE(recursion, "exact") { OUT(down(10, in)); }
/* Frames that are left must not lend their labels to later ones. */
static __attribute__((noinline)) void fill_frame(void) { volatile u8 b[64]; for (int i = 0; i < 64; i++) b[i] = in[i]; }
static __attribute__((noinline)) void use_frame(void) { u8 b[64]; for (int i = 0; i < 64; i++) b[i] = i; out(b, 64); }
CASE(frames_do_not_leak_labels, "labels 0") { fill_frame(); use_frame(); }

static struct { u8 *where; u32 add; const char *text; } initialised[2] = {{in + 2, 5, "ab"}, {in + 7, 9, "cd"}};
CASE(global_initialisers, "exact") { OUT((u8)(*initialised[1].where + initialised[0].add + initialised[1].text[0])); }
static u32 counter(u8 b) { static u32 sum = 100; return sum += b; }
CASE(static_locals, "exact") { counter(in[0]); OUT(counter(in[1])); OUT(counter(1)); }
CASE(realloc_keeps_labels, "exact") {
    u8 *p = malloc(4);
    memcpy(p, in, 4);
    p = realloc(p, 100000);
    OUT(p[3]);
    free(p);
    p = malloc(4);
    free(p);
}
CASE(freed_memory_is_concrete, "labels 0") {
    u8 *p = malloc(32);
    memcpy(p, in, 32);
    free(p);
    p = calloc(1, 32);
    out(p, 32);
}
CASE(pointer_arithmetic, "exact") {
    u8 *p = in + 3, *q = p + (in[0] & 7);
    OUT((i64)(q - p)); OUT((u8)(q > p)); OUT((u8)(q == in + 5));
}
CASE(aligned_pointer, "exact") {
    static u8 block[64] __attribute__((aligned(64)));
    u8 *p = __builtin_align_down(block + (in[0] & 63), 16);
    OUT((u64)(p - block));
}
