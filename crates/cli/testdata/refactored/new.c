#include <stdio.h>
#include <stdlib.h>

/* Prices above five units are doubled. */
int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: price N\n");
        return 2;
    }
    int n = atoi(argv[1]);
    printf("value %ld\n", (long)(n <= 5 ? n : n + n));
    return 0;
}
