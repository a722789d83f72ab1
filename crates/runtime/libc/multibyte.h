/* One character to and from its bytes, shared by multibyte.c and multibyte_strings.c.
 *
 * In: the character set (ASCII or UTF-8), bytes, and a state in the layout of glibc's UTF-8 step:
 * __count holds the bytes read so far and, shifted by 8, the bytes of the whole character;
 * __value.__wch the bits read so far, in their final place. Out: as mbrtowc and wcrtomb.
 * Always: what is accepted is what glibc accepts: up to six bytes, 31 bits, no surrogates, no
 * overlong forms, which are refused only when the character is complete. A refused byte leaves the
 * state as it was.
 */
#ifndef PLX_MULTIBYTE_H
#define PLX_MULTIBYTE_H

#include <errno.h>
#include <wchar.h>

#include "models.h"

#define ILLEGAL ((size_t)-1)
#define INCOMPLETE ((size_t)-2)

/* The bytes of the character that starts with c (0x80 or more); 0 if none does. */
static inline unsigned bytes_of(unsigned char c) {
    if (c < 0xc2)
        return 0;
    if (c < 0xe0)
        return 2;
    if (c < 0xf0)
        return 3;
    if (c < 0xf8)
        return 4;
    if (c < 0xfc)
        return 5;
    return c < 0xfe ? 6 : 0;
}

static inline int is_surrogate(uint32_t c) {
    return (c & 0xfffff800) == 0xd800;
}

static inline size_t refuse(void) {
    errno = EILSEQ;
    return ILLEGAL;
}

/* Where the character ends, or ILLEGAL, or INCOMPLETE with all n bytes taken into the state. */
static inline size_t decode_utf8(wchar_t *to, const unsigned char *s, size_t n, mbstate_t *state) {
    unsigned have = (unsigned)state->__count & 0xff, total = (unsigned)state->__count >> 8;
    uint32_t value = state->__value.__wch;
    int resumed = have != 0;
    size_t i = 0;
    if (!resumed) {
        total = bytes_of(s[i]);
        if (total == 0)
            return refuse();
        value = (s[i++] & (0x7fu >> total)) << (6 * (total - 1));
        have = 1;
    }
    for (; have < total && i < n; have++, i++) {
        if ((s[i] & 0xc0) != 0x80)
            return refuse();
        value |= (uint32_t)(s[i] & 0x3f) << (6 * (total - 1 - have));
    }
    if (have < total) {
        state->__count = (int)(total << 8 | have);
        state->__value.__wch = value;
        return INCOMPLETE;
    }
    if ((total > 2 && value >> (5 * total - 4) == 0) || is_surrogate(value))
        return refuse();
    if (resumed)
        state->__count = 0;
    *to = (wchar_t)value;
    return i;
}

/* As mbrtowc, but the number of bytes for the null character too; n is not 0. */
static inline size_t decode(enum charset set, wchar_t *to, const char *from, size_t n,
                            mbstate_t *state) {
    const unsigned char *s = (const unsigned char *)from;
    if (s[0] < 0x80 && (set != CHARSET_UTF8 || state->__count == 0)) {
        *to = s[0];
        return 1;
    }
    return set == CHARSET_UTF8 ? decode_utf8(to, s, n, state) : refuse();
}

enum { LONGEST = 6 };

/* The bytes of c, or ILLEGAL. `to` has room for LONGEST. */
static inline size_t encode(enum charset set, char *to, wchar_t wide) {
    uint32_t c = (uint32_t)wide;
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    /* The library drops Unicode's tag characters where the character set has none. */
    if (set != CHARSET_UTF8 && c >> 7 == 0xe0000 >> 7)
        return 0;
    if (set != CHARSET_UTF8 || c > 0x7fffffff || is_surrogate(c))
        return refuse();
    unsigned total = 2;
    while (total < LONGEST && c >> (5 * total + 1) != 0)
        total++;
    to[0] = (char)((0xff00u >> total) | (c >> (6 * (total - 1))));
    for (unsigned i = 1; i < total; i++)
        to[i] = (char)(0x80 | ((c >> (6 * (total - 1 - i))) & 0x3f));
    return total;
}

#endif
