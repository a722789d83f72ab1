#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strchr(argv[1], '\n') != NULL)
        puts("2 lines");
    return 0;
}
