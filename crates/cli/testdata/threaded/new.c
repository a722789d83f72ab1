/* For: an interpreter whose loop is computed gotos; one instruction is changed. Code is read from standard input. */
#include <stdio.h>

static int run(const unsigned char *code, int n) {
    static void *const to[] = {&&stop, &&push, &&add, &&swap, &&negate};
    int stack[16] = {0};
    int top = 0;
#define NEXT goto *to[n-- > 0 && *code >= 'a' && *code <= 'e' ? *code++ - 'a' : 0]
    NEXT;
push:
    if (top < 14)
        stack[++top] = n;
    NEXT;
add:
    if (top > 1) {
        stack[top - 1] += stack[top];
        top--;
    }
    NEXT;
swap:
    if (top > 1) {
        int x = stack[top];
        stack[top] = stack[top - 1];
        stack[top - 1] = x;
    }
    NEXT;
negate:
    stack[top] = top > 2 ? stack[top] : -stack[top];
    NEXT;
stop:
    return stack[top];
}

int main(void) {
    unsigned char code[64];
    int n = (int)fread(code, 1, sizeof code, stdin);
    printf("%d\n", run(code, n));
    return 0;
}
