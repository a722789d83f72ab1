/* pilotage - decide whether a ship may enter the harbour and what it costs
 *
 * usage: pilotage LOA_DM DRAUGHT_CM TIDE_CM WIND_KN CLASS HOUR
 *
 * CLASS: 0 general, 1 ro-ro, 2 tanker, 3 gas carrier, 4 passenger
 */
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>

#define CHANNEL_DEPTH 1150      /* cm below chart datum */
#define MAX_LOA       3200      /* turning basin, dm */

enum ship_class { GENERAL, RORO, TANKER, GAS, PASSENGER, NCLASS };

struct call {
    int loa;
    int draught;
    int tide;
    int wind;
    int cls;
    int hour;
};

struct rule {
    const char *name;
    int ukc;            /* minimal under keel clearance, cm */
    int wind_day;
    int wind_night;
    int fee;            /* per started 10 m */
};

static const struct rule rules[NCLASS] = {
    { "general",    60, 40, 35, 11 },
    { "ro-ro",      80, 32, 30, 14 },
    { "tanker",    100, 33, 25, 19 },
    { "gas",       130, 30, 20, 26 },
    { "passenger",  90, 35, 35,  9 },
};

static int is_night(int hour)
{
    return hour < 6 || hour >= 21;
}

static int required_ukc(const struct call *c)
{
    int need = rules[c->cls].ukc;

    if (c->loa > 2000)
        need += (c->loa - 2000) / 20;
    if (c->wind > 20)
        need += 15;
    return need;
}

/* 0 = may enter, otherwise the exit status */
static int check_entry(const struct call *c)
{
    int limit = is_night(c->hour) ? rules[c->cls].wind_night
                                  : rules[c->cls].wind_day;
    int ukc = CHANNEL_DEPTH + c->tide - c->draught;

    if (c->loa > MAX_LOA) {
        printf("REFUSED: too long for turning basin\n");
        return 3;
    }
    if (c->wind > limit) {
        printf("WAIT: wind %d above limit %d\n", c->wind, limit);
        return 4;
    }
    if (ukc < required_ukc(c)) {
        int lack = required_ukc(c) - ukc;

        if (lack > 150) {
            printf("REFUSED: draught\n");
            return 3;
        }
        printf("WAIT: %d cm more tide needed\n", lack);
        return 4;
    }
    return 0;
}

static int tugs_needed(const struct call *c)
{
    int n = 0;

    if (c->loa > 2500)
        n = 3;
    else if (c->loa > 1600)
        n = 2;
    else if (c->loa > 1100)
        n = 1;

    if (c->cls == PASSENGER && n > 0)
        n--;                        /* thrusters */
    if (c->wind > 25)
        n++;
    if (c->cls == GAS && n < 2)
        n = 2;
    return n;
}

static int pilots_needed(const struct call *c)
{
    if (c->loa < 600 && c->cls != GAS && c->cls != TANKER)
        return 0;
    if (c->loa > 2800 || (c->cls == GAS && is_night(c->hour)))
        return 2;
    return 1;
}

static int dues(const struct call *c, int tugs, int pilots)
{
    int sum = (c->loa + 99) / 100 * rules[c->cls].fee;

    sum += tugs * 240 + pilots * 130;
    if (is_night(c->hour))
        sum += sum / 4;
    return sum;
}

static int number(const char *s, int lo, int hi, int *out)
{
    char *end;
    long v;

    errno = 0;
    v = strtol(s, &end, 10);
    if (end == s || *end || errno || v < lo || v > hi) {
        fprintf(stderr, "pilotage: bad value '%s' (%d..%d)\n", s, lo, hi);
        return -1;
    }
    *out = (int)v;
    return 0;
}

int main(int argc, char **argv)
{
    struct call c;
    int st, tugs, pilots;

    if (argc != 7) {
        fprintf(stderr, "usage: pilotage LOA_DM DRAUGHT_CM TIDE_CM WIND_KN CLASS HOUR\n");
        return 2;
    }
    if (number(argv[1], 50, 5000, &c.loa) || number(argv[2], 50, 2500, &c.draught)
        || number(argv[3], -300, 600, &c.tide) || number(argv[4], 0, 120, &c.wind)
        || number(argv[5], 0, NCLASS - 1, &c.cls) || number(argv[6], 0, 23, &c.hour))
        return 2;

    st = check_entry(&c);
    if (st)
        return st;
    tugs = tugs_needed(&c);
    pilots = pilots_needed(&c);
    printf("ENTER: %s, %d tug(s), %d pilot(s), dues %d\n",
           rules[c.cls].name, tugs, pilots, dues(&c, tugs, pilots));
    return 0;
}
