/* txdb - a tiny database with nested transactions, commands on stdin:
 *   set K V   get K   del K   count V   begin   commit   rollback   dump */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYLEN 12
#define MAXKEYS 26
#define MAXUNDO 200
#define MAXTX 6

struct entry {
    char key[KEYLEN];
    char value[KEYLEN];
    int used;
};

struct undo {
    struct entry before;
    int slot;
};

static struct entry db[MAXKEYS];
static struct undo log_[MAXUNDO];
static int nlog;
static int tx[MAXTX];       /* where in the log each transaction starts */
static int ntx;

static int lookup(const char *key)
{
    int i;

    for (i = 0; i < MAXKEYS; i++)
        if (db[i].used && strcmp(db[i].key, key) == 0)
            return i;
    return -1;
}

static int free_slot(void)
{
    int i;

    for (i = 0; i < MAXKEYS; i++)
        if (!db[i].used)
            return i;
    return -1;
}

static int remember(int slot)
{
    if (ntx == 0)
        return 1;
    if (nlog == MAXUNDO) {
        puts("transaction too long");
        return 0;
    }
    log_[nlog].slot = slot;
    log_[nlog].before = db[slot];
    nlog++;
    return 1;
}

static void do_set(const char *key, const char *value)
{
    int slot = lookup(key);

    if (slot < 0)
        slot = free_slot();
    if (slot < 0) {
        puts("full");
        return;
    }
    if (!remember(slot))
        return;
    strcpy(db[slot].key, key);
    strcpy(db[slot].value, value);
    db[slot].used = 1;
}

static void do_get(const char *key, const char *unused)
{
    int slot = lookup(key);

    (void)unused;
    puts(slot < 0 ? "NULL" : db[slot].value);
}

static void do_del(const char *key, const char *unused)
{
    int slot = lookup(key);

    (void)unused;
    if (slot >= 0 && remember(slot))
        db[slot].used = 0;
}

static void do_count(const char *value, const char *unused)
{
    int i, n = 0;

    (void)unused;
    for (i = 0; i < MAXKEYS; i++)
        if (db[i].used && strcmp(db[i].value, value) == 0)
            n++;
    printf("%d\n", n);
}

static void do_begin(const char *a, const char *b)
{
    (void)a, (void)b;
    if (ntx == MAXTX)
        puts("too many transactions");
    else
        tx[ntx++] = nlog;
}

static void do_commit(const char *a, const char *b)
{
    (void)a, (void)b;
    if (ntx == 0) {
        puts("no transaction");
        return;
    }
    nlog = tx[--ntx];
}

static void do_rollback(const char *a, const char *b)
{
    (void)a, (void)b;
    if (ntx == 0) {
        puts("no transaction");
        return;
    }
    ntx--;
    while (nlog > tx[ntx]) {
        nlog--;
        db[log_[nlog].slot] = log_[nlog].before;
    }
}

static void do_dump(const char *a, const char *b)
{
    int i;

    (void)a, (void)b;
    for (i = 0; i < MAXKEYS; i++)
        if (db[i].used)
            printf("%s=%s\n", db[i].key, db[i].value);
}

static const struct {
    const char *name;
    int args;
    void (*fn)(const char *, const char *);
} verbs[] = {
    { "begin", 0, do_begin }, { "commit", 0, do_commit }, { "count", 1, do_count },
    { "del", 1, do_del }, { "dump", 0, do_dump }, { "get", 1, do_get },
    { "rollback", 0, do_rollback }, { "set", 2, do_set },
};

static int dispatch(char *line)
{
    char verb[KEYLEN], a[KEYLEN], b[KEYLEN], extra;
    int n;
    size_t i;

    n = sscanf(line, "%11s %11s %11s %c", verb, a, b, &extra);
    if (n <= 0)
        return 1;
    for (i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, verb) == 0 && verbs[i].args == n - 1) {
            verbs[i].fn(a, b);
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    char line[100];
    int lineno = 0;

    while (fgets(line, sizeof line, stdin)) {
        lineno++;
        if (strncmp(line, "end", 3) == 0)
            break;
        if (!dispatch(line))
            printf("%d: what?\n", lineno);
    }
    if (ntx)
        printf("%d transactions left open\n", ntx);
    return ntx != 0;
}
