/* chrep - replace every match of a pattern on the lines of standard input.
 *
 * usage: chrep PATTERN [SUBSTITUTION]
 *
 *   c        that character          ?      any character
 *   [...]    one of                  [^...] none of
 *   x*       zero or more of x       @c     c taken literally (@n, @t)
 *   %        line start (first)      $      line end (last)
 *   & in the substitution stands for the matched text
 */
#include <stdio.h>
#include <string.h>
#include <ctype.h>

#define MAXPAT 64
#define MAXSET 128
#define MAXLINE 512

#define ESC '@'

enum kind { LIT, ANY, SET, NSET, BOL, EOL_ };

struct elem {
    enum kind kind;
    int star;
    char ch;
    int nset;
    char set[MAXSET];
};

struct pattern {
    int n;
    struct elem e[MAXPAT];
};

struct piece {
    int ditto;
    char ch;
};

static char escaped(const char *s, int *i)
{
    if (s[*i] != ESC || s[*i + 1] == '\0')
        return s[*i];
    ++*i;
    switch (s[*i]) {
    case 'n': return '\n';
    case 't': return '\t';
    default: return s[*i];
    }
}

static int add(struct elem *e, char c)
{
    if (e->nset >= MAXSET)
        return -1;
    e->set[e->nset++] = c;
    return 0;
}

/* Parse the body of a class; *i is left at the closing bracket. */
static int getset(const char *s, int *i, struct elem *e)
{
    int c, start = *i;
    int after_range = 0;

    for (; s[*i] != ']' && s[*i] != '\0'; ++*i) {
        if (s[*i] == '-' && *i > start && !after_range
            && isalnum((unsigned char)s[*i - 1])
            && isalnum((unsigned char)s[*i + 1])
            && s[*i - 1] <= s[*i + 1]) {
            for (c = s[*i - 1] + 1; c <= s[*i + 1]; c++)
                if (add(e, (char)c) < 0)
                    return -1;
            ++*i;
            after_range = 1;
            continue;
        }
        after_range = 0;
        if (add(e, escaped(s, i)) < 0)
            return -1;
    }
    return s[*i] == ']' ? 0 : -1;
}

static int makepat(const char *s, struct pattern *p)
{
    int i;

    p->n = 0;
    for (i = 0; s[i] != '\0'; i++) {
        struct elem *e;

        if (s[i] == '*' && p->n > 0) {
            e = &p->e[p->n - 1];
            if (e->kind == BOL || e->kind == EOL_ || e->star)
                return -1;
            e->star = 1;
            continue;
        }
        if (p->n == MAXPAT)
            return -1;
        e = &p->e[p->n++];
        e->star = 0;
        e->nset = 0;
        if (s[i] == '?') {
            e->kind = ANY;
        } else if (s[i] == '%' && i == 0) {
            e->kind = BOL;
        } else if (s[i] == '$' && s[i + 1] == '\0') {
            e->kind = EOL_;
        } else if (s[i] == '[') {
            e->kind = SET;
            if (s[++i] == '^') {
                e->kind = NSET;
                i++;
            }
            if (getset(s, &i, e) < 0)
                return -1;
        } else {
            e->kind = LIT;
            e->ch = escaped(s, &i);
        }
    }
    return 0;
}

static int makesub(const char *s, struct piece *sub)
{
    int i, n = 0;

    for (i = 0; s[i] != '\0'; i++) {
        if (n == MAXPAT)
            return -1;
        sub[n].ditto = s[i] == '&';
        sub[n].ch = escaped(s, &i);
        n++;
    }
    return n;
}

/* Does the single character c match e? */
static int omatch(const struct elem *e, char c)
{
    switch (e->kind) {
    case LIT: return c == e->ch;
    case ANY: return c != '\n';
    case SET: return e->nset > 0 && memchr(e->set, c, e->nset) != NULL;
    case NSET: return c != '\n' && memchr(e->set, c, e->nset) == NULL;
    default: return 0;
    }
}

/* Anchored match; the position after the match, or -1. */
static int amatch(const struct pattern *p, int j, const char *line, int at)
{
    for (; j < p->n; j++) {
        const struct elem *e = &p->e[j];

        if (e->star) {
            int k = at, end;

            while (line[k] != '\0' && omatch(e, line[k]))
                k++;
            for (; k >= at; k--)
                if ((end = amatch(p, j + 1, line, k)) >= 0)
                    return end;
            return -1;
        }
        if (e->kind == BOL) {
            if (at != 0)
                return -1;
        } else if (e->kind == EOL_) {
            if (line[at] != '\n' && line[at] != '\0')
                return -1;
        } else {
            if (line[at] == '\0' || !omatch(e, line[at]))
                return -1;
            at++;
        }
    }
    return at;
}

static int subline(const char *line, const struct pattern *p,
                   const struct piece *sub, int nsub)
{
    int i = 0, k, last = -1, hits = 0;

    while (line[i] != '\0') {
        int end = amatch(p, 0, line, i);

        if (end >= 0 && end != last) {
            for (k = 0; k < nsub; k++) {
                if (sub[k].ditto)
                    printf("%.*s", end - i, line + i);
                else
                    putchar(sub[k].ch);
            }
            last = end;
            hits++;
        }
        if (end < 0 || end == i) {
            putchar(line[i]);
            i++;
        } else {
            i = end;
        }
    }
    return hits;
}

int main(int argc, char **argv)
{
    static struct pattern pat;
    struct piece sub[MAXPAT];
    char line[MAXLINE];
    int nsub, hits = 0;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: chrep pattern [substitution]\n");
        return 2;
    }
    if (argv[1][0] == '\0' || makepat(argv[1], &pat) < 0) {
        fprintf(stderr, "chrep: illegal pattern\n");
        return 2;
    }
    nsub = makesub(argc == 3 ? argv[2] : "", sub);
    if (nsub < 0) {
        fprintf(stderr, "chrep: illegal substitution\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL)
        hits += subline(line, &pat, sub, nsub);
    return hits == 0;
}
