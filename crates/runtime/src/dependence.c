/* What instrumented code of the dependence mode calls, and the tables that it brings. */
#include "dependence.h"

_Thread_local struct plx_dep __plx_dep;

struct plx_dep *__plx_dep_here(void) { return &__plx_dep; }
uint64_t __plx_dep_size(void) { return sizeof __plx_dep; }

/* Keeps (almost) all registers, so that a call costs its call site next to nothing. */
__attribute__((preserve_most)) uint64_t *__plx_dep_more(uint64_t bytes) { return __plx_rt_dep_more(bytes); }

void __plx_dep_record(uint64_t head, uint64_t a, uint64_t b, uint32_t words) {
    uint64_t *at = dep_room(words + 1);
    at[1] = a;
    if (words > 1) at[2] = b;
    at[0] = head;
}

struct global {
    const void *address;
    uint64_t bytes;
    uint64_t number;
};

struct function {
    const void *address;
    uint64_t number;
};

/* Defined by the instrumenter, in this mode only. */
extern const struct global __plx_dep_globals[] __attribute__((weak));
extern const uint64_t __plx_dep_globals_len __attribute__((weak));
extern const struct function __plx_dep_functions[] __attribute__((weak));
extern const uint64_t __plx_dep_functions_len __attribute__((weak));

/* Was the program made for this mode? */
int __plx_dep_enabled(void) { return &__plx_dep_functions_len != 0; }

/* Where the program's globals and functions lie in this run. */
void __plx_dep_describe(void) {
    for (uint64_t i = 0; i < __plx_dep_globals_len; i++) {
        const struct global *g = &__plx_dep_globals[i];
        dep_record(DEP_GLOBAL, (uint32_t)g->number, g->address, g->bytes);
    }
    for (uint64_t i = 0; i < __plx_dep_functions_len; i++) {
        const struct function *f = &__plx_dep_functions[i];
        uint64_t *at = dep_room(2);
        at[1] = (uint64_t)f->address;
        at[0] = dep_head(DEP_FUNCTION, (uint32_t)f->number);
    }
}
