/* numlines - number the lines of a text */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    char style;         /* a: all, t: non-empty, n: none */
    long start;
    long step;
    int width;
    int join;           /* of so many empty lines only the last is numbered */
    const char *sep;
    char format;        /* l, r, z */
    int restart;        /* start over at a line with a form feed */
};

struct state {
    long number;
    int empties;
    int pages;
};

static void usage(void)
{
    fputs("usage: numlines [-b a|t|n] [-v start] [-i step] [-w width] [-l n]\n"
          "                [-s sep] [-n l|r|z] [-p] [file]\n", stderr);
    exit(2);
}

static long get_long(const char *s, long lo, long hi)
{
    char *end;
    long v = strtol(s, &end, 10);

    if (end == s || *end || v < lo || v > hi) {
        fprintf(stderr, "numlines: bad number %s\n", s);
        exit(2);
    }
    return v;
}

static char choice(const char *s, const char *allowed)
{
    if (strlen(s) != 1 || !strchr(allowed, *s))
        usage();
    return *s;
}

static void print_number(const struct options *o, long n)
{
    switch (o->format) {
    case 'l':
        printf("%-*ld", o->width, n);
        break;
    case 'z':
        printf("%0*ld", o->width, n);
        break;
    default:
        printf("%*ld", o->width, n);
    }
}

static int wants_number(const struct options *o, struct state *st, const char *line)
{
    if (o->style == 'n')
        return 0;
    if (*line != '\0')
        return 1;
    if (o->style == 't')
        return 0;
    if (++st->empties < o->join)
        return 0;
    st->empties = 0;
    return 1;
}

static void one_line(const struct options *o, struct state *st, const char *line)
{
    if (o->restart && *line == '\f') {
        st->number = o->start;
        st->pages++;
        putchar('\n');
        return;
    }
    if (wants_number(o, st, line)) {
        print_number(o, st->number);
        printf("%s%s\n", o->sep, line);
        st->number += o->step;
    } else {
        printf("%*s%s\n", o->width + (int)strlen(o->sep), "", line);
    }
}

int main(int argc, char **argv)
{
    struct options o = { 't', 1, 1, 6, 1, "\t", 'r', 0 };
    struct state st = { 0, 0, 0 };
    char line[512];
    FILE *in = stdin;
    int c;

    opterr = 0;
    while ((c = getopt(argc, argv, "b:v:i:w:l:s:n:p")) != -1) {
        switch (c) {
        case 'b': o.style = choice(optarg, "atn"); break;
        case 'v': o.start = get_long(optarg, -99999, 99999); break;
        case 'i': o.step = get_long(optarg, -999, 999); break;
        case 'w': o.width = (int)get_long(optarg, 1, 40); break;
        case 'l': o.join = (int)get_long(optarg, 1, 100); break;
        case 's': o.sep = optarg; break;
        case 'n': o.format = choice(optarg, "lrz"); break;
        case 'p': o.restart = 1; break;
        default: usage();
        }
    }
    if (argc - optind > 1)
        usage();
    if (optind < argc && strcmp(argv[optind], "-") != 0) {
        in = fopen(argv[optind], "r");
        if (!in) {
            fprintf(stderr, "numlines: cannot open %s\n", argv[optind]);
            return 1;
        }
    }
    st.number = o.start;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        one_line(&o, &st, line);
    }
    if (in != stdin)
        fclose(in);
    return 0;
}
