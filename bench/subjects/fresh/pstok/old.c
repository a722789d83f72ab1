/* pstok - list the tokens of a PostScript program read from stdin */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <errno.h>

#define MAXTOK 256

static int line = 1;
static int unread = -2;
static int brace_depth;

static int next(void)
{
    int c;

    if (unread != -2) {
        c = unread;
        unread = -2;
    } else {
        c = getchar();
    }
    if (c == '\n')
        line++;
    return c;
}

static void back(int c)
{
    if (c == '\n')
        line--;
    unread = c;
}

static int fail(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "pstok: line %d: %s\n", line, what);
    return 1;
}

static int is_delim(int c)
{
    return c == EOF || c == 0 || isspace(c) || strchr("()<>[]{}/%", c) != NULL;
}

static void show(const char *kind, const unsigned char *s, size_t n)
{
    size_t i;

    printf("%d %s ", line, kind);
    for (i = 0; i < n; i++) {
        if (isprint(s[i]) && s[i] != '\\')
            putchar(s[i]);
        else
            printf("\\%03o", s[i]);
    }
    putchar('\n');
}

static int string_token(void)
{
    unsigned char buf[MAXTOK];
    size_t n = 0;
    int depth = 1, c, k, v;

    for (;;) {
        c = next();
        if (c == EOF)
            return fail("unterminated string");
        if (c == '(') {
            depth++;
        } else if (c == ')') {
            if (--depth == 0)
                break;
        } else if (c == '\\') {
            c = next();
            switch (c) {
            case 'n': c = '\n'; break;
            case 't': c = '\t'; break;
            case 'r': c = '\r'; break;
            case 'b': c = '\b'; break;
            case '\n': continue;
            case EOF: return fail("unterminated string");
            default:
                if (c >= '0' && c <= '7') {
                    v = 0;
                    for (k = 0; k < 3 && c >= '0' && c <= '7'; k++) {
                        v = v * 8 + (c - '0');
                        c = next();
                    }
                    back(c);
                    c = v & 0xff;
                }
            }
        }
        if (n >= sizeof buf)
            return fail("limitcheck");
        buf[n++] = (unsigned char)c;
    }
    show("string", buf, n);
    return 0;
}

static int hex_token(void)
{
    unsigned char buf[MAXTOK];
    size_t n = 0;
    int c, half = -1, d;

    while ((c = next()) != '>') {
        if (c == EOF)
            return fail("unterminated hex string");
        if (isspace(c))
            continue;
        if (!isxdigit(c))
            return fail("bad hex digit");
        d = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        if (half < 0) {
            half = d;
            continue;
        }
        if (n >= sizeof buf - 1)
            return fail("limitcheck");
        buf[n++] = (unsigned char)(half << 4 | d);
        half = -1;
    }
    if (half >= 0)
        buf[n++] = (unsigned char)(half << 4);
    show("hex", buf, n);
    return 0;
}

/* base#digits; returns 1 when s is a radix number */
static int radix_number(const char *s, unsigned long *out)
{
    unsigned long v = 0;
    int base = 0, d;

    while (isdigit((unsigned char)*s) && base < 100)
        base = base * 10 + (*s++ - '0');
    if (*s++ != '#' || base < 2 || base > 36 || !*s)
        return 0;
    for (; *s; s++) {
        if (isdigit((unsigned char)*s))
            d = *s - '0';
        else if (isalpha((unsigned char)*s))
            d = tolower((unsigned char)*s) - 'a' + 10;
        else
            return 0;
        if (d >= base)
            return 0;
        v = v * base + d;
        if (v > 0xffffffffUL)
            return 0;
    }
    *out = v;
    return 1;
}

static int word_token(int c)
{
    char buf[MAXTOK], *end;
    size_t n = 0;
    unsigned long u;
    long v;
    int literal = 0;

    if (c == '/') {
        literal = 1;
        c = next();
        if (c == '/') {
            literal = 2;
            c = next();
        }
    }
    while (!is_delim(c)) {
        if (n >= sizeof buf - 1)
            return fail("limitcheck");
        buf[n++] = (char)c;
        c = next();
    }
    back(c);
    buf[n] = '\0';

    if (literal) {
        show(literal == 2 ? "immediate" : "literal", (unsigned char *)buf, n);
        return 0;
    }
    if (radix_number(buf, &u)) {
        printf("%d int %ld\n", line, (long)(int)(unsigned)u);
        return 0;
    }
    errno = 0;
    v = strtol(buf, &end, 10);
    if (n && !*end && !errno) {
        printf("%d int %ld\n", line, v);
        return 0;
    }
    if (n && strspn(buf, "+-.0123456789eE") == n) {
        strtod(buf, &end);
        if (!*end) {
            show("real", (unsigned char *)buf, n);
            return 0;
        }
    }
    show("name", (unsigned char *)buf, n);
    return 0;
}

int main(void)
{
    int c, st = 0;

    while (st == 0 && (c = next()) != EOF) {
        if (isspace(c) || c == 0)
            continue;
        switch (c) {
        case '%':
            while ((c = next()) != EOF && c != '\n')
                ;
            break;
        case '(':
            st = string_token();
            break;
        case ')':
            st = fail("unmatched )");
            break;
        case '<':
            c = next();
            if (c == '<') {
                printf("%d dict-begin\n", line);
            } else {
                back(c);
                st = hex_token();
            }
            break;
        case '>':
            if (next() != '>')
                st = fail("unmatched >");
            else
                printf("%d dict-end\n", line);
            break;
        case '[':
        case ']':
            printf("%d mark %c\n", line, c);
            break;
        case '{':
            printf("%d proc-begin %d\n", line, ++brace_depth);
            break;
        case '}':
            if (brace_depth == 0)
                st = fail("unmatched }");
            else
                printf("%d proc-end %d\n", line, brace_depth--);
            break;
        default:
            st = word_token(c);
        }
    }
    if (st == 0 && brace_depth)
        st = fail("unterminated procedure");
    return st;
}
