/* Fields, elements, copies of structures, and pointers that are numbers for a while. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair { int *left; int *right; };
struct box { long tag; struct pair inside; int *many[4]; };

int a, b, c, d, e, f, g, h;

static struct box one, other;

static int
from_list (int n, ...)
{
  va_list ap;
  va_start (ap, n);
  int *p = va_arg (ap, int *);
  va_end (ap);
  return *p;                                    /* variable argument */
}

int
main (int argc, char **argv)
{
  one.inside.left = &a;
  one.inside.right = &b;
  one.many[1] = &c;
  one.many[2] = &d;
  int r = *one.inside.left;                     /* left */
  r += *one.inside.right;                       /* right */
  r += *one.many[argc];                         /* many */
  other = one;
  r += *other.inside.right;                     /* copied right */
  struct pair *grown = malloc (sizeof *grown);
  grown->left = &e;
  grown = realloc (grown, 4 * sizeof *grown);
  r += *grown[0].left;                          /* after realloc */
  uintptr_t number = (uintptr_t) &f;
  r += *(int *) (number & ~(uintptr_t) 3);      /* number */
  r += from_list (1, &g);
  struct pair *copy = malloc (sizeof *copy);
  other.inside.left = &h;
  memcpy (copy, &other.inside, sizeof *copy);
  r += *copy->left;                             /* copied left */
  return r + *argv[1];                          /* argument */
}
