/* unhuff FILE - unpack a file of canonical Huffman codes
 *
 * layout: 'H' 'F', number of symbols, then for each symbol its character and
 * the length of its code, then the number of characters (2 bytes, big-endian),
 * then the bits, most significant first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXLEN 12
#define MAXSYMS 64

struct symbol {
    int ch;
    int len;
    unsigned code;
};

struct reader {
    const unsigned char *p, *end;
    int bit;
};

static struct symbol syms[MAXSYMS];
static int nsyms;

static void quit(const char *why)
{
    printf("unhuff: %s\n", why);
    exit(1);
}

static int byte(struct reader *r)
{
    if (r->p == r->end)
        quit("file too short");
    return *r->p++;
}

static int bit(struct reader *r)
{
    int b;

    if (r->p == r->end)
        quit("out of bits");
    b = *r->p >> (7 - r->bit) & 1;
    if (++r->bit == 8) {
        r->bit = 0;
        r->p++;
    }
    return b;
}

static int cmp_symbol(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    if (x->len != y->len)
        return x->len - y->len;
    return x->ch - y->ch;
}

static void read_symbols(struct reader *r)
{
    int i;

    nsyms = byte(r);
    if (nsyms < 1 || nsyms > MAXSYMS)
        quit("bad number of symbols");
    for (i = 0; i < nsyms; i++) {
        syms[i].ch = byte(r);
        syms[i].len = byte(r);
        if (syms[i].len < 1 || syms[i].len > MAXLEN)
            quit("bad code length");
    }
    qsort(syms, (size_t)nsyms, sizeof *syms, cmp_symbol);
    for (i = 1; i < nsyms; i++)
        if (syms[i].ch == syms[i - 1].ch && syms[i].len == syms[i - 1].len)
            quit("symbol given twice");
}

static void assign_codes(void)
{
    int count[MAXLEN + 1];
    unsigned next[MAXLEN + 1];
    unsigned code = 0, room = 1u << MAXLEN, used = 0;
    int i, len;

    memset(count, 0, sizeof count);
    for (i = 0; i < nsyms; i++) {
        count[syms[i].len]++;
        used += room >> syms[i].len;
    }
    if (used > room)
        quit("too many codes");
    for (len = 1; len <= MAXLEN; len++) {
        code = (code + (unsigned)count[len - 1]) << 1;
        next[len] = code;
    }
    for (i = 0; i < nsyms; i++)
        syms[i].code = next[syms[i].len]++;
}

static int decode(struct reader *r)
{
    unsigned code = 0;
    int len, i = 0;

    for (len = 1; len <= MAXLEN; len++) {
        code = code << 1 | (unsigned)bit(r);
        for (; i < nsyms && syms[i].len == len; i++)
            if (syms[i].code == code)
                return syms[i].ch;
    }
    quit("unknown code");
    return 0;
}

int main(int argc, char **argv)
{
    unsigned char buf[2048];
    struct reader r;
    FILE *f;
    int n;

    if (argc != 2) {
        fputs("usage: unhuff file\n", stderr);
        return 2;
    }
    f = fopen(argv[1], "rb");
    if (!f) {
        fputs("unhuff: cannot open file\n", stderr);
        return 2;
    }
    r.p = buf;
    r.end = buf + fread(buf, 1, sizeof buf, f);
    r.bit = 0;
    fclose(f);
    if (byte(&r) != 'H' || byte(&r) != 'F')
        quit("bad magic");
    read_symbols(&r);
    n = byte(&r) << 8;
    n |= byte(&r);
    assign_codes();
    while (n-- > 0)
        putchar(decode(&r));
    putchar('\n');
    return 0;
}
