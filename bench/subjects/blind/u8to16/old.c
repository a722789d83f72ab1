/* u8to16 [-b] [-r]: UTF-8 on stdin, UTF-16 code units in hex on stdout.
 * -b writes little-endian byte pairs, -r replaces bad sequences by U+FFFD
 * where otherwise the program would stop. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BAD 0xFFFFFFFFu
#define REPLACEMENT 0xFFFD

struct lead {
    unsigned char mask, value;
    int more;
    uint32_t least;
};

static const struct lead leads[] = {
    { 0x80, 0x00, 0, 0 },
    { 0xE0, 0xC0, 1, 0x80 },
    { 0xF0, 0xE0, 2, 0x800 },
    { 0xF8, 0xF0, 3, 0x10000 },
};

static int byte_pairs, replace;
static int pushed = EOF;
static int column;

static int get(void)
{
    int c = pushed;

    if (c != EOF) {
        pushed = EOF;
        return c;
    }
    return getchar();
}

static void unit(unsigned u)
{
    if (column)
        putchar(' ');
    if (byte_pairs)
        printf("%02x%02x", u & 0xff, u >> 8);
    else
        printf("%04x", u);
    if (++column == 8) {
        putchar('\n');
        column = 0;
    }
}

static void put(uint32_t cp)
{
    if (cp < 0x10000) {
        unit(cp);
        return;
    }
    cp -= 0x10000;
    unit(0xD800 + (cp >> 10));
    unit(0xDC00 + (cp & 0x3ff));
}

static int valid(uint32_t cp, uint32_t least)
{
    if (cp < least || cp > 0x10FFFF)
        return 0;
    if (cp >= 0xD800 && cp <= 0xDFFF)
        return 0;
    return 1;
}

static uint32_t decode(int c)
{
    const struct lead *l = NULL;
    uint32_t cp;
    size_t i;
    int k;

    for (i = 0; i < sizeof leads / sizeof *leads; i++) {
        if ((c & leads[i].mask) == leads[i].value) {
            l = &leads[i];
            break;
        }
    }
    if (!l)
        return BAD;
    cp = (uint32_t)c & (unsigned char)~l->mask;
    for (k = 0; k < l->more; k++) {
        c = get();
        if (c == EOF || (c & 0xC0) != 0x80) {
            pushed = c;
            return BAD;
        }
        cp = cp << 6 | (c & 0x3f);
    }
    return valid(cp, l->least) ? cp : BAD;
}

int main(int argc, char **argv)
{
    unsigned long chars = 0, bad = 0;
    int i, c;

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-b") == 0)
            byte_pairs = 1;
        else if (strcmp(argv[i], "-r") == 0)
            replace = 1;
        else {
            fprintf(stderr, "usage: u8to16 [-b] [-r]\n");
            return 2;
        }
    }
    while ((c = get()) != EOF) {
        uint32_t cp = decode(c);

        if (cp == BAD) {
            if (!replace) {
                if (column)
                    putchar('\n');
                printf("bad sequence after %lu characters\n", chars);
                return 1;
            }
            cp = REPLACEMENT;
            bad++;
        }
        put(cp);
        chars++;
    }
    if (column)
        putchar('\n');
    if (bad)
        printf("%lu replaced\n", bad);
    return 0;
}
