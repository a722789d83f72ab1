/* gpws - ground proximity advisory, one shot.
 *
 * usage: gpws RALT VSPEED CAS GEAR FLAPS GSDEV BANK CLOSURE PHASE INHIBIT PREV
 *
 *   RALT     radio altitude, feet
 *   VSPEED   vertical speed, feet per minute, negative = descending
 *   CAS      airspeed, knots
 *   GEAR     0 up, 1 down
 *   FLAPS    0..4, 3 and 4 are landing settings
 *   GSDEV    glideslope deviation, tenths of a dot, negative = below
 *   BANK     bank angle, degrees
 *   CLOSURE  terrain closure rate, feet per minute
 *   PHASE    0 ground, 1 takeoff, 2 cruise, 3 approach
 *   INHIBIT  bit mask of inhibited modes (bit n-1 for mode n)
 *   PREV     mode number of the alert issued in the previous cycle, 0 none
 */
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>

enum phase { GROUND, TAKEOFF, CRUISE, APPROACH };

enum alert { NONE, CAUTION, WARNING };

#define NMODES 6
#define FLAPS_LANDING 3

struct state {
    int ralt, vspeed, cas, gear, flaps, gsdev, bank, closure;
    int phase, inhibit, prev;
};

struct field {
    const char *name;
    int lo, hi;
    int *dst;
};

typedef enum alert (*mode_fn)(const struct state *s);

/* Once a mode is annunciating, its envelope is widened a little so that the
 * alert does not flicker on and off. */
static int widen(const struct state *s, int mode, int limit)
{
    if (s->prev == mode)
        limit += limit / 8;
    return limit;
}

/* mode 1: excessive descent rate */
static enum alert mode1(const struct state *s)
{
    int sink = -s->vspeed;
    int limit;

    if (s->ralt > 2450 || sink < 1000)
        return NONE;
    limit = (sink - 964) * 2 / 3;
    if (s->ralt < limit / 2)
        return WARNING;
    return s->ralt < limit ? CAUTION : NONE;
}

/* mode 2: excessive terrain closure */
static enum alert mode2(const struct state *s)
{
    int ceiling = s->flaps >= FLAPS_LANDING ? 789 : 1650;
    int limit;

    if (s->closure < 2000)
        return NONE;
    if (s->cas > 310)
        ceiling = 2450;
    limit = (s->closure - 1579) / 2;
    if (limit > ceiling)
        limit = ceiling;
    if (s->ralt >= limit)
        return NONE;
    return s->gear ? CAUTION : WARNING;
}

/* mode 3: sinking after takeoff */
static enum alert mode3(const struct state *s)
{
    if (s->phase != TAKEOFF || s->ralt < 30 || s->ralt > 1333)
        return NONE;
    return -s->vspeed > 100 + s->ralt / 4 ? CAUTION : NONE;
}

/* mode 4: unsafe terrain clearance with the aircraft not configured */
static enum alert mode4(const struct state *s)
{
    int floor_ft;

    if (s->phase == GROUND || s->phase == TAKEOFF || s->ralt < 30)
        return NONE;
    if (s->gear && s->flaps >= FLAPS_LANDING)
        return NONE;
    if (!s->gear)
        floor_ft = s->cas < 190 ? 500 : 500 + (s->cas - 190) * 8;
    else
        floor_ft = s->cas < 159 ? 245 : 245 + (s->cas - 159) * 8;
    if (floor_ft > 1000)
        floor_ft = 1000;
    floor_ft = widen(s, 4, floor_ft);
    if (s->ralt >= floor_ft)
        return NONE;
    return s->cas > 250 ? WARNING : CAUTION;
}

/* mode 5: below the glideslope */
static enum alert mode5(const struct state *s)
{
    int below = -s->gsdev;

    if (s->phase != APPROACH || !s->gear || s->ralt > 1000 || s->ralt < 30)
        return NONE;
    if (below >= 20 && s->ralt < 300)
        return WARNING;
    return below >= 13 ? CAUTION : NONE;
}

/* mode 6: bank angle */
static enum alert mode6(const struct state *s)
{
    int bank = abs(s->bank);
    int limit = 10;

    if (s->ralt > 30)
        limit = 10 + (s->ralt - 30) / 4;
    if (limit > 40)
        limit = 40;
    return bank > limit ? CAUTION : NONE;
}

static const struct {
    mode_fn fn;
    const char *caution, *warning;
} modes[NMODES] = {
    { mode1, "SINK RATE", "PULL UP" },
    { mode2, "TERRAIN TERRAIN", "PULL UP" },
    { mode3, "DONT SINK", "DONT SINK" },
    { mode4, "TOO LOW", "TOO LOW TERRAIN" },
    { mode5, "GLIDESLOPE", "GLIDESLOPE GLIDESLOPE" },
    { mode6, "BANK ANGLE", "BANK ANGLE" },
};

static int parse(const char *text, const struct field *f)
{
    char *end;
    long v;

    errno = 0;
    v = strtol(text, &end, 10);
    if (errno || end == text || *end || v < f->lo || v > f->hi) {
        fprintf(stderr, "gpws: bad %s '%s' (want %d..%d)\n",
                f->name, text, f->lo, f->hi);
        return -1;
    }
    *f->dst = (int)v;
    return 0;
}

int main(int argc, char **argv)
{
    struct state s;
    const struct field fields[] = {
        { "radio altitude", 0, 5000, &s.ralt },
        { "vertical speed", -12000, 12000, &s.vspeed },
        { "airspeed", 0, 500, &s.cas },
        { "gear", 0, 1, &s.gear },
        { "flaps", 0, 4, &s.flaps },
        { "glideslope deviation", -50, 50, &s.gsdev },
        { "bank", -90, 90, &s.bank },
        { "closure", -12000, 12000, &s.closure },
        { "phase", 0, 3, &s.phase },
        { "inhibit mask", 0, 63, &s.inhibit },
        { "previous mode", 0, NMODES, &s.prev },
    };
    const int nfields = sizeof fields / sizeof fields[0];
    int i, best = -1;
    enum alert level = NONE;

    if (argc != nfields + 1) {
        fprintf(stderr, "gpws: need %d numbers\n", nfields);
        return 2;
    }
    for (i = 0; i < nfields; i++)
        if (parse(argv[i + 1], &fields[i]) < 0)
            return 2;

    if (s.phase == GROUND) {
        puts("-");
        return 0;
    }
    for (i = 0; i < NMODES; i++) {
        enum alert a;

        if (s.inhibit & 1 << i)
            continue;
        a = modes[i].fn(&s);
        if (a > level) {
            level = a;
            best = i;
        }
    }
    if (best < 0) {
        puts("-");
        return 0;
    }
    printf("%d %s\n", best + 1,
           level == WARNING ? modes[best].warning : modes[best].caution);
    return level == WARNING ? 3 : 1;
}
