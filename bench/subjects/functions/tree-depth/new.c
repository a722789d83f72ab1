struct node { signed char value; struct node *left, *right; };
int depth(struct node *t) {
    int d = 0;
    for (; t; d++) t = t->left ? t->left : t->right;
    return d;
}
