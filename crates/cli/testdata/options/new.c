#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int c, mode = 0;
    while ((c = getopt(argc, argv, "b")) != -1) {
        if (c == 'b')
            mode = 1;
        else
            return 2;
    }
    FILE *in = optind < argc ? fopen("default.txt", "r") : stdin;
    if (in == NULL)
        return 3;
    printf("mode %d first %d\n", mode, getc(in));
    return 0;
}
