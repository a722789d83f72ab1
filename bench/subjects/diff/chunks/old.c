/* chunks FILE: checks and describes a picture file made of chunks (four letters, length, data). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 1, PALETTE = 2, TEXT = 4, STAMP = 8, DATA = 16, TRAILER = 32 };

struct picture {
    unsigned width, height;
    unsigned depth, colour;
    unsigned palette_entries;
    unsigned data_bytes;
    unsigned seen;
};

static unsigned char file[4096];
static size_t size;

static unsigned u16(const unsigned char *p) {
    return (unsigned)p[0] << 8 | p[1];
}

static unsigned u32(const unsigned char *p) {
    return u16(p) << 16 | u16(p + 2);
}

static int complain(const char *what) {
    printf("error: %s\n", what);
    return 1;
}

static int header(struct picture *p, const unsigned char *d, unsigned len) {
    if (p->seen != 0)
        return complain("header is not first");
    if (len != 10)
        return complain("header has a wrong length");
    p->width = u32(d);
    p->height = u32(d + 4);
    p->depth = d[8];
    p->colour = d[9];
    if (p->width == 0 || p->height == 0 || p->width > 4096 || p->height > 4096)
        return complain("bad dimensions");
    if (p->depth != 1 && p->depth != 2 && p->depth != 4 && p->depth != 8)
        return complain("bad depth");
    if (p->colour != 0 && p->colour != 2 && p->colour != 3)
        return complain("bad colour type");
    printf("header: %u x %u, depth %u, colour %u\n", p->width, p->height, p->depth, p->colour);
    p->seen |= HEADER;
    return 0;
}

static int palette(struct picture *p, unsigned len) {
    if (p->seen & (PALETTE | DATA))
        return complain("misplaced palette");
    if (p->colour == 0)
        return complain("palette in a grey picture");
    if (len % 3 != 0 || len == 0)
        return complain("bad palette length");
    p->palette_entries = len / 3;
    if (p->colour == 3 && p->palette_entries > 1u << p->depth)
        return complain("palette too long for depth");
    printf("palette: %u entries\n", p->palette_entries);
    p->seen |= PALETTE;
    return 0;
}

static int text(struct picture *p, const unsigned char *d, unsigned len) {
    const unsigned char *end = memchr(d, 0, len);
    if (end == NULL || end == d || end - d > 79)
        return complain("bad keyword");
    printf("text: %s, %u bytes\n", (const char *)d, len - (unsigned)(end - d) - 1);
    p->seen |= TEXT;
    return 0;
}

static int stamp(struct picture *p, const unsigned char *d, unsigned len) {
    if (len != 7 || (p->seen & STAMP))
        return complain("bad time");
    if (d[2] < 1 || d[2] > 12 || d[3] < 1 || d[3] > 31 || d[4] > 23 || d[5] > 59 || d[6] > 60)
        return complain("time out of range");
    printf("time: %u-%02u-%02u %02u:%02u:%02u\n", u16(d), d[2], d[3], d[4], d[5], d[6]);
    p->seen |= STAMP;
    return 0;
}

static int data(struct picture *p, unsigned len) {
    if (p->colour == 3 && !(p->seen & PALETTE))
        return complain("no palette");
    p->data_bytes += len;
    p->seen |= DATA;
    return 0;
}

static unsigned expected_bytes(const struct picture *p) {
    unsigned channels = p->colour == 2 ? 3 : 1;
    unsigned row = (p->width * p->depth * channels + 7) / 8;
    return (row + 1) * p->height;
}

static int trailer(struct picture *p, unsigned len) {
    if (len != 0)
        return complain("trailer is not empty");
    if (!(p->seen & DATA))
        return complain("no data");
    p->seen |= TRAILER;
    if (p->data_bytes < expected_bytes(p))
        puts("data: truncated");
    else if (p->data_bytes > expected_bytes(p))
        puts("data: too much");
    else
        puts("data: complete");
    return 0;
}

static int chunk(struct picture *p, const unsigned char *type, const unsigned char *d, unsigned len) {
    if (memcmp(type, "HEAD", 4) == 0)
        return header(p, d, len);
    if (!(p->seen & HEADER))
        return complain("no header");
    if (memcmp(type, "PLTE", 4) == 0)
        return palette(p, len);
    if (memcmp(type, "TEXT", 4) == 0)
        return text(p, d, len);
    if (memcmp(type, "TIME", 4) == 0)
        return stamp(p, d, len);
    if (memcmp(type, "DATA", 4) == 0)
        return data(p, len);
    if (memcmp(type, "TAIL", 4) == 0)
        return trailer(p, len);
    if (type[0] >= 'a' && type[0] <= 'z') {
        printf("skipped: %u bytes\n", len);
        return 0;
    }
    return complain("unknown chunk");
}

int main(int argc, char **argv) {
    struct picture p = {0};
    size_t at = 4;
    FILE *in;
    if (argc != 2) {
        fprintf(stderr, "usage: chunks FILE\n");
        return 2;
    }
    in = fopen(argv[1], "rb");
    if (in == NULL) {
        fprintf(stderr, "cannot open the file\n");
        return 2;
    }
    size = fread(file, 1, sizeof file, in);
    fclose(in);
    if (size < 4 || memcmp(file, "\x8ePX\n", 4) != 0)
        return complain("not a picture");
    while (at < size && !(p.seen & TRAILER)) {
        unsigned len;
        if (size - at < 6)
            return complain("short chunk");
        len = u16(file + at + 4);
        if (len > size - at - 6)
            return complain("chunk beyond the end");
        if (chunk(&p, file + at, file + at + 6, len))
            return 1;
        at += 6 + len;
    }
    if (!(p.seen & TRAILER))
        return complain("no trailer");
    if (at < size)
        printf("%zu bytes after the trailer\n", size - at);
    return 0;
}
