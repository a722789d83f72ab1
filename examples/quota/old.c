/* quota: adds up sizes such as 512, 10K or 3M, and says whether they stay below a limit.
 *
 *   quota [-l LIMIT] SIZE...
 *
 * Exit status: 0 below the limit, 1 above it, 2 wrong usage. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A number with an optional unit; -1 if it is not one. */
static long parse_size(const char *text)
{
    long value = 0;
    const char *at = text;
    while (*at >= '0' && *at <= '9')
        value = value * 10 + (*at++ - '0');
    if (at == text)
        return -1;
    switch (*at) {
    case 'M':
        value *= 1024;
        /* fall through */
    case 'K':
        value *= 1024;
        at++;
    }
    return *at == '\0' ? value : -1;
}

int main(int argc, char **argv)
{
    long limit = 1024 * 1024, total = 0;
    int option;
    while ((option = getopt(argc, argv, "l:")) != -1) {
        if (option != 'l' || (limit = parse_size(optarg)) < 0) {
            fprintf(stderr, "usage: quota [-l LIMIT] SIZE...\n");
            return 2;
        }
    }
    for (int i = optind; i < argc; i++) {
        long size = parse_size(argv[i]);
        if (size < 0) {
            fprintf(stderr, "quota: %s: not a size\n", argv[i]);
            return 2;
        }
        total += size;
    }
    if (total > limit) {
        printf("%ld of %ld: too much\n", total, limit);
        return 1;
    }
    printf("%ld of %ld\n", total, limit);
    return 0;
}
