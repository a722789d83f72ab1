/* temp VALUE[CFK]: degrees of all kinds, and a warning. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    char *unit;
    double value = strtod(argv[1], &unit), celsius;
    switch (*unit) {
    case 'C': celsius = value; break;
    case 'F': celsius = (value - 32) * 5 / 9; break;
    case 'K': celsius = value - 273.15; break;
    default: return 1;
    }
    if (celsius < -273.15)
        return 1;
    printf("%.1fC %.1fF %.1fK\n", celsius, celsius * 9 / 5 + 32, celsius + 273.15);
    if (celsius > 37.1 && celsius < 42.0)
        puts("fever");
    return 0;
}
