#include <stdio.h>

static int first(void)
{
    return 1;
}

static int second(void)
{
    return 2;
}

static int third(void)
{
    return 3;
}

int main(int argc, char **argv)
{
    switch (argc > 1 ? argv[1][0] : 0) {
    case 'a':
        printf("answer %d\n", first());
        break;
    case 'b':
        printf("answer %d\n", second());
        break;
    case 'c':
        printf("answer %d\n", third());
        break;
    }
    return 0;
}
