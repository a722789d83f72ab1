#include <stdio.h>

int sum(int count);

int main(void)
{
    printf("%d\n", sum(5));
    return 0;
}
