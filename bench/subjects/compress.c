/* A compressor: LZ77 with hash chains, then a canonical Huffman code over literals, lengths and
 * distances. Reads standard input, prints the compressed size and a checksum of the bits.
 * ROUNDS (first argument) repeats the work. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 32768
#define MIN_MATCH 3
#define MAX_MATCH 258
#define HASH_BITS 15
#define MAX_CHAIN 32
#define SYMBOLS 320

struct input {
    unsigned char *bytes;
    size_t len, room;
};

struct matcher {
    int32_t head[1 << HASH_BITS];
    int32_t previous[WINDOW];
};

struct token {
    uint16_t symbol;
    uint16_t extra_bits;
    uint32_t extra;
};

struct tokens {
    struct token *all;
    size_t len, room;
};

struct writer {
    uint64_t bits;
    unsigned count;
    size_t bytes;
    uint32_t checksum;
};

static void fail(const char *why) {
    fprintf(stderr, "compress: %s\n", why);
    exit(1);
}

static void read_all(struct input *in) {
    in->room = 1 << 16;
    in->bytes = malloc(in->room);
    size_t got;
    while (in->bytes && (got = fread(in->bytes + in->len, 1, in->room - in->len, stdin)) > 0) {
        in->len += got;
        if (in->len == in->room)
            in->bytes = realloc(in->bytes, in->room *= 2);
    }
    if (!in->bytes)
        fail("no memory");
}

static unsigned hash3(const unsigned char *p) {
    uint32_t v = p[0] | p[1] << 8 | (uint32_t)p[2] << 16;
    return v * 2654435761u >> (32 - HASH_BITS);
}

static void insert(struct matcher *m, const struct input *in, size_t at) {
    if (at + MIN_MATCH > in->len)
        return;
    unsigned h = hash3(in->bytes + at);
    m->previous[at & (WINDOW - 1)] = m->head[h];
    m->head[h] = (int32_t)at;
}

static size_t longest(struct matcher *m, const struct input *in, size_t at, size_t *distance) {
    size_t best = 0, limit = in->len - at < MAX_MATCH ? in->len - at : MAX_MATCH;
    if (limit < MIN_MATCH)
        return 0;
    int32_t candidate = m->head[hash3(in->bytes + at)];
    for (int chain = 0; chain < MAX_CHAIN && candidate >= 0 && at - candidate < WINDOW; chain++) {
        const unsigned char *a = in->bytes + candidate, *b = in->bytes + at;
        size_t n = 0;
        if (!best || a[best] == b[best])
            while (n < limit && a[n] == b[n])
                n++;
        if (n > best) {
            best = n;
            *distance = at - candidate;
            if (n == limit)
                break;
        }
        candidate = m->previous[candidate & (WINDOW - 1)];
    }
    return best >= MIN_MATCH ? best : 0;
}

static void emit(struct tokens *t, unsigned symbol, unsigned extra_bits, uint32_t extra) {
    if (t->len == t->room) {
        t->room = t->room ? t->room * 2 : 4096;
        t->all = realloc(t->all, t->room * sizeof *t->all);
        if (!t->all)
            fail("no memory");
    }
    struct token *new = &t->all[t->len++];
    new->symbol = symbol;
    new->extra_bits = extra_bits;
    new->extra = extra;
}

static unsigned log2_of(uint32_t v) {
    unsigned bits = 0;
    while (v >>= 1)
        bits++;
    return bits;
}

static void tokenise(struct matcher *m, const struct input *in, struct tokens *out) {
    memset(m->head, 0xff, sizeof m->head);
    for (size_t at = 0; at < in->len;) {
        size_t distance = 0, len = longest(m, in, at, &distance);
        if (!len) {
            emit(out, in->bytes[at], 0, 0);
            insert(m, in, at++);
            continue;
        }
        unsigned bits = log2_of(len);
        emit(out, 256 + bits, bits, len - (1u << bits));
        bits = log2_of(distance);
        emit(out, 280 + bits, bits, distance - (1u << bits));
        for (size_t i = 0; i < len; i++)
            insert(m, in, at + i);
        at += len;
    }
}

/* Code lengths by repeated merging of the two rarest; quadratic, but over few symbols. */
static void code_lengths(const uint32_t *counts, uint8_t *lengths) {
    uint64_t weight[2 * SYMBOLS];
    int parent[2 * SYMBOLS], alive[2 * SYMBOLS], nodes = SYMBOLS, left = 0;
    for (int i = 0; i < SYMBOLS; i++) {
        weight[i] = counts[i];
        alive[i] = counts[i] > 0;
        parent[i] = -1;
        left += alive[i];
    }
    while (left > 1) {
        int a = -1, b = -1;
        for (int i = 0; i < nodes; i++) {
            if (!alive[i])
                continue;
            if (a < 0 || weight[i] < weight[a]) {
                b = a;
                a = i;
            } else if (b < 0 || weight[i] < weight[b]) {
                b = i;
            }
        }
        weight[nodes] = weight[a] + weight[b];
        parent[nodes] = -1;
        alive[nodes] = 1;
        alive[a] = alive[b] = 0;
        parent[a] = parent[b] = nodes++;
        left--;
    }
    for (int i = 0; i < SYMBOLS; i++) {
        lengths[i] = 0;
        for (int p = i; counts[i] && parent[p] >= 0; p = parent[p])
            lengths[i]++;
        if (counts[i] && !lengths[i])
            lengths[i] = 1;
    }
}

static void canonical(const uint8_t *lengths, uint32_t *codes) {
    uint32_t code = 0;
    for (int len = 1; len < 64; len++) {
        for (int i = 0; i < SYMBOLS; i++)
            if (lengths[i] == len)
                codes[i] = code++;
        code <<= 1;
    }
}

static void put(struct writer *w, uint32_t value, unsigned bits) {
    w->bits |= (uint64_t)value << w->count;
    w->count += bits;
    while (w->count >= 8) {
        w->checksum = (w->checksum << 5 | w->checksum >> 27) ^ (unsigned char)w->bits;
        w->bits >>= 8;
        w->count -= 8;
        w->bytes++;
    }
}

static struct writer encode(const struct tokens *t) {
    uint32_t counts[SYMBOLS] = {0}, codes[SYMBOLS] = {0};
    uint8_t lengths[SYMBOLS];
    for (size_t i = 0; i < t->len; i++)
        counts[t->all[i].symbol]++;
    code_lengths(counts, lengths);
    canonical(lengths, codes);
    struct writer w = {0};
    for (size_t i = 0; i < t->len; i++) {
        const struct token *token = &t->all[i];
        put(&w, codes[token->symbol], lengths[token->symbol]);
        put(&w, token->extra, token->extra_bits);
    }
    put(&w, 0, 7);
    return w;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    struct input in = {0};
    read_all(&in);
    struct matcher *m = malloc(sizeof *m);
    if (!m)
        fail("no memory");
    struct writer w = {0};
    while (rounds-- > 0) {
        struct tokens t = {0};
        tokenise(m, &in, &t);
        w = encode(&t);
        free(t.all);
    }
    printf("%zu bytes, %08x\n", w.bytes, w.checksum);
    return 0;
}
