/* Each character chooses a function, most of them none, without a comparison. */
#include <stdio.h>

static int f(int x) { return x + 1; }
static int g(int x) { return x * 3; }
static int h(int x) { return x ^ 5; }
static int k(int x) { return x - 7; }
static int l(int x) { return x << 1; }
static int m(int x) { return x + 41; }

typedef int function(int);

static function *const table[64] = { f, g, h, k, l, [60] = m };

static int step(int c, int x)
{
    function *next = table[(c >> 1) & 63];

    return next ? next(x) : -1;
}

int main(void)
{
    int c, x = 1;

    while ((c = getchar()) != EOF && c != '\n')
        x = step(c, x);
    printf("%d\n", x);
    return 0;
}
