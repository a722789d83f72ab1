/* check EXPRESSION... : evaluates its arguments much as test(1) does.
 *
 *   or    := and  { -o and }
 *   and   := not  { -a not }
 *   not   := ! not | primary
 *   primary := ( or ) | -n S | -z S | S = S | S != S | N -eq N ... | S
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token {
    T_END, T_WORD, T_NOT, T_AND, T_OR, T_OPEN, T_CLOSE,
    T_LEN, T_EMPTY,
    T_SEQ, T_SNE, T_SLT, T_SGT, T_EQ, T_NE, T_LT, T_LE, T_GT, T_GE
};

static const struct {
    const char *text;
    enum token tok;
} words[] = {
    { "!", T_NOT }, { "-a", T_AND }, { "-o", T_OR }, { "(", T_OPEN },
    { ")", T_CLOSE }, { "-n", T_LEN }, { "-z", T_EMPTY }, { "=", T_SEQ },
    { "==", T_SEQ }, { "!=", T_SNE }, { "<", T_SLT }, { ">", T_SGT },
    { "-eq", T_EQ }, { "-ne", T_NE }, { "-lt", T_LT }, { "-le", T_LE },
    { "-gt", T_GT }, { "-ge", T_GE },
};

static char **args;
static int nargs, at;

static int or_expr(void);

static void die(const char *msg, const char *arg)
{
    printf("check: %s%s%s\n", msg, arg ? ": " : "", arg ? arg : "");
    exit(2);
}

static enum token look(int ahead)
{
    size_t i;

    if (at + ahead >= nargs)
        return T_END;
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(args[at + ahead], words[i].text) == 0)
            return words[i].tok;
    return T_WORD;
}

static int is_binary(enum token t)
{
    return t >= T_SEQ && t <= T_GE;
}

static const char *take(void)
{
    if (at >= nargs)
        die("argument expected", NULL);
    return args[at++];
}

static long integer(const char *s)
{
    char *end;
    long v;

    errno = 0;
    v = strtol(s, &end, 10);
    if (end == s || *end || errno)
        die("not a number", s);
    return v;
}

static int binary(void)
{
    const char *left = take();
    enum token op = look(0);
    const char *right;
    long a, b;

    at++;
    right = take();
    switch (op) {
    case T_SEQ: return strcmp(left, right) == 0;
    case T_SNE: return strcmp(left, right) != 0;
    case T_SLT: return strcmp(left, right) < 0;
    case T_SGT: return strcmp(left, right) > 0;
    default: break;
    }
    a = integer(left);
    b = integer(right);
    switch (op) {
    case T_EQ: return a == b;
    case T_NE: return a != b;
    case T_LT: return a < b;
    case T_LE: return a <= b;
    case T_GT: return a > b;
    default: return a >= b;
    }
}

static int primary(void)
{
    int v;

    if (is_binary(look(1)))
        return binary();
    switch (look(0)) {
    case T_OPEN:
        at++;
        v = or_expr();
        if (look(0) != T_CLOSE)
            die("missing )", NULL);
        at++;
        return v;
    case T_LEN:
        at++;
        return *take() != '\0';
    case T_EMPTY:
        at++;
        return *take() == '\0';
    case T_END:
        die("argument expected", NULL);
        return 0;
    case T_CLOSE:
        die("unexpected )", NULL);
        return 0;
    default:
        return *take() != '\0';
    }
}

static int not_expr(void)
{
    int flip = 0;

    while (look(0) == T_NOT && !is_binary(look(1))) {
        flip = !flip;
        at++;
    }
    return primary() != flip;
}

static int and_expr(void)
{
    int v = not_expr();

    while (look(0) == T_AND) {
        at++;
        v = not_expr() && v;
    }
    return v;
}

static int or_expr(void)
{
    int v = and_expr();

    while (look(0) == T_OR) {
        at++;
        v = and_expr() || v;
    }
    return v;
}

int main(int argc, char **argv)
{
    int v;

    args = argv + 1;
    nargs = argc - 1;
    if (nargs == 0) {
        puts("false");
        return 1;
    }
    v = or_expr();
    if (at < nargs)
        die("extra argument", args[at]);
    puts(v ? "true" : "false");
    return !v;
}
