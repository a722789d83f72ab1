/* A stack machine: commands from standard input, found by name, called through a pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 8 };

static int stack[DEPTH];
static int top;

static int pop(void) { return top > 0 ? stack[--top] : 0; }

static int push(int value) {
    if (top == DEPTH)
        return 0;
    stack[top++] = value;
    return 1;
}

static int add(void) { int b = pop(), a = pop(); return push((int)((unsigned)a + (unsigned)b)); }
static int subtract(void) { int b = pop(), a = pop(); return push((int)((unsigned)a - (unsigned)b)); }
static int duplicate(void) { int a = pop(); return push(a) && push(a); }
static int drop(void) { if (top == 0) return 0; pop(); return 1; }
static int is_less(void) { int b = pop(), a = pop(); return push(a < b); }
static int negate(void) { return push(-pop()); }

static int print(void) {
    int a = pop();
    if (a < 0)
        puts("negative");
    else if (a == 0)
        puts("zero");
    else
        printf("%s\n", a & 1 ? "odd" : "even");
    return 1;
}

static const struct command {
    const char *name;
    int needs;
    int (*run)(void);
} commands[] = {
    {"add", 2, add}, {"sub", 2, subtract}, {"dup", 1, duplicate}, {"drop", 1, drop},
    {"less", 2, is_less}, {"neg", 1, negate}, {"print", 1, print},
};

static int execute(const char *word) {
    char *end;
    long value = strtol(word, &end, 10);
    if (end != word && !*end)
        return push((int)value) ? 0 : 3;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command *c = &commands[i];
        if (strcmp(word, c->name) != 0)
            continue;
        if (top < c->needs)
            return 4;
        return c->run() ? 0 : 3;
    }
    return 5;
}

int main(void) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
            int failure = execute(word);
            if (failure) {
                fprintf(stderr, "failure %d\n", failure);
                return failure;
            }
        }
    }
    return top > 0;
}
