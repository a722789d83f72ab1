/* class MASS: the weight class of a wrestler. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    double mass = strtod(argv[1], NULL);
    if (mass < 48.25)
        puts("light fly");
    else if (mass <= 62.5)
        puts("feather");
    else if (mass < 91.75)
        puts("middle");
    else
        puts("heavy");
    return 0;
}
