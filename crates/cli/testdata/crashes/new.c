#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc >= 0)
        abort();
    return 0;
}
