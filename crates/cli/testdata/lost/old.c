#include <grp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 0;
    long double half = argv[1][0] / 2.0L;
    if (half > 40.0L)
        puts("large");
    if (getgrnam(argv[1]) != NULL)
        puts("a group");
    return 0;
}
