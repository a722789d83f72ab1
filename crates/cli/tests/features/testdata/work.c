/* As many rounds as the first argument says: a loop, calls as deep as that, or processes that do it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

static void deep(long n)
{
    sink += n;
    if (n > 0)
        deep(n - 1);
    sink ^= n;
}

int main(int argc, char **argv)
{
    long n = atol(argv[1]), i;
    if (argc > 2 && argv[2][0] == 'd') {
        for (i = 0; i < n / 1000; i++)
            deep(1000);
    } else if (argc > 2) {
        if (fork() == 0) {
            for (i = 0; i < n; i++)
                sink += i % 7;
            _exit(0);
        }
        wait(NULL);
    } else {
        for (i = 0; i < n; i++)
            sink += i % 7;
    }
    printf("%lu\n", sink);
    return 3;
}
