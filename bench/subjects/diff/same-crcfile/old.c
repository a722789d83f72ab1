/* crcfile FILE: lists the records of a journal. Every record: tag, flags, length, payload, CRC-32 of all these. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUT = 'P', ERASE = 'E', COMMIT = 'C', RENAME = 'R' };
enum { SYNC = 1, EXPIRES = 2, COMPRESSED = 4 };

struct journal {
    unsigned pending, committed, erased;
    unsigned long generation;
};

static unsigned char file[2048];

static uint32_t crc(const unsigned char *p, size_t len) {
    uint32_t c = 0xffffffffu;
    while (len--) {
        c ^= *p++;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

static uint32_t little(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void print_key(const unsigned char *p, unsigned len) {
    putchar('[');
    for (unsigned i = 0; i < len; i++)
        putchar(p[i] >= ' ' && p[i] < 127 ? p[i] : '.');
    putchar(']');
}

static int put(struct journal *j, unsigned flags, const unsigned char *p, unsigned len) {
    unsigned key;
    uint32_t expiry = 0;
    if (flags & EXPIRES) {
        if (len < 4)
            return 0;
        expiry = little(p);
        p += 4;
        len -= 4;
    }
    if (len < 2)
        return 0;
    key = p[0];
    if (key == 0 || key > len - 1)
        return 0;
    fputs("put ", stdout);
    print_key(p + 1, key);
    printf(" %u bytes", len - 1 - key);
    if (flags & COMPRESSED)
        fputs(" compressed", stdout);
    if (flags & EXPIRES)
        printf(" until %lu", (unsigned long)expiry);
    putchar('\n');
    j->pending++;
    return 1;
}

static int erase(struct journal *j, const unsigned char *p, unsigned len) {
    if (len == 0)
        return 0;
    fputs("erase ", stdout);
    print_key(p, len);
    putchar('\n');
    j->pending++;
    j->erased++;
    return 1;
}

static int renamed(struct journal *j, const unsigned char *p, unsigned len) {
    unsigned first;
    if (len < 3)
        return 0;
    first = p[0];
    if (first == 0 || first >= len - 1)
        return 0;
    fputs("rename ", stdout);
    print_key(p + 1, first);
    print_key(p + 1 + first, len - 1 - first);
    putchar('\n');
    j->pending++;
    return 1;
}

static int commit(struct journal *j, unsigned flags, const unsigned char *p, unsigned len) {
    unsigned long generation;
    if (len != 4)
        return 0;
    generation = little(p);
    if (generation <= j->generation) {
        printf("stale commit %lu\n", generation);
        j->pending = 0;
        return 1;
    }
    printf("commit %lu of %u%s\n", generation, j->pending, flags & SYNC ? ", synced" : "");
    j->committed += j->pending;
    j->pending = 0;
    j->generation = generation;
    return 1;
}

static int record(struct journal *j, const unsigned char *r, unsigned len) {
    switch (r[0]) {
    case PUT: return put(j, r[1], r + 3, len);
    case ERASE: return erase(j, r + 3, len);
    case RENAME: return renamed(j, r + 3, len);
    case COMMIT: return commit(j, r[1], r + 3, len);
    default: return 0;
    }
}

int main(int argc, char **argv) {
    struct journal j = {0};
    size_t size, at = 0;
    FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (in == NULL) {
        fprintf(stderr, "usage: crcfile FILE\n");
        return 2;
    }
    size = fread(file, 1, sizeof file, in);
    fclose(in);
    while (at < size) {
        unsigned len;
        if (size - at < 7) {
            puts("torn record");
            break;
        }
        len = file[at + 2];
        if (size - at - 7 < len) {
            puts("torn record");
            break;
        }
        if (crc(file + at, 3 + len) != little(file + at + 3 + len)) {
            printf("bad CRC at %zu\n", at);
            return 1;
        }
        if (!record(&j, file + at, len)) {
            printf("bad record at %zu\n", at);
            return 1;
        }
        at += 7 + len;
    }
    printf("%u committed, %u lost, %u erased\n", j.committed, j.pending, j.erased);
    return 0;
}
