/* What several files of models share.
 *
 * Always: a model that asks the real libc first (to learn how many bytes matter) restores errno
 * before it does the work itself. Asking whether more bytes are symbolic than matter is harmless:
 * the answer only chooses between two ways to the same result.
 */
#ifndef PLX_MODELS_H
#define PLX_MODELS_H

#include <langinfo.h>

#include "plx.h"

/* MODEL(name) does what MODEL(of) does. A function and not an alias, because models are found by
 * the functions in their bitcode. */
#define FORWARD(result, name, of, parameters, ...)                                              \
    result MODEL(name) parameters {                                                             \
        return MODEL(of)(__VA_ARGS__);                                                          \
    }

/* Does the pointer or anything in the n bytes behind it carry a label? Macros, because nothing is
 * inlined before instrumentation and the concrete path should cost no extra calls. */
#define LABELLED_VALUE(v) __plx_symbolic_value((uint64_t)(v))
/* Any of several values: their sum has a label if one of them has, and one question is cheaper. */
#define SUM2(a, b) ((uint64_t)(a) + (uint64_t)(b))
#define SUM3(a, b, c) (SUM2(a, b) + (uint64_t)(c))
#define LABELLED(p, n) (LABELLED_VALUE((uintptr_t)(p)) || __plx_symbolic((p), (n)))

/* A token for the search: the string of the two that is not symbolic, whole, but at most `most`
 * bytes of it. `n` bytes were or will be looked at. */
#define COMPARED(a, b, n, most)                                                                 \
    __plx_compared((a), (b), __plx_symbolic((a), (n)) ? strnlen((b), (most)) : strnlen((a), (most)))

/* The character set of the current locale, as far as models tell them apart. */
enum charset { CHARSET_ASCII, CHARSET_UTF8, CHARSET_OTHER };

static inline enum charset charset(void) {
    const char *name = nl_langinfo(CODESET);
    if (name[0] == 'U' && name[1] == 'T' && name[2] == 'F' && name[3] == '-' && name[4] == '8')
        return CHARSET_UTF8;
    return name[0] == 'A' && name[1] == 'N' ? CHARSET_ASCII : CHARSET_OTHER;
}

/* isspace and tolower as C expressions, for character sets whose high bytes have no class of
 * their own (CHARSET_ASCII, CHARSET_UTF8). */
static inline int ascii_space(unsigned char c) {
    return (c == ' ') | ((unsigned char)(c - '\t') < 5);
}

static inline unsigned char ascii_lower(unsigned char c) {
    return (unsigned char)(c + ((unsigned char)(c - 'A') < 26) * 32);
}

#endif
