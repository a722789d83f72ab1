/* price AMOUNT: an amount rounded to cents. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    char *end;
    double price = strtod(argv[1], &end);
    if (end == argv[1] || *end != '\0' || price < 0 || price > 1e6)
        return 1;
    double cents = floor(price * 100 + 0.5) / 100;
    printf("%.2f\n", cents);
    return 0;
}
