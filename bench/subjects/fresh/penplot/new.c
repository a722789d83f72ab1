/* penplot - interpret a small subset of HP-GL and report the strokes
 *
 * usage: penplot [FILE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXARG   32
#define COORD    100000L

struct plotter {
    long x, y;
    int pen;            /* 0 = none in holder */
    int down;
    int relative;
    int line_type;
    int scaled;
    long sx0, sx1, sy0, sy1;
    long strokes;
    double ink;
    int errors;
};

typedef int (*command_fn)(struct plotter *, const long *, int);

static long user_to_dev(long v, long lo, long hi)
{
    return (v - lo) * 1000 / (hi - lo);
}

static void move_to(struct plotter *p, long x, long y)
{
    long dx = x - p->x, dy = y - p->y;

    if (x < -COORD || x > COORD || y < -COORD || y > COORD) {
        printf("off plate\n");
        p->errors++;
        return;
    }
    if (p->down && p->pen) {
        printf("pen %d type %d: %ld,%ld -> %ld,%ld\n", p->pen, p->line_type,
               p->x, p->y, x, y);
        p->strokes++;
        p->ink += (double)(dx < 0 ? -dx : dx) + (double)(dy < 0 ? -dy : dy);
    }
    p->x = x;
    p->y = y;
}

static int run_coords(struct plotter *p, const long *a, int n)
{
    int i;

    if (n & 1)
        return -1;
    for (i = 0; i < n; i += 2) {
        long x = a[i], y = a[i + 1];

        if (p->relative) {
            x += p->x;
            y += p->y;
        } else if (p->scaled) {
            x = user_to_dev(x, p->sx0, p->sx1);
            y = user_to_dev(y, p->sy0, p->sy1);
        }
        move_to(p, x, y);
    }
    return 0;
}

static int cmd_df(struct plotter *p, const long *a, int n)
{
    (void)a;
    (void)n;
    p->line_type = 0;
    p->scaled = 0;
    return 0;
}

static int cmd_in(struct plotter *p, const long *a, int n)
{
    cmd_df(p, a, n);
    p->relative = 0;
    p->down = 0;
    p->pen = 0;
    p->x = p->y = 0;
    return 0;
}

static int cmd_pu(struct plotter *p, const long *a, int n)
{
    p->down = 0;
    return run_coords(p, a, n);
}

static int cmd_pd(struct plotter *p, const long *a, int n)
{
    p->down = 1;
    return run_coords(p, a, n);
}

static int cmd_pa(struct plotter *p, const long *a, int n)
{
    p->relative = 0;
    return run_coords(p, a, n);
}

static int cmd_pr(struct plotter *p, const long *a, int n)
{
    p->relative = 1;
    return run_coords(p, a, n);
}

static int cmd_sp(struct plotter *p, const long *a, int n)
{
    long pen = n ? a[0] : 0;

    if (pen < 0 || pen > 8)
        return -1;
    p->pen = (int)pen;
    return 0;
}

static int cmd_lt(struct plotter *p, const long *a, int n)
{
    if (n && (a[0] < 0 || a[0] > 6))
        return -1;
    p->line_type = n ? (int)a[0] : 0;
    return 0;
}

static int cmd_sc(struct plotter *p, const long *a, int n)
{
    if (n == 0) {
        p->scaled = 0;
        return 0;
    }
    if (n != 4 || a[0] == a[1] || a[2] == a[3])
        return -1;
    p->scaled = 1;
    p->sx0 = a[0];
    p->sx1 = a[1];
    p->sy0 = a[2];
    p->sy1 = a[3];
    return 0;
}

static int cmd_ea(struct plotter *p, const long *a, int n)
{
    long x0 = p->x, y0 = p->y;
    int was = p->down;

    (void)n;
    p->down = 1;
    move_to(p, a[0], y0);
    move_to(p, a[0], a[1]);
    move_to(p, x0, a[1]);
    move_to(p, x0, y0);
    p->down = was;
    return 0;
}

static int cmd_oa(struct plotter *p, const long *a, int n)
{
    (void)a;
    (void)n;
    printf("%ld,%ld,%d\n", p->x, p->y, p->down);
    return 0;
}

static const struct command {
    char name[3];
    command_fn fn;
    int min, max;
} commands[] = {
    { "IN", cmd_in, 0, 0 },
    { "DF", cmd_df, 0, 0 },
    { "PU", cmd_pu, 0, MAXARG },
    { "PD", cmd_pd, 0, MAXARG },
    { "PA", cmd_pa, 0, MAXARG },
    { "PR", cmd_pr, 0, MAXARG },
    { "SP", cmd_sp, 0, 1 },
    { "LT", cmd_lt, 0, 2 },
    { "SC", cmd_sc, 0, 4 },
    { "EA", cmd_ea, 2, 2 },
    { "OA", cmd_oa, 0, 0 },
};

static const struct command *lookup(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int skip_blank(FILE *f)
{
    int c;

    do
        c = getc(f);
    while (c != EOF && isspace(c));
    return c;
}

/* reads numbers up to ; or the next mnemonic; -1 = too many */
static int read_args(FILE *f, long *a)
{
    int n = 0, c, neg;
    long v;

    for (;;) {
        c = skip_blank(f);
        if (c == ',')
            continue;
        if (c != '-' && !isdigit(c)) {
            if (c != ';' && c != EOF)
                ungetc(c, f);
            return n;
        }
        neg = c == '-';
        v = 0;
        if (neg)
            c = getc(f);
        while (c != EOF && isdigit(c)) {
            if (v < COORD)
                v = v * 10 + (c - '0');
            c = getc(f);
        }
        if (c != EOF)
            ungetc(c, f);
        if (n == MAXARG)
            return -1;
        a[n++] = neg ? -v : v;
    }
}

int main(int argc, char **argv)
{
    static struct plotter p;
    const struct command *cmd;
    long a[MAXARG];
    char name[3];
    FILE *f = stdin;
    int c, n;

    if (argc > 1 && !(f = fopen(argv[1], "r"))) {
        fprintf(stderr, "penplot: cannot open %s\n", argv[1]);
        return 2;
    }
    while ((c = skip_blank(f)) != EOF) {
        if (c == ';')
            continue;
        name[0] = (char)toupper(c);
        c = getc(f);
        name[1] = c == EOF ? '\0' : (char)toupper(c);
        name[2] = '\0';
        cmd = lookup(name);
        n = read_args(f, a);
        if (!cmd) {
            printf("error 1: instruction not recognized\n");
            p.errors++;
        } else if (n < cmd->min || n > cmd->max) {
            printf("error 2: wrong number of parameters\n");
            p.errors++;
        } else if (cmd->fn(&p, a, n) < 0) {
            printf("error 3: out of range parameter\n");
            p.errors++;
        }
        if (p.errors > 10)
            break;
    }
    printf("%ld stroke(s), ink %.0f\n", p.strokes, p.ink);
    if (f != stdin)
        fclose(f);
    return p.errors ? 1 : 0;
}
