/* cronday - when does a crontab entry fire on a given day?
 *
 * usage: cronday MIN HOUR DOM MONTH DOW YYYY-MM-DD
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <ctype.h>

struct field {
    const char *name;
    int lo, hi;
    const char *const *words;   /* names for lo.. or NULL */
    char set[64];
    int star;
};

static const char *const months[] = {
    "jan", "feb", "mar", "apr", "may", "jun",
    "jul", "aug", "sep", "oct", "nov", "dec", NULL
};

static const char *const days[] = {
    "sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL
};

enum { MINUTE, HOUR, DOM, MONTH, DOW, NFIELD };

static struct field fields[NFIELD] = {
    { "minute",       0, 59, NULL },
    { "hour",         0, 23, NULL },
    { "day-of-month", 1, 31, NULL },
    { "month",        1, 12, months },
    { "day-of-week",  0, 7,  days },
};

/* a number or a name; returns -1 when neither */
static int value(const struct field *f, const char **pp)
{
    const char *p = *pp;
    int i, v = 0;

    if (isdigit((unsigned char)*p)) {
        while (isdigit((unsigned char)*p) && v < 1000)
            v = v * 10 + (*p++ - '0');
        *pp = p;
        return v;
    }
    for (i = 0; f->words && f->words[i]; i++) {
        if (strncasecmp(p, f->words[i], 3) == 0) {
            *pp = p + 3;
            return f->lo + i;
        }
    }
    return -1;
}

static const char *parse_item(struct field *f, const char *p)
{
    int from, to, step = 1, v;

    if (*p == '*') {
        f->star = 1;
        from = f->lo;
        to = f->hi;
        p++;
    } else {
        from = to = value(f, &p);
        if (*p == '-') {
            p++;
            to = value(f, &p);
        } else if (*p == '/') {
            return NULL;                /* step needs a range */
        }
    }
    if (from < f->lo || to > f->hi || from > to)
        return NULL;
    if (*p == '/') {
        p++;
        if (!isdigit((unsigned char)*p))
            return NULL;
        step = value(f, &p);
        if (step < 1)
            return NULL;
    }
    for (v = from; v <= to; v += step)
        f->set[v] = 1;
    return p;
}

static int parse_field(struct field *f, const char *p)
{
    for (;;) {
        p = parse_item(f, p);
        if (!p || (*p && *p != ',')) {
            fprintf(stderr, "cronday: bad %s\n", f->name);
            return -1;
        }
        if (!*p)
            return 0;
        p++;
    }
}

static int days_in_month(int y, int m)
{
    static const int len[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    if (m == 2 && ((y % 4 == 0 && y % 100 != 0) || y % 400 == 0))
        return 29;
    return len[m - 1];
}

static int day_of_week(int y, int m, int d)
{
    static const int t[] = { 0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4 };

    if (m < 3)
        y--;
    return (y + y / 4 - y / 100 + y / 400 + t[m - 1] + d) % 7;
}

/* as usual: when both day fields are restricted, either may match */
static int day_matches(int dom, int month, int dow)
{
    int a = fields[DOM].set[dom];
    int b = fields[DOW].set[dow];

    if (!fields[MONTH].set[month])
        return 0;
    if (fields[DOM].star || fields[DOW].star)
        return a && b;
    return a || b;
}

int main(int argc, char **argv)
{
    int i, y, m, d, h, min, count = 0;
    int first = -1, last = -1;
    char junk;

    if (argc != 7) {
        fprintf(stderr, "usage: cronday MIN HOUR DOM MONTH DOW YYYY-MM-DD\n");
        return 2;
    }
    for (i = 0; i < NFIELD; i++)
        if (parse_field(&fields[i], argv[i + 1]) < 0)
            return 2;
    if (fields[DOW].set[7])
        fields[DOW].set[0] = 1;

    if (sscanf(argv[6], "%4d-%2d-%2d%c", &y, &m, &d, &junk) != 3
        || y < 1970 || m < 1 || m > 12 || d < 1 || d > days_in_month(y, m)) {
        fprintf(stderr, "cronday: bad date\n");
        return 2;
    }
    if (!day_matches(d, m, day_of_week(y, m, d))) {
        printf("%s: does not fire\n", argv[6]);
        return 1;
    }
    for (h = 0; h < 24; h++) {
        for (min = 0; min < 60; min++) {
            if (!fields[HOUR].set[h] || !fields[MINUTE].set[min])
                continue;
            if (first < 0)
                first = h * 60 + min;
            last = h * 60 + min;
            count++;
        }
    }
    printf("%s (%s): %d time(s), %02d:%02d to %02d:%02d\n", argv[6],
           days[day_of_week(y, m, d)], count, first / 60, first % 60,
           last / 60, last % 60);
    return 0;
}
