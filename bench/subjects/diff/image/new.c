/* Rotates and prints a small picture from standard input: "IM WIDTH HEIGHT DEPTH", pixels as run lengths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXBYTES 400

struct image {
    unsigned width, height, depth;
    unsigned stride;
    unsigned char *bits;
};

static void fail(const char *why) {
    fprintf(stderr, "image: %s\n", why);
    exit(1);
}

static unsigned number(void) {
    unsigned value = 0;
    int c = getchar(), any = 0;
    while (c == ' ' || c == '\n')
        c = getchar();
    while (c >= '0' && c <= '9') {
        value = value * 10 + (unsigned)(c - '0');
        if (value > 65535)
            fail("number too large");
        any = 1;
        c = getchar();
    }
    if (!any)
        fail("number expected");
    if (c != EOF)
        ungetc(c, stdin);
    return value;
}

static struct image make(unsigned width, unsigned height, unsigned depth) {
    struct image m = {width, height, depth, 0, NULL};
    if (width == 0 || height == 0 || width > 64 || height > 64)
        fail("bad size");
    if (depth != 1 && depth != 2 && depth != 4 && depth != 8)
        fail("bad depth");
    m.stride = (width * depth + 7) / 8;
    if (width * height * depth / 8 > MAXBYTES)
        fail("too large");
    m.bits = calloc(m.stride, height);
    if (m.bits == NULL)
        fail("out of memory");
    return m;
}

static void set(struct image *m, unsigned x, unsigned y, unsigned value) {
    unsigned bit = x * m->depth, shift = 8 - m->depth - bit % 8;
    unsigned char *at = m->bits + y * m->stride + bit / 8;
    *at = (unsigned char)((*at & ~(((1u << m->depth) - 1) << shift)) | value << shift);
}

static unsigned get(const struct image *m, unsigned x, unsigned y) {
    unsigned bit = x * m->depth, shift = 8 - m->depth - bit % 8;
    return m->bits[y * m->stride + bit / 8] >> shift & ((1u << m->depth) - 1);
}

/* Runs "COUNTxVALUE"; what is missing at the end is zero. */
static void read_runs(struct image *m) {
    unsigned total = m->width * m->height, at = 0;
    for (;;) {
        unsigned count, value;
        int c = getchar();
        while (c == ' ' || c == '\n')
            c = getchar();
        if (c == EOF)
            return;
        ungetc(c, stdin);
        count = number();
        if (getchar() != 'x')
            fail("x expected");
        value = number();
        if (value >= 1u << m->depth)
            fail("value too large");
        if (count > total - at)
            fail("too many pixels");
        for (; count > 0; count--, at++)
            set(m, at % m->width, at / m->width, value);
    }
}

static struct image rotate(const struct image *m) {
    struct image r = make(m->height, m->width, m->depth);
    for (unsigned y = 0; y < m->height; y++)
        for (unsigned x = 0; x < m->width; x++)
            set(&r, m->height - 1 - y, x, get(m, x, y));
    return r;
}

static void invert(struct image *m) {
    for (unsigned i = 0; i < m->stride * m->height; i++)
        m->bits[i] = (unsigned char)~m->bits[i];
}

static void print(const struct image *m) {
    static const char shades[] = ".:-=+*#%@&$XYZWM";
    printf("%u x %u, %u bytes a row\n", m->width, m->height, m->stride);
    for (unsigned y = 0; y < m->height; y++) {
        for (unsigned x = 0; x < m->width; x++) {
            unsigned value = get(m, x, y);
            putchar(m->depth == 8 ? shades[value >> 4] : shades[value]);
        }
        putchar('\n');
    }
}

int main(void) {
    struct image m;
    unsigned width, height, depth;
    int c;
    if (getchar() != 'I' || getchar() != 'M')
        fail("not a picture");
    c = getchar();
    width = number();
    height = number();
    depth = number();
    m = make(width, height, depth);
    read_runs(&m);
    if (c == 'R' || c == 'B') {
        struct image r = rotate(&m);
        free(m.bits);
        m = r;
    }
    if (c == 'N' || c == 'B')
        invert(&m);
    print(&m);
    free(m.bits);
    return 0;
}
