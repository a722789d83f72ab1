/* circle X Y R: where is a point? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    double x = atof(argv[1]), y = atof(argv[2]), radius = atof(argv[3]);
    if (radius <= 0)
        return 1;
    double distance = sqrt(x * x + y * y);
    if (x > 0 && y > 0 && distance < radius)
        puts("inside");
    else
        puts("outside");
    return 0;
}
