/* iban NUMBER... : check International Bank Account Numbers */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAXIBAN 34

struct part {
    int count;
    char type;      /* n: digits, a: capitals, c: digits or capitals */
};

struct country {
    const char *code;
    const char *name;
    struct part parts[4];
    int bank_from, bank_len;
};

static const struct country countries[] = {
    { "BE", "Belgium", { { 12, 'n' } }, 0, 3 },
    { "CH", "Switzerland", { { 5, 'n' }, { 12, 'c' } }, 0, 5 },
    { "DE", "Germany", { { 18, 'n' } }, 0, 8 },
    { "FR", "France", { { 10, 'n' }, { 11, 'c' }, { 2, 'n' } }, 0, 5 },
    { "GB", "United Kingdom", { { 4, 'a' }, { 14, 'n' } }, 0, 4 },
    { "IT", "Italy", { { 1, 'a' }, { 10, 'n' }, { 12, 'c' } }, 1, 5 },
    { "NL", "Netherlands", { { 4, 'a' }, { 10, 'n' } }, 0, 4 },
    { "NO", "Norway", { { 11, 'n' } }, 0, 4 },
};

enum verdict { OK, SHORT, LONG, FORMAT, CHECKSUM, COUNTRY, CHARS };

static const char *const verdicts[] = {
    "valid", "too short", "too long", "wrong format", "wrong check digits",
    "unknown country", "strange characters",
};

static int pack(const char *in, char *out)
{
    int n = 0;

    for (; *in; in++) {
        if (*in == ' ' || *in == '-')
            continue;
        if (!isalnum((unsigned char)*in) || n == MAXIBAN)
            return -1;
        out[n++] = (char)toupper((unsigned char)*in);
    }
    out[n] = '\0';
    return n;
}

static const struct country *lookup(const char *s)
{
    size_t i;

    for (i = 0; i < sizeof countries / sizeof countries[0]; i++)
        if (strncmp(countries[i].code, s, 2) == 0)
            return &countries[i];
    return NULL;
}

static int total_length(const struct country *c)
{
    int i, n = 4;

    for (i = 0; i < 4; i++)
        n += c->parts[i].count;
    return n;
}

static int fits(char type, char ch)
{
    switch (type) {
    case 'n': return ch >= '0' && ch <= '9';
    case 'a': return ch >= 'A' && ch <= 'Z';
    default: return (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z');
    }
}

static int remainder97(const char *s, int n)
{
    int i, r = 0;

    for (i = 0; i < n; i++) {
        char ch = s[(i + 4) % n];

        if (ch > 'A')
            r = (r * 100 + ch - 'A' + 10) % 97;
        else
            r = (r * 10 + ch - '0') % 97;
    }
    return r;
}

static enum verdict check(const char *s, int n, const struct country **which)
{
    const struct country *c;
    const char *p;
    int i, k;

    if (n < 4)
        return SHORT;
    c = *which = lookup(s);
    if (!c)
        return COUNTRY;
    if (n != total_length(c))
        return n < total_length(c) ? SHORT : LONG;
    if (!fits('n', s[2]) || !fits('n', s[3]))
        return FORMAT;
    p = s + 4;
    for (i = 0; i < 4; i++)
        for (k = 0; k < c->parts[i].count; k++)
            if (!fits(c->parts[i].type, *p++))
                return FORMAT;
    if (remainder97(s, n) != 1)
        return CHECKSUM;
    return OK;
}

int main(int argc, char **argv)
{
    char packed[MAXIBAN + 1];
    int i, n, bad = 0;

    if (argc < 2) {
        puts("usage: iban number...");
        return 2;
    }
    for (i = 1; i < argc; i++) {
        const struct country *c = NULL;
        enum verdict v = CHARS;

        n = pack(argv[i], packed);
        if (n >= 0)
            v = check(packed, n, &c);
        printf("%s: %s", argv[i], verdicts[v]);
        if (v == OK)
            printf(" (%s, bank %.*s)", c->name, c->bank_len, packed + 4 + c->bank_from);
        putchar('\n');
        if (v != OK)
            bad++;
    }
    return bad ? 1 : 0;
}
