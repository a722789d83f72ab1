/* Models of functions on single multibyte characters: mbrtowc mbrlen __mbrlen mbtowc mblen mbsinit
 * wcrtomb wctomb mbrtoc32 c32rtomb.
 *
 * In: as the C library's. Out: the same results and states, so that a program may mix these with
 * functions that are not modelled. In the C and UTF-8 locales the models do the work for concrete
 * characters too, which is faster than the library's general conversion.
 * Departs: in other character sets the real function plus an escape. The states that the library
 * keeps for calls without one are kept here instead.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

#include "multibyte.h"

static size_t real_mbrtowc(wchar_t *to, const char *s, size_t n, mbstate_t *state) {
    size_t result = mbrtowc(to, s, n, state);
    __plx_escape("mbrtowc", s, result < ILLEGAL - 2 ? result : result == INCOMPLETE ? n : 1);
    __plx_clear_labels(state, sizeof *state);
    if (to && result < ILLEGAL - 2)
        __plx_clear_labels(to, sizeof *to);
    return result;
}

static size_t to_wide(wchar_t *to, const char *s, size_t n, mbstate_t *state) {
    enum charset set = charset();
    wchar_t unused;
    if (!s) {
        to = NULL;
        s = "";
        n = 1;
    }
    if (n == 0)
        return INCOMPLETE;
    if (set == CHARSET_OTHER)
        return real_mbrtowc(to, s, n, state);
    if (!to)
        to = &unused;
    size_t result = decode(set, to, s, n, state);
    return result < INCOMPLETE && *to == 0 ? 0 : result;
}

size_t MODEL(mbrtowc)(wchar_t *restrict to, const char *restrict s, size_t n,
                      mbstate_t *restrict state) {
    static mbstate_t own;
    return to_wide(to, s, n, state ? state : &own);
}

size_t MODEL(mbrtoc32)(char32_t *restrict to, const char *restrict s, size_t n,
                       mbstate_t *restrict state) {
    static mbstate_t own;
    return to_wide((wchar_t *)to, s, n, state ? state : &own);
}

size_t MODEL(mbrlen)(const char *restrict s, size_t n, mbstate_t *restrict state) {
    static mbstate_t own;
    return to_wide(NULL, s, n, state ? state : &own);
}
FORWARD(size_t, __mbrlen, mbrlen, (const char *s, size_t n, mbstate_t *state), s, n, state)

int MODEL(mbsinit)(const mbstate_t *state) {
    return !state || state->__count == 0;
}

/* mbtowc and wctomb share a state. */
static mbstate_t shared;

int MODEL(mbtowc)(wchar_t *restrict to, const char *restrict s, size_t n) {
    if (!s) {
        memset(&shared, 0, sizeof shared);
        return 0;
    }
    if (*s == 0) {
        if (to)
            *to = 0;
        return 0;
    }
    size_t result = to_wide(to, s, n, &shared);
    return result >= INCOMPLETE ? -1 : (int)result;
}

int MODEL(mblen)(const char *s, size_t n) {
    mbstate_t fresh = {0};
    if (!s || *s == 0)
        return 0;
    size_t result = to_wide(NULL, s, n, &fresh);
    return result >= INCOMPLETE ? -1 : (int)result;
}

static size_t to_bytes(char *to, wchar_t c, mbstate_t *state) {
    enum charset set = charset();
    char unused[LONGEST];
    if (!to) {
        to = unused;
        c = 0;
    }
    if (set != CHARSET_OTHER)
        return encode(set, to, c);
    __plx_escape_value("wcrtomb", (uint64_t)c);
    char bytes[64];
    size_t n = wcrtomb(bytes, (wchar_t)__plx_concrete((uint64_t)c), state);
    if (n != ILLEGAL)
        memcpy(to, bytes, n);
    return n;
}

size_t MODEL(wcrtomb)(char *restrict to, wchar_t c, mbstate_t *restrict state) {
    static mbstate_t own;
    return to_bytes(to, c, state ? state : &own);
}

FORWARD(size_t, c32rtomb, wcrtomb,
        (char *to, char32_t c, mbstate_t *state), to, (wchar_t)c, state)

int MODEL(wctomb)(char *to, wchar_t c) {
    if (!to) {
        memset(&shared, 0, sizeof shared);
        return 0;
    }
    return (int)to_bytes(to, c, &shared);
}
