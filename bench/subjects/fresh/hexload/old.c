/* hexload - load Intel HEX records from standard input and print the map.
 *
 * usage: hexload [-v] [-f FILL]
 *
 * Record types: 00 data, 01 end, 02 extended segment, 04 extended linear,
 * 05 start address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define MAXRANGES 32
#define MAXDATA 64

struct record {
    unsigned len, addr, type;
    unsigned char data[MAXDATA];
};

struct range {
    uint32_t start, end;        /* end is exclusive */
    unsigned sum;
};

struct loader {
    uint32_t linear;            /* from type 04 */
    uint32_t segment;           /* from type 02 */
    uint32_t entry;
    int have_entry;
    int done;
    int verbose;
    int lineno;
    struct range range[MAXRANGES];
    int nranges;
};

static int fail(const struct loader *ld, const char *msg)
{
    fprintf(stderr, "hexload: line %d: %s\n", ld->lineno, msg);
    return -1;
}

static int nibble(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

static int parse(const struct loader *ld, const char *s, struct record *r)
{
    unsigned char raw[MAXDATA + 5];
    unsigned n = 0, sum = 0, i;

    if (*s++ != ':')
        return fail(ld, "no colon");
    while (*s != '\0') {
        int hi = nibble(s[0]);
        int lo = hi < 0 ? -1 : nibble(s[1]);

        if (lo < 0)
            return fail(ld, "bad hex digit");
        if (n == sizeof raw)
            return fail(ld, "record too long");
        raw[n] = (unsigned char)(hi << 4 | lo);
        sum += raw[n++];
        s += 2;
    }
    if (n < 5 || raw[0] + 5u != n)
        return fail(ld, "bad length");
    if (sum & 0xff)
        return fail(ld, "bad checksum");
    r->len = raw[0];
    r->addr = raw[1] << 8 | raw[2];
    r->type = raw[3];
    for (i = 0; i < r->len; i++)
        r->data[i] = raw[4 + i];
    return 0;
}

static int rec_data(struct loader *ld, const struct record *r)
{
    uint32_t at = ld->linear + ld->segment + r->addr;
    struct range *g = ld->nranges ? &ld->range[ld->nranges - 1] : NULL;
    unsigned i;

    if (r->len == 0)
        return 0;
    if (g == NULL || g->end != at) {
        if (ld->nranges == MAXRANGES)
            return fail(ld, "too many ranges");
        g = &ld->range[ld->nranges++];
        g->start = g->end = at;
        g->sum = 0;
    }
    for (i = 0; i < r->len; i++)
        g->sum = (g->sum + r->data[i]) & 0xffff;
    g->end += r->len;
    return 0;
}

static int rec_end(struct loader *ld, const struct record *r)
{
    if (r->len != 0)
        return fail(ld, "end record with data");
    ld->done = 1;
    return 0;
}

static int rec_segment(struct loader *ld, const struct record *r)
{
    if (r->len != 2)
        return fail(ld, "bad segment record");
    ld->segment = (uint32_t)(r->data[0] << 8 | r->data[1]) << 4;
    ld->linear = 0;
    return 0;
}

static int rec_linear(struct loader *ld, const struct record *r)
{
    if (r->len != 2)
        return fail(ld, "bad linear record");
    ld->linear = (uint32_t)(r->data[0] << 8 | r->data[1]) << 16;
    ld->segment = 0;
    return 0;
}

static int rec_start(struct loader *ld, const struct record *r)
{
    if (r->len != 4)
        return fail(ld, "bad start record");
    ld->entry = (uint32_t)r->data[0] << 24 | (uint32_t)r->data[1] << 16
              | (uint32_t)r->data[2] << 8 | r->data[3];
    ld->have_entry = 1;
    return 0;
}

static int (*const handlers[])(struct loader *, const struct record *) = {
    rec_data, rec_end, rec_segment, NULL, rec_linear, rec_start
};

static int load(struct loader *ld)
{
    char line[256];

    while (!ld->done && fgets(line, sizeof line, stdin) != NULL) {
        struct record r;

        ld->lineno++;
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0')
            continue;
        if (parse(ld, line, &r) < 0)
            return -1;
        if (r.type >= sizeof handlers / sizeof handlers[0]
            || handlers[r.type] == NULL)
            return fail(ld, "unknown record type");
        if (ld->verbose)
            printf("type %02x len %u\n", r.type, r.len);
        if (handlers[r.type](ld, &r) < 0)
            return -1;
    }
    return ld->done ? 0 : fail(ld, "no end record");
}

int main(int argc, char **argv)
{
    static struct loader ld;
    long fill = -1;
    int c, i;

    opterr = 0;
    while ((c = getopt(argc, argv, "vf:")) != -1) {
        switch (c) {
        case 'v': ld.verbose = 1; break;
        case 'f': fill = strtol(optarg, NULL, 16) & 0xff; break;
        default:
            fprintf(stderr, "usage: hexload [-v] [-f fill]\n");
            return 2;
        }
    }
    if (load(&ld) < 0)
        return 1;
    for (i = 0; i < ld.nranges; i++) {
        const struct range *g = &ld.range[i];

        printf("%08lx-%08lx sum %04x\n", (unsigned long)g->start,
               (unsigned long)g->end - 1, g->sum);
        if (fill >= 0 && i > 0 && g->start > g[-1].end)
            printf("gap of %lu filled with %02lx\n",
                   (unsigned long)(g->start - g[-1].end), fill);
    }
    if (ld.have_entry)
        printf("entry %08lx\n", (unsigned long)ld.entry);
    return 0;
}
