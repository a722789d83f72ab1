/* arena - obeys a script of an allocator on a heap of cells, first fit.
 *
 * usage: arena CELLS < script
 *   a N      allocates N cells, prints the handle
 *   f H      frees a handle
 *   t N K    allocates N cells K times
 *   d        shows the free blocks
 */
#include <stdio.h>
#include <stdlib.h>

#define HANDLES 1024

static int *cells;            /* the owner of each cell, 0 for free */
static long size;
static long start[HANDLES], length[HANDLES];
static int handles;

static long fit(long wanted)
{
    long at, run = 0;
    for (at = 0; at < size; at++) {
        run = cells[at] ? 0 : run + 1;
        if (run == wanted)
            return at + 1 - wanted;
    }
    return -1;
}

static int allocate(long wanted)
{
    long at, k;
    if (wanted <= 0 || handles + 1 >= HANDLES)
        return 0;
    at = fit(wanted);
    if (at < 0)
        return 0;
    handles++;
    start[handles] = at;
    length[handles] = wanted;
    for (k = 0; k < wanted; k++)
        cells[at + k] = handles;
    return handles;
}

static int release(int handle)
{
    long k;
    if (handle < 1 || handle > handles || !length[handle])
        return 0;
    for (k = 0; k < length[handle]; k++)
        cells[start[handle] + k] = 0;
    length[handle] = 0;
    return 1;
}

static void show(void)
{
    long at = 0, from;
    while (at < size) {
        if (cells[at]) {
            at++;
            continue;
        }
        from = at;
        while (at < size && !cells[at])
            at++;
        printf("[%ld +%ld]", from, at - from);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    char command;
    long n, k;
    if (argc != 2 || (size = atol(argv[1])) <= 0)
        return 2;
    cells = calloc(size, sizeof *cells);
    if (!cells)
        return 3;
    while (scanf(" %c", &command) == 1) {
        if (command == 'a' && scanf("%ld", &n) == 1) {
            printf("%d\n", allocate(n));
        } else if (command == 't' && scanf("%ld %ld", &n, &k) == 2) {
            while (k-- > 0)
                allocate(n);
        } else if (command == 'f' && scanf("%ld", &n) == 1) {
            if (!release(n))
                printf("bad handle %ld\n", n);
        } else if (command == 'd') {
            show();
        } else {
            printf("what?\n");
            return 1;
        }
    }
    return 0;
}
