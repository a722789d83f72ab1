/* Lists whose nodes come from one allocation function: each caller has nodes of its own. */
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

static void *
allocate (size_t n)
{
  void *p = malloc (n);
  if (!p)
    abort ();
  return p;
}

static struct node *first;
static struct node *second;

static void
push_first (int v)
{
  struct node *n = allocate (sizeof *n);        /* first node */
  n->value = v;
  n->next = first;
  first = n;
}

static void
push_second (int v)
{
  struct node *n = allocate (sizeof *n);        /* second node */
  n->value = v;
  n->next = second;
  second = n;
}

int
main (int argc, char **argv)
{
  int sum = 0;
  push_first (argc);
  push_second (argc);
  for (struct node *n = first; n; n = n->next)
    sum += n->value;                            /* read first */
  for (struct node *n = second; n; n = n->next)
    sum -= n->value;                            /* read second */
  return sum;
}
