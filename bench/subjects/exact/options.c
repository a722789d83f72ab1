/* A tool that is mostly options: how they combine decides what it prints. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_WIDTH = 256, OPT_COLOUR };
enum when { NEVER, ALWAYS, AUTO };

struct settings {
    int all, reverse, verbose, width, count;
    enum when colour;
    const char *prefix;
};

static const struct option longs[] = {
    {"all", no_argument, NULL, 'a'},
    {"reverse", no_argument, NULL, 'r'},
    {"verbose", no_argument, NULL, 'v'},
    {"count", required_argument, NULL, 'n'},
    {"prefix", required_argument, NULL, 'p'},
    {"width", required_argument, NULL, OPT_WIDTH},
    {"colour", optional_argument, NULL, OPT_COLOUR},
    {NULL, 0, NULL, 0},
};

static int number(const char *text, int least, int most, int *to) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > most)
        return 0;
    *to = (int)value;
    return 1;
}

static int colour(const char *when, enum when *to) {
    if (!when || strcmp(when, "always") == 0)
        *to = ALWAYS;
    else if (strcmp(when, "never") == 0)
        *to = NEVER;
    else if (strcmp(when, "auto") == 0)
        *to = AUTO;
    else
        return 0;
    return 1;
}

static int parse(int argc, char **argv, struct settings *s) {
    for (int c; (c = getopt_long(argc, argv, "arvn:p:", longs, NULL)) != -1;) {
        int good = 1;
        switch (c) {
        case 'a': s->all = 1; break;
        case 'r': s->reverse = !s->reverse; break;
        case 'v': s->verbose++; break;
        case 'n': good = number(optarg, 0, 99, &s->count); break;
        case 'p': s->prefix = optarg; break;
        case OPT_WIDTH: good = number(optarg, 1, 20, &s->width); break;
        case OPT_COLOUR: good = colour(optarg, &s->colour); break;
        default: return 0;
        }
        if (!good) {
            fprintf(stderr, "bad value\n");
            return 0;
        }
    }
    return 1;
}

static void show(const struct settings *s, const char *word) {
    size_t length = strlen(word);
    if (!s->all && word[0] == '.')
        return;
    fputs(s->prefix, stdout);
    if (s->colour == ALWAYS)
        fputs("<b>", stdout);
    for (size_t i = 0; i < length && i < (size_t)s->width; i++)
        putchar(word[s->reverse ? length - 1 - i : i]);
    putchar('\n');
}

int main(int argc, char **argv) {
    struct settings s = {.width = 8, .count = 99, .prefix = ""};
    if (!parse(argc, argv, &s))
        return 2;
    if (s.verbose > 1)
        puts("very verbose");
    else if (s.verbose)
        puts("verbose");
    for (int i = optind; i < argc && i - optind < s.count; i++)
        show(&s, argv[i]);
    return s.colour == AUTO ? 3 : 0;
}
