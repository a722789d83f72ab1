/* store: a stock keeper that obeys commands from standard input */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXARGS 4

struct item {
    char name[16];
    int stock;
    int reserved;
    int minimum;
    struct item *next;
};

struct command {
    const char *name;
    int argc;
    int (*run)(char **argv);
    const char *help;
};

static struct item *items;
static int failures;

static struct item *find(const char *name)
{
    struct item *it;

    for (it = items; it; it = it->next)
        if (strcmp(it->name, name) == 0)
            return it;
    printf("no item %s\n", name);
    return NULL;
}

static int amount(const char *s)
{
    int v = 0;

    if (!*s)
        return -1;
    for (; *s; s++) {
        if (*s < '0' || *s > '9' || v > 10000)
            return -1;
        v = v * 10 + *s - '0';
    }
    return v;
}

static int cmd_new(char **argv)
{
    struct item **pp = &items, *it;

    while (*pp && strcmp((*pp)->name, argv[0]) < 0)
        pp = &(*pp)->next;
    if (*pp && strcmp((*pp)->name, argv[0]) == 0) {
        printf("%s exists\n", argv[0]);
        return 0;
    }
    it = calloc(1, sizeof *it);
    if (!it)
        exit(3);
    snprintf(it->name, sizeof it->name, "%s", argv[0]);
    it->next = *pp;
    *pp = it;
    return 1;
}

static int cmd_add(char **argv)
{
    struct item *it = find(argv[0]);
    int n = amount(argv[1]);

    if (!it || n < 0)
        return 0;
    it->stock += n;
    return 1;
}

static int cmd_take(char **argv)
{
    struct item *it = find(argv[0]);
    int n = amount(argv[1]);

    if (!it || n < 0)
        return 0;
    if (n > it->stock) {
        printf("only %d %s to take\n", it->stock - it->reserved, it->name);
        return 0;
    }
    it->stock -= n;
    if (it->stock < it->minimum)
        printf("order %d %s\n", it->minimum * 2 - it->stock, it->name);
    return 1;
}

static int cmd_reserve(char **argv)
{
    struct item *it = find(argv[0]);
    int n = amount(argv[1]);

    if (!it || n < 0 || n > it->stock - it->reserved)
        return 0;
    it->reserved += n;
    return 1;
}

static int cmd_ship(char **argv)
{
    struct item *it = find(argv[0]);
    int n = amount(argv[1]);

    if (!it || n < 0 || n > it->reserved)
        return 0;
    it->reserved -= n;
    it->stock -= n;
    if (it->stock < it->minimum)
        printf("order %d %s\n", it->minimum * 2 - it->stock, it->name);
    return 1;
}

static int cmd_min(char **argv)
{
    struct item *it = find(argv[0]);
    int n = amount(argv[1]);

    if (!it || n < 0)
        return 0;
    it->minimum = n;
    return 1;
}

static int cmd_list(char **argv)
{
    struct item *it;

    (void)argv;
    for (it = items; it; it = it->next) {
        printf("%-15s %5d", it->name, it->stock);
        if (it->reserved)
            printf(" (%d reserved)", it->reserved);
        putchar('\n');
    }
    return 1;
}

static int cmd_help(char **argv);

static const struct command commands[] = {
    { "new", 1, cmd_new, "name" },
    { "add", 2, cmd_add, "name amount" },
    { "take", 2, cmd_take, "name amount" },
    { "reserve", 2, cmd_reserve, "name amount" },
    { "ship", 2, cmd_ship, "name amount" },
    { "min", 2, cmd_min, "name amount" },
    { "list", 0, cmd_list, "" },
    { "help", 0, cmd_help, "" },
};

#define NCOMMANDS (sizeof commands / sizeof commands[0])

static int cmd_help(char **argv)
{
    size_t i;

    (void)argv;
    for (i = 0; i < NCOMMANDS; i++)
        printf("%s %s\n", commands[i].name, commands[i].help);
    return 1;
}

static void obey(char *line)
{
    char *word[MAXARGS + 1];
    int n = 0;
    size_t i;
    char *p;

    for (p = strtok(line, " \t\n"); p && n <= MAXARGS; p = strtok(NULL, " \t\n"))
        word[n++] = p;
    if (n == 0 || word[0][0] == '#')
        return;
    for (i = 0; i < NCOMMANDS; i++) {
        if (strcmp(commands[i].name, word[0]) != 0)
            continue;
        if (commands[i].argc != n - 1)
            printf("usage: %s %s\n", commands[i].name, commands[i].help);
        else if (commands[i].run(word + 1))
            return;
        failures++;
        return;
    }
    printf("unknown command %s\n", word[0]);
    failures++;
}

int main(void)
{
    char line[120];
    struct item *it;

    while (fgets(line, sizeof line, stdin))
        obey(line);
    while (items) {
        it = items;
        items = it->next;
        free(it);
    }
    if (failures)
        printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
