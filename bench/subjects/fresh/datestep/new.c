/* datestep - calendar arithmetic.
 *
 * usage: datestep [-e] [-w] [-o iso|us|day] YYYY-MM-DD STEP...
 *
 * STEP is a signed number with a unit: d days, w weeks, m months, y years.
 *   -e  a date that is the last of its month stays so under m and y
 *   -w  move a result on a weekend to the following Monday
 *   -o  output format
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <unistd.h>

struct date {
    int y, m, d;                /* m is 1..12 */
};

struct options {
    int sticky_end;
    int workday;
    void (*print)(const struct date *);
};

static int is_leap(int y)
{
    return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static int month_days(int y, int m)
{
    static const int days[] = {
        31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
    };

    return m == 2 && is_leap(y) ? 29 : days[m - 1];
}

/* Days since 0000-03-01 (proleptic). */
static long to_days(const struct date *t)
{
    long y = t->m > 2 ? t->y : t->y - 1;
    long mp = (t->m + 9) % 12;

    return y * 365 + y / 4 - y / 100 + y / 400 + (mp * 153 + 2) / 5 + t->d - 1;
}

static void from_days(long n, struct date *t)
{
    long y = n / 366;
    long mp, rest;

    while ((y + 1) * 365 + (y + 1) / 4 - (y + 1) / 100 + (y + 1) / 400 <= n)
        y++;
    rest = n - (y * 365 + y / 4 - y / 100 + y / 400);
    mp = (rest * 5 + 2) / 153;
    t->d = (int)(rest - (mp * 153 + 2) / 5 + 1);
    t->m = (int)(mp < 10 ? mp + 3 : mp - 9);
    t->y = (int)(t->m > 2 ? y : y + 1);
}

static int weekday(const struct date *t)        /* 0 is Sunday */
{
    return (int)((to_days(t) + 3) % 7);
}

static int in_range(const struct date *t)
{
    return t->y >= 1 && t->y <= 9999;
}

static int add_days(struct date *t, long n)
{
    n += to_days(t);
    if (n < 306 || n > 3700000)
        return -1;
    from_days(n, t);
    return in_range(t) ? 0 : -1;
}

static int add_months(struct date *t, long n, const struct options *o)
{
    int last = t->d == month_days(t->y, t->m);
    long total = t->m - 1 + n;
    long years = total / 12;
    int dim;

    if (total < 0)
        years--;
    t->m = (int)(total - years * 12) % 12 + 1;
    t->y += (int)years;
    if (!in_range(t))
        return -1;
    dim = month_days(t->y, t->m);
    if (t->d > dim || (o->sticky_end && last))
        t->d = dim;
    return 0;
}

static int step(struct date *t, const char *s, const struct options *o)
{
    char *end;
    long n;

    if (!isdigit((unsigned char)s[0]) && s[0] != '+' && s[0] != '-')
        return -1;
    n = strtol(s, &end, 10);
    if (end == s || n < -100000 || n > 100000)
        return -1;
    if (*end == '\0' || end[1] != '\0')
        return -1;
    switch (*end) {
    case 'd': return add_days(t, n);
    case 'w': return add_days(t, n * 7);
    case 'm': return add_months(t, n, o);
    case 'y': return add_months(t, n * 12, o);
    default: return -1;
    }
}

static int parse(const char *s, struct date *t)
{
    int i;

    if (strlen(s) != 10)
        return -1;
    for (i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? s[i] != '-' : !isdigit((unsigned char)s[i]))
            return -1;
    t->y = atoi(s);
    t->m = atoi(s + 5);
    t->d = atoi(s + 8);
    if (!in_range(t) || t->m < 1 || t->m > 12 || t->d < 1
        || t->d > month_days(t->y, t->m))
        return -1;
    return 0;
}

static void print_iso(const struct date *t)
{
    printf("%04d-%02d-%02d\n", t->y, t->m, t->d);
}

static void print_us(const struct date *t)
{
    printf("%d/%d/%d\n", t->m, t->d, t->y);
}

static void print_day(const struct date *t)
{
    static const char names[] = "SunMonTueWedThuFriSat";

    printf("%.3s %d\n", names + 3 * weekday(t), t->d);
}

int main(int argc, char **argv)
{
    struct options o = { 0, 0, print_iso };
    struct date t;
    int c, i, wd;

    opterr = 0;
    while ((c = getopt(argc, argv, "+ewo:")) != -1) {
        switch (c) {
        case 'e': o.sticky_end = 1; break;
        case 'w': o.workday = 1; break;
        case 'o':
            if (strcmp(optarg, "iso") == 0) {
                o.print = print_iso;
                break;
            }
            if (strcmp(optarg, "us") == 0) {
                o.print = print_us;
                break;
            }
            if (strcmp(optarg, "day") == 0) {
                o.print = print_day;
                break;
            }
            /* fall through */
        default:
            fprintf(stderr, "usage: datestep [-e] [-w] [-o fmt] date step...\n");
            return 2;
        }
    }
    if (optind == argc || parse(argv[optind], &t) < 0) {
        fprintf(stderr, "datestep: bad date\n");
        return 2;
    }
    for (i = optind + 1; i < argc; i++)
        if (step(&t, argv[i], &o) < 0) {
            fprintf(stderr, "datestep: bad step %d\n", i - optind);
            return 1;
        }
    wd = weekday(&t);
    if (o.workday && (wd == 0 || wd == 6))
        if (add_days(&t, wd == 0 ? 1 : 2) < 0)
            return 1;
    o.print(&t);
    return 0;
}
