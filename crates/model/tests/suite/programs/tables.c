/* Calls through tables of function pointers: the field decides, the element does not. */
#include <stdlib.h>

struct op {
  const char *name;
  int (*run) (int);
  void (*note) (int);
};

static int total;

static int twice (int x) { return 2 * x; }
static int square (int x) { return x * x; }
static void count (int x) { total += x; }
static int never (int x) { return x; }

static struct op table[] = {
  { "twice", twice, count },
  { "square", square, NULL },
};

int (*hook) (int) = never;

int
main (int argc, char **argv)
{
  struct op *o = &table[argc % 2];
  int r = o->run (argc);                /* run */
  if (o->note)
    o->note (r);                        /* note */
  return hook (r);                      /* hook */
}
