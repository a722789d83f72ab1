#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (in == NULL) {
        fprintf(stderr, "%s: cannot open\n", argv[0]);
        return 1;
    }
    printf("%d\n", getc(in) + 1);
    return 0;
}
