/* sprsheet - describe a sprite sheet file.
 *
 * usage: sprsheet [-f N] FILE
 *
 * Little-endian header, 16 bytes:
 *   0  "SPR"      3  version (1 or 2)
 *   4  u16 width  6  u16 height  8 u16 frames
 *  10  u8 bits per pixel (1, 2, 4, 8, 16, 24, 32)
 *  11  u8 flags: 1 has palette, 2 bottom up
 *  12  u16 number of palette entries (4 bytes each, version 1: 3 bytes)
 *  14  u16 extra header bytes
 * then the extra bytes, the palette, and the frames with rows padded to
 * a multiple of 4 bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define HEADER 16
#define MAXFILE 8192
#define MAXSHOW 4

#define F_PALETTE 1
#define F_BOTTOMUP 2

struct sheet {
    int version;
    uint32_t width, height, frames;
    unsigned bpp, flags;
    uint32_t ncolors, extra;
    uint32_t stride;            /* bytes per row */
    uint32_t frame_size;
    uint32_t palette_at, pixels_at;
};

struct file {
    unsigned char buf[MAXFILE];
    uint32_t len;
};

static int err(const char *msg)
{
    fprintf(stderr, "sprsheet: %s\n", msg);
    return -1;
}

static uint32_t le16(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static int valid_bpp(unsigned b)
{
    return b == 1 || b == 2 || b == 4 || b == 8 || b == 16 || b == 24
        || b == 32;
}

static int parse_header(const struct file *f, struct sheet *s)
{
    const unsigned char *p = f->buf;
    uint32_t total;

    if (f->len < HEADER || memcmp(p, "SPR", 3) != 0)
        return err("not a sprite sheet");
    s->version = p[3];
    if (s->version != 1 && s->version != 2)
        return err("unknown version");
    s->width = le16(p + 4);
    s->height = le16(p + 6);
    s->frames = le16(p + 8);
    s->bpp = p[10];
    s->flags = p[11];
    s->ncolors = le16(p + 12);
    s->extra = le16(p + 14);
    if (!valid_bpp(s->bpp))
        return err("bad depth");
    if (s->flags & ~(F_PALETTE | F_BOTTOMUP))
        return err("unknown flags");
    if (s->width == 0 || s->height == 0)
        return err("empty frame");
    if ((s->flags & F_PALETTE) && (s->bpp > 8 || s->ncolors > 1u << s->bpp))
        return err("bad palette");
    if (!(s->flags & F_PALETTE) && s->ncolors != 0)
        return err("colors without palette");

    s->palette_at = HEADER + s->extra;
    s->pixels_at = s->palette_at + s->ncolors * (s->version == 1 ? 3 : 4);
    if (s->pixels_at > f->len)
        return err("palette truncated");

    s->stride = (s->width * s->bpp + 31) / 32 * 4;
    if (s->stride > 0xffff)
        return err("row too long");
    s->frame_size = s->stride * s->height;
    total = s->frame_size * s->frames;
    if (total > f->len - s->pixels_at)
        return err("frames truncated");
    return 0;
}

static uint32_t pixel(const struct file *f, const struct sheet *s,
                      uint32_t at, uint32_t x, uint32_t y)
{
    uint32_t row = s->flags & F_BOTTOMUP ? s->height - 1 - y : y;
    uint32_t bit = x * s->bpp;
    uint32_t pos = at + row * s->stride + bit / 8;
    uint32_t v = 0;
    unsigned i;

    if (s->bpp < 8) {
        if (pos >= f->len)
            return 0;
        return f->buf[pos] >> (8 - s->bpp - bit % 8) & ((1u << s->bpp) - 1);
    }
    for (i = 0; i < s->bpp / 8; i++)
        if (pos + i < f->len)
            v |= (uint32_t)f->buf[pos + i] << 8 * i;
    return v;
}

static void show_frame(const struct file *f, const struct sheet *s, uint32_t n)
{
    uint32_t at = s->pixels_at + n * s->frame_size;

    printf("frame %u at %u: first %x", (unsigned)n, (unsigned)at,
           (unsigned)pixel(f, s, at, 0, 0));
    printf(" last %x\n",
           (unsigned)pixel(f, s, at, s->width - 1, s->height - 1));
}

int main(int argc, char **argv)
{
    static struct file f;
    struct sheet s;
    FILE *fp;
    long only = -1;
    uint32_t i;
    int c;

    opterr = 0;
    while ((c = getopt(argc, argv, "f:")) != -1) {
        if (c != 'f') {
            fprintf(stderr, "usage: sprsheet [-f n] file\n");
            return 2;
        }
        only = strtol(optarg, NULL, 10);
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: sprsheet [-f n] file\n");
        return 2;
    }
    if ((fp = fopen(argv[optind], "rb")) == NULL) {
        err("cannot open file");
        return 2;
    }
    f.len = (uint32_t)fread(f.buf, 1, MAXFILE, fp);
    fclose(fp);
    if (parse_header(&f, &s) < 0)
        return 1;
    printf("%ux%u, %u bpp, %u frames, %u colors\n", (unsigned)s.width,
           (unsigned)s.height, s.bpp, (unsigned)s.frames,
           (unsigned)s.ncolors);
    if (only >= 0) {
        if (only >= (long)s.frames) {
            err("no such frame");
            return 1;
        }
        show_frame(&f, &s, (uint32_t)only);
        return 0;
    }
    for (i = 0; i < s.frames && i < MAXSHOW; i++)
        show_frame(&f, &s, i);
    if (s.frames > MAXSHOW)
        printf("... and %u more\n", (unsigned)(s.frames - MAXSHOW));
    return 0;
}
