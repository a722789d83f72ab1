struct node { signed char value; struct node *left, *right; };
int depth(struct node *t) {
    if (!t) return 0;
    int l = depth(t->left), r = depth(t->right);
    return 1 + (l > r ? l : r);
}
