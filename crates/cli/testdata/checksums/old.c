/* For tests of limits: a hash and a checksum of the whole input, with a condition in each round. */
#include <stdio.h>

int main(void)
{
    unsigned h = 2166136261u, a = 1, b = 0;
    long odd = 0;
    for (int c; (c = getchar()) != EOF;) {
        h = (h ^ (unsigned)c) * 16777619u;
        a = (a + (unsigned)c) % 65521;
        b = (b + a) % 65521;
        if (h % 3 == 1)
            odd++;
        if ((b ^ h) == 0xdeadbeefu)
            puts("hit");
    }
    printf("%08x %08x %ld\n", h, b << 16 | a, odd);
    return 0;
}
