/* calc "A OP B": one operation on two numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    char *p = argv[1];
    double left = strtod(p, &p);
    while (*p == ' ')
        p++;
    char op = *p ? *p++ : 0;
    double right = strtod(p, &p), result;
    switch (op) {
    case '+': result = left + right; break;
    case '-': result = left - right; break;
    case '*': result = left * right; break;
    case '/': result = left / right; break;
    case '%': result = remainder(left, right); break;
    default: return 1;
    }
    if (result > 1000)
        puts("large");
    printf("%g\n", result);
    return 0;
}
