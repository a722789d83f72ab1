#include <stdio.h>
#include <stdlib.h>

static char padding[1 << 16];

int main(int argc, char **argv)
{
    padding[argc] = 1;
    void *other = malloc(5000);
    printf("main is at %p, a block at %p\n", (void *)main, malloc(10));
    printf("sum %d\n", argc > 4 ? argc + 1 : argc);
    free(other);
    return 0;
}
