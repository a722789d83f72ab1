/* For `parallax record`: counts lines of standard input, or with options does one thing with a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count(FILE *in) {
    int lines = 0, c;
    while ((c = getc(in)) != EOF)
        lines += c == '\n';
    printf("%d\n", lines);
    return lines > 9;
}

/* One line of standard input, and not a byte more. */
static int first_line(void) {
    char c;
    while (read(0, &c, 1) == 1 && c != '\n')
        putchar(c);
    putchar('\n');
    return 0;
}

int main(int argc, char **argv) {
    const char *mode = getenv("PROG_MODE");
    if (mode)
        printf("mode %s\n", mode);
    if (argc < 2)
        return count(stdin);
    if (!strcmp(argv[1], "-1"))
        return first_line();
    if (!strcmp(argv[1], "-s"))
        return sleep(600);
    if (argc < 3)
        return 2;
    if (!strcmp(argv[1], "-w")) {
        FILE *out = fopen(argv[2], "w");
        return !out || fputs("written\n", out) < 0 || fclose(out);
    }
    FILE *in = fopen(argv[2], "r");
    if (!in) {
        fprintf(stderr, "%s: %s: cannot be opened\n", argv[0], argv[2]);
        return 2;
    }
    return count(in);
}
