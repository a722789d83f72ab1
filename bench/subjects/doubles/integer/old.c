/* cents AMOUNT: an amount as an integer of cents. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    double value = atof(argv[1]);
    long cents = (long)(value * 100);
    if (cents % 1000 == 29)
        puts("odd");
    printf("%ld\n", cents / 10);
    return 0;
}
