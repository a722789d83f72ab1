/* near A B: are two measurements the same? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    double a = atof(argv[1]), b = atof(argv[2]);
    puts(fabs(a - b) < 0.01 ? "same" : "different");
    return 0;
}
