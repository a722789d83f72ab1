/* dedup - report or filter adjacent repeated lines.
 *
 * usage: dedup [-cduDiz] [-m none|before|between] [-f N] [-s N] [-w N] [-o STR]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <ctype.h>
#include <unistd.h>

#define MAXLINE 256
#define MAXLINES 128

enum sep { SEP_NONE, SEP_BEFORE, SEP_BETWEEN };

struct options {
    int count;                  /* -c prefix the repeat count */
    int repeated;               /* -d only one line of repeated groups */
    int unique;                 /* -u only lines that do not repeat */
    int all_repeated;           /* -D all lines of repeated groups */
    int ignore_case;            /* -i */
    int summary;                /* -z print a summary on stderr */
    enum sep sep;               /* -m group separation for -D */
    int skip_fields;            /* -f */
    int skip_chars;             /* -s */
    int width;                  /* -w, -1 unlimited */
    const char *out_prefix;     /* -o */
};

struct stats {
    int groups, dup_groups, printed;
    int separated;              /* a group that may need a separator is out */
};

static char lines[MAXLINES][MAXLINE];

static void usage(void)
{
    fprintf(stderr, "usage: dedup [-cduDiz] [-m none|before|between] "
            "[-f N] [-s N] [-w N] [-o STR]\n");
    exit(2);
}

static int number(const char *s)
{
    int v = 0;

    if (*s == '\0')
        usage();
    for (; *s; s++) {
        if (!isdigit((unsigned char)*s) || v > 10000)
            usage();
        v = v * 10 + (*s - '0');
    }
    return v;
}

static enum sep sep_arg(const char *s)
{
    if (strcmp(s, "none") == 0)
        return SEP_NONE;
    if (strcmp(s, "before") == 0)
        return SEP_BEFORE;
    if (strcmp(s, "between") == 0)
        return SEP_BETWEEN;
    usage();
    return SEP_NONE;
}

static const char *key(const struct options *o, const char *s)
{
    int i;

    for (i = 0; i < o->skip_fields && *s; i++) {
        while (*s == ' ' || *s == '\t')
            s++;
        while (*s && *s != ' ' && *s != '\t')
            s++;
    }
    for (i = 0; i < o->skip_chars && *s; i++)
        s++;
    return s;
}

static int same(const struct options *o, const char *a, const char *b)
{
    size_t w = o->width < 0 ? MAXLINE : (size_t)o->width;

    a = key(o, a);
    b = key(o, b);
    return (o->ignore_case ? strncasecmp(a, b, w) : strncmp(a, b, w)) == 0;
}

static void emit(const struct options *o, struct stats *st,
                 const char *line, int n)
{
    if (o->out_prefix)
        fputs(o->out_prefix, stdout);
    if (o->count)
        printf("%4d ", n);
    puts(line);
    st->printed++;
}

static void group(const struct options *o, struct stats *st, int first, int n)
{
    int i;

    st->groups++;
    if (n > 1)
        st->dup_groups++;

    if (o->all_repeated) {
        if (n > 1 && (o->sep == SEP_BEFORE
                      || (o->sep == SEP_BETWEEN && st->separated)))
            putchar('\n');
        st->separated = 1;
        for (i = 0; n > 1 && i < n; i++)
            emit(o, st, lines[first + i], n);
        return;
    }
    if (o->repeated && n == 1)
        return;
    if (o->unique && n > 1)
        return;
    emit(o, st, lines[first], n);
}

static int read_lines(void)
{
    int n = 0;

    while (n < MAXLINES && fgets(lines[n], MAXLINE, stdin) != NULL) {
        lines[n][strcspn(lines[n], "\n")] = '\0';
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct options o;
    struct stats st;
    int c, i, j, n;

    memset(&o, 0, sizeof o);
    memset(&st, 0, sizeof st);
    o.width = -1;
    opterr = 0;
    while ((c = getopt(argc, argv, "cduDizm:f:s:w:o:")) != -1) {
        switch (c) {
        case 'c': o.count = 1; break;
        case 'd': o.repeated = 1; break;
        case 'u': o.unique = 1; break;
        case 'D': o.all_repeated = 1; break;
        case 'i': o.ignore_case = 1; break;
        case 'z': o.summary = 1; break;
        case 'm': o.sep = sep_arg(optarg); break;
        case 'f': o.skip_fields = number(optarg); break;
        case 's': o.skip_chars = number(optarg); break;
        case 'w': o.width = number(optarg); break;
        case 'o': o.out_prefix = optarg; break;
        default: usage();
        }
    }
    if (optind != argc)
        usage();
    if (o.all_repeated && (o.count || o.unique)) {
        fprintf(stderr, "dedup: -D cannot be used with -c or -u\n");
        return 2;
    }
    if (o.sep != SEP_NONE && !o.all_repeated) {
        fprintf(stderr, "dedup: -m needs -D\n");
        return 2;
    }

    n = read_lines();
    for (i = 0; i < n; i = j) {
        for (j = i + 1; j < n && same(&o, lines[i], lines[j]); j++)
            ;
        group(&o, &st, i, j - i);
    }
    if (o.summary)
        fprintf(stderr, "%d lines, %d groups, %d repeated, %d printed\n",
                n, st.groups, st.dup_groups, st.printed);
    return 0;
}
