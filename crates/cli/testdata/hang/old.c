#include <stdio.h>

int main(void)
{
    if (getchar() == 'h')
        return 0;
    return 0;
}
