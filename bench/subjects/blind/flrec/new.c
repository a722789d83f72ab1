/* flrec FILE - print the readings in a logger's file.
 *
 * record:  0x7e  type  length  payload...  sum1 sum2
 * sum1 and sum2 are the two halves of the Fletcher-16 checksum over type,
 * length and payload.
 *   'A' absolute reading: channel, 16-bit value
 *   'D' deltas: channel, then one signed byte for each further reading
 *   'Z' reset: forget all channels
 *   'N' name of a channel: channel, characters
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 8

struct channel {
    int known;
    int value;
    int readings;
    char name[12];
};

static struct channel chan[CHANNELS];

static unsigned fletcher16(const unsigned char *p, size_t n)
{
    unsigned a = 0, b = 0;

    while (n--) {
        a = (a + *p++) % 255;
        b = (b + a) % 255;
    }
    return b << 8 | a;
}

static void label(int c)
{
    if (chan[c].name[0])
        printf("%s", chan[c].name);
    else
        printf("#%d", c);
}

static void reading(int c, int value)
{
    chan[c].value = value;
    chan[c].readings++;
    label(c);
    printf(" = %d\n", value);
}

static int absolute(const unsigned char *p, int n)
{
    if (n != 3)
        return 0;
    chan[p[0]].known = 1;
    reading(p[0], (int16_t)(p[1] << 8 | p[2]));
    return 1;
}

static int deltas(const unsigned char *p, int n)
{
    int i;

    if (!chan[p[0]].known) {
        printf("delta for unknown channel %d\n", p[0]);
        return 1;
    }
    for (i = 1; i < n; i++)
        reading(p[0], chan[p[0]].value + (int8_t)p[i]);
    return 1;
}

static int set_name(const unsigned char *p, int n)
{
    int len = n - 1;

    if (len >= (int)sizeof chan[0].name)
        len = (int)sizeof chan[0].name - 1;
    memcpy(chan[p[0]].name, p + 1, (size_t)len);
    chan[p[0]].name[len] = '\0';
    return 1;
}

static int reset(int n)
{
    int i;

    if (n != 0)
        return 0;
    for (i = 0; i < CHANNELS; i++)
        chan[i].value = 0;
    printf("reset\n");
    return 1;
}

static int record(int type, const unsigned char *p, int n)
{
    if (type == 'Z')
        return reset(n);
    if (n < 1 || p[0] >= CHANNELS)
        return 0;
    switch (type) {
    case 'A': return absolute(p, n);
    case 'D': return deltas(p, n);
    case 'N': return set_name(p, n);
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned char buf[1024];
    size_t n, i = 0;
    int damaged = 0, c;
    FILE *f;

    if (argc != 2 || !(f = fopen(argv[1], "rb"))) {
        fprintf(stderr, "usage: flrec file\n");
        return 2;
    }
    n = fread(buf, 1, sizeof buf, f);
    fclose(f);
    while (i < n) {
        size_t len;
        unsigned sum;

        if (buf[i] != 0x7e || n - i < 5) {
            i++;
            continue;
        }
        len = buf[i + 2];
        if (len > n - i - 5) {
            damaged++;
            i++;
            continue;
        }
        sum = (unsigned)buf[i + 3 + len] | (unsigned)buf[i + 4 + len] << 8;
        if (sum != fletcher16(buf + i + 1, len + 2)) {
            damaged++;
            i++;
            continue;
        }
        if (!record(buf[i + 1], buf + i + 3, (int)len))
            printf("bad record\n");
        i += 5 + len;
    }
    for (c = 0; c < CHANNELS; c++) {
        if (chan[c].readings) {
            label(c);
            printf(": %d readings, last %d\n", chan[c].readings, chan[c].value);
        }
    }
    printf("%d damaged\n", damaged);
    return damaged > 0;
}
