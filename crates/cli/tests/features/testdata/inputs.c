/* For: every way in which input bytes enter. Each case prints bytes as they came, so that the test can
 * say which byte of which input each of them must be. */
#define OWN_MAIN
#include "cases.h"
#include <fcntl.h>
#include <sys/mman.h>

static char **arguments;

static int opened(void) {
    int fd = open("in.txt", O_RDWR);
    if (fd < 0)
        _exit(1);
    return fd;
}
static void copy(int fd, size_t n) {
    u8 b[64];
    ssize_t r = read(fd, b, n);
    if (r > 0)
        out(b, r);
}
static void next(FILE *f) {
    int c = getc(f);
    if (c != EOF)
        OUT((u8)c);
}

CASE(read, "") { copy(opened(), 4); }
CASE(pread, "") {
    u8 b[3];
    if (pread(opened(), b, 3, 5) == 3)
        out(b, 3);
}
CASE(lseek, "") {
    int fd = opened();
    copy(fd, 2);
    lseek(fd, 6, SEEK_SET);
    copy(fd, 1);
    lseek(fd, -3, SEEK_END);
    copy(fd, 1);
}
CASE(duplicated, "") {
    int fd = opened(), other = dup(fd);
    copy(other, 2);
    copy(fd, 2);
    dup2(fd, 77);
    close(fd);
    copy(77, 1);
}
CASE(reopened, "") {
    copy(opened(), 2);
    copy(opened(), 3);
    FILE *f = freopen("in.txt", "r", stdin);
    next(f);
    next(f);
}
CASE(another_name, "") {
    if (link("in.txt", "other") || symlink("other", "third"))
        _exit(1);
    copy(open("third", O_RDONLY), 3);
}
CASE(stream, "") {
    FILE *f = fopen("in.txt", "r");
    next(f);
    next(f);
    u8 b[3];
    if (fread(b, 1, 3, f) == 3)
        out(b, 3);
}
CASE(stream_moved, "") {
    FILE *f = fopen("in.txt", "r");
    next(f);
    fseek(f, 4, SEEK_SET);
    next(f);
    fseek(f, 1, SEEK_CUR);
    next(f);
    rewind(f);
    next(f);
    fseek(f, -1, SEEK_END);
    next(f);
}
CASE(pushed_back, "") {
    FILE *f = fopen("in.txt", "r");
    int first = getc(f), second = getc(f);
    ungetc(second, f);
    ungetc(first, f);
    next(f);
    next(f);
    next(f);
}
CASE(unbuffered, "") {
    FILE *f = fopen("in.txt", "r");
    setvbuf(f, 0, _IONBF, 0);
    next(f);
    next(f);
    FILE *g = fdopen(dup(fileno(f)), "r");
    next(g);
}
CASE(mapped, "") {
    u8 *p = mmap(0, 8, PROT_READ, MAP_PRIVATE, opened(), 0);
    if (p == MAP_FAILED)
        _exit(1);
    out(p + 2, 4);
    munmap(p, 8);
}
CASE(standard_input, "") {
    copy(0, 2);
    next(stdin);
    next(stdin);
}
CASE(dev_stdin, "") { copy(open("/dev/stdin", O_RDONLY), 3); }
CASE(dash, "") {
    FILE *f = strcmp(arguments[2], "-") == 0 ? stdin : fopen(arguments[2], "r");
    next(f);
    next(f);
}
CASE(argument, "") { out(arguments[2], strlen(arguments[2])); }
CASE(terminator, "") { out(arguments[2] + 2, 1); }
CASE(environment, "") {
    const char *v = getenv("VALUE");
    if (v)
        out(v, 3);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "VALUE=", 6) == 0)
            out(*e, 8);
}
CASE(to_the_end, "") {
    FILE *f = fopen("in.txt", "r");
    while (getc(f) != EOF)
        ;
    u8 b[4];
    while (read(0, b, 4) > 0)
        ;
}
/* The same bytes are written that were there: they are the program's now. */
CASE(overwritten, "") {
    int fd = opened();
    if (pwrite(fd, "ab", 2, 0) != 2 || write(fd, "abc", 3) != 3)
        _exit(1);
    lseek(fd, 0, SEEK_SET);
    copy(fd, 4);
}
CASE(overwritten_through_a_stream, "") {
    FILE *f = fopen("in.txt", "r+");
    fputs("abc", f);
    fclose(f);
    copy(opened(), 3);
}

int main(int argc, char **argv) {
    arguments = argv;
    for (int i = 0; i < case_count; i++)
        if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    return 98;
}
