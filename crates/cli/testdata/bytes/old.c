#include <stdio.h>

int main(int argc, char **argv)
{
    int c;
    for (int i = 1; i < argc; i++)
        fputs(argv[i], stdout);
    while ((c = getchar()) != EOF)
        putchar(c);
    return 0;
}
