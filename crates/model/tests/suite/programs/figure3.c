/* The shape of figure 3 of seed 003: the call on the first way cannot reach the target. Input 999 does. */
#include <stdlib.h>

static void check(int x)
{
    if (x == 999)
        abort();
}

int main(int argc, char **argv)
{
    int input = atoi(argv[1]);
    if (input < 100)
        check(0);
    if (input > 100)
        check(input);
    return 0;
}
