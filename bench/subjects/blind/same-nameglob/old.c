/* nameglob PATTERN... : print the lines of standard input that match a
 * shell pattern.  Knows * ? [set] [!set] [a-z] \c and {one,two}. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXPAT 64
#define MAXEXP 256

static char *expanded[MAXEXP];
static int nexpanded;
static int fold_case;

static char *join(const char *a, size_t la, const char *b, size_t lb, const char *c)
{
    size_t lc = strlen(c);
    char *s = malloc(la + lb + lc + 1);

    if (!s)
        exit(3);
    memcpy(s, a, la);
    memcpy(s + la, b, lb);
    memcpy(s + la + lb, c, lc + 1);
    return s;
}

static void expand(const char *pat)
{
    const char *open = pat, *close, *from, *p;
    int depth;

    while (*open && *open != '{') {
        if (*open == '\\' && open[1])
            open++;
        open++;
    }
    depth = 0;
    close = NULL;
    for (p = open; *p; p++) {
        if (*p == '{')
            depth++;
        else if (*p == '}' && --depth == 0) {
            close = p;
            break;
        }
    }
    if (!close) {
        if (nexpanded == MAXEXP) {
            fprintf(stderr, "nameglob: too many alternatives\n");
            exit(2);
        }
        expanded[nexpanded++] = join(pat, strlen(pat), "", 0, "");
        return;
    }
    from = open + 1;
    depth = 0;
    for (p = from; p <= close; p++) {
        if (*p == '{')
            depth++;
        else if (*p == '}' && p != close)
            depth--;
        else if (p == close || (*p == ',' && depth == 0)) {
            char *one = join(pat, (size_t)(open - pat), from, (size_t)(p - from), close + 1);
            expand(one);
            free(one);
            from = p + 1;
        }
    }
}

static int same(int a, int b)
{
    if (fold_case)
        return tolower(a) == tolower(b);
    return a == b;
}

/* *pp points behind the '['.  Returns 1 or 0, or -1 if there is no ']' */
static int in_set(const char **pp, int c)
{
    const char *p = *pp;
    int negate = 0, found = 0, first = 1;

    if (*p == '!' || *p == '^') {
        negate = 1;
        p++;
    }
    for (; *p && (*p != ']' || first); first = 0) {
        int lo = (unsigned char)*p++, hi;

        if (lo == '\\' && *p)
            lo = (unsigned char)*p++;
        hi = lo;
        if (p[0] == '-' && p[1] && p[1] != ']') {
            p++;
            hi = (unsigned char)*p++;
        }
        if (c >= lo && c <= hi)
            found = 1;
        else if (lo == hi && same(c, lo))
            found = 1;
    }
    if (*p != ']')
        return -1;
    *pp = p + 1;
    return found != negate;
}

static int match(const char *p, const char *s)
{
    for (; *p; s++) {
        int r;

        switch (*p) {
        case '*':
            while (*p == '*')
                p++;
            if (*p == '\0')
                return 1;
            for (; *s; s++)
                if (match(p, s))
                    return 1;
            return match(p, s);
        case '?':
            if (!*s)
                return 0;
            p++;
            break;
        case '[':
            if (!*s)
                return 0;
            p++;
            r = in_set(&p, (unsigned char)*s);
            if (r < 0)
                r = *s == '[';
            if (!r)
                return 0;
            break;
        case '\\':
            if (p[1])
                p++;
            /* fall through */
        default:
            if (!same((unsigned char)*p, (unsigned char)*s) || !*s)
                return 0;
            p++;
        }
    }
    return *s == '\0';
}

int main(int argc, char **argv)
{
    char line[256];
    int i = 1, hits = 0;

    if (argc > 1 && strcmp(argv[1], "-i") == 0) {
        fold_case = 1;
        i++;
    }
    if (i >= argc || argc > MAXPAT) {
        fprintf(stderr, "usage: nameglob [-i] pattern...\n");
        return 2;
    }
    for (; i < argc; i++)
        expand(argv[i]);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        for (i = 0; i < nexpanded; i++) {
            if (match(expanded[i], line)) {
                printf("%s\n", line);
                hits++;
                break;
            }
        }
    }
    for (i = 0; i < nexpanded; i++)
        free(expanded[i]);
    return hits ? 0 : 1;
}
