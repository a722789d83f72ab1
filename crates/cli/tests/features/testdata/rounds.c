/* A loop with as many rounds as the first argument says: for what is counted of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned step(unsigned sum, unsigned i) {
    return sum * 31 + i;
}

/* `for` counts what edges are, `recurse` what calls are, `inside` loops without a call, `ever` does not end. */
int main(int argc, char **argv) {
    unsigned n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, sum = 0;
    if (argc > 1 && strcmp(argv[1], "inside") == 0) {
        volatile unsigned last = 0;
        for (unsigned i = 0; i < n; i++)
            last = last * 31 + i;
        sum = last;
    } else if (argc > 1 && strcmp(argv[1], "ever") == 0) {
        puts("before");
        fflush(stdout);
        for (volatile unsigned i = 0;; i++)
            sum += i;
    } else {
        for (unsigned i = 0; i < n; i++)
            sum = step(sum, i);
    }
    printf("%u\n", sum);
    return 0;
}
