/* Counts up to ten and makes a number of what it counted; no loop can stand for that recursion. */
#include <stdio.h>
#include <stdlib.h>

static int total;

static int next(int x) {
    total += x;
    return x + 1;
}

int upto(int x) { return x > 9 ? x : (upto(next(x)) * 3 + x) % 1000; }

int main(int argc, char **argv) {
    printf("%d %d\n", upto(argc > 1 ? atoi(argv[1]) : 3), total);
    return 0;
}
