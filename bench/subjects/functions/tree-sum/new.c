struct node { signed char value; struct node *left, *right; };
int sum(struct node *t) {
    int s = 0;
    if (t) {
        s += sum(t->right);
        s += sum(t->left);
        s += t->value;
    }
    return s;
}
