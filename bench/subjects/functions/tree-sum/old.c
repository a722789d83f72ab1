struct node { signed char value; struct node *left, *right; };
int sum(struct node *t) { return t ? t->value + sum(t->left) + sum(t->right) : 0; }
