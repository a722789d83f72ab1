/* Decodes base32 text on standard input; tables say what every character and every length of a tail means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIP = 32, PAD = 33, BAD = 34 };

/* Digits for the characters from '2' to 'z'; BAD where there is none. */
static const unsigned char digits[] = {
    26,  27,  28,  29,  30,  31,  BAD, BAD, BAD, BAD, BAD, PAD, BAD, BAD, BAD, 0,   1,   2,   3,
    4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  16,  17,  18,  19,  20,  21,  22,
    23,  24,  25,  BAD, BAD, BAD, BAD, BAD, BAD, 0,   1,   2,   3,   4,   5,   6,   7,   8,   9,
    10,  11,  12,  13,  14,  15,  16,  17,  18,  19,  20,  21,  22,  23,  24,  25,
};

/* By the number of digits in the last group: bytes they stand for (-1: impossible), padding they need, spare bits. */
static const struct tail {
    int bytes, padding, spare;
} tails[9] = {
    {0, 0, 0}, {-1, 0, 0}, {1, 6, 2}, {-1, 0, 0}, {2, 4, 4}, {3, 3, 1}, {-1, 0, 0}, {4, 1, 3}, {5, 0, 0},
};

struct decoder {
    unsigned long bits;
    int digits;
    int padding;
    unsigned line, column;
    unsigned written;
};

static int class_of(int c) {
    if (c == '\n' || c == '\r' || c == ' ')
        return SKIP;
    if (c < '2' || c > 'z')
        return BAD;
    return digits[c - '2'];
}

static int complain(const struct decoder *d, const char *what) {
    printf("\n%u:%u: %s\n", d->line, d->column, what);
    return 1;
}

static void put(struct decoder *d, int byte) {
    if (byte >= ' ' && byte < 127)
        putchar(byte);
    else
        printf("<%02x>", byte);
    d->written++;
}

static int end_group(struct decoder *d) {
    const struct tail *t = &tails[d->digits];
    if (t->bytes < 0)
        return complain(d, "impossible length");
    if (d->padding != 0 && d->padding != t->padding)
        return complain(d, "wrong padding");
    if (d->bits & ((1ul << t->spare) - 1))
        return complain(d, "spare bits are not zero");
    d->bits >>= t->spare;
    for (int i = t->bytes - 1; i >= 0; i--)
        put(d, (int)(d->bits >> (8 * i) & 0xff));
    d->bits = 0;
    d->digits = 0;
    return 0;
}

static int step(struct decoder *d, int c) {
    int class = class_of(c);
    if (class == SKIP) {
        if (c == '\n') {
            d->line++;
            d->column = 0;
        }
        return 0;
    }
    if (class == BAD)
        return complain(d, "not a digit");
    if (class == PAD) {
        if (++d->padding > 6)
            return complain(d, "too much padding");
        return 0;
    }
    if (d->padding)
        return complain(d, "digit after padding");
    d->bits = d->bits << 5 | (unsigned long)class;
    if (++d->digits == 8)
        return end_group(d);
    return 0;
}

int main(void) {
    struct decoder d = {.line = 1};
    int c;
    while ((c = getchar()) != EOF) {
        d.column++;
        if (step(&d, c))
            return 1;
    }
    if (end_group(&d))
        return 1;
    printf("\n%u bytes\n", d.written);
    return 0;
}
