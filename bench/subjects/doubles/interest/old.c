/* interest BEFORE AFTER: the rate, and whether it is usury. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    double before = atof(argv[1]), after = atof(argv[2]);
    if (!(before >= 100.0))
        return 1;
    double rate = after / before - 1;
    if (rate > 0.075 && rate < 0.08)
        puts("usury");
    else
        puts("fine");
    return 0;
}
