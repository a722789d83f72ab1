/* tower - the towers of Hanoi, and questions about the way.
 *
 * usage: tower DISCS FROM TO [STOP]
 */
#include <stdio.h>
#include <stdlib.h>

static long height[3], moves, onto_empty, stop;
static int top[3][64];

static void move(int disc, int from, int to)
{
    if (moves == stop)
        return;
    if (height[to] == 0)
        onto_empty++;
    height[from]--;
    top[to][height[to]++] = disc;
    moves++;
}

static void tower(int n, int from, int to)
{
    int by = 3 - from - to;
    if (n == 0 || moves == stop)
        return;
    tower(n - 1, from, by);
    move(n, from, to);
    tower(n - 1, by, to);
}

static int peg(const char *name)
{
    if ((name[0] < 'a' || name[0] > 'c') || name[1])
        return -1;
    return name[0] - 'a';
}

int main(int argc, char **argv)
{
    int n, from, to, k;
    long i;
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: tower DISCS FROM TO [STOP]\n");
        return 2;
    }
    n = atoi(argv[1]);
    from = peg(argv[2]);
    to = peg(argv[3]);
    stop = argc == 5 ? atol(argv[4]) : -1;
    if (n < 1 || n > 60 || from < 0 || to < 0 || from == to) {
        printf("no such tower\n");
        return 1;
    }
    for (k = n; k > 0; k--)
        top[from][height[from]++] = k;
    tower(n, from, to);
    for (k = 0; k < 3; k++) {
        printf("%c:", 'a' + k);
        for (i = 0; i < height[k]; i++)
            printf(" %d", top[k][i]);
        printf("\n");
    }
    printf("%ld moves, %ld onto an empty peg\n", moves, onto_empty);
    return 0;
}
