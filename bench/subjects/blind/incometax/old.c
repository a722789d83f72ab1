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

static long progressive(const struct bracket *b, long amount)
{
    long tax = 0, from = 0;

    for (;; b++) {
        if (b->upto < 0 || amount <= b->upto) {
            tax += (amount - from) * b->percent / 100;
            return tax;
        }
        tax += (b->upto - from) * b->percent / 100;
        from = b->upto;
    }
}

static long deduction(void)
{
    long d = filings[status].deduction;
    if (age >= 65)
        d += status == 1 ? 1500 : 1850;
    if (status == 1 && spouse_age >= 65)
        d += 1500;
    return d;
}

static long elderly_credit(void)
{
    long c = 0;
    if (age >= 65)
        c += 750;
    if (status == 1 && spouse_age >= 65)
        c += 375;
    return c;
}

static long credits(void)
{
    long c = dependents * 2000L;
    long over = income - filings[status].phaseout;

    if (over > 0)
        c -= (over + 999) / 1000 * 50;
    if (c < 0)
        c = 0;
    c += elderly_credit();
    return c;
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
    if (credit > tax)
        credit = tax;
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
