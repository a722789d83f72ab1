#include <stdio.h>

int main(void)
{
    if (getchar() == 'h')
        for (volatile int i = 0;; i++)
            ;
    return 0;
}
