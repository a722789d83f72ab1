/* share PART WHOLE: a share in percent, and whether it is a tenth. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    long part = atol(argv[1]), whole = atol(argv[2]);
    if (whole <= 0 || part < 0)
        return 1;
    double share = (double)part / whole;
    if (share == 0.7)
        puts("seven tenths");
    else if (share > 0.5)
        puts("more than half");
    else
        puts("less");
    return 0;
}
