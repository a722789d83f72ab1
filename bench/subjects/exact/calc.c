/* A calculator: + - * / % ( ) and variables a to z; one expression an argument. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>

static const char *at;
static long variables[26];
static jmp_buf failed;

enum failure { SYNTAX = 1, DIVISION, TOO_DEEP };

static long sum(int depth);

static void blanks(void) {
    while (*at == ' ')
        at++;
}

static int accept(char c) {
    blanks();
    if (*at != c)
        return 0;
    at++;
    return 1;
}

static long factor(int depth) {
    blanks();
    if (depth > 10)
        longjmp(failed, TOO_DEEP);
    if (accept('-'))
        return -factor(depth + 1);
    if (accept('(')) {
        long value = sum(depth + 1);
        if (!accept(')'))
            longjmp(failed, SYNTAX);
        return value;
    }
    if (islower((unsigned char)*at))
        switch (*at++) {
        case 'a': return variables[0];
        case 'b': return variables[1];
        case 'c': return variables[2];
        default: return 0;
        }
    if (!isdigit((unsigned char)*at))
        longjmp(failed, SYNTAX);
    long value = 0;
    while (isdigit((unsigned char)*at))
        value = value * 10 + (*at++ - '0');
    return value;
}

static long product(int depth) {
    long value = factor(depth);
    for (;;) {
        if (accept('*')) {
            value *= factor(depth);
        } else if (accept('/')) {
            long by = factor(depth);
            if (by == 0)
                longjmp(failed, DIVISION);
            value /= by;
        } else if (accept('%')) {
            long by = factor(depth);
            if (by == 0)
                longjmp(failed, DIVISION);
            value %= by;
        } else {
            return value;
        }
    }
}

static long sum(int depth) {
    long value = product(depth);
    for (;;) {
        if (accept('+'))
            value += product(depth);
        else if (accept('-'))
            value -= product(depth);
        else
            return value;
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        int failure = setjmp(failed);
        if (failure) {
            fprintf(stderr, "failure %d\n", failure);
            return failure;
        }
        at = argv[i];
        long value = sum(0);
        blanks();
        if (*at)
            longjmp(failed, SYNTAX);
        if (i <= 3)
            variables[i - 1] = value;
        puts(value > 100 ? "large" : value < 0 ? "negative" : "small");
    }
    return 0;
}
