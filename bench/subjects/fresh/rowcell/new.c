/* rowcell - dump b-tree leaf cells (length, row id, record) from a file
 *
 * A cell is: varint payload length, varint row id, payload.
 * A payload is: varint header size, serial types (varints), column data.
 * Varints are big-endian, seven bits per byte, the ninth byte is whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

#define MAXFILE 8192
#define MAXCOL  64

struct span {
    const unsigned char *p;
    const unsigned char *end;
};

/* number of bytes used, 0 when the input ends too early */
static int get_varint(const struct span *s, uint64_t *out)
{
    const unsigned char *p = s->p;
    uint64_t v = 0;
    int i;

    for (i = 0; i < 9; i++) {
        if (p + i >= s->end)
            return 0;
        v = v << 7 | (p[i] & 0x7f);
        if (!(p[i] & 0x80))
            break;
    }
    *out = v;
    return i < 9 ? i + 1 : 9;
}

static int take(struct span *s, uint64_t *out)
{
    int n = get_varint(s, out);

    s->p += n;
    return n;
}

static int64_t big_endian(const unsigned char *p, int n)
{
    uint64_t v = (p[0] & 0x80) ? ~(uint64_t)0 : 0;

    while (n-- > 0)
        v = v << 8 | *p++;
    return (int64_t)v;
}

static uint64_t serial_size(uint64_t type)
{
    static const unsigned char fixed[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };

    if (type < sizeof fixed)
        return fixed[type];
    return (type - 12) / 2;
}

static void show_column(int col, uint64_t type, const unsigned char *p)
{
    uint64_t n = serial_size(type), i;

    printf("    %d: ", col);
    if (type == 0) {
        printf("NULL\n");
    } else if (type <= 6) {
        printf("%lld\n", (long long)big_endian(p, (int)n));
    } else if (type == 7) {
        printf("real %016llx\n", (unsigned long long)big_endian(p, 8));
    } else if (type == 8 || type == 9) {
        printf("%d\n", (int)type - 8);
    } else if (type & 1) {
        putchar('\'');
        for (i = 0; i < n; i++) {
            if (p[i] == '\'')
                putchar('\'');
            putchar(p[i] < 32 || p[i] > 126 ? '.' : p[i]);
        }
        printf("'\n");
    } else {
        printf("x'");
        for (i = 0; i < n; i++)
            printf("%02x", p[i]);
        printf("'\n");
    }
}

static int show_record(struct span rec)
{
    struct span head = rec;
    uint64_t hsize, type;
    const unsigned char *data;
    int col = 0;

    if (!take(&head, &hsize) || hsize > (uint64_t)(rec.end - rec.p)
        || hsize < (uint64_t)(head.p - rec.p)) {
        printf("    malformed header\n");
        return -1;
    }
    data = rec.p + hsize;
    head.end = data;
    while (head.p < head.end) {
        if (!take(&head, &type) || type == 10 || type == 11) {
            printf("    malformed serial type\n");
            return -1;
        }
        if (serial_size(type) > (uint64_t)(rec.end - data)) {
            printf("    column %d overruns record\n", col);
            return -1;
        }
        if (col == MAXCOL) {
            printf("    too many columns\n");
            return -1;
        }
        show_column(col++, type, data);
        data += serial_size(type);
    }
    if (data != rec.end)
        printf("    %ld unused byte(s)\n", (long)(rec.end - data));
    return 0;
}

int main(int argc, char **argv)
{
    static unsigned char buf[MAXFILE];
    struct span all, rec;
    uint64_t len, rowid, last = 0;
    int cell = 0, bad = 0;
    FILE *f;

    if (argc != 2 || !(f = fopen(argv[1], "rb"))) {
        fprintf(stderr, "usage: rowcell FILE\n");
        return 2;
    }
    all.p = buf;
    all.end = buf + fread(buf, 1, sizeof buf, f);
    fclose(f);

    while (all.p < all.end) {
        if (!take(&all, &len) || !take(&all, &rowid)) {
            fprintf(stderr, "rowcell: truncated cell %d\n", cell);
            return 1;
        }
        if (len > (uint64_t)(all.end - all.p)) {
            fprintf(stderr, "rowcell: cell %d spills to overflow page\n", cell);
            return 1;
        }
        printf("cell %d rowid %lld\n", cell, (long long)rowid);
        if (cell && (int64_t)rowid <= (int64_t)last) {
            printf("    row ids out of order\n");
            bad = 1;
        }
        rec.p = all.p;
        rec.end = all.p + len;
        if (show_record(rec) < 0)
            bad = 1;
        all.p += len;
        last = rowid;
        cell++;
    }
    printf("%d cell(s)%s\n", cell, bad ? ", damaged" : "");
    return bad;
}
