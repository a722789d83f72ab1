/* ledit - a line editor driven by a script on standard input.
 *
 *   ins N TEXT     insert TEXT before line N (1..lines+1)
 *   app TEXT       append TEXT at the end
 *   del A B        delete lines A to B
 *   move A B       move line A so that it becomes line B
 *   mark X N       set mark X (a..d) to line N
 *   show X         print the line mark X refers to
 *   join N         join line N with the following one
 *   list           print all lines
 *   undo           take back the last change
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXLINES 32
#define WIDTH 48
#define NMARKS 4

struct text {
    int n;
    char line[MAXLINES][WIDTH];
    int mark[NMARKS];           /* line number, 0 unset */
};

struct editor {
    struct text cur, before;
    int can_undo;
    int lineno;
};

struct command {
    const char *name;
    int nargs;
    int changes;
    int (*fn)(struct editor *ed, char **arg);
};

static int complain(const struct editor *ed, const char *msg)
{
    fprintf(stderr, "ledit: %d: %s\n", ed->lineno, msg);
    return -1;
}

static int line_arg(const struct editor *ed, const char *s, int max)
{
    char *end;
    long v = strtol(s, &end, 10);

    if (*end || v < 1 || v > max)
        return complain(ed, "bad line number");
    return (int)v;
}

static int mark_arg(const struct editor *ed, const char *s)
{
    if (s[0] < 'a' || s[0] >= 'a' + NMARKS || s[1] != '\0')
        return complain(ed, "bad mark");
    return s[0] - 'a';
}

static int insert(struct editor *ed, int at, const char *s)
{
    struct text *t = &ed->cur;
    int i;

    if (t->n == MAXLINES)
        return complain(ed, "text full");
    for (i = t->n; i >= at; i--)
        memcpy(t->line[i], t->line[i - 1], WIDTH);
    t->n++;
    snprintf(t->line[at - 1], WIDTH, "%s", s);
    for (i = 0; i < NMARKS; i++)
        if (t->mark[i] >= at)
            t->mark[i]++;
    return 0;
}

static void drop(struct text *t, int first, int last)
{
    int i, count = last - first + 1;

    for (i = last; i < t->n; i++)
        memcpy(t->line[i - count], t->line[i], WIDTH);
    t->n -= count;
    for (i = 0; i < NMARKS; i++) {
        if (t->mark[i] >= last)
            t->mark[i] -= count;
        else if (t->mark[i] >= first)
            t->mark[i] = 0;
    }
}

static int cmd_ins(struct editor *ed, char **arg)
{
    int at = line_arg(ed, arg[0], ed->cur.n + 1);

    return at < 0 ? -1 : insert(ed, at, arg[1]);
}

static int cmd_app(struct editor *ed, char **arg)
{
    return insert(ed, ed->cur.n + 1, arg[0]);
}

static int cmd_del(struct editor *ed, char **arg)
{
    int a = line_arg(ed, arg[0], ed->cur.n);
    int b = a < 0 ? -1 : line_arg(ed, arg[1], ed->cur.n);

    if (b < 0)
        return -1;
    if (b < a)
        return complain(ed, "bad range");
    drop(&ed->cur, a, b);
    return 0;
}

static int cmd_move(struct editor *ed, char **arg)
{
    int a = line_arg(ed, arg[0], ed->cur.n);
    int b = a < 0 ? -1 : line_arg(ed, arg[1], ed->cur.n);
    char copy[WIDTH];

    if (b < 0)
        return -1;
    memcpy(copy, ed->cur.line[a - 1], WIDTH);
    drop(&ed->cur, a, a);
    return insert(ed, b, copy);
}

static int cmd_mark(struct editor *ed, char **arg)
{
    int m = mark_arg(ed, arg[0]);
    int n = m < 0 ? -1 : line_arg(ed, arg[1], ed->cur.n);

    if (n < 0)
        return -1;
    ed->cur.mark[m] = n;
    return 0;
}

static int cmd_show(struct editor *ed, char **arg)
{
    int m = mark_arg(ed, arg[0]);

    if (m < 0)
        return -1;
    if (ed->cur.mark[m] == 0)
        return complain(ed, "mark not set");
    printf("%s: %s\n", arg[0], ed->cur.line[ed->cur.mark[m] - 1]);
    return 0;
}

static int cmd_join(struct editor *ed, char **arg)
{
    int n = line_arg(ed, arg[0], ed->cur.n - 1);
    size_t len;

    if (n < 0)
        return -1;
    len = strlen(ed->cur.line[n - 1]);
    snprintf(ed->cur.line[n - 1] + len, WIDTH - len, "%s", ed->cur.line[n]);
    drop(&ed->cur, n + 1, n + 1);
    return 0;
}

static int cmd_list(struct editor *ed, char **arg)
{
    int i;

    for (i = 0; i < ed->cur.n; i++)
        printf("%d\t%s\n", i + 1, ed->cur.line[i]);
    return 0;
}

static int cmd_undo(struct editor *ed, char **arg)
{
    if (!ed->can_undo)
        return complain(ed, "nothing to undo");
    ed->cur = ed->before;
    ed->can_undo = 0;
    return 0;
}

static const struct command commands[] = {
    { "ins", 2, 1, cmd_ins },
    { "app", 1, 1, cmd_app },
    { "del", 2, 1, cmd_del },
    { "move", 2, 1, cmd_move },
    { "mark", 2, 0, cmd_mark },
    { "show", 1, 0, cmd_show },
    { "join", 1, 1, cmd_join },
    { "list", 0, 0, cmd_list },
    { "undo", 0, 0, cmd_undo },
    { NULL, 0, 0, NULL }
};

static int run(struct editor *ed, char *s)
{
    const struct command *c;
    char *arg[2] = { NULL, NULL };
    char *name = strtok(s, " ");
    int i;

    if (name == NULL || name[0] == '#')
        return 0;
    for (c = commands; c->name && strcmp(c->name, name) != 0; c++)
        ;
    if (c->name == NULL)
        return complain(ed, "unknown command");
    for (i = 0; i < c->nargs; i++)
        if ((arg[i] = strtok(NULL, " ")) == NULL)
            return complain(ed, "missing argument");
    if (strtok(NULL, " ") != NULL)
        return complain(ed, "too many arguments");
    if (c->changes) {
        ed->before = ed->cur;
        ed->can_undo = 1;
    }
    return c->fn(ed, arg);
}

int main(void)
{
    static struct editor ed;
    char buf[128];
    int errors = 0;

    while (fgets(buf, sizeof buf, stdin) != NULL) {
        ed.lineno++;
        buf[strcspn(buf, "\n")] = '\0';
        if (run(&ed, buf) < 0 && ++errors == 5) {
            fprintf(stderr, "ledit: too many errors\n");
            break;
        }
    }
    printf("%d lines\n", ed.cur.n);
    return errors ? 1 : 0;
}
