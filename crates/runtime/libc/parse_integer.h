/* The parser behind strtol and wcstol and their relatives; number.c and wide_number.c include it.
 *
 * In: CHARACTER, is_space(c) and digit_value(c, base), defined before. Out: parse().
 * Always: each digit is branched on as a digit; overflow only where so many digits have been read
 * that it is possible; the end pointer is concrete.
 */
#include <errno.h>
#include <stdint.h>

enum { SIGNED = 1, BINARY_PREFIX = 2 };

/* Past "0x" (or "0b" where that is known) if the base allows it; settles base 0. */
static const CHARACTER *after_prefix(const CHARACTER *s, int *base, int flags) {
    int binary = (flags & BINARY_PREFIX) && (*base == 0 || *base == 2);
    if (*base != 0 && *base != 16 && !binary)
        return s;
    if (*s != '0') {
        *base = *base ? *base : 10;
        return s;
    }
    if ((*base == 0 || *base == 16) && (s[1] | 0x20) == 'x') {
        *base = 16;
        return s + 2;
    }
    if (binary && (s[1] | 0x20) == 'b') {
        *base = 2;
        return s + 2;
    }
    *base = *base ? *base : 8;
    return s;
}

struct digits {
    uint64_t value;
    const CHARACTER *end;
    int overflow;
    /* An upper bound of the bits that the value can have. */
    unsigned bits;
};

static struct digits read_digits(const CHARACTER *s, unsigned base) {
    struct digits r = {0, s, 0, 0};
    unsigned bits_each = 1;
    while ((1u << bits_each) < base)
        bits_each++;
    for (;; r.end++) {
        unsigned d = digit_value(*r.end, base);
        if (d >= base)
            return r;
        r.bits += bits_each;
        if (r.overflow)
            continue;
        if (r.bits > 64 && (r.value > UINT64_MAX / base ||
                            (r.value == UINT64_MAX / base && d > UINT64_MAX % base)))
            r.overflow = 1;
        else
            r.value = r.value * base + d;
    }
}

static uint64_t in_range(struct digits r, int negative, int flags) {
    uint64_t most = flags & SIGNED ? (uint64_t)INT64_MAX + (unsigned)negative : UINT64_MAX;
    if (r.overflow || (r.bits >= 64 && r.value > most)) {
        errno = ERANGE;
        return most;
    }
    return negative ? -r.value : r.value;
}

/* errno is set as the library sets it; `end` is left alone if the base is none. */
static uint64_t parse(const CHARACTER *start, CHARACTER **end, int base, int flags) {
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    const CHARACTER *s = start;
    while (is_space(*s))
        s++;
    int negative = 0;
    if (*s == '-') {
        negative = 1;
        s++;
    } else if (*s == '+') {
        s++;
    }
    const CHARACTER *first = after_prefix(s, &base, flags);
    struct digits r = read_digits(first, (unsigned)base);
    if (r.end == first) {
        /* "0x" and no digit: the zero is the number. Anything else is none. */
        if (end)
            *end = (CHARACTER *)(first != s ? first - 1 : start);
        return 0;
    }
    if (end)
        *end = (CHARACTER *)r.end;
    return in_range(r, negative, flags);
}
