#include <stdio.h>

static const char *const colours[] = {"black", "brown", "red", "orange", "yellow", "green", "blue", "violet"};

static int shift(int c)
{
    if (c >= 'a')
        return 1;
    return 0;
}

int main(void)
{
    int c = getchar();
    if (c == EOF)
        return 0;
    if (c == '!')
        return 3;
    printf("%s\n", colours[(c + shift(c)) % 8]);
    return 0;
}
