/* A counter with a memory: save, add, restore, print. */
#include <stdio.h>
#include <string.h>

static int value, saved[8], depth;

static int command(const char *word)
{
    if (strcmp(word, "save") == 0)
        saved[depth++ & 7] = value;
    else if (strcmp(word, "add") == 0)
        value++;
    else if (strcmp(word, "restore") == 0 && depth > 0)
        value = saved[--depth & 7];
    else if (strcmp(word, "print") == 0)
        printf("%d\n", value);
    else
        return 0;
    return 1;
}

int main(void)
{
    char line[64];

    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (!command(line))
            puts("what?");
    }
    return 0;
}
