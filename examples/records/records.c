/* records: selects and sums up records of the form NAME,QUANTITY,PRICE, one a line.
 *
 * An example for Parallax: a small program of the usual kind, with options, number parsing and a
 * little state. Try: parallax trace examples/records/records.c -- --min 5 examples/records/stock.csv
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char name[32];
    long quantity;
    long price;
};

struct settings {
    long min;
    const char *name;
    int sum;
    int upper;
};

/* Cuts the next field off a line; NULL if there is none. */
static char *next_field(char **line)
{
    char *start = *line;
    if (start == NULL)
        return NULL;
    char *comma = strchr(start, ',');
    if (comma != NULL)
        *comma++ = '\0';
    *line = comma;
    while (isspace((unsigned char)*start))
        start++;
    return start;
}

static int parse_number(const char *text, long *value)
{
    char *end;
    if (text == NULL || *text == '\0')
        return 0;
    errno = 0;
    *value = strtol(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* 1: a record, 0: nothing to see here, -1: malformed. */
static int parse_record(char *line, struct record *record)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0')
        return 0;
    char *name = next_field(&line);
    if (*name == '\0' || strlen(name) >= sizeof record->name)
        return -1;
    strcpy(record->name, name);
    if (!parse_number(next_field(&line), &record->quantity))
        return -1;
    if (!parse_number(next_field(&line), &record->price))
        return -1;
    return 1;
}

static int selected(const struct settings *settings, const struct record *record)
{
    if (record->quantity < settings->min)
        return 0;
    return settings->name == NULL || strcmp(settings->name, record->name) == 0;
}

static void print_record(const struct settings *settings, struct record *record)
{
    if (settings->upper)
        for (char *c = record->name; *c != '\0'; c++)
            *c = (char)toupper((unsigned char)*c);
    printf("%s: %ld at %ld\n", record->name, record->quantity, record->price);
}

static int process(FILE *in, const struct settings *settings)
{
    char line[256];
    struct record record;
    long total = 0;
    int number = 0, bad = 0;
    while (fgets(line, sizeof line, in) != NULL) {
        number++;
        int kind = parse_record(line, &record);
        if (kind < 0) {
            fprintf(stderr, "records: line %d is malformed\n", number);
            bad = 1;
        } else if (kind > 0 && selected(settings, &record)) {
            print_record(settings, &record);
            total += record.quantity * record.price;
        }
    }
    if (settings->sum)
        printf("total: %ld\n", total);
    return bad;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"min", required_argument, NULL, 'm'},
        {"name", required_argument, NULL, 'n'},
        {"sum", no_argument, NULL, 's'},
        {"upper", no_argument, NULL, 'u'},
        {NULL, 0, NULL, 0},
    };
    struct settings settings = {0, NULL, 0, 0};
    int option;
    while ((option = getopt_long(argc, argv, "m:n:su", options, NULL)) != -1) {
        switch (option) {
        case 'm':
            if (!parse_number(optarg, &settings.min)) {
                fprintf(stderr, "records: --min needs a number\n");
                return 2;
            }
            break;
        case 'n': settings.name = optarg; break;
        case 's': settings.sum = 1; break;
        case 'u': settings.upper = 1; break;
        default: return 2;
        }
    }
    FILE *in = optind < argc ? fopen(argv[optind], "r") : stdin;
    if (in == NULL) {
        perror(argv[optind]);
        return 2;
    }
    return process(in, &settings);
}
