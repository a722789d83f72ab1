/* Altitude advisory: from twelve measurements of two aircraft, decides whether to climb, to descend or to stay. */
#include <stdio.h>
#include <stdlib.h>

enum { OLEV = 600, MAXALTDIFF = 600, MINSEP = 300, NOZCROSS = 100 };
enum { NO_INTENT = 0, DO_NOT_CLIMB = 1, DO_NOT_DESCEND = 2 };
enum { TCAS_TA = 1, OTHER = 2 };
enum { UNRESOLVED = 0, UPWARD = 1, DOWNWARD = 2, LEVEL = 3 };

struct situation {
    int vertical_separation;
    int high_confidence;
    int two_reports_valid;
    int own_altitude;
    int own_rate;
    int other_altitude;
    int layer;
    int up_separation;
    int down_separation;
    int other_intent;
    int other_capability;
    int climb_inhibit;
};

static int layers[4] = {400, 500, 640, 740};

static int threshold(const struct situation *s) {
    return layers[s->layer];
}

static int biased_climb(const struct situation *s) {
    return s->climb_inhibit ? s->up_separation + NOZCROSS : s->up_separation;
}

static int own_below(const struct situation *s) {
    return s->own_altitude < s->other_altitude;
}

static int own_above(const struct situation *s) {
    return s->other_altitude < s->own_altitude;
}

static int climb_without_crossing(const struct situation *s) {
    int upward = biased_climb(s) > s->down_separation;
    if (upward)
        return !own_below(s) || (own_below(s) && !(s->down_separation >= threshold(s)));
    return own_above(s) && s->vertical_separation >= MINSEP && s->up_separation >= threshold(s);
}

static int descend_without_crossing(const struct situation *s) {
    int upward = biased_climb(s) > s->down_separation;
    if (upward)
        return own_below(s) && s->vertical_separation >= MINSEP && s->down_separation >= threshold(s);
    return !own_above(s) || (own_above(s) && s->up_separation >= threshold(s));
}

/* Two aircraft that both keep their level need no advisory unless one of them is about to lose its layer. */
static int may_stay_level(const struct situation *s) {
    int gap = abs(s->own_altitude - s->other_altitude);
    if (s->layer < 2 || s->own_rate > 0)
        return 0;
    return gap > threshold(s) + NOZCROSS && s->other_intent == DO_NOT_DESCEND;
}

static int advisory(const struct situation *s) {
    int enabled = s->high_confidence && s->own_rate <= OLEV && s->vertical_separation > MAXALTDIFF;
    int equipped = s->other_capability == TCAS_TA;
    int intent_unknown = s->two_reports_valid && s->other_intent == NO_INTENT;
    int result = UNRESOLVED;

    if (enabled && ((equipped && intent_unknown) || !equipped)) {
        int need_up = climb_without_crossing(s) && own_below(s);
        int need_down = descend_without_crossing(s) && own_above(s);
        if (need_up && need_down)
            result = UNRESOLVED;
        else if (need_up)
            result = UPWARD;
        else if (need_down)
            result = DOWNWARD;
        else if (may_stay_level(s))
            result = LEVEL;
    }
    return result;
}

static int number(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < -100000 || value > 100000) {
        fprintf(stderr, "not a measurement: %s\n", text);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv) {
    static const char *names[] = {"unresolved", "climb", "descend", "level"};
    struct situation s;
    if (argc != 13) {
        fprintf(stderr, "usage: advisory VSEP CONF VALID ALT RATE OTHER LAYER UP DOWN INTENT CAP INHIBIT\n");
        return 2;
    }
    s.vertical_separation = number(argv[1]);
    s.high_confidence = number(argv[2]);
    s.two_reports_valid = number(argv[3]);
    s.own_altitude = number(argv[4]);
    s.own_rate = number(argv[5]);
    s.other_altitude = number(argv[6]);
    s.layer = number(argv[7]);
    s.up_separation = number(argv[8]);
    s.down_separation = number(argv[9]);
    s.other_intent = number(argv[10]);
    s.other_capability = number(argv[11]);
    s.climb_inhibit = number(argv[12]);
    if (s.layer < 0 || s.layer > 3) {
        fprintf(stderr, "no such layer: %d\n", s.layer);
        return 2;
    }
    puts(names[advisory(&s)]);
    return 0;
}
