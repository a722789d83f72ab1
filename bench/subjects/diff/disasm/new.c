/* Disassembles the code on standard input for a small eight-bit processor, with tables for all 256 opcodes. */
#include <stdio.h>
#include <stdlib.h>

enum mode { NONE, IMM8, IMM16, ABS, ZERO, ZEROX, REL, IND, REGS, BITNO };

static const unsigned char lengths[] = {1, 2, 3, 3, 2, 2, 2, 3, 2, 3};

static const char *mnemonics[] = {"???", "nop", "mov", "add", "adc", "sub", "sbb", "and", "or",  "xor", "cmp",
                                  "inc", "dec", "jmp", "jsr", "ret", "bra", "beq", "bne", "bcs", "bcc", "bmi",
                                  "bpl", "push", "pop", "bset", "bclr", "btst", "swi", "rti", "hlt", "shl", "shr"};

struct entry {
    unsigned char name;
    unsigned char mode;
};

/* Rows of the table: the high half of the opcode chooses the operation, the low half the operands. */
static const unsigned char rows[16] = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 0, 0, 0};
static const unsigned char columns[16] = {IMM8, IMM16, ABS,  ZERO, ZEROX, REGS, NONE, NONE,
                                          NONE, NONE,  NONE, NONE, NONE,  NONE, NONE, NONE};

static const struct entry irregular[96] = {
    [0x00] = {1, NONE},   [0x01] = {28, IMM8},  [0x02] = {29, NONE},  [0x03] = {15, NONE},  [0x0f] = {30, NONE},
    [0x10] = {11, ZERO},  [0x11] = {11, ABS},   [0x12] = {12, ZERO},  [0x13] = {12, ABS},   [0x14] = {11, ZEROX},
    [0x15] = {12, ZEROX}, [0x20] = {13, ABS},   [0x21] = {13, IND},   [0x22] = {14, ABS},   [0x23] = {14, IND},
    [0x28] = {16, REL},   [0x29] = {17, REL},   [0x2a] = {18, REL},   [0x2b] = {19, REL},   [0x2c] = {20, REL},
    [0x2d] = {21, REL},   [0x2e] = {22, REL},   [0x30] = {23, REGS},  [0x31] = {24, REGS},  [0x40] = {25, BITNO},
    [0x41] = {26, BITNO}, [0x42] = {27, BITNO}, [0x50] = {31, ZERO},  [0x51] = {32, ZERO},  [0x52] = {31, ABS},
    [0x53] = {32, ABS},
};

static unsigned char code[1024];
static unsigned size;
static unsigned origin = 0x100;

static struct entry decode(unsigned opcode) {
    struct entry e = {0, NONE};
    if (opcode >= 0x10 && opcode < 0xa0) {
        e.name = rows[opcode >> 4];
        e.mode = columns[opcode & 15];
        if ((opcode & 15) > 5)
            e.name = 0;
    } else {
        e = irregular[opcode < 0x10 ? opcode : opcode - 0xa0];
    }
    return e;
}

static unsigned word(unsigned at) {
    return code[at] | (unsigned)code[at + 1] << 8;
}

static void registers(unsigned pair) {
    static const char names[] = "abcdxysp";
    printf(" %c,%c", names[pair >> 4 & 7], names[pair & 7]);
    if (pair & 0x88)
        printf(" ; reserved bits %02x", pair & 0x88);
}

static void operands(enum mode mode, unsigned at) {
    unsigned target;
    switch (mode) {
    case NONE: break;
    case IMM8: printf(" #$%02x", code[at + 1]); break;
    case IMM16: printf(" #$%04x", word(at + 1)); break;
    case ABS: printf(" $%04x", word(at + 1)); break;
    case ZERO: printf(" $%02x", code[at + 1]); break;
    case ZEROX: printf(" $%02x,x", code[at + 1]); break;
    case IND: printf(" ($%04x)", word(at + 1)); break;
    case REGS: registers(code[at + 1]); break;
    case BITNO: printf(" %u,$%02x", code[at + 1] & 7, code[at + 2]); break;
    case REL:
        target = origin + at + 2 + (unsigned)(int)(signed char)code[at + 1];
        printf(" $%04x", target & 0xffff);
        if (target < origin || target > origin + size)
            printf(" ; outside");
        break;
    }
}

int main(void) {
    unsigned at = 0, unknown = 0;
    size = (unsigned)fread(code, 1, sizeof code - 3, stdin);
    while (at < size) {
        struct entry e = decode(code[at]);
        unsigned len = lengths[e.mode];
        if (at + len > size) {
            printf("%04x  truncated\n", origin + at);
            return 1;
        }
        printf("%04x  %s", origin + at, mnemonics[e.name]);
        if (e.name == 0) {
            printf(" $%02x", code[at]);
            unknown++;
        } else {
            operands((enum mode)e.mode, at);
        }
        putchar('\n');
        at += e.name == 0 ? 1 : len;
    }
    if (unknown)
        printf("; %u unknown\n", unknown);
    return 0;
}
