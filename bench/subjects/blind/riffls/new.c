/* riffls FILE: list the chunks of a RIFF file */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view {
    const unsigned char *data;
    size_t len;
};

struct format {
    int seen;
    unsigned channels, rate, bits, align;
};

static struct format fmt;
static unsigned long data_bytes;
static int tags;

static unsigned le16(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static uint32_t le32(const unsigned char *p)
{
    return le16(p) | (uint32_t)le16(p + 2) << 16;
}

static void fail(const char *what)
{
    printf("riffls: %s\n", what);
    exit(1);
}

/* Cuts the next chunk off the front of v.  Returns 0 at the end. */
static int next_chunk(struct view *v, char id[5], struct view *body)
{
    uint32_t len;
    size_t step;

    if (v->len == 0)
        return 0;
    if (v->len < 8)
        fail("trailing garbage");
    memcpy(id, v->data, 4);
    id[4] = '\0';
    len = le32(v->data + 4);
    if (len > v->len - 8)
        fail("chunk too long");
    body->data = v->data + 8;
    body->len = len;
    step = 8 + (size_t)len + (len & 1);
    if (step > v->len)
        fail("padding missing");
    v->data += step;
    v->len -= step;
    return 1;
}

static void do_format(struct view b)
{
    if (b.len < 16)
        fail("fmt too short");
    if (le16(b.data) != 1)
        fail("not PCM");
    fmt.channels = le16(b.data + 2);
    fmt.rate = le32(b.data + 4);
    fmt.align = le16(b.data + 12);
    fmt.bits = le16(b.data + 14);
    if (fmt.channels == 0 || fmt.channels > 8)
        fail("bad number of channels");
    if (fmt.bits == 0 || fmt.bits > 32)
        fail("bad sample size");
    if (fmt.align != fmt.channels * ((fmt.bits + 7) / 8))
        fail("bad alignment");
    fmt.seen = 1;
    printf("fmt  %u channels %u Hz %u bits\n", fmt.channels, fmt.rate, fmt.bits);
}

static void do_data(struct view b)
{
    if (!fmt.seen)
        fail("data before fmt");
    data_bytes += b.len;
    printf("data %lu frames\n", (unsigned long)(b.len / fmt.align));
}

static void do_list(struct view b)
{
    struct view item;
    char id[5];

    if (b.len < 4)
        fail("LIST too short");
    if (memcmp(b.data, "INFO", 4) != 0) {
        printf("LIST %.4s skipped\n", (const char *)b.data);
        return;
    }
    b.data += 4;
    b.len -= 4;
    while (next_chunk(&b, id, &item)) {
        size_t n = item.len;

        while (n > 0 && item.data[n - 1] == '\0')
            n--;
        printf("info %s: %.*s\n", id, (int)n, (const char *)item.data);
        tags++;
    }
}

static const struct {
    const char *id;
    void (*handle)(struct view);
} handlers[] = {
    { "fmt ", do_format }, { "data", do_data }, { "LIST", do_list },
};

int main(int argc, char **argv)
{
    static unsigned char buf[65536];
    struct view all, body;
    char id[5];
    size_t n, i;
    FILE *f;

    if (argc != 2) {
        fprintf(stderr, "usage: riffls file\n");
        return 2;
    }
    f = fopen(argv[1], "rb");
    if (!f) {
        fprintf(stderr, "riffls: no such file\n");
        return 2;
    }
    n = fread(buf, 1, sizeof buf, f);
    fclose(f);
    if (n < 12 || memcmp(buf, "RIFF", 4) != 0 || memcmp(buf + 8, "WAVE", 4) != 0)
        fail("not a WAVE file");
    if (le32(buf + 4) != n - 8)
        fail("bad length of file");
    all.data = buf + 12;
    all.len = n - 12;
    while (next_chunk(&all, id, &body)) {
        for (i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
            if (strcmp(handlers[i].id, id) == 0)
                break;
        if (i < sizeof handlers / sizeof handlers[0])
            handlers[i].handle(body);
        else
            printf("%s %lu bytes\n", id, (unsigned long)body.len);
    }
    printf("%lu bytes of sound, %d tags\n", data_bytes, tags);
    return 0;
}
