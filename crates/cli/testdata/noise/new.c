#include <stdio.h>
#include <sys/random.h>

int main(int argc, char **argv)
{
    unsigned number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return 1;
    printf("run number %u\n", number);
    printf("sum %d\n", argc > 2 ? 0 : argc);
    return 0;
}
