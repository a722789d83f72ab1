/* dis16 - disassembler for a 16-bit machine.
 *
 * usage: dis16 [-b BASE] < words
 *
 * Standard input holds hexadecimal words (1 to 4 digits) separated by blanks.
 * EXT supplies twelve more high bits for the operand of the next instruction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXWORDS 256

enum format { F_NONE, F_RR, F_RI8, F_R, F_IMM16, F_BRANCH, F_EXT, F_MEM };

struct insn {
    unsigned mask, match;
    const char *name;
    enum format format;
};

struct cpu {
    unsigned short word[MAXWORDS];
    int n, pc;
    unsigned base;
    int have_ext;
    unsigned ext;
    int bad;
};

typedef void (*format_fn)(struct cpu *c, unsigned w, char *out, size_t size);

static const struct insn table[] = {
    { 0xffff, 0x0000, "nop",  F_NONE },
    { 0xffff, 0x0001, "ret",  F_NONE },
    { 0xffff, 0x0002, "halt", F_NONE },
    { 0xfff0, 0x0010, "push", F_R },
    { 0xfff0, 0x0020, "pop",  F_R },
    { 0xfff0, 0x0030, "ldi",  F_IMM16 },
    { 0xfff0, 0x0040, "cmpi", F_IMM16 },
    { 0xff00, 0x1000, "mov",  F_RR },
    { 0xff00, 0x1100, "add",  F_RR },
    { 0xff00, 0x1200, "sub",  F_RR },
    { 0xff00, 0x1300, "cmp",  F_RR },
    { 0xf000, 0x2000, "addi", F_RI8 },
    { 0xf000, 0x3000, "andi", F_RI8 },
    { 0xf000, 0x4000, "ld",   F_MEM },
    { 0xf000, 0x5000, "st",   F_MEM },
    { 0xfe00, 0x6000, "bra",  F_BRANCH },
    { 0xfe00, 0x6200, "beq",  F_BRANCH },
    { 0xfe00, 0x6400, "bne",  F_BRANCH },
    { 0xfe00, 0x6600, "call", F_BRANCH },
    { 0xf000, 0xe000, "ext",  F_EXT },
};

static unsigned take_ext(struct cpu *c, unsigned low, int bits)
{
    if (c->have_ext)
        low |= c->ext << bits;
    c->have_ext = 0;
    return low;
}

static void f_none(struct cpu *c, unsigned w, char *out, size_t size)
{
    c->have_ext = 0;
    out[0] = '\0';
}

static void f_rr(struct cpu *c, unsigned w, char *out, size_t size)
{
    c->have_ext = 0;
    snprintf(out, size, "r%u, r%u", w >> 4 & 15, w & 15);
}

static void f_ri8(struct cpu *c, unsigned w, char *out, size_t size)
{
    snprintf(out, size, "r%u, #%u", w >> 8 & 15, take_ext(c, w & 255, 8));
}

static void f_r(struct cpu *c, unsigned w, char *out, size_t size)
{
    c->have_ext = 0;
    snprintf(out, size, "r%u", w & 15);
}

static void f_imm16(struct cpu *c, unsigned w, char *out, size_t size)
{
    if (c->pc >= c->n) {
        snprintf(out, size, "r%u, <missing>", w & 15);
        c->bad++;
        return;
    }
    snprintf(out, size, "r%u, #0x%04x", w & 15, c->word[c->pc++]);
}

static void f_branch(struct cpu *c, unsigned w, char *out, size_t size)
{
    unsigned here = c->base + (unsigned)c->pc;
    unsigned disp;

    if (c->have_ext)
        disp = take_ext(c, w & 0x1ff, 9);
    else
        disp = (w & 0x1ff) - ((w & 0x100) << 1);
    snprintf(out, size, "%05x", (here + disp) & 0xfffff);
}

static void f_ext(struct cpu *c, unsigned w, char *out, size_t size)
{
    c->ext = w & 0xfff;
    c->have_ext = 1;
    snprintf(out, size, "0x%03x", c->ext);
}

static void f_mem(struct cpu *c, unsigned w, char *out, size_t size)
{
    snprintf(out, size, "r%u, [r%u+%u]", w >> 8 & 15, w >> 4 & 15,
             take_ext(c, w & 15, 4));
}

static const format_fn formatters[] = {
    f_none, f_rr, f_ri8, f_r, f_imm16, f_branch, f_ext, f_mem
};

static void decode(struct cpu *c)
{
    unsigned at = c->base + (unsigned)c->pc;
    unsigned w = c->word[c->pc++];
    char operands[48];
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        if ((w & table[i].mask) != table[i].match)
            continue;
        formatters[table[i].format](c, w, operands, sizeof operands);
        printf("%05x  %04x  %-5s%s\n", at & 0xfffff, w, table[i].name,
               operands);
        return;
    }
    c->have_ext = 0;
    c->bad++;
    printf("%05x  %04x  ???\n", at & 0xfffff, w);
}

static int read_words(struct cpu *c)
{
    char tok[16];

    while (scanf("%15s", tok) == 1) {
        size_t i, len = strlen(tok);

        if (len > 4)
            return -1;
        for (i = 0; i < len; i++)
            if (!isxdigit((unsigned char)tok[i]))
                return -1;
        if (c->n == MAXWORDS)
            return -1;
        c->word[c->n++] = (unsigned short)strtoul(tok, NULL, 16);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct cpu c;

    if (argc == 3 && strcmp(argv[1], "-b") == 0) {
        c.base = (unsigned)strtoul(argv[2], NULL, 16) & 0xfffff;
    } else if (argc != 1) {
        fprintf(stderr, "usage: dis16 [-b base]\n");
        return 2;
    }
    if (read_words(&c) < 0) {
        fprintf(stderr, "dis16: bad word %d\n", c.n + 1);
        return 2;
    }
    while (c.pc < c.n)
        decode(&c);
    if (c.bad)
        fprintf(stderr, "dis16: %d undecodable\n", c.bad);
    return c.bad != 0;
}
