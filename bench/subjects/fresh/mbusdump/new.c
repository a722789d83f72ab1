/* mbusdump - decode wired M-Bus frames given as hex on the command line
 *
 * usage: mbusdump [-r] HEXFRAME...
 *
 *   E5                                   single character acknowledge
 *   10 C A CS 16                         short frame
 *   68 L L 68 C A CI data... CS 16       long frame, CS = sum of C..data
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXFRAME 262

struct unit {
    unsigned char vif, mask;
    const char *name;
    int exp10;          /* exponent for low bits == 0 */
};

static const struct unit units[] = {
    { 0x00, 0x78, "Wh",   -3 },
    { 0x08, 0x78, "J",     0 },
    { 0x10, 0x78, "m3",   -6 },
    { 0x18, 0x78, "kg",   -3 },
    { 0x28, 0x78, "W",    -3 },
    { 0x38, 0x78, "m3/h", -6 },
    { 0x58, 0x7c, "C fl", -3 },
    { 0x5c, 0x7c, "C rt", -3 },
    { 0x60, 0x7c, "K",    -3 },
    { 0x68, 0x7c, "bar",  -3 },
};

/* bytes of data by the low nibble of DIF; -1 is not supported */
static const signed char data_len[16] = {
    0, 1, 2, 3, 4, -1, 6, 8, 0, 1, 2, 3, 4, -1, 6, -1
};

static int raw_output;

static int hex_bytes(const char *s, unsigned char *out, int max)
{
    int n = 0, hi = -1, d;

    for (; *s; s++) {
        if (*s == ' ' || *s == ':')
            continue;
        if (!isxdigit((unsigned char)*s))
            return -1;
        d = isdigit((unsigned char)*s) ? *s - '0' : tolower((unsigned char)*s) - 'a' + 10;
        if (hi < 0) {
            hi = d;
        } else {
            if (n == max)
                return -1;
            out[n++] = (unsigned char)(hi << 4 | d);
            hi = -1;
        }
    }
    return hi < 0 ? n : -1;
}

static unsigned char sum(const unsigned char *p, int n)
{
    unsigned s = 0;

    while (n-- > 0)
        s += *p++;
    return s & 0xff;
}

static long long get_int(const unsigned char *p, int n)
{
    unsigned long long v = 0;
    int i;

    if (n > 0 && p[n - 1] & 0x80)
        v = ~0ULL;
    for (i = n - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return (long long)v;
}

/* packed BCD, least significant byte first; a leading F means negative */
static int get_bcd(const unsigned char *p, int n, long long *out)
{
    long long v = 0;
    int i, hi, lo, neg = 0;

    for (i = n - 1; i >= 0; i--) {
        hi = p[i] >> 4;
        lo = p[i] & 15;
        if (i == n - 1 && hi == 15)
            neg = 1;
        else if (hi > 9)
            return -1;
        if (lo > 9)
            return -1;
        v = v * 100 + hi * 10 + lo;
    }
    *out = neg ? -v : v;
    return 0;
}

static void show_value(long long v, int vif)
{
    size_t i;

    for (i = 0; i < sizeof units / sizeof units[0]; i++) {
        if ((vif & units[i].mask) == units[i].vif) {
            printf("%lld e%d %s\n", v,
                   units[i].exp10 + (vif & ~units[i].mask & 0x7f), units[i].name);
            return;
        }
    }
    if (vif == 0x78)
        printf("serial %lld\n", v);
    else
        printf("%lld (vif %02x)\n", v, vif);
}

static int show_records(const unsigned char *p, int n)
{
    static const char *const func[] = { "inst", "max", "min", "err" };
    int rec = 0;

    while (n > 0) {
        int dif = *p++, vif, len, storage, shift = 1, tariff = 0;
        long long v;

        n--;
        if (dif == 0x2f)
            continue;                           /* filler */
        if (dif == 0x0f || dif == 0x1f) {
            printf("  manufacturer data, %d byte(s)\n", n);
            return 0;
        }
        storage = dif >> 6 & 1;
        len = data_len[dif & 15];
        if (len < 0) {
            printf("  unsupported dif %02x\n", dif);
            return -1;
        }
        if (dif & 0x80) {
            int e;

            do {
                if (n == 0 || shift > 20)
                    goto cut;
                e = *p++;
                n--;
                storage |= (e & 15) << shift;
                tariff = tariff << 2 | (e >> 4 & 3);
                shift += 4;
            } while (e & 0x80);
        }
        if (n == 0)
            goto cut;
        vif = *p++;
        n--;
        if (vif & 0x80) {
            printf("  unsupported vif %02x\n", vif);
            return -1;
        }
        if (len > n)
            goto cut;
        printf("  %d: %s", rec++, func[dif >> 4 & 3]);
        if (storage)
            printf(" storage %d", storage);
        if (tariff)
            printf(" tariff %d", tariff);
        printf(" = ");
        if (len == 0) {
            printf("none\n");
        } else if ((dif & 15) >= 9) {
            if (get_bcd(p, len, &v) < 0)
                printf("bad BCD\n");
            else
                show_value(v, vif);
        } else {
            show_value(get_int(p, len), vif);
        }
        p += len;
        n -= len;
    }
    return 0;
cut:
    printf("  record cut off\n");
    return -1;
}

static int long_frame(const unsigned char *f, int n)
{
    int len = f[1], i;

    if (n < 9 || f[2] != len || f[3] != 0x68) {
        printf("long frame: bad start\n");
        return -1;
    }
    if (len < 3 || n != len + 6 || f[n - 1] != 0x16) {
        printf("long frame: bad length\n");
        return -1;
    }
    if (sum(f + 4, len) != f[n - 2]) {
        printf("long frame: checksum error\n");
        return -1;
    }
    printf("long frame: control %02x address %d ci %02x\n", f[4], f[5], f[6]);
    if (raw_output) {
        for (i = 0; i < len - 3; i++)
            printf("%s%02x", i ? " " : "  ", f[7 + i]);
        printf("\n");
        return 0;
    }
    if (f[6] != 0x72 && f[6] != 0x78)
        return 0;
    /* 72 has a 12 byte fixed header before the records, 78 has none */
    i = f[6] == 0x72 ? 12 : 0;
    if (len - 3 < i) {
        printf("  header cut off\n");
        return -1;
    }
    return show_records(f + 7 + i, len - 3 - i);
}

static int frame(const unsigned char *f, int n)
{
    if (n == 1 && f[0] == 0xe5) {
        printf("ack\n");
        return 0;
    }
    if (n == 5 && f[0] == 0x10 && f[4] == 0x16) {
        if (sum(f + 1, 2) != f[3]) {
            printf("short frame: checksum error\n");
            return -1;
        }
        printf("short frame: control %02x address %d\n", f[1], f[2]);
        return 0;
    }
    if (n > 4 && f[0] == 0x68)
        return long_frame(f, n);
    printf("not a frame\n");
    return -1;
}

int main(int argc, char **argv)
{
    unsigned char buf[MAXFRAME];
    int i = 1, n, st = 0;

    if (i < argc && strcmp(argv[i], "-r") == 0) {
        raw_output = 1;
        i++;
    }
    if (i >= argc) {
        fprintf(stderr, "usage: mbusdump [-r] HEXFRAME...\n");
        return 2;
    }
    for (; i < argc; i++) {
        n = hex_bytes(argv[i], buf, MAXFRAME);
        if (n < 0) {
            fprintf(stderr, "mbusdump: bad hex\n");
            return 2;
        }
        if (frame(buf, n) < 0)
            st = 1;
    }
    return st;
}
