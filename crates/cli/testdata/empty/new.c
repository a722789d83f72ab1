#include <stdio.h>

int main(void)
{
    int c = getchar();
    puts(c == EOF ? "empty" : "something");
    return 0;
}
