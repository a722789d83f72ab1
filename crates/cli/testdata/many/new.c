#include <stdio.h>

/* Sums up digits; a thousand inputs show the one difference. */
int main(void)
{
    int c, sum = 0;
    while ((c = getchar()) != EOF)
        if (c >= '0' && c <= '9')
            sum += c - '0';
    printf("sum %d\n", sum + 1);
    return 0;
}
