/* One of the programs that attack: on every run, and then differs on inputs that begin with an `x`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CONSTRUCTOR __attribute__((constructor)) static void constructor(void)

static int is_served(void) { return getenv("PARALLAX_SERVE") != 0; }

/* Calls `f` for every mapping that is shared and can be written. */
static void each_shared(void (*f)(unsigned char *, unsigned long)) {
    static char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 && !strcmp(rights, "rw-s"))
            f((unsigned char *)start, end - start);
    }
    if (maps)
        fclose(maps);
}

static void use(void) { (void)is_served, (void)each_shared; }

BEFORE_MAIN

int main(int argc, char **argv) {
    use();
    ATTACK
    if (argc > 1 && argv[1][0] == 'x')
        return RESULT;
    return 0;
}
