#include <grp.h>
#include <stdio.h>

/* The same. */
int main(int argc, char **argv)
{
    if (argc <= 1)
        return 0;
    long double half = argv[1][0] / 2.0L;
    if (half >= 40.5)
        puts("large");
    if (getgrnam(argv[1]) != NULL)
        puts("a group");
    return 0;
}
