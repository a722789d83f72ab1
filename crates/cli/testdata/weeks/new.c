/* The week of a date YYYY-MM-DD. Days before the first week belong to the last week of the year before. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const int days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

static int digits(const char **text, int count)
{
    int value = 0;

    while (count-- > 0) {
        if (!isdigit((unsigned char)**text))
            exit(2);
        value = value * 10 + *(*text)++ - '0';
    }
    return value;
}

static int day_of_year(int month, int day)
{
    for (int m = 1; m < month; m++)
        day += days_of[m - 1];
    return day;
}

/* Monday is 0. */
static int weekday(int year, int month, int day)
{
    return (year * 365 + (year + 3) / 4 - (year + 99) / 100 + day_of_year(month, day)) % 7;
}

static int weeks_of(int year)
{
    int last = weekday(year, 12, 31);

    return last == 3 || last == 4 ? 53 : 52;
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "";
    int year = digits(&text, 4);
    int month = *text++ == '-' ? digits(&text, 2) : 0;
    int day = *text++ == '-' ? digits(&text, 2) : 0;

    if (*text != '\0' || year < 1600 || month < 1 || month > 12 || day < 1 || day > days_of[month - 1])
        return 1;
    int week = (day_of_year(month, day) - weekday(year, month, day) + 9) / 7;
    if (week < 1)
        week = weeks_of(year - 1);
    printf("%d\n", week);
    return 0;
}
