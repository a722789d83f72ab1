#include <stdio.h>

int seven(void);
int eight(void);

int main(void)
{
    printf("%d\n", seven() + eight());
    return 0;
}
