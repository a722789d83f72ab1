/* One of everything that the loader must get right: structures, enums, tables with addresses, switches, pointers to functions. */
#include <setjmp.h>
#include <stdlib.h>

enum color { RED, GREEN = 5, BLUE = -3 };

typedef struct { char text[8]; long length; } name_t;

struct option {
    int flag;
    enum color color;
    name_t name;
    unsigned small : 3, rest : 5;
    struct option *next;
};

static int first(struct option *o, int by) { return o->flag + by; }
static int second(struct option *o, int by) { return o->flag - by; }

static int (*const handlers[2])(struct option *, int) = {first, second};
static struct option table[3] = {{1, GREEN, {"abc", 3}, 2, 1, &table[1]}};
extern int elsewhere;
static jmp_buf back;

int pick(struct option *chosen, int amount)
{
    switch (chosen->color) {
    case RED:
        return handlers[amount & 1](chosen, amount);
    case BLUE:
        return chosen->name.length;
    default:
        return table[amount].name.text[2];
    }
}

static void leave(int status) __attribute__((noreturn));
static void leave(int status) { exit(status); }

int main(int argc, char **argv)
{
    int total = 0;
    if (setjmp(back))
        return 1;
    for (int i = 0; i < argc; i++)
        total += pick(&table[i % 3], elsewhere);
    if (total > 7)
        leave(total);
    __asm__ volatile("nop" ::: "memory");
    __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
    return total;
}

__attribute__((constructor)) static void before(void) { table[2].flag = 9; }
