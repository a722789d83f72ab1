/* iffls - list the chunks of a big-endian IFF-like file.
 *
 * usage: iffls [-q] FILE
 *
 *   FORM size type { chunk }*     chunk: id(4) size(4) data [pad to even]
 *   LIST size type { chunk }*     may appear inside FORM and LIST
 *   NAME  text      VERS  u16 major, u16 minor
 *   CUE   u16 count, count * u16  anything else is data
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

#define MAXDEPTH 4
#define MAXFILE 65536

struct reader {
    FILE *fp;
    long left;                  /* bytes left in the file */
    int quiet;
    int nchunks;
};

struct chunk {
    char id[5];
    uint32_t size;
};

typedef int (*chunk_fn)(struct reader *r, const struct chunk *c, int depth);

static int walk(struct reader *r, uint32_t size, int depth);

static int err(const char *msg)
{
    fprintf(stderr, "iffls: %s\n", msg);
    return -1;
}

static int take(struct reader *r, unsigned char *buf, uint32_t n)
{
    if ((long)n > r->left || fread(buf, 1, n, r->fp) != n)
        return err("unexpected end of file");
    r->left -= n;
    return 0;
}

static int skip(struct reader *r, uint32_t n)
{
    if ((long)n > r->left || fseek(r->fp, (long)n, SEEK_CUR) != 0)
        return err("unexpected end of file");
    r->left -= n;
    return 0;
}

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16
         | (uint32_t)p[2] << 8 | p[3];
}

static int header(struct reader *r, struct chunk *c)
{
    unsigned char b[8];
    int i;

    if (take(r, b, 8) < 0)
        return -1;
    for (i = 0; i < 4; i++) {
        if (b[i] < 0x20 || b[i] > 0x7e)
            return err("bad chunk id");
        c->id[i] = (char)b[i];
    }
    c->id[4] = '\0';
    c->size = be32(b + 4);
    return 0;
}

static void show(struct reader *r, const struct chunk *c, int depth)
{
    r->nchunks++;
    if (!r->quiet)
        printf("%*s%s %u", depth * 2, "", c->id, (unsigned)c->size);
}

static void text(struct reader *r, const char *s)
{
    if (!r->quiet)
        printf("%s\n", s);
}

static int do_list(struct reader *r, const struct chunk *c, int depth)
{
    unsigned char type[4];
    int i;

    if (c->size < 4)
        return err("LIST too small");
    if (depth == MAXDEPTH)
        return err("nested too deeply");
    if (take(r, type, 4) < 0)
        return -1;
    for (i = 0; i < 4; i++)
        if (type[i] < 0x20 || type[i] > 0x7e)
            return err("bad list type");
    if (!r->quiet)
        printf(" %.4s\n", (char *)type);
    return walk(r, c->size - 4, depth + 1);
}

static int do_name(struct reader *r, const struct chunk *c, int depth)
{
    unsigned char buf[64];
    uint32_t i;

    if (c->size > sizeof buf - 1)
        return err("name too long");
    if (take(r, buf, c->size) < 0)
        return -1;
    for (i = 0; i < c->size; i++)
        if (buf[i] < 0x20 || buf[i] > 0x7e)
            buf[i] = '.';
    buf[c->size] = '\0';
    if (!r->quiet)
        printf(" \"%s\"\n", (char *)buf);
    return 0;
}

static int do_vers(struct reader *r, const struct chunk *c, int depth)
{
    unsigned char b[4];

    if (c->size != 4)
        return err("bad VERS size");
    if (take(r, b, 4) < 0)
        return -1;
    if (!r->quiet)
        printf(" %d.%d\n", b[0] << 8 | b[1], b[2] << 8 | b[3]);
    return 0;
}

static int do_cue(struct reader *r, const struct chunk *c, int depth)
{
    unsigned char b[2];
    unsigned count, i;

    if (c->size < 2 || take(r, b, 2) < 0)
        return err("bad CUE");
    count = b[0] << 8 | b[1];
    if (c->size != 2 + 2 * count)
        return err("bad CUE size");
    for (i = 0; i < count; i++) {
        if (take(r, b, 2) < 0)
            return -1;
        if (!r->quiet)
            printf(" %d", b[0] << 8 | b[1]);
    }
    text(r, "");
    return 0;
}

static int do_data(struct reader *r, const struct chunk *c, int depth)
{
    text(r, " data");
    return skip(r, c->size);
}

static const struct {
    const char *id;
    chunk_fn fn;
} handlers[] = {
    { "LIST", do_list },
    { "NAME", do_name },
    { "VERS", do_vers },
    { "CUE ", do_cue },
    { NULL, do_data },
};

/* All chunks within size bytes. */
static int walk(struct reader *r, uint32_t size, int depth)
{
    while (size > 0) {
        struct chunk c;
        int i;

        if (size < 8)
            return err("trailing bytes in container");
        if (header(r, &c) < 0)
            return -1;
        size -= 8;
        if (c.size > size)
            return err("chunk exceeds container");
        show(r, &c, depth);
        for (i = 0; handlers[i].id && strcmp(handlers[i].id, c.id) != 0; i++)
            ;
        if (handlers[i].fn(r, &c, depth) < 0)
            return -1;
        size -= c.size;
        if ((c.size & 1) && size > 0) {
            if (skip(r, 1) < 0)
                return -1;
            size--;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct reader r;
    struct chunk form;
    unsigned char type[4];
    int rc = 1;

    memset(&r, 0, sizeof r);
    if (argc > 1 && strcmp(argv[1], "-q") == 0) {
        r.quiet = 1;
        argv++;
        argc--;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: iffls [-q] file\n");
        return 2;
    }
    if ((r.fp = fopen(argv[1], "rb")) == NULL) {
        fprintf(stderr, "iffls: cannot open file\n");
        return 2;
    }
    fseek(r.fp, 0, SEEK_END);
    r.left = ftell(r.fp);
    rewind(r.fp);
    if (r.left > MAXFILE) {
        err("file too large");
    } else if (header(&r, &form) == 0) {
        if (strcmp(form.id, "FORM") != 0 || form.size < 4)
            err("not a FORM file");
        else if ((long)form.size > r.left)
            err("FORM truncated");
        else if (take(&r, type, 4) == 0
                 && walk(&r, form.size - 4, 0) == 0) {
            printf("%d chunks\n", r.nchunks);
            rc = 0;
        }
    }
    fclose(r.fp);
    return rc;
}
