/* Reads telegrams of meters from standard input: start, length, kind, address, data, additive checksum, stop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START = 0x68, STOP = 0x16, SHORT = 0x10 };
enum { READING = 1, STATUS = 2, TARIFF = 3, CLOCK = 4, NAME = 5 };

static unsigned char buffer[512];

static unsigned checksum(const unsigned char *p, unsigned len) {
    unsigned sum = 0;
    while (len--)
        sum += *p++;
    return sum & 0xff;
}

/* Binary-coded decimal, least significant byte first; -1 if a digit is above nine. */
static long decimal(const unsigned char *p, unsigned len) {
    long value = 0;
    for (unsigned i = len; i-- > 0;) {
        if ((p[i] & 15) > 9 || p[i] >> 4 > 9)
            return -1;
        value = value * 100 + (p[i] >> 4) * 10 + (p[i] & 15);
    }
    return value;
}

static int reading(const unsigned char *d, unsigned len) {
    static const char *units[] = {"Wh", "kWh", "l", "m3"};
    long value;
    if (len < 5)
        return 0;
    value = decimal(d + 1, 4);
    if (value < 0)
        return 0;
    if (d[0] & 0x80)
        value = -value;
    printf("reading %ld %s%s\n", value, units[d[0] & 3], d[0] & 0x40 ? " (estimated)" : "");
    return 1;
}

static int status(const unsigned char *d, unsigned len) {
    static const char *bits[] = {"battery", "leak", "tamper", "reverse", "dry", "frozen", "radio", "fatal"};
    if (len != 1)
        return 0;
    fputs("status", stdout);
    for (int i = 0; i < 8; i++)
        if (d[0] >> i & 1)
            printf(" %s", bits[i]);
    puts(d[0] ? "" : " fine");
    return 1;
}

static int tariff(const unsigned char *d, unsigned len) {
    unsigned steps = len / 3, last = 0;
    if (len == 0 || len % 3 != 0 || steps > 8)
        return 0;
    for (unsigned i = 0; i < steps; i++, d += 3) {
        unsigned from = d[0] | (unsigned)d[1] << 8;
        if (i > 0 && from <= last)
            return 0;
        printf("tariff %u from %u: %u\n", i + 1, from, d[2]);
        last = from;
    }
    return 1;
}

static int clock_time(const unsigned char *d, unsigned len) {
    unsigned minute, hour, day, month;
    if (len != 4)
        return 0;
    minute = d[0] & 0x3f;
    hour = d[1] & 0x1f;
    day = d[2] & 0x1f;
    month = d[3] & 0x0f;
    if (minute > 59 || hour > 23 || day < 1 || month < 1 || month > 12)
        return 0;
    printf("clock %02u-%02u %02u:%02u%s\n", month, day, hour, minute, d[1] & 0x80 ? " summer" : "");
    return 1;
}

static int name(const unsigned char *d, unsigned len) {
    if (len == 0 || len > 16)
        return 0;
    fputs("name ", stdout);
    while (len--)
        putchar(d[len] >= ' ' && d[len] < 127 ? d[len] : '?');
    putchar('\n');
    return 1;
}

static int telegram(const unsigned char *t, unsigned len) {
    unsigned kind = t[0], address = t[1];
    int good = 0;
    if (address == 0xff)
        puts("broadcast");
    else
        printf("meter %u: ", address);
    switch (kind) {
    case READING: good = reading(t + 2, len - 2); break;
    case STATUS: good = status(t + 2, len - 2); break;
    case TARIFF: good = tariff(t + 2, len - 2); break;
    case CLOCK: good = clock_time(t + 2, len - 2); break;
    case NAME: good = name(t + 2, len - 2); break;
    }
    if (!good)
        puts("malformed");
    return good;
}

/* Returns the bytes used by the frame at p, or 0 if there is none. */
static unsigned frame(const unsigned char *p, unsigned left, int *bad) {
    unsigned len;
    if (p[0] == SHORT) {
        if (left < 5 || p[4] != STOP || checksum(p + 1, 2) != p[3])
            return 0;
        printf("short %02x from %u\n", p[1], p[2]);
        return 5;
    }
    if (p[0] != START || left < 8 || p[3] != START || p[1] != p[2])
        return 0;
    len = p[1];
    if (len < 2 || len + 6 > left || p[len + 5] != STOP)
        return 0;
    if (checksum(p + 4, len) != p[len + 4]) {
        puts("bad checksum");
        ++*bad;
    } else if (!telegram(p + 4, len)) {
        ++*bad;
    }
    return len + 6;
}

int main(void) {
    unsigned size = (unsigned)fread(buffer, 1, sizeof buffer, stdin);
    unsigned at = 0, skipped = 0;
    int bad = 0;
    while (at < size) {
        unsigned used = frame(buffer + at, size - at, &bad);
        if (used == 0) {
            skipped++;
            used = 1;
        }
        at += used;
    }
    if (skipped)
        printf("%u bytes skipped\n", skipped);
    return bad != 0;
}
