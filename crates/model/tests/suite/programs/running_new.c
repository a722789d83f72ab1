/* Seed 004, figure 2.1: the running example, after the changes. The numbers are those of the figure. */
extern int input (void);
extern void output (int);

int
main (void)
{
  int i, j, a, b, o;
  i = input (); j = input ();   /* 1 */
  a = i + 1;                    /* 2 */
  b = 0;                        /* 3 */
  o = 0;                        /* 4 */
  if (a > 0)                    /* 5 */
    {
      b = j + 1;                /* 6 */
      o = 1;                    /* 7 */
    }
  if (b > 0)                    /* 9 */
    o = o + 1;                  /* 10 */
  output (o);                   /* 11 */
  return 0;
}
