#include <stdio.h>

int main(void)
{
    int unused;
    printf("%s\n", MESSAGE);
    return 0;
}
