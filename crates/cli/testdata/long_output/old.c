/* For tests of limits: as many lines of output as a number of the input says. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 100;
    for (long i = 0; i < n; i++)
        printf("%c. %ld\n", (char)('a' + (n + i) % 26), i);
    return 0;
}
