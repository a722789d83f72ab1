/* deltaint - dump a delta-coded series of variable-length integers.
 *
 * usage: deltaint [-r] < series
 *
 *   byte   'D'
 *   byte   flags: 1 signed deltas (SLEB128), 2 second order, 4 has names
 *   uvar   number of channels
 *   per channel:
 *     uvar   name length, name            (if flag 4)
 *     uvar   number of samples
 *     uvar   first sample                 (if any samples)
 *     delta  for each further sample      (uvar, or svar with flag 1)
 */
#include <stdio.h>
#include <string.h>
#include <stdint.h>

#define F_SIGNED 1
#define F_SECOND 2
#define F_NAMES 4

#define MAXCHAN 16
#define MAXSAMP 64

struct input {
    unsigned char buf[2048];
    size_t len, pos;
    const char *error;
};

struct channel {
    char name[17];
    unsigned nsamp;
    int64_t samp[MAXSAMP];
};

static int get(struct input *in)
{
    if (in->pos >= in->len) {
        if (!in->error)
            in->error = "truncated";
        return 0;
    }
    return in->buf[in->pos++];
}

static uint64_t uvar(struct input *in)
{
    uint64_t v = 0;
    unsigned shift = 0;
    int b;

    do {
        b = get(in);
        if (shift == 63 && (b & 0x7e)) {
            in->error = "varint overflow";
            return 0;
        }
        if (shift > 63) {
            in->error = "varint too long";
            return 0;
        }
        v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80);
    return v;
}

static int64_t svar(struct input *in)
{
    uint64_t v = 0;
    unsigned shift = 0;
    int b;

    do {
        b = get(in);
        if (shift > 56) {
            in->error = "svarint too long";
            return 0;
        }
        v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80);
    if (shift < 8 * sizeof v && (b & 0x40))
        v |= ~(uint64_t)0 << shift;
    return (int64_t)v;
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int read_channel(struct input *in, int flags, int idx, struct channel *c)
{
    uint64_t n;
    int64_t delta = 0;
    unsigned i;

    snprintf(c->name, sizeof c->name, "ch%d", idx);
    if (flags & F_NAMES) {
        n = uvar(in);
        if (in->error)
            return -1;
        if (n == 0 || n >= sizeof c->name) {
            in->error = "bad name length";
            return -1;
        }
        for (i = 0; i < n; i++) {
            int ch = get(in);

            c->name[i] = ch > 0x20 && ch < 0x7f ? (char)ch : '_';
        }
        c->name[n] = '\0';
    }
    n = uvar(in);
    if (!in->error && n > MAXSAMP)
        in->error = "too many samples";
    if (in->error)
        return -1;
    c->nsamp = (unsigned)n;
    for (i = 0; i < c->nsamp; i++) {
        int64_t v;

        if (i == 0) {
            c->samp[0] = (int64_t)uvar(in);
            continue;
        }
        v = (flags & F_SIGNED) ? svar(in) : (int64_t)uvar(in);
        if ((flags & F_SECOND) && i > 1)
            delta = add(delta, v);
        else
            delta = v;
        c->samp[i] = add(c->samp[i - 1], delta);
        if (in->error)
            return -1;
    }
    return in->error ? -1 : 0;
}

static void print_full(const struct channel *c)
{
    unsigned i;

    printf("%s:", c->name);
    for (i = 0; i < c->nsamp; i++)
        printf(" %lld", (long long)c->samp[i]);
    putchar('\n');
}

static void print_range(const struct channel *c)
{
    int64_t lo, hi;
    unsigned i;

    if (c->nsamp == 0) {
        printf("%s: empty\n", c->name);
        return;
    }
    lo = hi = c->samp[0];
    for (i = 1; i < c->nsamp; i++) {
        if (c->samp[i] < lo)
            lo = c->samp[i];
        if (c->samp[i] > hi)
            hi = c->samp[i];
    }
    printf("%s: %lld .. %lld\n", c->name, (long long)lo, (long long)hi);
}

int main(int argc, char **argv)
{
    static struct input in;
    void (*print)(const struct channel *) = print_full;
    uint64_t nchan, k;
    int flags;

    if (argc == 2 && strcmp(argv[1], "-r") == 0) {
        print = print_range;
    } else if (argc != 1) {
        fprintf(stderr, "usage: deltaint [-r]\n");
        return 2;
    }
    in.len = fread(in.buf, 1, sizeof in.buf, stdin);
    if (get(&in) != 'D') {
        fprintf(stderr, "deltaint: not a series\n");
        return 1;
    }
    flags = get(&in);
    if (flags & ~7) {
        fprintf(stderr, "deltaint: unknown flags %02x\n", flags);
        return 1;
    }
    nchan = uvar(&in);
    if (!in.error && nchan > MAXCHAN)
        in.error = "too many channels";
    for (k = 0; !in.error && k < nchan; k++) {
        struct channel c;

        if (read_channel(&in, flags, (int)k, &c) == 0)
            print(&c);
    }
    if (!in.error && in.pos != in.len)
        in.error = "trailing bytes";
    if (in.error) {
        fprintf(stderr, "deltaint: %s at %lu\n", in.error,
                (unsigned long)in.pos);
        return 1;
    }
    return 0;
}
