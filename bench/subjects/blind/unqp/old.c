/* unqp: decode quoted-printable text from standard input.  With -q the
   "Q" encoding of mail headers is meant, where _ stands for a blank.
   Unprintable bytes are shown as <xx> so that the output stays readable. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct decoder {
    int header;
    char blanks[80];        /* seen, not known yet whether they are trailing */
    int nblanks;
    long bytes, soft, bad;
};

static void out(struct decoder *d, int c)
{
    if (c == '\n' || (c >= 32 && c < 127))
        putchar(c);
    else
        printf("<%02x>", c);
    d->bytes++;
}

static void flush_blanks(struct decoder *d)
{
    int i;

    for (i = 0; i < d->nblanks; i++)
        out(d, d->blanks[i]);
    d->nblanks = 0;
}

static int hexval(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* The rest of the line after a '=' is blank: a soft line break */
static int soft_break(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return *p == '\n' || *p == '\0';
}

static void decode_line(struct decoder *d, const char *p)
{
    d->nblanks = 0;
    while (*p && *p != '\n') {
        int c = (unsigned char)*p++;

        if (c == ' ' || c == '\t') {
            if (d->nblanks == (int)sizeof d->blanks)
                flush_blanks(d);
            d->blanks[d->nblanks++] = (char)c;
            continue;
        }
        flush_blanks(d);
        if (d->header && c == '_') {
            out(d, ' ');
        } else if (c != '=') {
            out(d, c);
        } else if (!d->header && soft_break(p)) {
            d->soft++;
            return;
        } else {
            int hi = hexval((unsigned char)p[0]);
            int lo = hi < 0 ? -1 : hexval((unsigned char)p[1]);

            if (lo < 0) {
                out(d, '=');
                d->bad++;
            } else {
                out(d, hi << 4 | lo);
                p += 2;
            }
        }
    }
    if (*p == '\n')
        out(d, '\n');
}

int main(int argc, char **argv)
{
    struct decoder d;
    char line[256];
    int verbose = 0, i;

    memset(&d, 0, sizeof d);
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-q") == 0)
            d.header = 1;
        else if (strcmp(argv[i], "-v") == 0)
            verbose = 1;
        else {
            fprintf(stderr, "usage: unqp [-q] [-v]\n");
            return 2;
        }
    }
    while (fgets(line, sizeof line, stdin))
        decode_line(&d, line);
    if (verbose)
        printf("[%ld bytes, %ld soft breaks, %ld errors]\n", d.bytes, d.soft, d.bad);
    return d.bad ? 1 : 0;
}
