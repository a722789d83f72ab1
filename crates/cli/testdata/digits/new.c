/* Two numbers: are they far apart? */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int a, b;
    if (argc != 3)
        return 2;
    a = atoi(argv[1]);
    b = atoi(argv[2]);
    puts(a - b >= 1200 ? "far" : "near");
    return 0;
}
