#include <stdio.h>

int main(void)
{
    FILE *out = fopen("result.txt", "w");
    if (out == NULL)
        return 1;
    fputs("two\n", out);
    fclose(out);
    return 0;
}
