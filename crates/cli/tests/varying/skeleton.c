/* One of the programs that vary: reads numbers and prints a sum; does what varies where there is a `!`.
   Compiled twice: with REFACTORED, the same is calculated in another way. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void);

static unsigned long coin(unsigned sides) {
    unsigned x = 0;
    getrandom(&x, sizeof x, 0);
    return x % sides;
}

static void cat(const char *path) {
    FILE *f = fopen(path, "r");
    for (int c; f && (c = getc(f)) != EOF;)
        putchar(c ? c : '\n');
    if (f)
        fclose(f);
}

static volatile int counter;

static void *thread_prints(void *number) {
    printf("thread %ld\n", (long)number);
    return 0;
}

static void *thread_counts(void *unused) {
    for (int i = 0; i < 20000; i++)
        counter++;
    return unused;
}

static void *thread_first(void *number) {
    if (!counter)
        counter = (int)(long)number;
    return 0;
}

static void *opaque(void *p) {
    __asm__ volatile("" : "+r"(p));
    return p;
}

__attribute__((noinline)) static void dirty(int n) {
    volatile char b[300];
    for (int i = 0; i < 300; i++)
        b[i] = (char)(i * n);
}

__attribute__((noinline)) static void garbage(void) {
    volatile unsigned char b[500];
    volatile unsigned char *p = b;
    for (int i = 0; i < 500; i += 50)
        printf("%02x", p[i]);
    puts("");
}

static void use(void) { (void)cat, (void)coin, (void)thread_prints, (void)thread_counts, (void)thread_first, (void)opaque, (void)dirty, (void)garbage; }

static void vary(void) {
    VARY
}

static int weighted(int sum, int n) {
#ifdef REFACTORED
    for (int i = 0; i < 3; i++)
        sum += n;
    return sum ^ 1;
#else
    sum = sum + n * 3;
    return sum & 1 ? sum - 1 : sum + 1;
#endif
}

int main(void) {
    int c, n = 0, sum = 0, varies = 0;
    use();
    while ((c = getchar()) != EOF && c != '\n') {
        if (c >= '0' && c <= '9') {
            n = (n * 10 + c - '0') % 10000;
        } else {
            sum = weighted(sum, n) % 100000;
            n = 0;
            varies |= c == '!';
        }
    }
    if (varies)
        vary();
    printf("sum %d\n", weighted(sum, n));
    return 0;
}
