#include <stdio.h>
#include <stdlib.h>

inline int twice(int x) { return 2 * x; }

int main(int argc, char **argv)
{
    printf("%d\n", twice(argc > 1 ? atoi(argv[1]) : 4));
    return 0;
}
