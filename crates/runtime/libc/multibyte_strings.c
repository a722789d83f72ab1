/* Models of functions on multibyte strings: mbstowcs mbsrtowcs mbsnrtowcs wcstombs wcsrtombs
 * wcsnrtombs.
 *
 * In: as the C library's. Out: the same wide characters or bytes, counts, positions and states.
 * Departs: Unicode's tag characters in the C locale count as no bytes; glibc looks at the byte before
 * the target then, or stops on an assertion. In character sets other than ASCII and UTF-8 the real function plus an escape. The states
 * that the library keeps for calls without one are kept here instead.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "multibyte.h"

/* At most `room` characters from at most `most` bytes. Without a target nothing is changed: not
 * the position, not the state. */
static size_t to_wide(wchar_t *to, const char **from, size_t most, size_t room, mbstate_t *state) {
    enum charset set = charset();
    mbstate_t scratch = *state;
    const char *s = *from;
    size_t done = 0;
    if (!to) {
        state = &scratch;
        room = SIZE_MAX;
    }
    while (done < room && most > 0) {
        wchar_t c;
        size_t n = decode(set, &c, s, most, state);
        if (n == ILLEGAL) {
            done = ILLEGAL;
            break;
        }
        int incomplete = n == INCOMPLETE;
        n = incomplete ? most : n;
        s += n, most -= n;
        if (incomplete)
            break;
        if (to)
            to[done] = c;
        if (c == 0) {
            s = NULL;
            break;
        }
        done++;
    }
    if (to)
        *from = s;
    return done;
}

size_t MODEL(mbsnrtowcs)(wchar_t *restrict to, const char **restrict from, size_t most,
                         size_t room, mbstate_t *restrict state) {
    static mbstate_t own;
    if (!state)
        state = &own;
    if (charset() != CHARSET_OTHER)
        return to_wide(to, from, most, room, state);
    __plx_escape("mbsnrtowcs", *from, strnlen(*from, most));
    size_t n = mbsnrtowcs(to, from, most, room, state);
    if (to && n != ILLEGAL)
        __plx_clear_labels(to, (n < room ? n + 1 : n) * sizeof *to);
    return n;
}

/* The library feeds its converter no more bytes than there is room for characters, and again while
 * room is left. A broken character on such a border is refused with its first bytes already in the
 * state, so the borders must be the same. Where they are does not depend on more than the place of
 * the terminator, which the conversion branches on itself. */
static size_t by_pieces(wchar_t *to, const char **from, size_t room, mbstate_t *state) {
    const char *end = *from;
    size_t done = 0;
    do {
        end += strnlen(end, room - done) + 1;
        size_t n = to_wide(to + done, from, (size_t)(end - *from), room - done, state);
        if (n == ILLEGAL)
            return ILLEGAL;
        done += n;
    } while (*from == end && done < room);
    return done;
}

size_t MODEL(mbsrtowcs)(wchar_t *restrict to, const char **restrict from, size_t room,
                        mbstate_t *restrict state) {
    static mbstate_t own;
    if (!state)
        state = &own;
    if (charset() != CHARSET_OTHER)
        return to ? by_pieces(to, from, room, state) : to_wide(to, from, SIZE_MAX, room, state);
    __plx_escape("mbsrtowcs", *from, strlen(*from) + 1);
    size_t n = mbsrtowcs(to, from, room, state);
    if (to && n != ILLEGAL)
        __plx_clear_labels(to, (n < room ? n + 1 : n) * sizeof *to);
    return n;
}

size_t MODEL(mbstowcs)(wchar_t *restrict to, const char *from, size_t room) {
    mbstate_t fresh = {0};
    return MODEL(mbsrtowcs)(to, &from, room, &fresh);
}

/* At most `room` bytes from at most `most` characters; a character that does not fit stays. */
static size_t to_bytes(char *to, const wchar_t **from, size_t most, size_t room) {
    enum charset set = charset();
    const wchar_t *s = *from;
    size_t done = 0;
    if (!to)
        room = SIZE_MAX;
    for (; most > 0; most--, s++) {
        char bytes[LONGEST];
        if (done == room)
            break;
        size_t n = encode(set, bytes, *s);
        if (n == ILLEGAL) {
            done = ILLEGAL;
            break;
        }
        if (n > room - done)
            break;
        if (to)
            __builtin_memcpy(to + done, bytes, n);
        if (*s == 0) {
            s = NULL;
            break;
        }
        done += n;
    }
    if (to)
        *from = s;
    return done;
}

size_t MODEL(wcsnrtombs)(char *restrict to, const wchar_t **restrict from, size_t most,
                         size_t room, mbstate_t *restrict state) {
    if (charset() != CHARSET_OTHER)
        return to_bytes(to, from, most, room);
    __plx_escape("wcsnrtombs", *from, wcsnlen(*from, most) * sizeof **from);
    size_t n = wcsnrtombs(to, from, most, room, state);
    if (to && n != ILLEGAL)
        __plx_clear_labels(to, n < room ? n + 1 : n);
    return n;
}

size_t MODEL(wcsrtombs)(char *restrict to, const wchar_t **restrict from, size_t room,
                        mbstate_t *restrict state) {
    return MODEL(wcsnrtombs)(to, from, *from ? wcslen(*from) + 1 : 0, room, state);
}

size_t MODEL(wcstombs)(char *restrict to, const wchar_t *from, size_t room) {
    mbstate_t fresh = {0};
    return MODEL(wcsrtombs)(to, &from, room, &fresh);
}
