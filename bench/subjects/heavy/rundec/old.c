/* rundec - a run-length decoder: "12a3b" are twelve a and three b, in lines of as many columns as -w says.
 *
 * usage: rundec WIDTH < input
 *   digits  the length of the next run (1 if there is none)
 *   \c      the character c itself, whatever it is
 *   (...)   a group that is repeated
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static char text[4096];
static long at, end, column, width, lines, sum;

static void put(int c)
{
    if (column == width) {
        lines++;
        sum = sum * 31 + 10;
        if (lines <= 20)
            putchar('\n');
        column = 0;
    }
    column++;
    sum = sum * 31 + c;
    if (lines <= 20)
        putchar(c);
}

static int decode(int depth)
{
    while (at < end) {
        long count = 0;
        int any = 0;
        while (at < end && isdigit((unsigned char)text[at])) {
            count = count * 10 + (text[at++] - '0');
            any = 1;
        }
        if (!any)
            count = 1;
        if (at == end)
            return any ? -1 : 0;
        if (text[at] == ')')
            return depth > 0 && !any ? 0 : -1;
        if (text[at] == '(') {
            long back = ++at;
            if (depth == 8)
                return -1;
            if (count == 0)
                return -1;
            while (count-- > 0) {
                at = back;
                if (decode(depth + 1) < 0 || at >= end)
                    return -1;
            }
            at++;
            continue;
        }
        if (text[at] == '\\' && ++at == end)
            return -1;
        while (count-- > 0)
            put(text[at]);
        at++;
    }
    return depth > 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 || (width = atol(argv[1])) <= 0) {
        fprintf(stderr, "usage: rundec WIDTH\n");
        return 2;
    }
    end = fread(text, 1, sizeof text, stdin);
    while (end > 0 && text[end - 1] == '\n')
        end--;
    if (decode(0) < 0) {
        fprintf(stderr, "\nrundec: broken input\n");
        return 1;
    }
    printf("\n%ld %ld %lx\n", lines, column, sum);
    return 0;
}
