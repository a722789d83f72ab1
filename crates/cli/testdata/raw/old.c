#include <stdio.h>

int main(void)
{
    fwrite("a\0\xff", 1, 3, stdout);
    return 0;
}
