/* wren - show how names would be renamed by a wildcard rule
 *
 * usage: wren [-v] FROM TO NAME...
 *
 * FROM may hold  *  ?  [set]  [!set]  and \x; every wildcard is a capture.
 * TO   may hold  #N (capture N), #lN (lower case), #uN (upper case), ## .
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXCAP 9
#define MAXOUT 512

struct cap {
    const char *start;
    size_t len;
};

struct matcher {
    struct cap cap[MAXCAP];
    int ncap;
    int steps;
};

static int push_cap(struct matcher *m, const char *s, size_t len)
{
    if (m->ncap >= MAXCAP)
        return -1;
    m->cap[m->ncap].start = s;
    m->cap[m->ncap].len = len;
    return m->ncap++;
}

/* parse a [set] at p; *endp is set behind it; returns 1 match, 0 no, -1 bad */
static int match_set(const char *p, char c, const char **endp)
{
    int neg = 0, hit = 0, first = 1;

    p++;
    if (*p == '!') {
        neg = 1;
        p++;
    }
    while (*p && (first || *p != ']')) {
        first = 0;
        if (p[1] == '-' && p[2] && p[2] != ']') {
            if ((unsigned char)c >= (unsigned char)p[0]
                && (unsigned char)c <= (unsigned char)p[2])
                hit = 1;
            p += 3;
        } else {
            if (*p == c)
                hit = 1;
            p++;
        }
    }
    if (*p != ']')
        return -1;
    *endp = p + 1;
    return hit != neg;
}

static int match(struct matcher *m, const char *p, const char *s)
{
    const char *next;
    size_t len;
    int slot, r;

    for (; *p; ) {
        if (++m->steps > 20000)
            return 0;
        switch (*p) {
        case '*':
            while (p[1] == '*')
                p++;
            slot = push_cap(m, s, 0);
            if (slot < 0)
                return 0;
            for (len = strlen(s) + 1; len-- > 0; ) {
                m->cap[slot].len = len;
                if (match(m, p + 1, s + len))
                    return 1;
            }
            return 0;
        case '?':
            if (!*s || push_cap(m, s, 1) < 0)
                return 0;
            p++;
            s++;
            break;
        case '[':
            if (!*s)
                return 0;
            r = match_set(p, *s, &next);
            if (r <= 0 || push_cap(m, s, 1) < 0)
                return 0;
            p = next;
            s++;
            break;
        case '\\':
            if (p[1])
                p++;
            /* fall through */
        default:
            if (*p != *s)
                return 0;
            p++;
            s++;
        }
    }
    return *s == '\0';
}

struct out {
    char buf[MAXOUT];
    size_t n;
    int overflow;
};

static void emit(struct out *o, int c)
{
    if (o->n + 1 >= sizeof o->buf) {
        o->overflow = 1;
        return;
    }
    o->buf[o->n++] = (char)c;
    o->buf[o->n] = '\0';
}

static int substitute(const struct matcher *m, const char *to, struct out *o)
{
    size_t i;

    o->n = 0;
    o->overflow = 0;
    o->buf[0] = '\0';
    for (; *to; to++) {
        int mode = 0, k;

        if (*to != '#') {
            emit(o, *to);
            continue;
        }
        to++;
        if (*to == '#') {
            emit(o, '#');
            continue;
        }
        if (*to == 'l' || *to == 'u')
            mode = *to++;
        if (*to < '1' || *to > '9') {
            fprintf(stderr, "wren: bad # in replacement\n");
            return -1;
        }
        k = *to - '1';
        if (k >= m->ncap) {
            fprintf(stderr, "wren: no capture %d\n", k + 1);
            return -1;
        }
        for (i = 0; i < m->cap[k].len; i++) {
            int c = (unsigned char)m->cap[k].start[i];

            if (mode == 'l')
                c = tolower(c);
            else if (mode == 'u')
                c = toupper(c);
            emit(o, c);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct matcher m;
    struct out o;
    int i, a = 1, verbose = 0, st = 1;

    if (a < argc && strcmp(argv[a], "-v") == 0) {
        verbose = 1;
        a++;
    }
    if (argc - a < 3) {
        fprintf(stderr, "usage: wren [-v] FROM TO NAME...\n");
        return 2;
    }
    for (i = a + 2; i < argc; i++) {
        memset(&m, 0, sizeof m);
        if (!match(&m, argv[a], argv[i])) {
            if (verbose)
                printf("%s: no match\n", argv[i]);
            continue;
        }
        if (substitute(&m, argv[a + 1], &o) < 0)
            return 2;
        if (o.overflow || o.n == 0 || strchr(o.buf, '/')) {
            fprintf(stderr, "wren: %s: result not usable\n", argv[i]);
            return 2;
        }
        if (strcmp(o.buf, argv[i]) == 0)
            continue;
        printf("%s -> %s\n", argv[i], o.buf);
        st = 0;
    }
    return st;
}
