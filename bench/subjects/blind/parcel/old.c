/* parcel - price a parcel from its measures and the wishes of the sender */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum service { ECONOMY, STANDARD, EXPRESS };

#define FRAGILE   1
#define SIGNATURE 2
#define CASH      4

struct parcel {
    int grams;
    int length, width, height;
    int zone;
    int value;
    enum service service;
    int flags;
};

static const int base_price[3][5] = {
    { 390, 450, 720, 980, 1450 },
    { 490, 590, 890, 1290, 1890 },
    { 990, 1190, 1990, 2790, 3990 },
};

static const int free_cover[3] = { 0, 50000, 75000 };

static int number(const char *text, int low, int high, const char *what)
{
    char *end;
    long v = strtol(text, &end, 10);

    if (end == text || *end != '\0' || v < low || v > high) {
        fprintf(stderr, "parcel: bad %s '%s'\n", what, text);
        exit(2);
    }
    return (int)v;
}

static int longest(const struct parcel *p)
{
    int m = p->length;

    if (p->width > m)
        m = p->width;
    if (p->height > m)
        m = p->height;
    return m;
}

static int girth(const struct parcel *p)
{
    int all = 2 * (p->length + p->width + p->height);

    return all - longest(p);
}

static int billed_grams(const struct parcel *p)
{
    int volumetric;

    if (p->zone < 3 && p->service != EXPRESS)
        return p->grams;
    volumetric = p->length * p->width * p->height / 5;
    return volumetric > p->grams ? volumetric : p->grams;
}

static int weight_price(const struct parcel *p)
{
    int grams = billed_grams(p);
    int per_kilo = p->service == EXPRESS ? 210 : 95;

    if (grams <= 2000)
        return 0;
    return (grams - 2000 + 999) / 1000 * per_kilo;
}

/* Cover beyond what is free is sold in steps of 100.00 */
static int insurance(const struct parcel *p)
{
    int excess = p->value - free_cover[p->service];
    int steps;

    if (excess <= 0)
        return 0;
    if (p->zone >= 4 && (p->flags & FRAGILE)) {
        steps = (excess + 9999) / 10000;
        return steps * 180;
    }
    steps = (excess + 9999) / 10000;
    return steps * 110;
}

static int extras(const struct parcel *p)
{
    int sum = 0;

    if (p->flags & FRAGILE)
        sum += p->service == EXPRESS ? 250 : 400;
    if (p->flags & SIGNATURE)
        sum += 150;
    if (p->flags & CASH)
        sum += p->zone == 1 ? 300 : 650;
    if (girth(p) > 300)
        sum += 2500;
    else if (longest(p) > 120)
        sum += 900;
    return sum;
}

static const char *refusal(const struct parcel *p)
{
    if (p->grams > 31500)
        return "too heavy";
    if (longest(p) > 200 || girth(p) > 400)
        return "too large";
    if (p->service == ECONOMY && (p->flags & SIGNATURE))
        return "no signature with economy";
    if ((p->flags & CASH) && p->zone > 2)
        return "no cash on delivery abroad";
    if (p->zone == 5 && p->service == ECONOMY && p->grams > 10000)
        return "too heavy for surface mail";
    return NULL;
}

int main(int argc, char **argv)
{
    struct parcel p;
    const char *why;
    int total;

    if (argc != 9) {
        fprintf(stderr, "usage: parcel grams length width height zone value service flags\n");
        return 2;
    }
    p.grams = number(argv[1], 1, 100000, "weight");
    p.length = number(argv[2], 1, 500, "length");
    p.width = number(argv[3], 1, 500, "width");
    p.height = number(argv[4], 1, 500, "height");
    p.zone = number(argv[5], 1, 5, "zone");
    p.value = number(argv[6], 0, 500000, "value");
    p.service = (enum service)number(argv[7], 0, 2, "service");
    p.flags = number(argv[8], 0, 7, "flags");

    why = refusal(&p);
    if (why) {
        printf("refused: %s\n", why);
        return 1;
    }
    total = base_price[p.service][p.zone - 1];
    total += weight_price(&p);
    total += insurance(&p);
    total += extras(&p);
    printf("%d.%02d\n", total / 100, total % 100);
    return 0;
}
