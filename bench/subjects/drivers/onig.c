/* Oniguruma as a small grep: prints where PATTERN matches each line of standard input, group by group.
 * Usage: onig PATTERN */
#include <stdio.h>
#include <string.h>
#include "oniguruma.h"

static void show(const OnigRegion *region)
{
    for (int i = 0; i < region->num_regs; i++)
        printf(" %d-%d", region->beg[i], region->end[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: onig PATTERN\n");
        return 2;
    }
    regex_t *regex;
    OnigErrorInfo info;
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    const UChar *pattern = (const UChar *)argv[1];
    onig_initialize(encodings, 1);
    int result = onig_new(&regex, pattern, pattern + strlen(argv[1]), ONIG_OPTION_DEFAULT, ONIG_ENCODING_UTF8,
                          ONIG_SYNTAX_DEFAULT, &info);
    if (result != ONIG_NORMAL) {
        UChar message[ONIG_MAX_ERROR_MESSAGE_LEN];
        onig_error_code_to_str(message, result, &info);
        fprintf(stderr, "onig: %s\n", message);
        return 2;
    }
    char line[256];
    int found = 0;
    while (fgets(line, sizeof line, stdin)) {
        const UChar *start = (const UChar *)line, *end = start + strcspn(line, "\n");
        OnigRegion *region = onig_region_new();
        result = onig_search(regex, start, end, start, end, region, ONIG_OPTION_NONE);
        if (result >= 0) {
            found = 1;
            show(region);
        } else if (result != ONIG_MISMATCH) {
            printf("error %d\n", result);
        }
        onig_region_free(region, 1);
    }
    return !found;
}
