struct item { short value; struct item *next; };
struct item *reverse(struct item *l) {
    struct item *done = 0;
    while (l) {
        struct item *next = l->next;
        l->next = done;
        done = l;
        l = next;
    }
    return done;
}
