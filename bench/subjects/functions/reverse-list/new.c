struct item { short value; struct item *next; };
static struct item *onto(struct item *l, struct item *done) {
    if (!l) return done;
    struct item *next = l->next;
    l->next = done;
    return onto(next, l);
}
struct item *reverse(struct item *l) { return onto(l, 0); }
