/* numbers: prints an array of JSON numbers, whole ones without a point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char text[256];
    size_t n = fread(text, 1, sizeof text - 1, stdin);
    text[n] = '\0';
    char *p = text;
    while (*p == ' ')
        p++;
    if (*p++ != '[')
        return 1;
    for (;;) {
        char *end;
        double value = strtod(p, &end);
        if (end == p)
            return 1;
        if (value == floor(value) && fabs(value) < 1e5 && !(value > 1e15))
            printf("%.0f", value);
        else
            printf("%.17g", value);
        p = end;
        if (*p == ']')
            break;
        if (*p++ != ',')
            return 1;
        putchar(',');
    }
    putchar('\n');
    return 0;
}
