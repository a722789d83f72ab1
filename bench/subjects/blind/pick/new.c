/* pick - select columns of lines, a small cut(1) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOREVER 1000000

struct range { int lo, hi; };

struct conf {
    int bytes;          /* -b: bytes, otherwise fields */
    int delim;
    int only;           /* -s: drop lines without the delimiter */
    int invert;         /* -v: everything but the list */
    const char *out;    /* -o: between ranges in the output */
    struct range *list;
    int n;
};

static void usage(void)
{
    fprintf(stderr, "usage: pick {-b|-f} list [-d char] [-o string] [-s] [-v] < text\n");
    exit(1);
}

static int get_pos(const char **p)
{
    int v = 0;

    while (isdigit((unsigned char)**p)) {
        v = v * 10 + (*(*p)++ - '0');
        if (v >= FOREVER) {
            fprintf(stderr, "pick: position too large\n");
            exit(1);
        }
    }
    return v;
}

static int by_start(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->lo != y->lo)
        return x->lo - y->lo;
    return y->hi - x->hi;
}

static void merge(struct conf *c)
{
    int i, k = 0;

    qsort(c->list, (size_t)c->n, sizeof *c->list, by_start);
    for (i = 1; i < c->n; i++) {
        struct range *last = &c->list[k];

        if (c->list[i].lo <= last->hi)
            last->hi = c->list[i].hi;
        else
            c->list[++k] = c->list[i];
    }
    c->n = k + 1;
}

static void parse_list(struct conf *c, const char *s)
{
    c->n = 0;
    for (;;) {
        struct range r;
        int dash = 0;

        r.lo = get_pos(&s);
        r.hi = r.lo;
        if (*s == '-') {
            dash = 1;
            s++;
            r.hi = get_pos(&s);
        }
        if (!dash && r.lo == 0)
            usage();
        if (dash && r.lo == 0 && r.hi == 0)
            usage();
        if (r.lo == 0)
            r.lo = 1;
        if (r.hi == 0)
            r.hi = FOREVER;
        if (r.hi < r.lo) {
            fprintf(stderr, "pick: decreasing range\n");
            exit(1);
        }
        c->list = realloc(c->list, (size_t)(c->n + 1) * sizeof *c->list);
        if (!c->list)
            exit(3);
        c->list[c->n++] = r;
        if (*s == '\0')
            break;
        if (*s++ != ',')
            usage();
    }
    merge(c);
}

static int wanted(const struct conf *c, int pos)
{
    int i;

    for (i = 0; i < c->n; i++)
        if (pos >= c->list[i].lo && pos <= c->list[i].hi)
            return !c->invert;
    return c->invert;
}

static void do_bytes(const struct conf *c, const char *line)
{
    int pos, previous = 0, any = 0;

    for (pos = 1; line[pos - 1]; pos++) {
        int w = wanted(c, pos);

        if (w && !previous && any && c->out)
            fputs(c->out, stdout);
        if (w) {
            putchar(line[pos - 1]);
            any = 1;
        }
        previous = w;
    }
    putchar('\n');
}

static void do_fields(const struct conf *c, const char *line)
{
    int field = 1, any = 0;
    const char *from = line;

    if (!strchr(line, c->delim)) {
        if (!c->only)
            puts(line);
        return;
    }
    for (;;) {
        const char *end = strchr(from, c->delim);
        size_t len = end ? (size_t)(end - from) : strlen(from);

        if (wanted(c, field)) {
            if (any) {
                if (c->out)
                    fputs(c->out, stdout);
                else
                    putchar(c->delim);
            }
            fwrite(from, 1, len, stdout);
            any = 1;
        }
        if (!end)
            break;
        from = end + 1;
        field++;
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct conf c;
    const char *list = NULL;
    char line[400];
    int opt;

    memset(&c, 0, sizeof c);
    c.delim = '\t';
    opterr = 0;
    while ((opt = getopt(argc, argv, "b:f:d:o:sv")) != -1) {
        switch (opt) {
        case 'b':
        case 'f':
            if (list)
                usage();
            list = optarg;
            c.bytes = opt == 'b';
            break;
        case 'd':
            if (strlen(optarg) != 1)
                usage();
            c.delim = *optarg;
            break;
        case 'o': c.out = optarg; break;
        case 's': c.only = 1; break;
        case 'v': c.invert = 1; break;
        default: usage();
        }
    }
    if (!list || optind != argc)
        usage();
    parse_list(&c, list);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (c.bytes)
            do_bytes(&c, line);
        else
            do_fields(&c, line);
    }
    free(c.list);
    return 0;
}
