/* What the C implementations of libc functions (the "models") may ask of the runtime.
 *
 * A model is plain C. It is compiled to bitcode, linked into the program and instrumented like
 * the program itself, so every branch on symbolic data in it is recorded and every value it
 * computes has its exact expression. The instrumenter replaces each call of `NAME` in the program
 * by a call of `MODEL(NAME)` where the program does not define NAME itself.
 *
 * Inside a model, a call of a plain libc function is a call of the real, uninstrumented one:
 * it loses labels silently, so it is right only where no label is involved or where a hook below
 * puts the labels right afterwards.
 *
 * The usual shape: ask whether any byte involved is symbolic; if not, call the real function
 * (fast); if so, run the plain C loop.
 *
 * The same files are also compiled without instrumentation and with PLX_NATIVE_TEST defined, to be
 * compared with the real libc; there the hooks come from hooks_native.c and PLX_SYMBOLIC decides
 * what "symbolic" answers.
 */
#ifndef PLX_H
#define PLX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#define MODEL(name) __plx_libc_##name

/* Does any of the n bytes at p carry a label? Cheap when the page has none. */
int __plx_symbolic(const void *p, size_t n);
/* Does this value carry a label? */
int __plx_symbolic_value(uint64_t v);
/* The n bytes at dst get the labels of the n bytes at src (overlap allowed). The bytes
 * themselves are not touched. */
void __plx_copy_labels(void *dst, const void *src, size_t n);
/* The n bytes at p become concrete. */
void __plx_clear_labels(void *p, size_t n);
/* The value, without its label; records that it was made concrete. */
uint64_t __plx_concrete(uint64_t v);
/* Symbolic data is lost in function `name`, if p is symbolic. */
void __plx_escape(const char *name, const void *p, size_t n);
/* Likewise for a value. */
void __plx_escape_value(const char *name, uint64_t v);

/* A stdio stream was refilled by the real libc (its read_ptr..read_end is valid): give the bytes
 * in its buffer the labels of the input they came from. */
void __plx_stream_filled(FILE *stream);
/* The program met the end of this stream or descriptor: an end-of-input event. */
void __plx_stream_ended(FILE *stream);
/* n bytes at p were just read from fd, starting at offset `at` (-1: the position before the
 * read is the current one minus n). Labels them; n == 0 is an end-of-input event. */
void __plx_fd_read(int fd, void *p, size_t n, int64_t at);
/* n bytes at p are about to be written to fd: an output event with their labels. */
void __plx_output(int fd, const void *p, size_t n);
/* Two strings are being compared (or one is searched for another): a token for the search. */
void __plx_compared(const void *a, const void *b, size_t n);
/* The option table, once for every scan. `style`: 0 getopt, 1 getopt_long, 2 getopt_long_only. */
struct option;
void __plx_options(int style, const char *shorts, const struct option *longs);
/* The program is about to be replaced by another: a note. */
void __plx_exec(void);

#endif
