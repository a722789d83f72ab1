/* For tests of limits: as many files as a number of the input says. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 10;
    char name[64];
    for (long i = 0; i < n; i++) {
        sprintf(name, "f%ld", i);
        FILE *f = fopen(name, "w");
        if (!f)
            return 3;
        fprintf(f, "w%ld %ld\n", i, n);
        fclose(f);
    }
    return 0;
}
