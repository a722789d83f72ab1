/* A hexadecimal number that has to become longer than it is. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned long value = argc > 1 ? strtoul(argv[1], NULL, 16) : 0;
    if ((value & 0xf00f) == 0x200d && value >> 4 > 0x2ba)
        puts("far");
    else
        puts("near");
    return 0;
}
