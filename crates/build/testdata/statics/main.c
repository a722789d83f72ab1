#include <stdio.h>

int shared;
int other();
long answer(void);
static int value(void) { return 1; }

int main(void)
{
    shared = 40;
    printf("%d %d %d\n", value(), other(), (int)answer());
    return 0;
}
