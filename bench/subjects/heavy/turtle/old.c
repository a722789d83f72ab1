/* turtle - a small drawing language on a grid.
 *
 *   F N  forward     L  R  turn     U  D  pen up and down     repeat N [ ... ]
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 32

static char program[2048], grid[SIDE][SIDE];
static int x = SIDE / 2, y = SIDE / 2, heading, pen = 1, loops;
static long steps;
static const int dx[4] = { 0, 1, 0, -1 }, dy[4] = { -1, 0, 1, 0 };

static void fail(const char *why)
{
    printf("%s\n", why);
    exit(1);
}

static char *blanks(char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

static long number(char **pp)
{
    char *end;
    long n = strtol(*pp, &end, 10);
    if (end == *pp || n < 0)
        fail("a number is missing");
    *pp = end;
    return n;
}

static void forward(long n)
{
    while (n-- > 0) {
        if (pen)
            grid[y][x] = '#';
        x = (x + dx[heading] + SIDE) % SIDE;
        y = (y + dy[heading] + SIDE) % SIDE;
        steps++;
    }
}

static char *obey(char *p, int inside)
{
    for (p = blanks(p); *p && *p != ']'; p = blanks(p)) {
        char c = *p++;
        if (c == 'F') {
            forward(number(&p));
        } else if (c == 'L') {
            heading = (heading + 3) % 4;
        } else if (c == 'R') {
            heading = (heading + 1) % 4;
        } else if (c == 'U' || c == 'D') {
            pen = c == 'D';
        } else if (c == 'r' && strncmp(p, "epeat", 5) == 0) {
            long n;
            char *body, *behind = NULL;
            p += 5;
            n = number(&p);
            p = blanks(p);
            if (*p != '[')
                fail("a bracket is missing");
            body = p + 1;
            loops++;
            while (n-- > 0)
                behind = obey(body, 1);
            loops--;
            if (!behind)
                fail("repeated never");
            p = behind;
        } else {
            fail("what?");
        }
    }
    if (inside && *p++ != ']')
        fail("a bracket is open");
    if (!inside && *p)
        fail("a bracket too many");
    return p;
}

int main(void)
{
    int i;
    program[fread(program, 1, sizeof program - 1, stdin)] = 0;
    memset(grid, '.', sizeof grid);
    obey(program, 0);
    for (i = 0; i < SIDE; i++)
        if (memchr(grid[i], '#', SIDE))
            printf("%2d %.*s\n", i, SIDE, grid[i]);
    printf("%d %d %d %ld\n", x, y, heading, steps);
    return 0;
}
