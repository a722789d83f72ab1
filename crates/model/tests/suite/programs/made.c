/* Nodes that the function which allocates them also fills, read by a function that recurses; a function that begins with a loop. */
#include <stdlib.h>

struct node {
  int value;
  struct node *left, *right;
};

static struct node *
make (int value, struct node *left, struct node *right)
{
  struct node *n = calloc (1, sizeof *n);
  n->value = value;                     /* fill value */
  n->left = left;
  n->right = right;
  return n;
}

static int
sum (const struct node *n)
{
  if (!n)
    return 0;
  return n->value                       /* read value */
    + sum (n->left) + sum (n->right);
}

static int
halvings (int x)
{
  int n = 0;
  do
    n++;                                /* count */
  while ((x /= 2) > 0);
  return n;                             /* counted */
}

int
main (int argc, char **argv)
{
  struct node *leaf = make (argc, NULL, NULL);
  struct node *root = make (argc + 1, leaf, leaf);
  int total = sum (root);
  if (argc > 3)                         /* decides the call */
    total += halvings (argc);
  return total;
}
