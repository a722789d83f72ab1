/* Models of functions that compare strings: strcmp strncmp strcasecmp __strcasecmp strncasecmp
 * strcoll strxfrm strverscmp __strverscmp.
 *
 * In: as the C library's. Out: the same results, to the value (the x86-64 library returns the
 * difference of the first bytes that differ, and so do the models).
 * Always: no byte is asked about past the chunk of the first difference, so a comparison at the start of a large buffer costs no more than it should.
 * Departs: strcoll and strxfrm in locales with collation rules are the real ones plus an escape.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "models.h"

enum { FIRST_CHUNK = 32 };

/* The real answer, and at least as many bytes (at most `most`) as it depends on. */
#define EXAMINE(compare, a, b, most, n, answer)                                                 \
    size_t n = FIRST_CHUNK < (most) ? FIRST_CHUNK : (most);                                     \
    int answer = compare(a, b, n);                                                              \
    while (answer == 0 && n < (most) && strnlen(a, n) == n) {                                   \
        n = n > (most) / 2 ? (most) : 2 * n;                                                    \
        answer = compare(a, b, n);                                                              \
    }

/* Where two bytes are equal, both or neither end their strings: ask the one that is concrete, and no
 * branch is recorded. */
#define KNOWN(a, b, n) (__plx_symbolic((a), (n)) ? (b) : (a))

#define EITHER_LABELLED(a, b, n, more)                                                          \
    (__plx_symbolic(a, n) || __plx_symbolic(b, n) || LABELLED_VALUE(SUM3(a, b, more)))

int MODEL(strcmp)(const char *a, const char *b) {
    EXAMINE(strncmp, a, b, SIZE_MAX, n, answer)
    if (!EITHER_LABELLED(a, b, n, 0))
        return answer;
    COMPARED(a, b, n, SIZE_MAX);
    const char *end = KNOWN(a, b, n);
    for (size_t i = 0;; i++) {
        if (a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        if (!end[i])
            return 0;
    }
}

int MODEL(strncmp)(const char *a, const char *b, size_t most) {
    EXAMINE(strncmp, a, b, most, n, answer)
    if (!EITHER_LABELLED(a, b, n, most))
        return answer;
    COMPARED(a, b, n, most);
    const char *end = KNOWN(a, b, n);
    for (size_t i = 0; i < most; i++) {
        if (a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        if (!end[i])
            return 0;
    }
    return 0;
}

/* The lower-case table only where bytes above 127 have a case. */
static int compare_folded(const char *a, const char *b, const char *end, size_t most) {
    const int *lower = charset() == CHARSET_OTHER ? *__ctype_tolower_loc() : NULL;
    for (size_t i = 0; i < most; i++) {
        unsigned char c = (unsigned char)a[i], d = (unsigned char)b[i];
        int difference = lower ? lower[c] - lower[d] : ascii_lower(c) - ascii_lower(d);
        if (difference != 0)
            return difference;
        if (!end[i])
            return 0;
    }
    return 0;
}

int MODEL(strcasecmp)(const char *a, const char *b) {
    EXAMINE(strncasecmp, a, b, SIZE_MAX, n, answer)
    if (!EITHER_LABELLED(a, b, n, 0))
        return answer;
    COMPARED(a, b, n, SIZE_MAX);
    return compare_folded(a, b, KNOWN(a, b, n), SIZE_MAX);
}
FORWARD(int, __strcasecmp, strcasecmp, (const char *a, const char *b), a, b)

int MODEL(strncasecmp)(const char *a, const char *b, size_t most) {
    EXAMINE(strncasecmp, a, b, most, n, answer)
    if (!EITHER_LABELLED(a, b, n, most))
        return answer;
    COMPARED(a, b, n, most);
    return compare_folded(a, b, KNOWN(a, b, n), most);
}

/* Without rules (C, POSIX, C.UTF-8) the order is that of the bytes. */
static int has_collation_rules(void) {
    return (uint32_t)(uintptr_t)nl_langinfo(_NL_COLLATE_NRULES) != 0;
}

int MODEL(strcoll)(const char *a, const char *b) {
    if (!has_collation_rules())
        return MODEL(strcmp)(a, b);
    __plx_escape("strcoll", a, strlen(a) + 1);
    __plx_escape("strcoll", b, strlen(b) + 1);
    return strcoll(a, b);
}

size_t MODEL(strxfrm)(char *restrict to, const char *restrict from, size_t room) {
    if (has_collation_rules()) {
        __plx_escape("strxfrm", from, strlen(from) + 1);
        size_t n = strxfrm(to, from, room);
        __plx_clear_labels(to, n < room ? n + 1 : room);
        return n;
    }
    extern size_t MODEL(strlen)(const char *);
    size_t n = MODEL(strlen)(from);
    __builtin_memcpy(to, from, n < room ? n + 1 : room);
    return n;
}

/* What the digits just before the first difference are: none, a number, a fraction (it began
 * with zeros), or nothing but zeros so far. */
enum before { NO_DIGITS, NUMBER, FRACTION, ZEROS };

static enum before after_one_more(enum before state, unsigned char c) {
    if ((unsigned char)(c - '0') > 9)
        return NO_DIGITS;
    if (state == NO_DIGITS)
        return c == '0' ? ZEROS : NUMBER;
    return state == ZEROS && c != '0' ? FRACTION : state;
}

static int is_digit(char c) {
    return (unsigned char)(c - '0') <= 9;
}

/* The longer run of digits is the greater number; equally long ones differ as bytes do. */
static int compare_numbers(const char *a, const char *b, int difference) {
    size_t i = 0;
    while (is_digit(a[i])) {
        if (!is_digit(b[i]))
            return 1;
        i++;
    }
    return is_digit(b[i]) ? -1 : difference;
}

int MODEL(strverscmp)(const char *a, const char *b) {
    if (!LABELLED(a, strlen(a) + 1) && !LABELLED(b, strlen(b) + 1))
        return strverscmp(a, b);
    COMPARED(a, b, strlen(a) + 1, SIZE_MAX);
    enum before state = NO_DIGITS;
    for (; *a == *b; a++, b++) {
        if (!*a)
            return 0;
        state = after_one_more(state, (unsigned char)*a);
    }
    int difference = (unsigned char)*a - (unsigned char)*b;
    int digits = is_digit(*a) + is_digit(*b);
    if (state == NUMBER && digits == 1)
        return is_digit(*a) ? 1 : -1;
    if (state == ZEROS && digits == 1)
        return is_digit(*a) ? -1 : 1;
    if ((state == NUMBER && digits == 2) ||
        (state == NO_DIGITS && digits == 2 && *a != '0' && *b != '0'))
        return compare_numbers(a, b, difference);
    return difference;
}
FORWARD(int, __strverscmp, strverscmp, (const char *a, const char *b), a, b)
