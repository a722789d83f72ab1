/* aiffinst - show instrument and loop data of an AIFF sample
 *
 * usage: aiffinst FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXFILE  65536
#define MAXMARK  32

typedef unsigned char u8;

struct marker {
    int id;
    unsigned long pos;
    char name[33];
};

struct loop {
    int mode;           /* 0 off, 1 forward, 2 ping-pong */
    int begin, end;     /* marker ids */
};

struct sample {
    int have_comm, have_inst, have_ssnd;
    int channels, bits;
    unsigned long frames;
    unsigned long sound_bytes;
    struct marker mark[MAXMARK];
    int nmark;
    int base_note, detune, low, high, gain;
    struct loop sustain, release;
};

static int get16(const u8 *p)
{
    int v = p[0] << 8 | p[1];

    return v >= 0x8000 ? v - 0x10000 : v;
}

static unsigned long get32(const u8 *p)
{
    return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16
         | (unsigned long)p[2] << 8 | p[3];
}

static int do_comm(struct sample *s, const u8 *p, unsigned long n)
{
    if (n < 18) {
        fprintf(stderr, "COMM too short\n");
        return -1;
    }
    s->channels = get16(p);
    s->frames = get32(p + 2);
    s->bits = get16(p + 6);
    if (s->channels < 1 || s->channels > 8 || s->bits < 1 || s->bits > 32) {
        fprintf(stderr, "COMM: unsupported layout\n");
        return -1;
    }
    s->have_comm = 1;
    return 0;
}

static int do_mark(struct sample *s, const u8 *p, unsigned long n)
{
    const u8 *end = p + n;
    int count;

    if (n < 2)
        return -1;
    count = get16(p);
    p += 2;
    while (count-- > 0) {
        struct marker *m;
        int len, keep;

        if (end - p < 7) {
            fprintf(stderr, "MARK truncated\n");
            return -1;
        }
        if (s->nmark == MAXMARK) {
            fprintf(stderr, "too many markers\n");
            return -1;
        }
        m = &s->mark[s->nmark];
        m->id = get16(p);
        m->pos = get32(p + 2);
        len = p[6];
        if (end - p < 7 + len || m->id <= 0) {
            fprintf(stderr, "bad marker\n");
            return -1;
        }
        keep = len < 32 ? len : 32;
        memcpy(m->name, p + 7, keep);
        m->name[keep] = '\0';
        s->nmark++;
        p += 7 + len;
        if ((len & 1) == 0 && p < end)
            p++;                        /* pstring is padded to even size */
    }
    return 0;
}

static void get_loop(struct loop *l, const u8 *p)
{
    l->mode = get16(p);
    l->begin = get16(p + 2);
    l->end = get16(p + 4);
}

static int do_inst(struct sample *s, const u8 *p, unsigned long n)
{
    if (n != 20) {
        fprintf(stderr, "INST has wrong size\n");
        return -1;
    }
    s->base_note = p[0];
    s->detune = (signed char)p[1];
    s->low = p[2];
    s->high = p[3];
    s->gain = get16(p + 6);
    get_loop(&s->sustain, p + 8);
    get_loop(&s->release, p + 14);
    s->have_inst = 1;
    return 0;
}

static int do_ssnd(struct sample *s, const u8 *p, unsigned long n)
{
    if (n < 8 || get32(p) > n - 8) {
        fprintf(stderr, "bad SSND\n");
        return -1;
    }
    s->sound_bytes = n - 8 - get32(p);
    s->have_ssnd = 1;
    return 0;
}

static const struct handler {
    char id[5];
    int (*fn)(struct sample *, const u8 *, unsigned long);
} handlers[] = {
    { "COMM", do_comm },
    { "MARK", do_mark },
    { "INST", do_inst },
    { "SSND", do_ssnd },
};

static int walk(struct sample *s, const u8 *p, unsigned long n)
{
    while (n >= 8) {
        unsigned long size = get32(p + 4);
        size_t i;

        if (size > n - 8) {
            fprintf(stderr, "chunk of %lu bytes runs past the end\n", size);
            return -1;
        }
        for (i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
            if (memcmp(p, handlers[i].id, 4) == 0)
                break;
        if (i < sizeof handlers / sizeof handlers[0]) {
            if (handlers[i].fn(s, p + 8, size) < 0)
                return -1;
        }
        size += size & 1;
        if (size > n - 8)
            size = n - 8;
        p += 8 + size;
        n -= 8 + size;
    }
    return 0;
}

static const struct marker *find_mark(const struct sample *s, int id)
{
    int i;

    for (i = 0; i < s->nmark; i++)
        if (s->mark[i].id == id)
            return &s->mark[i];
    return NULL;
}

static void show_loop(const struct sample *s, const char *what, const struct loop *l)
{
    const struct marker *b, *e;

    if (l->mode == 0) {
        printf("%s: off\n", what);
        return;
    }
    if (l->mode != 1 && l->mode != 2) {
        printf("%s: unknown mode %d\n", what, l->mode);
        return;
    }
    b = find_mark(s, l->begin);
    e = find_mark(s, l->end);
    if (!b || !e) {
        printf("%s: marker missing\n", what);
        return;
    }
    if (e->pos <= b->pos) {
        printf("%s: ignored, empty\n", what);
        return;
    }
    printf("%s: %s %lu..%lu (%lu frames)%s\n", what,
           l->mode == 1 ? "forward" : "ping-pong", b->pos, e->pos,
           e->pos - b->pos, e->pos > s->frames ? " beyond end" : "");
}

int main(int argc, char **argv)
{
    static u8 buf[MAXFILE];
    static struct sample s;
    unsigned long n, form;
    FILE *f;
    int i;

    if (argc != 2) {
        fprintf(stderr, "usage: aiffinst FILE\n");
        return 2;
    }
    f = fopen(argv[1], "rb");
    if (!f) {
        fprintf(stderr, "cannot open %s\n", argv[1]);
        return 2;
    }
    n = fread(buf, 1, sizeof buf, f);
    fclose(f);
    if (n < 12 || memcmp(buf, "FORM", 4) || memcmp(buf + 8, "AIFF", 4)) {
        fprintf(stderr, "not an AIFF file\n");
        return 1;
    }
    form = get32(buf + 4);
    if (form < 4 || form > n - 8) {
        fprintf(stderr, "bad FORM size\n");
        return 1;
    }
    if (walk(&s, buf + 12, form - 4) < 0)
        return 1;
    if (!s.have_comm) {
        fprintf(stderr, "no COMM chunk\n");
        return 1;
    }
    printf("%d channel(s), %d bit, %lu frames\n", s.channels, s.bits, s.frames);
    if (s.have_ssnd
        && s.sound_bytes / (unsigned long)(s.channels * ((s.bits + 7) / 8)) < s.frames)
        printf("warning: sound data short\n");
    for (i = 0; i < s.nmark; i++)
        printf("marker %d at %lu\n", s.mark[i].id, s.mark[i].pos);
    if (s.have_inst) {
        printf("note %d%+d range %d-%d gain %d dB\n", s.base_note, s.detune,
               s.low, s.high, s.gain);
        show_loop(&s, "sustain", &s.sustain);
        show_loop(&s, "release", &s.release);
    }
    return 0;
}
