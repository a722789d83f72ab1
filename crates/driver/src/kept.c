/* Calls FUNCTION as Parallax did. Compile it with a version of the code and run it:
 *     cc call.c OLD.o -lm && ./a.out                       objects or libraries of a version
 *     cc -DSOURCE='"/path/to/OLD.c"' call.c -lm && ./a.out  its source: also for static functions
 * and the same for the other version: the outputs differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { char *at; size_t count, step; char letter; const char *name; int seen; } parallax_objects[512];
static int parallax_known;

static void *parallax_new(size_t count, size_t step, char letter, const char *name) {
    void *at = calloc(count, step);
    if (!at || parallax_known >= 512) abort();
    parallax_objects[parallax_known].at = at, parallax_objects[parallax_known].count = count, parallax_objects[parallax_known].step = step;
    parallax_objects[parallax_known].letter = letter, parallax_objects[parallax_known++].name = name;
    return at;
}

static void parallax_block(const char *label, const void *from, size_t bytes, size_t count, char letter) {
    printf("%s =", label);
    for (size_t i = 0; i < count; i++, from = (const char *)from + bytes) {
        float single;
        double number;
        long wide = 0;
        memcpy(&wide, from, bytes > sizeof wide ? sizeof wide : bytes);
        memcpy(&single, &wide, sizeof single);
        memcpy(&number, &wide, sizeof number);
        if (letter == 'f') printf(" %.17g", bytes == 4 ? single : number);
        else if (letter == 'u' || letter == 'b') printf(" %lu", (unsigned long)wide);
        else printf(" %ld", bytes >= 8 ? wide : (long)((unsigned long)wide << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    }
    printf("\n");
}

static void parallax_scalar(const char *label, const void *from, size_t bytes, char letter) {
    parallax_block(label, from, bytes, 1, letter);
}

/* Where a pointer leads to. Out: whether what is there was not shown yet. */
static int parallax_pointer(const char *label, const void *pointer) {
    for (int i = 0; i < parallax_known && pointer; i++)
        if ((const char *)pointer >= parallax_objects[i].at && (const char *)pointer <= parallax_objects[i].at + parallax_objects[i].count * parallax_objects[i].step) {
            printf("%s = %s + %ld\n", label, parallax_objects[i].name, (long)((const char *)pointer - parallax_objects[i].at));
            return parallax_objects[i].at == pointer && !parallax_objects[i].seen++;
        }
    printf("%s = %s\n", label, pointer ? "elsewhere" : "NULL");
    if (pointer && parallax_known < 512) parallax_objects[parallax_known].at = (char *)pointer, parallax_objects[parallax_known].name = "result", parallax_objects[parallax_known++].seen = 1;
    return pointer != NULL;
}

static void parallax_string(const char *label, const char *pointer) {
    if (parallax_pointer(label, pointer) && !parallax_objects[parallax_known - 1].step) printf("%s = \"%s\"\n", label, pointer);
}

static int parallax_gone(const void *pointer) {
    (void)pointer;
    return 0;
}

static void parallax_buffers(void) {
    for (int i = 0; i < parallax_known; i++)
        if (parallax_objects[i].letter) parallax_block(parallax_objects[i].name, parallax_objects[i].at, parallax_objects[i].step, parallax_objects[i].count, parallax_objects[i].letter);
}
