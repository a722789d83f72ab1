/* Altitude advisory in the style of collision avoidance: twelve integers decide which way to evade. */
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 4, MIN_SEPARATION = 300, MAX_RATE = 600, NOZCROSS = 100 };
enum advisory { UNRESOLVED, UPWARD, DOWNWARD };

struct state {
    int separation, confident, valid_report;
    int own_altitude, own_rate, other_altitude;
    int layer, up, down;
    int other_advisory, other_capability, inhibit;
};

static const int thresholds[LAYERS] = {400, 500, 640, 740};

static int threshold(const struct state *s) {
    if (s->layer < 0 || s->layer >= LAYERS)
        return thresholds[LAYERS - 1];
    return thresholds[s->layer];
}

static int biased_climb(const struct state *s) {
    return s->inhibit ? s->up + NOZCROSS : s->up;
}

static int own_below(const struct state *s) { return s->own_altitude < s->other_altitude; }
static int own_above(const struct state *s) { return s->other_altitude < s->own_altitude; }

static int crossing_climb(const struct state *s) {
    int prefers_up = biased_climb(s) > s->down;
    if (prefers_up)
        return !own_below(s) || (own_below(s) && !(s->down >= threshold(s)));
    return own_above(s) && s->separation >= MIN_SEPARATION && s->up >= threshold(s);
}

static int crossing_descend(const struct state *s) {
    int prefers_up = biased_climb(s) > s->down;
    if (prefers_up)
        return own_below(s) && s->separation >= MIN_SEPARATION && s->down >= threshold(s);
    return !own_above(s) || (own_above(s) && s->up >= threshold(s));
}

static enum advisory decide(const struct state *s) {
    int enabled = s->confident && s->own_rate <= MAX_RATE && s->separation > MIN_SEPARATION;
    int equipped = s->other_capability == 1;
    int intent_unknown = s->valid_report && s->other_advisory == 0;
    if (!enabled || ((!equipped || !intent_unknown) && equipped))
        return UNRESOLVED;
    int up = crossing_climb(s) && own_below(s);
    int down = crossing_descend(s) && own_above(s);
    if (up && down)
        return UNRESOLVED;
    return up ? UPWARD : down ? DOWNWARD : UNRESOLVED;
}

int main(int argc, char **argv) {
    if (argc < 13) {
        fprintf(stderr, "altitude: twelve numbers\n");
        return 2;
    }
    struct state s = {
        .separation = atoi(argv[1]), .confident = atoi(argv[2]), .valid_report = atoi(argv[3]),
        .own_altitude = atoi(argv[4]), .own_rate = atoi(argv[5]), .other_altitude = atoi(argv[6]),
        .layer = atoi(argv[7]), .up = atoi(argv[8]), .down = atoi(argv[9]),
        .other_advisory = atoi(argv[10]), .other_capability = atoi(argv[11]), .inhibit = atoi(argv[12]),
    };
    printf("%d\n", decide(&s));
    return 0;
}
