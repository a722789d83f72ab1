/* Arrays that share their address or their type with something else: the first field of a structure, and tables of which the end is zero. */
#include <string.h>

struct sum {
  unsigned state[8];
  int *where;
  unsigned char block[64];
};

static int here, there;

static unsigned char steps[256] = { [3] = 1, [100] = 2 };

struct entry {
  char tag[4];
  int *target;
};

static struct entry entries[64] = { { "a", &here }, { "b", &there } };

static int
read_where (struct sum *s)
{
  return *s->where;                     /* field behind */
}

int
main (int argc, char **argv)
{
  struct sum s, copy;
  memset (&s, 0, sizeof s);
  s.where = &here;
  s.state[argc % 8] = 1;
  copy = s;
  unsigned char step = steps[argc & 255];       /* step */
  int *target = entries[step & 63].target;
  return read_where (&s)
    + *copy.where                       /* field copied */
    + (target ? *target : 0);           /* entry */
}
