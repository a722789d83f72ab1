/* Functions that libc calls, and recursion through a pointer. */
#include <signal.h>
#include <stdlib.h>

struct tree { struct tree *left, *right; int key; };

static int numbers[8];
static int wanted;
static volatile int stopped;
static struct tree leaf, root = { &leaf, 0, 3 };
static int (*visit) (struct tree *);

static int
compare (const void *x, const void *y)
{
  return *(const int *) x - *(const int *) y;   /* compare */
}

static int
look (const void *key, const void *element)
{
  return *(const int *) key                     /* key */
    - *(const int *) element;                   /* element */
}

static void finish (void) { wanted = 0; }
static void stop (int sig) { stopped = sig; }

static int
sum (struct tree *t)
{
  if (!t)
    return 0;
  return visit (t->left) + visit (t->right)
    + t->key;                                   /* key of tree */
}

int
main (int argc, char **argv)
{
  signal (SIGINT, stop);                        /* signal */
  atexit (finish);                              /* atexit */
  qsort (numbers, 8, sizeof (int), compare);    /* qsort */
  int *found = bsearch (&wanted, numbers, 8, sizeof (int), look);
  visit = sum;
  stopped = 0;
  return *found                                 /* found */
    + visit (&root) + stopped;                  /* stopped */
}
