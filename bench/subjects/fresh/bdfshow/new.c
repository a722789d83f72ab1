/* bdfshow - draw the glyphs of a BDF bitmap font
 *
 * usage: bdfshow FILE [ENCODING]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXDIM 64

struct glyph {
    char name[40];
    int encoding;
    int w, h, xoff, yoff;
    int stride;                 /* bytes per row */
    unsigned char *bits;
};

static int lineno;

static void die(const char *msg)
{
    fflush(stdout);
    fprintf(stderr, "bdfshow: line %d: %s\n", lineno, msg);
    exit(1);
}

static int read_line(FILE *f, char *buf, size_t size)
{
    size_t n;

    if (!fgets(buf, (int)size, f))
        return 0;
    lineno++;
    n = strlen(buf);
    while (n && isspace((unsigned char)buf[n - 1]))
        buf[--n] = '\0';
    return 1;
}

static int starts(const char *line, const char *word)
{
    size_t n = strlen(word);

    return strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == '\0');
}

static int nibble(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = tolower(c);
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

static int row_bytes(int width)
{
    return width / 8 + 1;
}

static void parse_bbx(struct glyph *g, const char *s)
{
    if (sscanf(s, "%4d %4d %4d %4d", &g->w, &g->h, &g->xoff, &g->yoff) != 4)
        die("bad BBX");
    if (g->w < 1 || g->h < 1 || g->w > MAXDIM || g->h > MAXDIM)
        die("unreasonable BBX");
    g->stride = row_bytes(g->w);
}

static void parse_bitmap(FILE *f, struct glyph *g)
{
    char line[256];
    int row, i, hi, lo;

    if (g->w == 0)
        die("BITMAP without BBX");
    if (g->bits)
        die("second BITMAP");
    g->bits = calloc((size_t)g->h, (size_t)g->stride);
    if (!g->bits)
        die("out of memory");
    for (row = 0; row < g->h; row++) {
        if (!read_line(f, line, sizeof line))
            die("end of file in BITMAP");
        if (strlen(line) < 2 * (size_t)g->stride)
            die("short bitmap row");
        for (i = 0; i < g->stride; i++) {
            hi = nibble((unsigned char)line[2 * i]);
            lo = nibble((unsigned char)line[2 * i + 1]);
            if (hi < 0 || lo < 0)
                die("bad hex digit");
            g->bits[row * g->stride + i] = (unsigned char)(hi << 4 | lo);
        }
    }
}

static void draw(const struct glyph *g)
{
    int x, y;

    printf("%s (%d) %dx%d%+d%+d\n", g->name, g->encoding, g->w, g->h,
           g->xoff, g->yoff);
    for (y = 0; y < g->h; y++) {
        for (x = 0; x < g->w; x++)
            putchar(g->bits[y * g->stride + x / 8] & 0x80 >> x % 8 ? '#' : '.');
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    struct glyph g;
    char line[256];
    int in_glyph = 0, count = 0, want = -1, declared = -1;
    FILE *f;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: bdfshow FILE [ENCODING]\n");
        return 2;
    }
    if (argc == 3)
        want = atoi(argv[2]);
    f = fopen(argv[1], "r");
    if (!f) {
        fprintf(stderr, "bdfshow: cannot open %s\n", argv[1]);
        return 2;
    }
    if (!read_line(f, line, sizeof line) || !starts(line, "STARTFONT"))
        die("not a BDF font");
    memset(&g, 0, sizeof g);
    while (read_line(f, line, sizeof line)) {
        if (starts(line, "ENDFONT"))
            break;
        if (starts(line, "CHARS")) {
            declared = atoi(line + 5);
        } else if (starts(line, "STARTCHAR")) {
            if (in_glyph)
                die("STARTCHAR inside glyph");
            memset(&g, 0, sizeof g);
            g.encoding = -1;
            snprintf(g.name, sizeof g.name, "%s", line[9] ? line + 10 : "?");
            in_glyph = 1;
        } else if (!in_glyph) {
            continue;                   /* font properties */
        } else if (starts(line, "ENCODING")) {
            g.encoding = atoi(line + 8);
        } else if (starts(line, "BBX")) {
            if (g.bits)
                die("BBX after BITMAP");
            parse_bbx(&g, line + 3);
        } else if (starts(line, "BITMAP")) {
            parse_bitmap(f, &g);
        } else if (starts(line, "ENDCHAR")) {
            if (!g.bits)
                die("glyph without BITMAP");
            if (want < 0 || want == g.encoding)
                draw(&g);
            free(g.bits);
            g.bits = NULL;
            in_glyph = 0;
            count++;
        }
    }
    fclose(f);
    free(g.bits);
    if (in_glyph)
        die("unfinished glyph");
    if (declared >= 0 && declared != count)
        printf("warning: %d glyphs declared, %d found\n", declared, count);
    return 0;
}
