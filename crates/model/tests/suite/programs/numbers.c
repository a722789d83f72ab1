/* Enough of each kind of site to compare numbers: branches, switches, loads, stores, calls, divisions. */
#include <stdio.h>
#include <string.h>

static int counts[16];

static int classify(const char *word)
{
    size_t n = strlen(word);
    switch (n) {
    case 0: return -1;
    case 1: return word[0] == 'x' ? 3 : 4;
    case 2:
    case 3: return 5;
    }
    if (n % 7 == 2 && word[n / 2] != 'q')
        return 6;
    return 7 + (int)(n >> 3) % 4;
}

static void count(const char *word)
{
    int kind = classify(word);
    if (kind < 0)
        return;
    counts[kind]++;
    if (counts[kind] / (kind + 1) > 2)
        counts[0] = kind;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        count(argv[i]);
    int best = 0;
    for (int i = 1; i < 16; i++)
        if (counts[i] > counts[best])
            best = i;
    printf("%d\n", best);
    return counts[0] != 0;
}
