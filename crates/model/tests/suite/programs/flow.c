/* Control flow that ends, does not end, jumps far and is entered in the middle. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;

/* Never returns, and nobody says so. */
void give_up(int status)
{
    puts("giving up");
    if (status > 1)
        exit(status);
    abort();
}

/* Returns only where it does not give up. */
int half(int n)
{
    if (n & 1)
        give_up(n);
    return n / 2;
}

void serve(int (*next)(void))
{
    for (;;) {
        int request = next();
        if (request == 7)
            puts("seven");
        puts("served");
    }
}

/* A loop with two entries. */
int two_doors(int n)
{
    int sum = 0;
    if (n > 10)
        goto middle;
    while (n > 0) {
        sum += n;
middle:
        n -= 3;
        sum ^= n;
    }
    return sum;
}

void far_away(int n)
{
    if (n == 3)
        longjmp(back, 1);
    puts("stayed");
}

int protect(int n)
{
    if (setjmp(back)) {
        puts("came back");
        return 1;
    }
    far_away(n);
    return 0;
}

/* Recursion that goes through pointers. */
static int odd(int n);
static int even(int n)
{
    int (*other)(int) = odd;
    return n == 0 ? 1 : other(n - 1);
}
static int (*volatile evenly)(int) = even;
static int odd(int n)
{
    return n == 0 ? 0 : evenly(n - 1);
}

/* Without a way out. */
int forever(int n)
{
    return forever(n + 1);
}

int main(int argc, char **argv)
{
    return half(argc) + two_doors(argc) + protect(argc) + odd(argc);
}
