/* The shape of figure 1 of seed 000: only the first branch decides whether the change is executed. */
#include <stdio.h>
#include <stdlib.h>

static int y;
static int o;

int main(int argc, char **argv)
{
    int x = atoi(argv[1]);
    if (x > 0) {
        y = 2;
        if (x - y > 0)
            o = y;
        else
            o = 0;
    } else
        o = -1;
    if (x > 20)
        o = 10;
    printf("%d\n", o);
    return 0;
}
