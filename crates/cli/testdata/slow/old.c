#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int c, n = 0, first = getchar();
    for (c = first; c != EOF; c = getchar())
        n++;
    usleep(200000);
    printf("%d bytes%s\n", n, first >= '0' && first <= '9' ? "" : " of text");
    return 0;
}
