/* For tests of limits: for some numbers, it ignores signals, leaves children behind, stops itself, or never ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void leave_children(void)
{
    for (int i = 0; i < 5; i++)
        if (fork() == 0) {
            setsid();
            for (;;)
                if (i & 1)
                    sleep(100);
        }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < 65; i++)
        signal(i, SIG_IGN);
    int x = argc > 1 ? atoi(argv[1]) : 1;
    if (x > 3)
        leave_children();
    while (x > 10) {
        if (x > 100)
            sleep(1000);
        else if (x > 50)
            kill(getpid(), SIGSTOP);
    }
    if (x == 7)
        puts("seven");
    printf("%d\n", x);
    return 0;
}
