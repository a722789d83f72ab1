/* The harness that compares models with the real libc.
 *
 * In: TEST(name) { ... } blocks in any file of this directory. Each block is one generated case:
 * it makes inputs with the generators below, calls the real function and the model, and compares
 * them with SAME and the check_ functions. Out: harness.c runs every block CASES times for every
 * locale and for both answers of __plx_symbolic, prints "tested NAME COUNT" for each, and exits
 * with 1 if anything differed.
 * Always: inputs depend on the seed, the name of the test and the number of the case only, so
 * a failure is repeated by `harness SEED CASES NAME`.
 */
#ifndef PLX_HARNESS_H
#define PLX_HARNESS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plx.h"

/* What __plx_symbolic and __plx_symbolic_value answer: 0 or 1. */
extern int PLX_SYMBOLIC;
/* Nonzero while the locale is C.UTF-8. */
extern int in_utf8;
/* How often hooks_native.c was asked to record something, and what was last recorded. */
extern unsigned hook_escapes, hook_options, hook_compared;
extern int hook_options_style;
extern const void *hook_copied_to;

struct test {
    const char *name;
    void (*run)(void);
};

#define TEST(name)                                                                              \
    static void test_##name(void);                                                              \
    static const struct test entry_##name = {#name, test_##name};                               \
    static const struct test *const pointer_##name                                              \
        __attribute__((section("plx_tests"), used)) = &entry_##name;                            \
    static void test_##name(void)

/* Random numbers: any 64 bits; less than n; true once in n. */
uint64_t any(void);
size_t below(size_t n);
int once_in(size_t n);
/* An integer near an edge of its type, or small, or anything. */
int64_t edge_int(void);
/* One of the strings of a table. */
#define PICK(table) ((table)[below(sizeof(table) / sizeof *(table))])

/* Memory that ends at a page that cannot be touched: slot 0..SLOTS-1, at most SLOT_BYTES. A read
 * past the end is a crash, so a model that reads too far is found out. */
enum { SLOTS = 12, SLOT_BYTES = 8192 };
void *guarded(int slot, size_t n);
void *guarded_copy(int slot, const void *from, size_t n);
/* A zero-terminated string in a guarded slot: random length, random flavour of alphabet. */
char *any_string(int slot, size_t most);
/* Likewise, over this alphabet (zero-terminated). */
char *string_of(int slot, size_t most, const char *alphabet);
/* Likewise, but only some of the bytes of `like`, changed a little: near misses. */
char *string_like(int slot, const char *like);
/* n bytes with no terminator wanted: all values, few values, or nearly all equal. */
unsigned char *any_bytes(int slot, size_t n);
/* A wide string in a guarded slot. */
wchar_t *any_wide(int slot, size_t most);
/* A multibyte string: ASCII, valid UTF-8, broken UTF-8, mixed. */
char *any_multibyte(int slot, size_t most);

/* Comparisons; each failure is printed with what is needed to repeat it. */
void failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_long(const char *what, int64_t real, int64_t model);
void check_bytes(const char *what, const void *real, const void *model, size_t n);
void check_text(const char *what, const char *real, const char *model);
/* The pointers as distances from their bases; null equals null only. */
void check_place(const char *what, const void *real, const void *real_base, const void *model,
                 const void *model_base);

/* Run both, compare results (as integers) and errno. */
#define SAME(real, model)                                                                       \
    do {                                                                                        \
        int before_ = once_in(2) ? 0 : EDOM;                                                    \
        errno = before_;                                                                        \
        __typeof__(real) real_result_ = (real);                                                 \
        int real_errno_ = errno;                                                                \
        errno = before_;                                                                        \
        __typeof__(real) model_result_ = (model);                                               \
        int model_errno_ = errno;                                                               \
        check_long(#real, (int64_t)real_result_, (int64_t)model_result_);                       \
        check_long("errno of " #real, real_errno_, model_errno_);                               \
    } while (0)

/* Run both on their own copies of the destination, compare the returned places and errno. */
#define SAME_PLACE(real, real_base, model, model_base)                                          \
    do {                                                                                        \
        errno = 0;                                                                              \
        const void *real_place_ = (real);                                                       \
        int real_errno_ = errno;                                                                \
        errno = 0;                                                                              \
        const void *model_place_ = (model);                                                     \
        int model_errno_ = errno;                                                               \
        check_place(#real, real_place_, (real_base), model_place_, (model_base));               \
        check_long("errno of " #real, real_errno_, model_errno_);                               \
    } while (0)

/* What is written to descriptor `fd` (1 or 2) between the two calls; stdio is flushed by both.
 * captured() returns a zero-terminated text that is valid until the next but one capture. */
void capture(int fd);
const char *captured(void);

#endif
