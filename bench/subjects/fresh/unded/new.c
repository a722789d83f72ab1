/* unded - one-line buffer editor with undo and redo, commands on stdin
 *
 *   i POS TEXT    insert TEXT before POS
 *   d POS N       delete N characters at POS
 *   u             undo
 *   r             redo
 *   b             break: the next insert starts a new undo step
 *   p             print
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define BUFMAX  512
#define TEXTMAX 64
#define DEPTH   16

enum op_kind { INS, DEL };

struct op {
    enum op_kind kind;
    int pos;
    int len;
    char text[TEXTMAX];
};

struct history {
    struct op op[DEPTH];
    int n;
};

static char buffer[BUFMAX + 1];
static int length;
static struct history undo_log, redo_log;
static int sealed;

static int buf_insert(int pos, const char *s, int n)
{
    if (pos < 0 || pos > length || length + n > BUFMAX)
        return -1;
    memmove(buffer + pos + n, buffer + pos, (size_t)(length - pos));
    memcpy(buffer + pos, s, (size_t)n);
    length += n;
    buffer[length] = '\0';
    return 0;
}

static int buf_delete(int pos, int n)
{
    if (pos < 0 || n < 0 || n > length || pos > length - n)
        return -1;
    memmove(buffer + pos, buffer + pos + n, (size_t)(length - pos - n));
    length -= n;
    buffer[length] = '\0';
    return 0;
}

static void push(struct history *h, const struct op *o)
{
    if (h->n == DEPTH) {
        memmove(&h->op[0], &h->op[1], sizeof h->op[0] * (DEPTH - 1));
        h->n--;
    }
    h->op[h->n++] = *o;
}

static int apply(const struct op *o)
{
    return o->kind == INS ? buf_insert(o->pos, o->text, o->len)
                          : buf_delete(o->pos, o->len);
}

static int revert(const struct op *o)
{
    return o->kind == INS ? buf_delete(o->pos, o->len)
                          : buf_insert(o->pos, o->text, o->len);
}

/* typing on at the end of the last insert becomes part of it */
static int coalesce(const struct op *o)
{
    struct op *last;

    if (o->kind != INS || sealed || undo_log.n == 0)
        return 0;
    last = &undo_log.op[undo_log.n - 1];
    if (last->kind != INS || last->pos + last->len != o->pos)
        return 0;
    if (last->len + o->len > TEXTMAX)
        return 0;
    memcpy(last->text + last->len, o->text, (size_t)o->len);
    last->len += o->len;
    return 1;
}

static void record(const struct op *o)
{
    if (coalesce(o))
        return;
    redo_log.n = 0;
    push(&undo_log, o);
    sealed = 0;
}

static const char *do_insert(const char *arg)
{
    struct op o;
    char *end;
    long pos = strtol(arg, &end, 10);

    if (end == arg || *end != ' ' || !end[1])
        return "usage: i POS TEXT";
    end++;
    if (strlen(end) > TEXTMAX)
        return "text too long";
    if (pos < 0 || pos > length)
        return "bad position";
    o.kind = INS;
    o.pos = (int)pos;
    o.len = (int)strlen(end);
    memcpy(o.text, end, (size_t)o.len);
    if (apply(&o) < 0)
        return "buffer full";
    record(&o);
    return NULL;
}

static const char *do_delete(const char *arg)
{
    struct op o;
    int pos, n;

    if (sscanf(arg, "%6d %6d", &pos, &n) != 2)
        return "usage: d POS N";
    if (n < 1 || n > TEXTMAX || pos < 0 || pos + n > length)
        return "bad range";
    o.kind = DEL;
    o.pos = pos;
    o.len = n;
    memcpy(o.text, buffer + pos, (size_t)n);
    apply(&o);
    record(&o);
    return NULL;
}

static const char *do_undo(void)
{
    struct op o;

    if (undo_log.n == 0)
        return "nothing to undo";
    o = undo_log.op[--undo_log.n];
    if (revert(&o) < 0)
        return "cannot undo";
    push(&redo_log, &o);
    return NULL;
}

static const char *do_redo(void)
{
    struct op o;

    if (redo_log.n == 0)
        return "nothing to redo";
    o = redo_log.op[--redo_log.n];
    if (apply(&o) < 0)
        return "cannot redo";
    push(&undo_log, &o);
    sealed = 1;
    return NULL;
}

int main(void)
{
    char line[256];
    const char *err, *arg;
    int lineno = 0, failed = 0;

    while (fgets(line, sizeof line, stdin)) {
        lineno++;
        line[strcspn(line, "\n")] = '\0';
        if (!line[0])
            continue;
        arg = line + 1;
        while (*arg == ' ')
            arg++;
        err = NULL;
        switch (line[0]) {
        case 'i': err = do_insert(arg); break;
        case 'd': err = do_delete(arg); break;
        case 'u': err = do_undo(); break;
        case 'r': err = do_redo(); break;
        case 'b': sealed = 1; break;
        case 'p': printf("%d [%s]\n", length, buffer); break;
        default: err = "unknown command";
        }
        if (err) {
            printf("?%d %s\n", lineno, err);
            failed = 1;
        }
    }
    printf("%s\n", buffer);
    return failed;
}
