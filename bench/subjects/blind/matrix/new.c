/* matrix [-t] [-k] [-c from,to] [-m factor] FILE
 * FILE holds  ROWS COLS  and then the numbers.  -t transposes, -c cuts out
 * columns (of the result of -t), -k adds the sums of rows and columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct matrix {
    int rows, cols;
    int *cell;
};

static void die(const char *msg)
{
    fprintf(stderr, "matrix: %s\n", msg);
    exit(1);
}

static struct matrix make(int rows, int cols)
{
    struct matrix m;

    m.rows = rows;
    m.cols = cols;
    m.cell = calloc((size_t)rows * (size_t)cols, sizeof *m.cell);
    if (!m.cell)
        die("no memory");
    return m;
}

static int *at(const struct matrix *m, int r, int c)
{
    return &m->cell[r * m->cols + c];
}

static struct matrix load(const char *name)
{
    struct matrix m;
    FILE *f = fopen(name, "r");
    int rows, cols, i;

    if (!f)
        die("cannot open file");
    if (fscanf(f, "%d %d", &rows, &cols) != 2)
        die("size missing");
    if (rows < 1 || cols < 1 || rows > 30 || cols > 30)
        die("bad size");
    m = make(rows, cols);
    for (i = 0; i < rows * cols; i++) {
        if (fscanf(f, "%d", &m.cell[i]) != 1)
            die("too few numbers");
        if (m.cell[i] > 9999 || m.cell[i] < -9999)
            die("number too large");
    }
    fclose(f);
    return m;
}

static struct matrix transpose(struct matrix m)
{
    struct matrix t = make(m.cols, m.rows);
    int r, c;

    for (r = 0; r < m.rows; r++)
        for (c = 0; c < m.cols; c++)
            *at(&t, c, r) = *at(&m, r, c);
    free(m.cell);
    return t;
}

static struct matrix cut(struct matrix m, int from, int to)
{
    struct matrix t;
    int r, c;

    if (from < 1 || to > m.cols || from > to)
        die("no such columns");
    t = make(m.rows, to - from + 1);
    for (r = 0; r < t.rows; r++)
        for (c = 0; c < t.cols; c++)
            *at(&t, r, c) = *at(&m, r, from - 1 + c);
    free(m.cell);
    return t;
}

static void print(const struct matrix *m, int sums)
{
    int r, c, sum, width = 1;
    char text[16];

    for (r = 0; r < m->rows * m->cols; r++) {
        int n = snprintf(text, sizeof text, "%d", m->cell[r]);
        if (n > width)
            width = n;
    }
    for (r = 0; r < m->rows; r++) {
        for (c = 0, sum = 0; c < m->cols; c++) {
            printf("%s%*d", c ? " " : "", width, *at(m, r, c));
            sum += *at(m, r, c);
        }
        if (sums)
            printf(" | %d", sum);
        putchar('\n');
    }
    if (sums) {
        for (c = 0; c < m->cols; c++) {
            for (r = 0, sum = 0; r < m->rows; r++)
                sum += *at(m, r, c);
            printf("%s%d", c ? " " : "", sum);
        }
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    int opt, flip = 0, sums = 0, from = 0, to = 0, factor = 1, i;
    struct matrix m;

    opterr = 0;
    while ((opt = getopt(argc, argv, "tkc:m:")) != -1) {
        switch (opt) {
        case 't': flip = 1; break;
        case 'k': sums = 1; break;
        case 'c':
            if (sscanf(optarg, "%d,%d", &from, &to) != 2)
                die("-c needs two numbers");
            break;
        case 'm':
            factor = atoi(optarg);
            if (factor < -99 || factor > 99)
                die("bad factor");
            break;
        default: die("unknown option");
        }
    }
    if (optind != argc - 1) {
        fprintf(stderr, "usage: matrix [-t] [-k] [-c from,to] [-m factor] file\n");
        return 2;
    }
    m = load(argv[optind]);
    if (from || to)
        m = cut(m, from, to);
    if (flip)
        m = transpose(m);
    for (i = 0; i < m.rows * m.cols; i++)
        m.cell[i] *= factor;
    print(&m, sums);
    free(m.cell);
    return 0;
}
