/* The hooks of plx.h for models that are compiled without instrumentation, except those for input
 * and output: see hooks_io.c.
 *
 * In: PLX_SYMBOLIC, set by the harness. Out: counters of what a model asked to have recorded.
 * Always: no hook changes data, so a model's result depends on its own code only.
 */
#include "harness.h"

int PLX_SYMBOLIC;
unsigned hook_escapes, hook_options, hook_compared;
int hook_options_style;
const void *hook_copied_to;

int __plx_symbolic(const void *p, size_t n) {
    (void)p;
    return PLX_SYMBOLIC && n > 0;
}

int __plx_symbolic_value(uint64_t v) {
    (void)v;
    return PLX_SYMBOLIC;
}

void __plx_copy_labels(void *dst, const void *src, size_t n) {
    (void)src, (void)n;
    hook_copied_to = dst;
}

void __plx_clear_labels(void *p, size_t n) {
    (void)p, (void)n;
}

uint64_t __plx_concrete(uint64_t v) {
    return v;
}

void __plx_escape(const char *name, const void *p, size_t n) {
    (void)name, (void)p;
    hook_escapes += PLX_SYMBOLIC && n > 0;
}

void __plx_escape_value(const char *name, uint64_t v) {
    (void)name, (void)v;
}

void __plx_compared(const void *a, const void *b, size_t n) {
    (void)a, (void)b, (void)n;
    hook_compared++;
}

void __plx_options(int style, const char *shorts, const struct option *longs) {
    (void)shorts, (void)longs;
    hook_options++;
    hook_options_style = style;
}

void __plx_exec(void) {
}
