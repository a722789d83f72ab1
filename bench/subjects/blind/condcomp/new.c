/* condcomp FILE [NAME=VALUE...]
 * Strips conditional sections from a text: #if #elif #else #endif #define
 * #undef, with integer expressions ( || && == != < > + - ! defined NAME ). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXSYM 32
#define MAXNEST 16

struct symbol {
    char name[24];
    long value;
    int live;
};

struct level {
    int parent;     /* the lines around are active */
    int active;     /* the lines here are active */
    int taken;      /* some branch has been active */
    int in_else;
};

static struct symbol symbols[MAXSYM];
static int nsymbols;
static struct level nest[MAXNEST];
static int depth;
static int lineno;
static const char *cur;

static void fatal(const char *msg)
{
    fflush(stdout);
    fprintf(stderr, "line %d: %s\n", lineno, msg);
    exit(2);
}

static struct symbol *find(const char *name)
{
    int i;

    for (i = 0; i < nsymbols; i++)
        if (symbols[i].live && strcmp(symbols[i].name, name) == 0)
            return &symbols[i];
    return NULL;
}

static void define(const char *name, long value)
{
    struct symbol *s = find(name);

    if (!s) {
        if (nsymbols == MAXSYM)
            fatal("too many symbols");
        s = &symbols[nsymbols++];
        strcpy(s->name, name);
        s->live = 1;
    }
    s->value = value;
}

static void blanks(void)
{
    while (*cur == ' ' || *cur == '\t')
        cur++;
}

static int name(char *to)
{
    int n = 0;

    blanks();
    if (!isalpha((unsigned char)*cur) && *cur != '_')
        return 0;
    while (isalnum((unsigned char)*cur) || *cur == '_') {
        if (n == 23)
            fatal("name too long");
        to[n++] = *cur++;
    }
    to[n] = '\0';
    return 1;
}

static int eat(const char *op)
{
    size_t n = strlen(op);

    blanks();
    if (strncmp(cur, op, n) != 0)
        return 0;
    cur += n;
    return 1;
}

static long expr(void);

static long unary(void)
{
    char id[24];
    long v;

    if (eat("!"))
        return !unary();
    if (eat("-"))
        return -unary();
    if (eat("(")) {
        v = expr();
        if (!eat(")"))
            fatal("missing )");
        return v;
    }
    if (isdigit((unsigned char)*cur)) {
        for (v = 0; isdigit((unsigned char)*cur); cur++)
            v = (v * 10 + *cur - '0') % 1000000000;
        return v;
    }
    if (!name(id))
        fatal("expression expected");
    if (strcmp(id, "defined") == 0) {
        if (!name(id))
            fatal("name expected");
        return find(id) != NULL;
    }
    return find(id) ? find(id)->value : 0;
}

static long sum(void)
{
    long v = unary();

    for (;;) {
        if (eat("+"))
            v += unary();
        else if (eat("-"))
            v -= unary();
        else
            return v;
    }
}

static long compare(void)
{
    long v = sum();

    for (;;) {
        if (eat("=="))
            v = v == sum();
        else if (eat("!="))
            v = v != sum();
        else if (eat("<"))
            v = v < sum();
        else if (eat(">"))
            v = v > sum();
        else
            return v;
    }
}

static long both(void)
{
    long v = compare(), w;

    while (eat("&&")) {
        w = compare();
        v = v && w;
    }
    return v;
}

static long expr(void)
{
    long v = both(), w;

    while (eat("||")) {
        w = both();
        v = v || w;
    }
    return v;
}

static int active(void)
{
    return depth == 0 || nest[depth - 1].active;
}

static void directive(void)
{
    char word[24], id[24];
    struct level *l = depth ? &nest[depth - 1] : NULL;

    if (!name(word))
        fatal("bad directive");
    if (strcmp(word, "if") == 0) {
        if (depth == MAXNEST)
            fatal("nested too deeply");
        l = &nest[depth];
        l->parent = active();
        l->active = l->parent && expr() != 0;
        l->taken = l->active;
        l->in_else = 0;
        depth++;
    } else if (strcmp(word, "elif") == 0) {
        if (!l || l->in_else)
            fatal("misplaced elif");
        l->active = l->parent && !l->taken && expr() != 0;
        l->taken = l->active;
    } else if (strcmp(word, "else") == 0) {
        if (!l || l->in_else)
            fatal("misplaced else");
        l->active = l->parent && !l->taken;
        l->in_else = 1;
    } else if (strcmp(word, "endif") == 0) {
        if (!l)
            fatal("misplaced endif");
        depth--;
    } else if (!active()) {
        return;
    } else if (strcmp(word, "define") == 0) {
        if (!name(id))
            fatal("name expected");
        blanks();
        define(id, *cur ? expr() : 1);
    } else if (strcmp(word, "undef") == 0) {
        if (!name(id))
            fatal("name expected");
        if (find(id))
            find(id)->live = 0;
    } else {
        fatal("unknown directive");
    }
}

int main(int argc, char **argv)
{
    char line[200], id[24];
    FILE *f;
    int i;

    if (argc < 2) {
        fprintf(stderr, "usage: condcomp file [name=value...]\n");
        return 2;
    }
    for (i = 2; i < argc; i++) {
        cur = argv[i];
        if (!name(id))
            fatal("bad definition");
        define(id, eat("=") ? expr() : 1);
    }
    f = fopen(argv[1], "r");
    if (!f) {
        perror(argv[1]);
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        lineno++;
        line[strcspn(line, "\n")] = '\0';
        cur = line;
        if (eat("#"))
            directive();
        else if (active())
            puts(line);
    }
    fclose(f);
    if (depth)
        fatal("endif missing");
    return 0;
}
