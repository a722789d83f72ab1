/* calc EXPRESSION...: integer arithmetic with the usual precedence, variables and a few functions. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text;
static long variables[26];

static void fail(const char *why) {
    fprintf(stderr, "calc: %s near \"%.8s\"\n", why, text);
    exit(1);
}

static long fit(__int128 value) {
    if (value > 2147483647 || value < -2147483647 - 1)
        fail("overflow");
    return (long)value;
}

static void blanks(void) {
    while (*text == ' ')
        text++;
}

static int accept(const char *token) {
    size_t len = strlen(token);
    blanks();
    if (strncmp(text, token, len) != 0)
        return 0;
    text += len;
    return 1;
}

static long expression(void);
static long unary(void);

static long power(long base, long exponent) {
    long result = 1;
    if (exponent < 0)
        fail("negative exponent");
    while (exponent > 0) {
        if (exponent & 1)
            result = fit((__int128)result * base);
        exponent >>= 1;
        if (exponent)
            base = fit((__int128)base * base);
    }
    return result;
}

static long root(long value) {
    long r = 0;
    if (value < 0)
        fail("negative root");
    while ((r + 1) * (r + 1) <= value)
        r++;
    return r;
}

static long function(const char *name) {
    long a, b;
    if (!accept("("))
        fail("( expected");
    a = expression();
    if (strcmp(name, "abs") == 0) {
        a = a < 0 ? fit(-(__int128)a) : a;
    } else if (strcmp(name, "sqrt") == 0) {
        a = root(a > 1000000 ? 1000000 : a);
    } else if (strcmp(name, "sgn") == 0) {
        a = (a > 0) - (a < 0);
    } else if (strcmp(name, "max") == 0 || strcmp(name, "min") == 0) {
        if (!accept(","))
            fail(", expected");
        b = expression();
        a = (name[1] == 'a') == (a > b) ? a : b;
    } else {
        fail("unknown function");
    }
    if (!accept(")"))
        fail(") expected");
    return a;
}

static long primary(void) {
    long value = 0;
    blanks();
    if (accept("(")) {
        value = expression();
        if (!accept(")"))
            fail(") expected");
        return value;
    }
    if (isdigit((unsigned char)*text)) {
        while (isdigit((unsigned char)*text))
            value = fit((__int128)value * 10 + (*text++ - '0'));
        return value;
    }
    if (islower((unsigned char)*text)) {
        char name[8];
        size_t len = 0;
        while (islower((unsigned char)text[len]) && len < sizeof name - 1) {
            name[len] = text[len];
            len++;
        }
        name[len] = '\0';
        text += len;
        return len == 1 ? variables[name[0] - 'a'] : function(name);
    }
    fail("operand expected");
    return 0;
}

/* Powers bind to the right and tighter than a sign before them. */
static long powers(void) {
    long base = primary();
    if (accept("^"))
        return power(base, unary());
    return base;
}

static long unary(void) {
    if (accept("-"))
        return fit(-(__int128)unary());
    if (accept("+"))
        return unary();
    return powers();
}

static long product(void) {
    long value = unary();
    for (;;) {
        long right;
        if (accept("*")) {
            value = fit((__int128)value * unary());
        } else if (accept("/")) {
            right = unary();
            if (right == 0)
                fail("division by zero");
            value = fit((__int128)value / right);
        } else if (accept("%")) {
            right = unary();
            if (right == 0)
                fail("division by zero");
            value %= right;
            if (value < 0)
                value += right;
        } else {
            return value;
        }
    }
}

static long sum(void) {
    long value = product();
    for (;;) {
        if (accept("+"))
            value = fit((__int128)value + product());
        else if (accept("-"))
            value = fit((__int128)value - product());
        else
            return value;
    }
}

static long shift(void) {
    long value = sum();
    for (;;) {
        if (accept("<<"))
            value = fit((__int128)value * power(2, sum()));
        else if (accept(">>"))
            value = value >> (sum() & 31);
        else
            return value;
    }
}

static long expression(void) {
    long value = shift();
    for (;;) {
        if (accept("<="))
            value = value <= shift();
        else if (accept("=="))
            value = value == shift();
        else if (accept("<"))
            value = value < shift();
        else
            return value;
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        text = argv[i];
        if (islower((unsigned char)text[0]) && text[1] == '=' && text[2] != '=') {
            int name = text[0] - 'a';
            text += 2;
            variables[name] = expression();
        } else {
            printf("%ld\n", expression());
        }
        blanks();
        if (*text != '\0')
            fail("trailing text");
    }
    return 0;
}
