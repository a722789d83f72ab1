/* Replaces what matches a small pattern (letters, ?, [a-z], x*, ^, $) on every line of standard input. */
#include <stdio.h>
#include <string.h>

enum { MAX_LINE = 256, MAX_PARTS = 32 };
enum kind { LETTER, ANY, CLASS, NOT_CLASS };

struct part {
    enum kind kind;
    int star;
    char letter;
    char set[32];
};

static struct part parts[MAX_PARTS];
static int count, at_start, at_end;

static const char *read_class(const char *p, struct part *part) {
    int n = 0;
    part->kind = *p == '^' ? NOT_CLASS : CLASS;
    if (*p == '^')
        p++;
    while (*p && *p != ']' && n < 30) {
        if (p[1] == '-' && p[2] && p[2] != ']') {
            for (int c = (unsigned char)p[0]; c <= (unsigned char)p[2] && n < 30; c++)
                part->set[n++] = (char)c;
            p += 3;
        } else {
            part->set[n++] = *p++;
        }
    }
    part->set[n] = '\0';
    return *p == ']' ? p + 1 : NULL;
}

static int compile(const char *p) {
    if (*p == '^') {
        at_start = 1;
        p++;
    }
    while (*p && count < MAX_PARTS) {
        struct part *part = &parts[count];
        if (*p == '$' && !p[1]) {
            at_end = 1;
            break;
        }
        if (*p == '*') {
            if (count == 0)
                return 0;
            parts[count - 1].star = 1;
            p++;
            continue;
        }
        count++;
        if (*p == '?') {
            part->kind = ANY;
            p++;
        } else if (*p == '[') {
            p = read_class(p + 1, part);
            if (!p)
                return 0;
        } else {
            part->kind = LETTER;
            part->letter = *p++;
        }
    }
    return 1;
}

static int fits(const struct part *part, char c) {
    if (!c || c == '\n')
        return 0;
    switch (part->kind) {
    case LETTER: return part->letter == c;
    case ANY: return 1;
    case CLASS: return strchr(part->set, c) != NULL;
    default: return strchr(part->set, c) == NULL;
    }
}

/* Length of the match of parts n.. at text, or -1. */
static int match(int n, const char *text) {
    if (n == count)
        return at_end && *text && *text != '\n' ? -1 : 0;
    if (!parts[n].star) {
        int rest = fits(&parts[n], *text) ? match(n + 1, text + 1) : -1;
        return rest < 0 ? -1 : rest + 1;
    }
    int most = 0;
    while (fits(&parts[n], text[most]))
        most++;
    for (; most >= 0; most--) {
        int rest = match(n + 1, text + most);
        if (rest >= 0)
            return rest + most;
    }
    return -1;
}

static void substitute(const char *line, const char *by) {
    for (const char *p = line; *p;) {
        int n = at_start && p != line ? -1 : match(0, p);
        if (n < 0 || (n == 0 && *p == '\n')) {
            putchar(*p++);
            continue;
        }
        for (const char *q = by; *q; q++) {
            if (*q == '&')
                fwrite(p, 1, (size_t)n, stdout);
            else
                putchar(*q);
        }
        if (n == 0)
            putchar(*p++);
        p += n;
    }
}

int main(int argc, char **argv) {
    char line[MAX_LINE];
    if (argc != 3 || !compile(argv[1])) {
        fputs("replace: PATTERN TEXT\n", stderr);
        return 2;
    }
    while (fgets(line, sizeof line, stdin))
        substitute(line, argv[2]);
    return 0;
}
