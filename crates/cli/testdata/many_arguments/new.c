/* For tests of limits: adds up its arguments, of which there may be thousands. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long total = 0;
    for (int i = 1; i < argc; i++) {
        total += atoi(argv[i]);
        for (char *p = argv[i]; *p; p++)
            if (*p == 'x' && total > 3001)
                puts("x");
    }
    printf("%ld\n", total);
    return 0;
}
