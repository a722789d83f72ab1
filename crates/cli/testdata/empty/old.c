#include <stdio.h>

int main(void)
{
    int c = getchar();
    puts(c == EOF ? "nothing" : "something");
    return 0;
}
