/* Which stores a load can see. Read without the clean-up, so that every line is a load or a store. */
#include <setjmp.h>

static int g;
static int unset;
static int elements[4];
static jmp_buf again;

static void set (int v) { g = v; }              /* in set */
static void maybe (int v) { if (v) g = v; }     /* in maybe */
static int read_it (void) { return g; }         /* sees both calls */

static int
jump (int v)
{
  int kept = 1;                                 /* kept one */
  if (setjmp (again))
    return kept;                                /* sees kept */
  kept = v;                                     /* kept two */
  longjmp (again, 1);
}

int
main (int argc, char **argv)
{
  int local = 1;                                /* local one */
  int r = g;                                    /* sees nothing */
  g = 1;                                        /* one */
  g = 2;                                        /* two */
  r += g;                                       /* sees two */
  r += read_it ();
  set (argc);
  r += g;                                       /* sees set */
  maybe (argc);
  r += g;                                       /* sees set or maybe */
  g = 7;                                        /* seven */
  r += read_it ();
  elements[argc] = 3;                           /* element */
  elements[0] = 4;                              /* first element */
  r += elements[argc];                          /* sees elements */
  int *p = argc > 1 ? &local : &unset;
  *p = 5;                                       /* through p */
  r += local;                                   /* sees local */
  r += unset;                                   /* sees unset */
  return r + jump (argc);
}
