/* A small interpreter: tokens to a tree of structs with names in a hash table, then walked many times.
 * Reads a program from standard input; ROUNDS (first argument) is how often it is evaluated. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, NAME, BINARY, ASSIGN, SEQUENCE, WHILE };

struct variable {
    char *name;
    long value;
    struct variable *next;
};

struct node {
    enum kind kind;
    int operator;
    long number;
    struct variable *variable;
    struct node *left, *right;
};

#define BUCKETS 64
static struct variable *table[BUCKETS];
static const char *at;

static struct variable *look_up(const char *name, size_t len) {
    unsigned h = 5381;
    for (size_t i = 0; i < len; i++)
        h = h * 33 + (unsigned char)name[i];
    struct variable **bucket = &table[h % BUCKETS];
    for (struct variable *v = *bucket; v; v = v->next)
        if (strlen(v->name) == len && memcmp(v->name, name, len) == 0)
            return v;
    struct variable *v = calloc(1, sizeof *v);
    v->name = strndup(name, len);
    v->next = *bucket;
    return *bucket = v;
}

static struct node *make(enum kind kind, int operator, struct node *left, struct node *right) {
    struct node *n = calloc(1, sizeof *n);
    n->kind = kind;
    n->operator = operator;
    n->left = left;
    n->right = right;
    return n;
}

static void skip(void) {
    while (isspace((unsigned char)*at))
        at++;
}

static struct node *expression(int level);

static struct node *primary(void) {
    skip();
    if (*at == '(') {
        at++;
        struct node *n = expression(0);
        skip();
        if (*at == ')')
            at++;
        return n;
    }
    if (isdigit((unsigned char)*at)) {
        char *end;
        struct node *n = make(NUMBER, 0, NULL, NULL);
        n->number = strtol(at, &end, 10);
        at = end;
        return n;
    }
    const char *start = at;
    while (isalpha((unsigned char)*at))
        at++;
    struct node *n = make(NAME, 0, NULL, NULL);
    n->variable = look_up(start, at - start);
    return n;
}

static int precedence(int c) {
    switch (c) {
    case '<': return 1;
    case '+': case '-': return 2;
    case '*': case '%': case '/': return 3;
    default: return 0;
    }
}

static struct node *expression(int level) {
    struct node *left = primary();
    for (;;) {
        skip();
        int p = precedence(*at);
        if (!p || p <= level)
            return left;
        int operator = *at++;
        left = make(BINARY, operator, left, expression(p));
    }
}

static struct node *statement(void) {
    skip();
    if (strncmp(at, "while", 5) == 0 && !isalpha((unsigned char)at[5])) {
        at += 5;
        struct node *condition = expression(0), *body = NULL;
        skip();
        if (*at == '{') {
            at++;
            for (skip(); *at && *at != '}'; skip())
                body = make(SEQUENCE, 0, body, statement());
            if (*at)
                at++;
        }
        return make(WHILE, 0, condition, body);
    }
    struct node *target = primary();
    skip();
    if (*at == '=')
        at++;
    struct node *n = make(ASSIGN, 0, NULL, expression(0));
    n->variable = target->variable;
    skip();
    if (*at == ';')
        at++;
    return n;
}

static long evaluate(const struct node *n) {
    if (!n)
        return 0;
    switch (n->kind) {
    case NUMBER:
        return n->number;
    case NAME:
        return n->variable->value;
    case ASSIGN:
        return n->variable->value = evaluate(n->right);
    case SEQUENCE:
        evaluate(n->left);
        return evaluate(n->right);
    case WHILE:
        while (evaluate(n->left))
            evaluate(n->right);
        return 0;
    case BINARY: {
        long a = evaluate(n->left), b = evaluate(n->right);
        switch (n->operator) {
        case '+': return a + b;
        case '-': return a - b;
        case '*': return (long)((unsigned long)a * (unsigned long)b);
        case '/': return b ? a / b : 0;
        case '%': return b ? a % b : 0;
        case '<': return a < b;
        }
    }
    }
    return 0;
}

int main(int argc, char **argv) {
    static char text[1 << 16];
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    at = text;
    struct node *program = NULL;
    for (skip(); *at; skip())
        program = make(SEQUENCE, 0, program, statement());
    while (rounds-- > 0)
        evaluate(program);
    for (int i = 0; i < BUCKETS; i++)
        for (struct variable *v = table[i]; v; v = v->next)
            printf("%s %ld\n", v->name, v->value);
    return 0;
}
