#include <stdio.h>

int main(void)
{
    fwrite("a\0\xfe", 1, 3, stdout);
    return 0;
}
