#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%ld.%09ld pid %d at %p\n", (long)now.tv_sec, now.tv_nsec, (int)getpid(), (void *)&now);
    return argc > 2 ? 1 : 0;
}
