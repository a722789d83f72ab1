/* dates YYYY-MM-DD [+N] FORMAT: prints a date, perhaps some days later, by a format of % letters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct date {
    int year, month, day;
};

static const char *months[] = {"January", "February", "March",     "April",   "May",      "June",
                               "July",    "August",   "September", "October", "November", "December"};
static const char *weekdays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

static void fail(const char *why) {
    fprintf(stderr, "dates: %s\n", why);
    exit(1);
}

static int leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int month_days(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && leap(year));
}

static int digits(const char **text, int count) {
    int value = 0;
    while (count-- > 0) {
        if (!isdigit((unsigned char)**text))
            fail("digit expected");
        value = value * 10 + *(*text)++ - '0';
    }
    return value;
}

static struct date parse(const char *text) {
    struct date d;
    d.year = digits(&text, 4);
    if (*text++ != '-')
        fail("- expected");
    d.month = digits(&text, 2);
    if (*text++ != '-')
        fail("- expected");
    d.day = digits(&text, 2);
    if (*text != '\0')
        fail("trailing text in date");
    if (d.year < 1600 || d.month < 1 || d.month > 12 || d.day < 1 || d.day > month_days(d.year, d.month))
        fail("no such date");
    return d;
}

static int day_of_year(const struct date *d) {
    int days = d->day;
    for (int m = 1; m < d->month; m++)
        days += month_days(d->year, m);
    return days;
}

/* Monday is 0. 1 January 1600 was a Saturday. */
static int weekday(const struct date *d) {
    int years = d->year - 1600;
    int days = years * 365 + (years + 3) / 4 - (years + 99) / 100 + (years + 399) / 400;
    return (days + day_of_year(d) - 1 + 5) % 7;
}

static int weeks_in(int year) {
    struct date last = {year, 12, 31};
    int day = weekday(&last);
    return day == 3 || (day == 4 && leap(year)) ? 53 : 52;
}

/* ISO 8601: week 1 holds the first Thursday. */
static int week(const struct date *d, int *year) {
    int number = (day_of_year(d) - weekday(d) + 9) / 7;
    *year = d->year;
    if (number < 1) {
        --*year;
        return weeks_in(*year);
    }
    if (number > weeks_in(d->year)) {
        ++*year;
        return 1;
    }
    return number;
}

static void later(struct date *d, int days) {
    while (days > 0) {
        int left = month_days(d->year, d->month) - d->day;
        if (days <= left) {
            d->day += days;
            return;
        }
        days -= left + 1;
        d->day = 1;
        if (++d->month > 12) {
            d->month = 1;
            d->year++;
        }
    }
}

static const char *ordinal(int n) {
    if (n / 10 == 1)
        return "th";
    switch (n % 10) {
    case 1: return "st";
    case 2: return "nd";
    case 3: return "rd";
    default: return "th";
    }
}

static void print(const struct date *d, const char *format) {
    int year;
    for (; *format; format++) {
        if (*format != '%') {
            putchar(*format);
            continue;
        }
        switch (*++format) {
        case 'Y': printf("%d", d->year); break;
        case 'y': printf("%02d", d->year % 100); break;
        case 'm': printf("%02d", d->month); break;
        case 'B': fputs(months[d->month - 1], stdout); break;
        case 'b': printf("%.3s", months[d->month - 1]); break;
        case 'd': printf("%02d", d->day); break;
        case 'e': printf("%d%s", d->day, ordinal(d->day)); break;
        case 'A': fputs(weekdays[weekday(d)], stdout); break;
        case 'a': printf("%.3s", weekdays[weekday(d)]); break;
        case 'j': printf("%03d", day_of_year(d)); break;
        case 'V': printf("%02d", week(d, &year)); break;
        case 'G': week(d, &year); printf("%d", year); break;
        case 'q': printf("Q%d", (d->month + 2) / 3); break;
        case '%': putchar('%'); break;
        default: fail("bad format");
        }
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    struct date d;
    if (argc < 3 || argc > 4)
        fail("usage: dates YYYY-MM-DD [+N] FORMAT");
    d = parse(argv[1]);
    if (argc == 4) {
        char *end;
        long days = strtol(argv[2] + 1, &end, 10);
        if (argv[2][0] != '+' || end == argv[2] + 1 || *end != '\0' || days < 0 || days > 4000)
            fail("bad number of days");
        later(&d, (int)days);
    }
    print(&d, argv[argc - 1]);
    return 0;
}
