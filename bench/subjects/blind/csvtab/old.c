/* csvtab: lay out CSV from standard input as a table.  The first record is the
   heading; columns that hold nothing but numbers are set flush right. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char **field;
    int n;
};

struct column {
    int width;
    int numeric;
};

static struct record *recs;
static int nrecs;
static char sep = ',';

static void *grow(void *p, size_t n)
{
    p = realloc(p, n);
    if (!p) {
        fputs("csvtab: out of memory\n", stderr);
        exit(3);
    }
    return p;
}

static void add_field(struct record *r, const char *text, size_t len)
{
    char *s = grow(NULL, len + 1);

    memcpy(s, text, len);
    s[len] = '\0';
    r->field = grow(r->field, (size_t)(r->n + 1) * sizeof *r->field);
    r->field[r->n++] = s;
}

/* Reads one record; 0 at the end of the input */
static int read_record(struct record *r)
{
    char buf[200];
    size_t len = 0;
    int quoted = 0, any = 0, c;

    r->field = NULL;
    r->n = 0;
    while ((c = getchar()) != EOF) {
        any = 1;
        if (quoted) {
            if (c == '"') {
                c = getchar();
                if (c != '"') {
                    quoted = 0;
                    if (c == EOF)
                        break;
                    ungetc(c, stdin);
                    continue;
                }
            }
            if (c == '\n')
                c = ' ';
        } else if (c == '"' && len == 0) {
            quoted = 1;
            continue;
        } else if (c == sep) {
            add_field(r, buf, len);
            len = 0;
            continue;
        } else if (c == '\n') {
            break;
        } else if (c == '\r') {
            continue;
        }
        if (len < sizeof buf)
            buf[len++] = (char)c;
    }
    if (!any)
        return 0;
    add_field(r, buf, len);
    return 1;
}

static int is_number(const char *s)
{
    int digits = 0;

    if (*s == '-' || *s == '+')
        s++;
    for (; isdigit((unsigned char)*s); s++)
        digits++;
    if (*s == '.')
        for (s++; isdigit((unsigned char)*s); s++)
            digits++;
    return digits > 0 && *s == '\0';
}

static struct column *measure(int *ncols)
{
    struct column *cols;
    int r, c;

    *ncols = 0;
    for (r = 0; r < nrecs; r++)
        if (recs[r].n > *ncols)
            *ncols = recs[r].n;
    cols = grow(NULL, (size_t)*ncols * sizeof *cols);
    for (c = 0; c < *ncols; c++) {
        cols[c].width = 0;
        cols[c].numeric = nrecs > 1;
    }
    for (r = 0; r < nrecs; r++) {
        for (c = 0; c < recs[r].n; c++) {
            const char *s = recs[r].field[c];

            if ((int)strlen(s) > cols[c].width)
                cols[c].width = (int)strlen(s);
            if (r > 0 && *s && !is_number(s))
                cols[c].numeric = 0;
        }
    }
    return cols;
}

static void rule(const struct column *cols, int ncols)
{
    int c, i;

    for (c = 0; c < ncols; c++) {
        putchar(c ? '+' : '-');
        for (i = 0; i < cols[c].width + (c ? 2 : 1); i++)
            putchar('-');
    }
    putchar('\n');
}

static void show(const struct record *r, const struct column *cols, int ncols)
{
    int c;

    for (c = 0; c < ncols; c++) {
        const char *s = c < r->n ? r->field[c] : "";

        printf(c ? "| " : " ");
        if (cols[c].numeric)
            printf("%*s ", cols[c].width, s);
        else
            printf("%-*s ", cols[c].width, s);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct record one;
    struct column *cols;
    int ncols, i, c;

    if (argc == 3 && strcmp(argv[1], "-d") == 0 && strlen(argv[2]) == 1)
        sep = argv[2][0];
    else if (argc != 1) {
        fputs("usage: csvtab [-d char] < file\n", stderr);
        return 2;
    }
    while (read_record(&one)) {
        recs = grow(recs, (size_t)(nrecs + 1) * sizeof *recs);
        recs[nrecs++] = one;
    }
    if (nrecs == 0)
        return 1;
    cols = measure(&ncols);
    for (i = 0; i < nrecs; i++) {
        show(&recs[i], cols, ncols);
        if (i == 0)
            rule(cols, ncols);
    }
    for (i = 0; i < nrecs; i++) {
        for (c = 0; c < recs[i].n; c++)
            free(recs[i].field[c]);
        free(recs[i].field);
    }
    free(recs);
    free(cols);
    return 0;
}
