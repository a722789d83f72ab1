/* Everything that a run may leave behind in its process. The first argument says how the run ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int runs;
static int table[5000];
static int initialised[5] = {1, 2, 3, 4, 5};
static char *kept;
static _Thread_local int local = 7;

static void first(void) { printf("first handler, %d\n", runs); }
static void last(void) { printf("last handler, %zu\n", strlen(kept)); }

static int deep(int n, const char *text) {
    volatile char frame[4096];
    frame[n % 4096] = text[0];
    return n == 0 ? frame[0] : deep(n - 1, text) + frame[n % 4096] % 2;
}

static void leave_things(const char *text) {
    runs++;
    table[(unsigned char)text[0] * 17 % 5000] = runs;
    initialised[text[0] % 5] += 10;
    local++;
    kept = strdup(text);
    char *large = malloc(1 << 20), *small = malloc(200000);
    memset(large, text[0], 1 << 20);
    memset(small, text[0], 200000);
    char *mapped = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped[4096] = text[0];
    strtok(strdup("a b c"), " ");
    setenv("LEFT", text, 1);
    umask(0);
    srand(text[0]);
    setvbuf(stdout, 0, _IOFBF, 1 << 15);
    FILE *made = fopen("made", "w");
    fprintf(made, "%s and %s\n", text, strtok(0, " "));
    if (open("also", O_CREAT | O_WRONLY, 0666) < 0) abort();
    mkdir("directory", 0777);
    if (chdir("directory") < 0) abort();
    errno = ERANGE;
}

static void tell(void) {
    long sum = 0;
    for (int i = 0; i < 5000; i++) sum += table[i] * (long)(i + 1);
    for (int i = 0; i < 5; i++) sum += initialised[i] << i;
    struct stat s;
    printf("%d %ld %d %d %d %s %d ", runs, sum, local, errno, rand(), getenv("LEFT"), umask(022));
    printf("%d %d\n", fstat(3, &s), kept ? kept[0] : -1);
}

/* When the kernel says that this process began. */
static void tell_beginning(void) {
    char text[4096] = "";
    FILE *f = fopen("/proc/self/stat", "r");
    if (f && fread(text, 1, sizeof text - 1, f) > 0) {
        char *word = strtok(strrchr(text, ')') + 1, " ");
        for (int i = 3; i < 22 && word; i++) word = strtok(0, " ");
        puts(word);
    }
}

/* How many pieces of 4 MiB the limit leaves room for. */
static void tell_room(void) {
    int pieces = 0;
    while (pieces < 1000 && malloc(4 << 20)) pieces++;
    printf("%d\n", pieces);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "return";
    if (!strcmp(how, "beginning")) return tell_beginning(), 0;
    if (!strcmp(how, "room")) return tell_room(), 0;
    tell();
    atexit(last);
    leave_things(argc > 2 ? argv[2] : "none");
    atexit(first);
    tell();
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == 'x') fputs("an x\n", stderr);
        printf("%zu %d\n", strlen(line), line[0] > 'm');
    }
    if (!strcmp(how, "deep")) return deep(300, argv[2]) % 100;
    if (!strcmp(how, "exit")) exit(300);
    if (!strcmp(how, "quick")) _exit(4);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "crash")) *(volatile int *)8 = 1;
    if (!strcmp(how, "closed")) { puts("gone"); fclose(stdout); close(1); close(2); }
    if (!strcmp(how, "forever")) for (;;) pause();
    return 3;
}
