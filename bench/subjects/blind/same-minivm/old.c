/* minivm: runs a program for an eight-bit machine, given as four-digit hex
 * words on standard input ( '#' starts a comment ).
 *
 *   0000 stop      1aaa jump      2aaa call      00ee return
 *   3xnn skip if equal            4xnn skip if different
 *   6xnn load      7xnn add       8xyo arithmetic
 *   axnn store x at nn            bxnn fetch x from nn    fx00 print x */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 256
#define STACK 8
#define STEPS 2000

struct machine {
    uint16_t code[WORDS];
    int ncode;
    uint8_t v[16];
    uint8_t mem[256];
    int stack[STACK];
    int sp, pc;
    int running;
};

typedef void handler(struct machine *m, unsigned op);

static struct machine vm;

static void trap(const struct machine *m, const char *why)
{
    printf("trap at %d: %s\n", m->pc - 1, why);
    exit(1);
}

#define X(op) ((op) >> 8 & 15)
#define Y(op) ((op) >> 4 & 15)

static void op_sys(struct machine *m, unsigned op)
{
    if (op == 0)
        m->running = 0;
    else if (op == 0xee) {
        if (m->sp == 0)
            trap(m, "empty stack");
        m->pc = m->stack[--m->sp];
    } else
        trap(m, "bad system call");
}

static void op_jump(struct machine *m, unsigned op)
{
    m->pc = op & 0xfff;
}

static void op_call(struct machine *m, unsigned op)
{
    if (m->sp == STACK)
        trap(m, "stack full");
    m->stack[m->sp++] = m->pc;
    m->pc = op & 0xfff;
}

static void op_skip_eq(struct machine *m, unsigned op)
{
    if (m->v[X(op)] == (op & 0xff))
        m->pc++;
}

static void op_skip_ne(struct machine *m, unsigned op)
{
    if (m->v[X(op)] != (op & 0xff))
        m->pc++;
}

static void op_load(struct machine *m, unsigned op)
{
    m->v[X(op)] = op & 0xff;
}

static void op_add(struct machine *m, unsigned op)
{
    m->v[X(op)] += op & 0xff;
}

static void op_arith(struct machine *m, unsigned op)
{
    uint8_t *x = &m->v[X(op)];
    uint8_t a = *x, b = m->v[Y(op)];
    int flag = m->v[15];

    switch (op & 15) {
    case 0: *x = b; break;
    case 1: *x = a | b; break;
    case 2: *x = a & b; break;
    case 3: *x = a ^ b; break;
    case 4: *x = a + b; flag = a + b > 255; break;
    case 5: *x = a - b; flag = a >= b; break;
    case 6: *x = b >> 1; flag = b & 1; break;
    case 7: *x = b - a; flag = b >= a; break;
    case 14: *x = b << 1; flag = b >> 7; break;
    default: trap(m, "bad arithmetic");
    }
    m->v[15] = (uint8_t)flag;
}

static void op_store(struct machine *m, unsigned op)
{
    m->mem[op & 0xff] = m->v[X(op)];
}

static void op_fetch(struct machine *m, unsigned op)
{
    m->v[X(op)] = m->mem[op & 0xff];
}

static void op_print(struct machine *m, unsigned op)
{
    if (op & 0xff)
        trap(m, "bad device");
    printf("%d\n", m->v[X(op)]);
}

static void op_bad(struct machine *m, unsigned op)
{
    (void)op;
    trap(m, "bad instruction");
}

static handler *const table[16] = {
    op_sys, op_jump, op_call, op_skip_eq, op_skip_ne, op_bad, op_load, op_add,
    op_arith, op_bad, op_store, op_fetch, op_bad, op_bad, op_bad, op_print,
};

static int read_program(struct machine *m)
{
    int c, digits = 0;
    unsigned word = 0;

    while ((c = getchar()) != EOF) {
        if (c == '#') {
            while (c != EOF && c != '\n')
                c = getchar();
        } else if (isxdigit(c)) {
            word = word << 4 | (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
            if (++digits == 4) {
                if (m->ncode == WORDS)
                    return 0;
                m->code[m->ncode++] = (uint16_t)word;
                digits = 0;
                word = 0;
            }
        } else if (!isspace(c) || digits)
            return 0;
    }
    return digits == 0;
}

int main(void)
{
    int steps;

    if (!read_program(&vm)) {
        printf("bad program\n");
        return 2;
    }
    vm.running = 1;
    for (steps = 0; vm.running && steps < STEPS; steps++) {
        unsigned op;

        if (vm.pc >= vm.ncode)
            break;
        op = vm.code[vm.pc++];
        table[op >> 12](&vm, op);
    }
    if (steps == STEPS) {
        printf("out of time\n");
        return 1;
    }
    printf("%d steps\n", steps);
    return 0;
}
