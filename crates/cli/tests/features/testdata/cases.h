/* What every feature program shares: cases that are chosen by name on the command line, each of
 * which computes something from the bytes of standard input and prints it.
 *
 * The second argument of CASE says, for the test, what the trace of the case must show; see
 * cases.rs for the words. */
#ifndef CASES_H
#define CASES_H
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

/* Standard input. */
static u8 in[64];

struct named_case {
    const char *name;
    void (*run)(void);
};
static struct named_case cases[1024];
static int case_count;

static void add_case(const char *name, void (*run)(void)) {
    cases[case_count].name = name;
    cases[case_count++].run = run;
}

#define CASE(name, what)                                                                    \
    static void case_##name(void);                                                          \
    __attribute__((constructor)) static void add_##name(void) { add_case(#name, case_##name); } \
    static void case_##name(void)

static void out(const void *p, size_t n) {
    if (write(1, p, n) != (ssize_t)n)
        _exit(99);
}

/* Prints the bytes of a value. */
#define OUT(x)                     \
    do {                           \
        __typeof__(x) out_ = (x);  \
        out(&out_, sizeof out_);   \
    } while (0)

/* Values made of input bytes. */
#define IN(type, at)                            \
    ({                                          \
        type in_;                               \
        memcpy(&in_, in + (at), sizeof in_);    \
        in_;                                    \
    })

static int read_input_and_run(const char *name) {
    size_t n = 0;
    ssize_t r;
    while (n < sizeof in && (r = read(0, in + n, sizeof in - n)) > 0)
        n += r;
    for (int i = 0; i < case_count; i++)
        if (strcmp(cases[i].name, name) == 0) {
            cases[i].run();
            return 0;
        }
    return 98;
}

#ifndef OWN_MAIN
int main(int argc, char **argv) {
    return argc < 2 ? 97 : read_input_and_run(argv[1]);
}
#endif
#endif
