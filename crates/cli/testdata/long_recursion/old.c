/* For tests of limits: recursion as deep as a number of the input says, with a condition in each call that depends on it. */
#include <stdio.h>
#include <stdlib.h>

static long down(long n, long m)
{
    if (n <= 0)
        return m;
    if (m == 99999)
        return 1;
    return 1 + down(n - 1, m + (n & 3));
}

int main(int argc, char **argv)
{
    printf("%ld\n", down(argc > 1 ? atol(argv[1]) : 10, 0));
    return 0;
}
