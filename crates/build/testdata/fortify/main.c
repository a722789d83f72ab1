#define _FORTIFY_SOURCE 2
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char buffer[8];
    if (argc > 1)
        strcpy(buffer, argv[1]);
    else
        strcpy(buffer, "none");
    printf("%s\n", buffer);
    return 0;
}
