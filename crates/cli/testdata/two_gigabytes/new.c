#include <stdio.h>

/* The same gigabyte, counted down. */
int main(void)
{
    static char block[1 << 16];
    for (int i = 1 << 14; i > 0; i--)
        if (fwrite(block, sizeof block, 1, stdout) != 1)
            return 1;
    return 0;
}
