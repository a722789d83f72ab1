/* numln - number lines, with logical pages (header, body, footer)
 *
 * usage: numln [-b STYLE] [-h STYLE] [-f STYLE] [-v N] [-i N] [-l N] [-w N]
 *              [-s SEP] [-n ln|rn|rz] [-d CC] [-p] [-q] [FILE]
 *
 * STYLE: a all lines, t non-empty lines, n none, cX lines containing char X
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINEMAX 1024

enum section { HEADER, BODY, FOOTER, TEXT };

struct style {
    char kind;
    char arg;
};

struct options {
    struct style style[3];
    long start;
    long incr;
    int join_blank;
    int width;
    const char *sep;
    enum { LN, RN, RZ } format;
    char delim[2];
    unsigned no_renumber : 1;
    unsigned quiet_delim : 1;
};

struct state {
    enum section sec;
    long number;
    int blanks;
    long numbered;
};

static const char *prog = "numln";

static void usage(void)
{
    fprintf(stderr, "usage: %s [-b S] [-h S] [-f S] [-v N] [-i N] [-l N] [-w N] "
            "[-s SEP] [-n ln|rn|rz] [-d CC] [-p] [-q] [FILE]\n", prog);
    exit(2);
}

static void defaults(struct options *o)
{
    memset(o, 0, sizeof *o);
    o->style[HEADER].kind = 'n';
    o->style[BODY].kind = 't';
    o->style[FOOTER].kind = 'n';
    o->start = 1;
    o->incr = 1;
    o->join_blank = 1;
    o->width = 6;
    o->sep = "\t";
    o->format = RN;
    o->delim[0] = '\\';
    o->delim[1] = ':';
}

static long number_arg(const char *s, long lo, long hi)
{
    char *end;
    long v = strtol(s, &end, 10);

    if (end == s || *end || v < lo || v > hi) {
        fprintf(stderr, "%s: invalid number '%s'\n", prog, s);
        exit(2);
    }
    return v;
}

static void style_arg(struct style *st, const char *s)
{
    if ((*s == 'a' || *s == 't' || *s == 'n') && !s[1]) {
        st->kind = *s;
    } else if (*s == 'c' && s[1] && !s[2]) {
        st->kind = 'c';
        st->arg = s[1];
    } else {
        fprintf(stderr, "%s: invalid style '%s'\n", prog, s);
        exit(2);
    }
}

static const char *parse(struct options *o, int argc, char **argv)
{
    const char *a;
    int i;

    for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        char c = argv[i][1];

        if (c == 'p' && !argv[i][2]) {
            o->no_renumber = 1;
            continue;
        }
        if (c == 'q' && !argv[i][2]) {
            o->quiet_delim = 1;
            continue;
        }
        a = argv[i][2] ? argv[i] + 2 : argv[++i];
        if (!a)
            usage();
        switch (c) {
        case 'b': style_arg(&o->style[BODY], a); break;
        case 'h': style_arg(&o->style[HEADER], a); break;
        case 'f': style_arg(&o->style[FOOTER], a); break;
        case 'v': o->start = number_arg(a, -1000000, 1000000); break;
        case 'i': o->incr = number_arg(a, -10000, 10000); break;
        case 'l': o->join_blank = (int)number_arg(a, 1, 100); break;
        case 'w': o->width = (int)number_arg(a, 1, 40); break;
        case 's': o->sep = a; break;
        case 'n':
            if (strcmp(a, "ln") == 0)
                o->format = LN;
            else if (strcmp(a, "rn") == 0)
                o->format = RN;
            else if (strcmp(a, "rz") == 0)
                o->format = RZ;
            else
                usage();
            break;
        case 'd':
            if (strlen(a) > 2 || !*a)
                usage();
            o->delim[0] = a[0];
            if (a[1])
                o->delim[1] = a[1];
            break;
        default:
            usage();
        }
    }
    if (i + 1 < argc)
        usage();
    return i < argc ? argv[i] : NULL;
}

static enum section classify(const struct options *o, const char *s)
{
    int n = 0;

    while (s[0] == o->delim[0] && s[0] && s[1] == o->delim[1]) {
        n++;
        s += 2;
    }
    if (*s || n < 1 || n > 3)
        return TEXT;
    return n == 3 ? HEADER : n == 2 ? BODY : FOOTER;
}

static void enter_section(const struct options *o, struct state *st, enum section s)
{
    if (s <= st->sec && !o->no_renumber) {
        st->number = o->start;          /* new logical page */
        st->blanks = 0;
    }
    st->sec = s;
    if (!o->quiet_delim)
        putchar('\n');
}

static int wants_number(const struct options *o, struct state *st, const char *s)
{
    const struct style *y = &o->style[st->sec];

    if (*s)
        st->blanks = 0;
    switch (y->kind) {
    case 'a':
        if (*s || o->join_blank == 1)
            return 1;
        if (++st->blanks < o->join_blank)
            return 0;
        st->blanks = 0;
        return 1;
    case 't':
        return *s != '\0';
    case 'c':
        return strchr(s, y->arg) != NULL;
    }
    return 0;
}

static void put_line(const struct options *o, struct state *st, const char *s)
{
    if (!wants_number(o, st, s)) {
        printf("%*s%s\n", o->width + (int)strlen(o->sep), "", s);
        return;
    }
    switch (o->format) {
    case LN: printf("%-*ld", o->width, st->number); break;
    case RN: printf("%*ld", o->width, st->number); break;
    case RZ: printf("%0*ld", o->width, st->number); break;
    }
    printf("%s%s\n", o->sep, s);
    st->number += o->incr;
    st->numbered++;
}

int main(int argc, char **argv)
{
    struct options opt;
    struct state st;
    char line[LINEMAX];
    const char *name;
    FILE *in = stdin;

    defaults(&opt);
    name = parse(&opt, argc, argv);
    if (name && strcmp(name, "-") != 0) {
        in = fopen(name, "r");
        if (!in) {
            fprintf(stderr, "%s: cannot open %s\n", prog, name);
            return 1;
        }
    }
    memset(&st, 0, sizeof st);
    st.sec = BODY;
    st.number = opt.start;
    while (fgets(line, sizeof line, in)) {
        enum section s;

        line[strcspn(line, "\n")] = '\0';
        s = classify(&opt, line);
        if (s != TEXT)
            enter_section(&opt, &st, s);
        else
            put_line(&opt, &st, line);
    }
    if (in != stdin)
        fclose(in);
    return 0;
}
