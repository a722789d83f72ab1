#include <stdio.h>
#include <stdlib.h>

int number(void);

int main(void)
{
    printf("%d %d\n", number(), abs(-3) + atoi("4"));
    return 0;
}
