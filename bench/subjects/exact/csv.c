/* Reads comma-separated lines with quotes from standard input; adds up the column named by argv[1]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 8, MAX_FIELD = 32 };

static char fields[MAX_FIELDS][MAX_FIELD];

/* Splits a line; the number of fields, or -1 if quotes are wrong. */
static int split(const char *p) {
    int n = 0;
    while (n < MAX_FIELDS) {
        size_t len = 0;
        int quoted = *p == '"';
        if (quoted)
            p++;
        for (; *p && *p != '\n'; p++) {
            if (quoted && p[0] == '"' && p[1] == '"')
                p++;
            else if (quoted && *p == '"')
                break;
            else if (!quoted && *p == ',')
                break;
            if (len < MAX_FIELD - 1)
                fields[n][len++] = *p;
        }
        fields[n++][len] = '\0';
        if (quoted && *p++ != '"')
            return -1;
        if (*p != ',')
            return *p == '\n' || !*p ? n : -1;
        p++;
    }
    return n;
}

static int column(const char *name, int n) {
    for (int i = 0; i < n; i++)
        if (strcasecmp(fields[i], name) == 0)
            return i;
    return -1;
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t room = 0;
    long total = 0;
    int rows = 0, wanted = -1;
    if (argc != 2)
        return 2;
    while (getline(&line, &room, stdin) > 0) {
        int n = split(line);
        if (n < 0) {
            fprintf(stderr, "row %d: quotes\n", rows);
            return 1;
        }
        if (rows++ == 0) {
            wanted = column(argv[1], n);
            if (wanted < 0) {
                fprintf(stderr, "no such column\n");
                return 1;
            }
            continue;
        }
        if (wanted >= n)
            continue;
        char *end;
        long value = strtol(fields[wanted], &end, 10);
        if (*end)
            printf("row %d: not a number\n", rows);
        else
            total += value;
    }
    if (total > 100)
        puts("more than a hundred");
    else
        printf("%ld\n", total);
    free(line);
    return 0;
}
