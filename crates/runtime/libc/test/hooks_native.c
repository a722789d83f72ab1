/* The hooks of plx.h for models that are compiled without instrumentation.
 *
 * In: PLX_SYMBOLIC, set by the harness. Out: counters of what a model asked to have recorded.
 * Always: no hook changes data, so a model's result depends on its own code only.
 */
#include <stdarg.h>
#include <stdio.h>

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

void __plx_stream_filled(FILE *stream) {
    (void)stream;
}

void __plx_stream_ended(FILE *stream) {
    (void)stream;
}

void __plx_fd_read(int fd, void *p, size_t n, int64_t at) {
    (void)fd, (void)p, (void)n, (void)at;
}

void __plx_output(int fd, const void *p, size_t n) {
    (void)fd, (void)p, (void)n;
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

/* Gives way to the model in printf.c where that is linked in. */
__attribute__((weak)) int MODEL(fprintf)(FILE *stream, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vfprintf(stream, format, list);
    va_end(list);
    return n;
}
