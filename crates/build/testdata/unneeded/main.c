#include <stdio.h>

int never(int x);

int main(int argc, char **argv)
{
    (void)argv;
    /* Unreachable, but only for a compiler that optimises. */
    int positive = argc & 0;
    printf("%d\n", positive ? never(argc) : 0);
    return 0;
}
