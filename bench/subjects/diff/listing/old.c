/* listing [OPTIONS]: lists entries "NAME SIZE AGE" of standard input like a directory, in many styles. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sort { BY_NAME, BY_SIZE, BY_AGE, UNSORTED };
enum style { PLAIN, LONG, COMMAS, JSON };

struct flags {
    enum sort sort;
    enum style style;
    int reverse;
    int human;
    int all;
    int classify;
    int total;
    int number;
    int quote;
    unsigned limit;
    unsigned block;
};

struct entry {
    char name[40];
    unsigned long size;
    unsigned age;
    unsigned order;
};

static struct flags flags = {.limit = 64, .block = 1};
static struct entry entries[64];
static unsigned count;

static const struct option options[] = {
    {"all", no_argument, NULL, 'a'},        {"block-size", required_argument, NULL, 'B'},
    {"classify", no_argument, NULL, 'F'},   {"commas", no_argument, NULL, 'm'},
    {"human", no_argument, NULL, 'h'},      {"json", no_argument, NULL, 'j'},
    {"limit", required_argument, NULL, 'n'}, {"long", no_argument, NULL, 'l'},
    {"number", no_argument, NULL, 'N'},     {"quote", no_argument, NULL, 'Q'},
    {"reverse", no_argument, NULL, 'r'},    {"sort", required_argument, NULL, 's'},
    {"total", no_argument, NULL, 't'},      {NULL, 0, NULL, 0},
};

static void usage(void) {
    fprintf(stderr, "usage: listing [-aFhjlmNQrt] [-B SIZE] [-n COUNT] [-s name|size|age|none]\n");
    exit(2);
}

static enum sort sort_of(const char *word) {
    static const char *words[] = {"name", "size", "age", "none"};
    for (int i = 0; i < 4; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum sort)i;
    usage();
    return UNSORTED;
}

static unsigned positive(const char *text) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value == 0 || value > 1u << 20)
        usage();
    return (unsigned)value;
}

static void parse(int argc, char **argv) {
    int c;
    while ((c = getopt_long(argc, argv, "aB:FhjlmNn:Qrs:t", options, NULL)) != -1) {
        switch (c) {
        case 'a': flags.all = 1; break;
        case 'B': flags.block = positive(optarg); break;
        case 'F': flags.classify = 1; break;
        case 'h': flags.human = 1; break;
        case 'j': flags.style = JSON; break;
        case 'l': flags.style = LONG; break;
        case 'm': flags.style = COMMAS; break;
        case 'N': flags.number = 1; break;
        case 'n': flags.limit = positive(optarg); break;
        case 'Q': flags.quote = 1; break;
        case 'r': flags.reverse = 1; break;
        case 's': flags.sort = sort_of(optarg); break;
        case 't': flags.total = 1; break;
        default: usage();
        }
    }
    if (optind != argc)
        usage();
}

static void read_entries(void) {
    char line[128];
    while (count < 64 && fgets(line, sizeof line, stdin)) {
        struct entry *e = &entries[count];
        if (sscanf(line, "%39s %lu %u", e->name, &e->size, &e->age) != 3)
            continue;
        if (e->name[0] == '.' && !flags.all)
            continue;
        e->order = count++;
    }
}

static int compare(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    int by = 0;
    switch (flags.sort) {
    case BY_SIZE: by = a->size < b->size ? 1 : a->size > b->size ? -1 : 0; break;
    case BY_AGE: by = a->age < b->age ? -1 : a->age > b->age; break;
    case UNSORTED: by = a->order < b->order ? -1 : 1; break;
    case BY_NAME: break;
    }
    if (by == 0)
        by = strcmp(a->name, b->name);
    return flags.reverse ? -by : by;
}

static void print_size(unsigned long size) {
    static const char units[] = "BKMGT";
    int unit = 0;
    if (!flags.human) {
        printf("%8lu", (size + flags.block - 1) / flags.block);
        return;
    }
    while (size >= 1024 && unit < 4) {
        size = (size + 1023) / 1024;
        unit++;
    }
    printf("%6lu%c", size, units[unit]);
}

static void print_name(const struct entry *e) {
    size_t len = strlen(e->name);
    if (flags.quote)
        printf("\"%s\"", e->name);
    else
        fputs(e->name, stdout);
    if (flags.classify && len > 3 && strcmp(e->name + len - 3, ".sh") == 0)
        putchar('*');
}

static void print_entry(const struct entry *e, unsigned index, unsigned shown) {
    if (flags.number)
        printf("%u:", flags.reverse ? shown - index : index + 1);
    switch (flags.style) {
    case LONG:
        print_size(e->size);
        printf(" %5ud ", e->age);
        print_name(e);
        putchar('\n');
        break;
    case COMMAS:
        print_name(e);
        fputs(index + 1 < shown ? ", " : "\n", stdout);
        break;
    case JSON:
        printf("{\"name\": \"%s\", \"size\": %lu, \"age\": %u}%s\n", e->name, e->size, e->age,
               index + 1 < shown ? "," : "");
        break;
    case PLAIN:
        print_name(e);
        putchar('\n');
        break;
    }
}

int main(int argc, char **argv) {
    unsigned long total = 0;
    unsigned shown;
    parse(argc, argv);
    read_entries();
    qsort(entries, count, sizeof *entries, compare);
    shown = count < flags.limit ? count : flags.limit;
    for (unsigned i = 0; i < shown; i++) {
        print_entry(&entries[i], i, shown);
        total += entries[i].size;
    }
    if (flags.total) {
        fputs("total ", stdout);
        print_size(total);
        putchar('\n');
    }
    return 0;
}
