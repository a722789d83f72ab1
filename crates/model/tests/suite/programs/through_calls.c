/* Dependence through calls, memory and libc. */
#include <stdio.h>
#include <string.h>

static char text[64];
static int state;

static int same (int x) { return x; }
static int first (int x, int y) { return x; }   /* first */
static void remember (int v) { state = v; }     /* remember */
static int recall (void) { return state; }      /* recall */

int
main (int argc, char **argv)
{
  int p = argc + 1;             /* p */
  int q = argc + 2;             /* q */
  int u = same (p);             /* u */
  int v = same (q);             /* v */
  printf ("%d\n", u);           /* use u */
  printf ("%d\n", v);           /* use v */
  int w = first (p, q);         /* w */
  printf ("%d\n", w);           /* use w */
  remember (q);                 /* remembered */
  printf ("%d\n", recall ());   /* use state */
  strcpy (text, argv[1]);       /* copy */
  if (text[0])                  /* test */
    puts (text);                /* put */
  return 0;
}
