#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    printf("main is at %p, a block at %p\n", (void *)main, malloc(10));
    printf("sum %d\n", argc);
    return 0;
}
