/* An option whose argument is one of three words, and which matters only beside another option and with repeated lines. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum mode { NONE, BEFORE, BETWEEN };

static int mode_of(const char *word)
{
    static const char *const words[] = {"none", "before", "between"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    int mode = NONE, repeated = 0, c, seen = 0;
    char line[32], last[32] = "";
    while ((c = getopt(argc, argv, "cdm:n:")) != -1) {
        switch (c) {
        case 'd': repeated = 1; break;
        case 'm': mode = mode_of(optarg); break;
        case 'c': case 'n': break;
        default: return 2;
        }
    }
    if (mode < 0)
        return 2;
    while (fgets(line, sizeof line, stdin)) {
        if (repeated && strcmp(line, last) == 0) {
            if (mode == BEFORE || (mode == BETWEEN && seen))
                puts("--");
            seen = 1;
            fputs(line, stdout);
        }
        strcpy(last, line);
    }
    return 0;
}
