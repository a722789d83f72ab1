/* A record: 'R', how many bytes follow, as many bytes, their sum. They are prices in steps: pairs of a bound and a price, with rising bounds. */
#include <stdio.h>

static unsigned char record[64];

static unsigned sum(const unsigned char *p, unsigned n) {
    unsigned all = 0;
    while (n--)
        all += *p++;
    return all & 0xff;
}

static int steps(const unsigned char *p, unsigned n) {
    unsigned last = 0;
    if (n % 2 != 0)
        return 1;
    for (unsigned i = 0; i < n / 2; i++, p += 2) {
        if (i > 0 && p[0] < last)
            return 1;
        printf("up to %u: %u\n", p[0], p[1]);
        last = p[0];
    }
    return 0;
}

int main(void) {
    unsigned size = fread(record, 1, sizeof record, stdin);
    unsigned n = record[1];
    if (size < 3 || record[0] != 'R' || n + 3 > size)
        return 2;
    if (sum(record + 2, n) != record[n + 2])
        return 3;
    return steps(record + 2, n);
}
