/* Sorts small records with qsort, looks one up with bsearch, and compares neighbours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RECORDS = 6 };

struct record {
    char name[8];
    unsigned char weight;
};

static int by_weight(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_key(const void *key, const void *element) {
    unsigned char wanted = *(const unsigned char *)key;
    return wanted - ((const struct record *)element)->weight;
}

int main(int argc, char **argv) {
    struct record records[MAX_RECORDS];
    size_t n = 0;
    for (int i = 1; i < argc && n < MAX_RECORDS; i++) {
        const char *colon = strchr(argv[i], ':');
        if (!colon || colon == argv[i] || (size_t)(colon - argv[i]) >= sizeof records->name)
            return 2;
        memset(&records[n], 0, sizeof records[n]);
        memcpy(records[n].name, argv[i], (size_t)(colon - argv[i]));
        records[n++].weight = (unsigned char)atoi(colon + 1);
    }
    qsort(records, n, sizeof *records, by_weight);
    for (size_t i = 0; i + 1 < n; i++)
        if (memcmp(&records[i], &records[i + 1], sizeof *records) == 0)
            puts("twice");
    unsigned char key = 42;
    struct record *found = bsearch(&key, records, n, sizeof *records, by_key);
    if (found)
        printf("found %s\n", found->name);
    if (n > 0)
        printf("first %s\n", records[0].name);
    return 0;
}
