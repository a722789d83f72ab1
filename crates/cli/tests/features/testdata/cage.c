/* A program that knows how it is run and tries to get out. It makes its system calls itself, so that the instrumenter does not
   see what it does and one process runs many of its test cases. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static long call(long n, long a, long b, long c, long d) {
    register long r10 __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}
enum { FORK = 57, KILL = 62, GETPPID = 110, TIMER_CREATE = 222, PRLIMIT = 302, PIDFD_OPEN = 434, PIDFD_GETFD = 438 };
enum { STOP = 19, CONTINUE = 18 };

static void swap(const char *victim) {
    for (int i = 0; i < 20; i++) {
        char name[20], away[20];
        sprintf(name, "d%d", i);
        sprintf(away, "e%d", i);
        rename(name, away);
        symlink(victim, name);
        unlink(name);
        rename(away, name);
    }
}

static void make_directories(void) {
    for (int i = 0; i < 20; i++) {
        char name[20];
        sprintf(name, "d%d", i);
        mkdir(name, 0700);
        sprintf(name, "d%d/file", i);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
}

static void link_our_directories(const char *victim) {
    const char *ours[] = {"work", "tmp", "io"};
    chdir("..");
    for (int i = 0; i < 3; i++) {
        char away[20];
        sprintf(away, "away%d", i);
        rename(ours[i], away);
        symlink(victim, ours[i]);
    }
}

/* Calls `each` for every piece of memory that is shared with somebody. */
static void each_shared(void (*each)(unsigned char *, unsigned long)) {
    static char text[1 << 16];
    int fd = open("/proc/self/maps", O_RDONLY);
    unsigned long len = 0;
    long got;
    while ((got = read(fd, text + len, sizeof text - 1 - len)) > 0) len += got;
    close(fd);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned long start, end;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 && !strcmp(rights, "rw-s")) each((void *)start, end - start);
    }
}

static unsigned seed;
static void garble(unsigned char *at, unsigned long len) {
    for (unsigned long i = 0; i < len && i < 20000; i++) at[i] = (seed = seed * 1103515245 + 12345) >> 16;
}

/* The page in which a stage says that its run has ended: no error, ended, status 0. */
static void say_ended(unsigned char *at, unsigned long len) {
    if (len == 4096) ((int *)at)[0] = 0, ((int *)at)[1] = 1, ((int *)at)[2] = 0;
}

static void say_not_started(unsigned char *at, unsigned long len) {
    if (len == 4096) ((int *)at)[0] = ENOENT;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "", *victim = argc > 2 ? argv[2] : "";
    if (!strcmp(mode, "ok")) {
        int open_files = 0;
        struct rlimit files;
        for (int fd = 3; fd < 1024; fd++) open_files += fcntl(fd, F_GETFD) >= 0;
        getrlimit(RLIMIT_NOFILE, &files);
        printf("%d open, %ld allowed\n", open_files, (long)files.rlim_cur);
        return 0;
    }
    if (!strcmp(mode, "write")) {
        for (int fd = 3; fd < 1024; fd++) write(fd, "\1\0\0\0\0\0\0\0", 8), ftruncate(fd, 0);
        for (int fd = 0; fd < 1024; fd++) close(fd);
        return 4;
    }
    if (!strcmp(mode, "helper")) {
        make_directories();
        for (int fd = 3; fd < 1024; fd++) write(fd, "\1\0\0\0\0\0\0\0", 8);
        if (call(FORK, 0, 0, 0, 0) == 0)
            for (;;) {
                swap(victim);
                call(KILL, call(GETPPID, 0, 0, 0, 0), CONTINUE, 0, 0);
            }
        usleep(20000);
        return 5;
    }
    if (!strcmp(mode, "links")) {
        link_our_directories(victim);
        return 6;
    }
    if (!strcmp(mode, "forge")) {
        /* This process pretends to end its run, and to begin and end the next ones. */
        for (;;) {
            chdir(getenv("HOME"));
            make_directories();
            swap(victim);
            symlink(victim, "left");
            chdir("..");
            rename("work", "aside");
            symlink(victim, "work");
            each_shared(say_ended);
            call(KILL, getpid(), STOP, 0, 0);
        }
    }
    if (!strcmp(mode, "unstarted")) {
        each_shared(say_not_started);
        call(KILL, getpid(), 9, 0, 0);
    }
    if (!strcmp(mode, "stop")) {
        call(KILL, getpid(), STOP, 0, 0);
        return 7;
    }
    if (!strcmp(mode, "timer")) {
        struct { long value; int signal, notify, thread, rest[11]; } event = {0, CONTINUE, 0};
        long timer = 0;
        return call(TIMER_CREATE, 1, (long)&event, (long)&timer, 0) == -EACCES ? 8 : 1;
    }
    if (!strcmp(mode, "limits")) {
        struct rlimit few = {7, 7};
        long done = call(PRLIMIT, 1, RLIMIT_NOFILE, (long)&few, 0) == 0;
        done += call(PRLIMIT, call(GETPPID, 0, 0, 0, 0), RLIMIT_NOFILE, (long)&few, 0) == 0;
        long server = call(PIDFD_OPEN, call(GETPPID, 0, 0, 0, 0), 0, 0, 0);
        for (int fd = 0; fd < 256; fd++) done += call(PIDFD_GETFD, server, fd, 0, 0) >= 0;
        return done ? 1 : 9;
    }
    if (!strcmp(mode, "garbage")) {
        seed = atoi(victim);
        each_shared(garble);
        return 10;
    }
    return 0;
}
