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
    printf("value %d\n", n >= 5 ? n * 2 : n);
    return 0;
}
