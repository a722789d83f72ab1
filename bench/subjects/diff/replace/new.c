/* replace PATTERN SUBSTITUTE: substitutes every match of a simple pattern in the lines of standard input.
 *
 * Patterns: c, ? (any), % (start of line), $ (end of line), [...] and [^...] with ranges, * (closure), @ (escape).
 * Substitutes: & stands for the match, @n and @t for newline and tab.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXPAT 120
#define MAXLINE 400

enum { LITCHAR = 'c', BOL = '%', EOL = '$', ANY = '?', CCL = '[', NCCL = '!', CLOSURE = '*' };
#define ESCAPE '@'
#define DITTO (-1)

static int pattern[MAXPAT];
static int substitute[MAXPAT];
static int pattern_len, substitute_len;

static void fail(const char *why) {
    fprintf(stderr, "replace: %s\n", why);
    exit(1);
}

static void put(int *to, int *len, int c) {
    if (*len >= MAXPAT - 1)
        fail("pattern too long");
    to[(*len)++] = c;
}

static int escaped(const char *text, int *i) {
    if (text[*i] != ESCAPE || text[*i + 1] == '\0')
        return text[*i];
    (*i)++;
    if (text[*i] == 'n')
        return '\n';
    if (text[*i] == 't')
        return '\t';
    return text[*i];
}

static int is_word(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Members of a class up to ']'; a dash between two of the same kind is a range. */
static int expand_class(const char *text, int i, int *to, int *len) {
    int last = -1;
    while (text[i] != '\0' && text[i] != ']') {
        if (text[i] == '-' && last >= 0 && is_word(last) && text[i + 1] != ']' && text[i + 1] != '\0') {
            int upto;
            i++;
            upto = escaped(text, &i);
            for (int c = last + 1; c <= upto && is_word(upto); c++)
                put(to, len, c);
            last = -1;
        } else {
            last = escaped(text, &i);
            put(to, len, last);
        }
        i++;
    }
    if (text[i] != ']')
        fail("missing ]");
    return i;
}

static int make_class(const char *text, int i) {
    int count_at;
    i++;
    if (text[i] == '^') {
        put(pattern, &pattern_len, NCCL);
        i++;
    } else {
        put(pattern, &pattern_len, CCL);
    }
    count_at = pattern_len;
    put(pattern, &pattern_len, 0);
    i = expand_class(text, i, pattern, &pattern_len);
    pattern[count_at] = pattern_len - count_at - 1;
    return i;
}

static void make_closure(int last) {
    if (last < 0 || pattern[last] == BOL || pattern[last] == EOL || pattern[last] == CLOSURE)
        fail("nothing to repeat");
    put(pattern, &pattern_len, 0);
    memmove(pattern + last + 1, pattern + last, sizeof(int) * (size_t)(pattern_len - last - 1));
    pattern[last] = CLOSURE;
}

static void make_pattern(const char *text) {
    int last = -1;
    for (int i = 0; text[i] != '\0'; i++) {
        int at = pattern_len;
        if (text[i] == '?') {
            put(pattern, &pattern_len, ANY);
        } else if (text[i] == '%' && i == 0) {
            put(pattern, &pattern_len, BOL);
        } else if (text[i] == '$' && text[i + 1] == '\0') {
            put(pattern, &pattern_len, EOL);
        } else if (text[i] == '[') {
            i = make_class(text, i);
        } else if (text[i] == '*' && i > 0) {
            make_closure(last);
            at = -1;
        } else {
            put(pattern, &pattern_len, LITCHAR);
            put(pattern, &pattern_len, escaped(text, &i));
        }
        last = at;
    }
}

static void make_substitute(const char *text) {
    for (int i = 0; text[i] != '\0'; i++)
        put(substitute, &substitute_len, text[i] == '&' ? DITTO : escaped(text, &i));
}

static int in_class(int c, int at) {
    for (int k = pattern[at]; k > 0; k--)
        if (pattern[at + k] == c)
            return 1;
    return 0;
}

static int pattern_size(int at) {
    switch (pattern[at]) {
    case LITCHAR: return 2;
    case CCL:
    case NCCL: return pattern[at + 1] + 2;
    default: return 1;
    }
}

/* Matches one element at *i; advances over what it consumed. */
static int match_one(const char *line, int *i, int at) {
    int advance = -1;
    if (line[*i] == '\0')
        return pattern[at] == EOL;
    switch (pattern[at]) {
    case LITCHAR: advance = line[*i] == pattern[at + 1] ? 1 : -1; break;
    case BOL: advance = *i == 0 ? 0 : -1; break;
    case EOL: advance = line[*i] == '\n' ? 0 : -1; break;
    case ANY: advance = line[*i] != '\n' ? 1 : -1; break;
    case CCL: advance = in_class(line[*i], at + 1) ? 1 : -1; break;
    case NCCL: advance = !in_class(line[*i], at + 1) ? 1 : -1; break;
    }
    if (advance < 0)
        return 0;
    *i += advance;
    return 1;
}

/* The end of the match that starts at i, or -1. */
static int match(const char *line, int i, int at) {
    while (at < pattern_len) {
        if (pattern[at] == CLOSURE) {
            int start = i, one = at + 1, rest = one + pattern_size(one);
            while (line[i] != '\0' && match_one(line, &i, one))
                ;
            for (; i >= start; i--) {
                int end = match(line, i, rest);
                if (end >= 0)
                    return end;
            }
            return -1;
        }
        if (!match_one(line, &i, at))
            return -1;
        at += pattern_size(at);
    }
    return i;
}

static void print_substitute(const char *line, int from, int to) {
    for (int k = 0; k < substitute_len; k++) {
        if (substitute[k] == DITTO)
            fwrite(line + from, 1, (size_t)(to - from), stdout);
        else
            putchar(substitute[k]);
    }
}

static void change_line(const char *line) {
    int i = 0, last = -1;
    while (line[i] != '\0') {
        int end = match(line, i, 0);
        if (end >= 0 && last != end) {
            print_substitute(line, i, end);
            last = end;
        }
        if (end == -1 || end == i) {
            putchar(line[i]);
            i++;
        } else {
            i = end;
        }
    }
}

int main(int argc, char **argv) {
    char line[MAXLINE];
    if (argc != 3)
        fail("usage: replace PATTERN SUBSTITUTE");
    make_pattern(argv[1]);
    make_substitute(argv[2]);
    while (fgets(line, sizeof line, stdin))
        change_line(line);
    return 0;
}
