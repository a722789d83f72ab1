/* A stack machine for words on standard input; every word is a function found in a dictionary. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 32

static long stack[DEPTH];
static int top;
static long variables[26];
static int base = 10;
static int skipping;

static void fail(const char *why) {
    printf("error: %s\n", why);
    exit(1);
}

static void push(long value) {
    if (top == DEPTH)
        fail("stack overflow");
    stack[top++] = value;
}

static long pop(void) {
    if (top == 0)
        fail("stack underflow");
    return stack[--top];
}

static void need(int n) {
    if (top < n)
        fail("stack underflow");
}

static long wrap(unsigned long value) {
    return (long)(int)(unsigned)value;
}

static void add(void) { long b = pop(), a = pop(); push(wrap((unsigned long)a + (unsigned long)b)); }
static void subtract(void) { long b = pop(), a = pop(); push(wrap((unsigned long)a - (unsigned long)b)); }
static void multiply(void) { long b = pop(), a = pop(); push(wrap((unsigned long)a * (unsigned long)b)); }

static void divide(void) {
    long b = pop(), a = pop();
    if (b == 0)
        fail("division by zero");
    push(wrap((unsigned long)(a / b)));
}

static void modulo(void) {
    long b = pop(), a = pop();
    if (b == 0)
        fail("division by zero");
    push(a % b);
}

static void dup_top(void) { long a = pop(); push(a); push(a); }
static void drop(void) { pop(); }
static void swap(void) { long b = pop(), a = pop(); push(b); push(a); }
static void over(void) { need(2); push(stack[top - 2]); }

static void rotate(void) {
    long third;
    need(3);
    third = stack[top - 3];
    stack[top - 3] = stack[top - 2];
    stack[top - 2] = stack[top - 1];
    stack[top - 1] = third;
}

static void pick(void) {
    long n = pop();
    if (n < 0 || n >= top)
        fail("no such element");
    push(stack[top - 1 - n]);
}

/* n roll: the n-th element below the top comes to the top. */
static void roll(void) {
    long n = pop(), moved;
    if (n < 0 || n >= top)
        fail("no such element");
    moved = stack[top - 1 - n];
    for (long i = top - 1 - n; i < top - 1; i++)
        stack[i] = stack[i + 1];
    stack[top - 1] = moved;
}

static void minimum(void) { long b = pop(), a = pop(); push(a < b ? a : b); }
static void maximum(void) { long b = pop(), a = pop(); push(a > b ? a : b); }
static void equal(void) { long b = pop(), a = pop(); push(a == b ? -1 : 0); }
static void less(void) { long b = pop(), a = pop(); push(a < b ? -1 : 0); }
static void negate(void) { push(wrap(0 - (unsigned long)pop())); }
static void depth(void) { push(top); }
static void hex(void) { base = 16; }
static void decimal(void) { base = 10; }

static void store(void) {
    long at = pop(), value = pop();
    if (at < 0 || at > 25)
        fail("no such variable");
    variables[at] = value;
}

static void fetch(void) {
    long at = pop();
    if (at < 0 || at > 25)
        fail("no such variable");
    push(variables[at]);
}

static void print(void) {
    long value = pop();
    if (base == 16)
        printf("%x\n", (unsigned)value);
    else
        printf("%ld\n", value);
}

static void show(void) {
    printf("<%d>", top);
    for (int i = 0; i < top; i++)
        printf(" %ld", stack[i]);
    putchar('\n');
}

static void begin_if(void) { skipping = pop() == 0; }
static void end_if(void) { skipping = 0; }

static const struct word {
    const char *name;
    void (*run)(void);
} words[] = {
    {"+", add},         {"-", subtract},  {"*", multiply}, {"/", divide},   {"mod", modulo},
    {"dup", dup_top},   {"drop", drop},   {"swap", swap},  {"over", over},  {"rot", rotate},
    {"pick", pick},     {"roll", roll},   {"min", minimum}, {"max", maximum}, {"=", equal},
    {"<", less},        {"negate", negate}, {"depth", depth}, {"hex", hex},  {"decimal", decimal},
    {"!", store},       {"@", fetch},     {".", print},    {".s", show},    {"if", begin_if},
    {"then", end_if},
};

static void number(const char *word) {
    char *end;
    long value;
    errno = 0;
    value = strtol(word, &end, base);
    if (*end != '\0' || errno != 0) {
        printf("error: unknown word %s\n", word);
        exit(1);
    }
    push(wrap((unsigned long)value));
}

static void execute(const char *word) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].name) == 0) {
            if (!skipping || words[i].run == end_if)
                words[i].run();
            return;
        }
    }
    if (!skipping)
        number(word);
}

int main(void) {
    char word[24];
    while (scanf("%23s", word) == 1)
        execute(word);
    if (top > 0)
        show();
    return 0;
}
