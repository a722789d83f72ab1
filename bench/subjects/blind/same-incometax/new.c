#include <stdio.h>
#include <stdlib.h>

/* Works out the tax of one household.  All amounts are in whole crowns. */

struct bracket { long upto; int percent; };

static const struct bracket single_tab[] = {
    { 11000, 10 }, { 44000, 12 }, { 95000, 22 }, { 182000, 24 }, { -1, 32 }
};
static const struct bracket joint_tab[] = {
    { 22000, 10 }, { 89000, 12 }, { 190000, 22 }, { 364000, 24 }, { -1, 32 }
};
static const struct bracket head_tab[] = {
    { 15700, 10 }, { 59000, 12 }, { 95000, 22 }, { 182000, 24 }, { -1, 32 }
};

static struct filing {
    const char *name;
    const struct bracket *tab;
    long deduction;
    long phaseout;
} filings[] = {
    { "single", single_tab, 13800, 200000 },
    { "joint", joint_tab, 27700, 400000 },
    { "head", head_tab, 20800, 200000 },
};

static long income, withheld;
static int status, dependents, age, spouse_age;

static long arg(char *s, long lo, long hi)
{
    char *e;
    long v = strtol(s, &e, 10);
    if (*s == 0 || *e || v < lo || v > hi) {
        printf("incometax: %s is out of range\n", s);
        exit(2);
    }
    return v;
}

static long slice(const struct bracket *b, long from, long to)
{
    return (to - from) * b->percent / 100;
}

static int old_enough(int years)
{
    return years > 64;
}

static int has_old_spouse(void)
{
    return status == 1 && old_enough(spouse_age);
}

static long progressive(const struct bracket *b, long amount)
{
    long tax = 0, from = 0;

    while (b->upto >= 0 && amount > b->upto) {
        tax += slice(b, from, b->upto);
        from = b->upto;
        b++;
    }
    return tax + slice(b, from, amount);
}

static long deduction(void)
{
    long d = filings[status].deduction;
    if (status == 1)
        return d + 1500 * (old_enough(age) + has_old_spouse());
    return old_enough(age) ? d + 1850 : d;
}

static long elderly_credit(void)
{
    return (old_enough(age) ? 750 : 0) + (has_old_spouse() ? 375 : 0);
}

static long credits(void)
{
    long c = dependents * 2000L;
    long over = income - filings[status].phaseout;

    if (over > 0)
        c -= ((over - 1) / 1000 + 1) * 50;
    return (c > 0 ? c : 0) + elderly_credit();
}

int main(int argc, char **argv)
{
    long taxable, tax, credit, due;

    if (argc != 7) {
        printf("usage: incometax status income dependents age spouse-age withheld\n");
        return 2;
    }
    status = (int)arg(argv[1], 0, 2);
    income = arg(argv[2], 0, 10000000);
    dependents = (int)arg(argv[3], 0, 12);
    age = (int)arg(argv[4], 16, 120);
    spouse_age = (int)arg(argv[5], 0, 120);
    withheld = arg(argv[6], 0, 10000000);

    if (status != 1 && spouse_age != 0) {
        printf("incometax: only joint filers have a spouse\n");
        return 1;
    }
    if (status == 2 && dependents == 0) {
        printf("incometax: head of household needs a dependent\n");
        return 1;
    }
    taxable = income - deduction();
    if (taxable < 0)
        taxable = 0;
    tax = progressive(filings[status].tab, taxable);
    credit = credits();
    credit = credit < tax ? credit : tax;
    due = tax - credit - withheld;
    printf("%s: taxable %ld tax %ld credit %ld\n", filings[status].name, taxable, tax, credit);
    if (due > 0)
        printf("pay %ld\n", due);
    else if (due < 0)
        printf("refund %ld\n", -due);
    else
        printf("even\n");
    return 0;
}
