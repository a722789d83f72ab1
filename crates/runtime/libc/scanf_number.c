/* Numbers in scanf.
 *
 * In: characters, a conversion. Out: integers computed by plain C, so that they are expressions
 * over their digits; floating point by the model of strtod on the collected text.
 * Always holds: what is consumed and what is put back is what glibc does.
 */
#define _GNU_SOURCE
#include "decimal.h"
#include "scanf_model.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>

/* One character of the field is used. */
static void narrow(int *width) {
    if (*width > 0)
        --*width;
}

/* The base of the number that starts here; its prefix is read. `digits` counts a leading zero. */
static int read_prefix(struct scan_source *in, int base, int *width, int binary, size_t *digits) {
    if (*width == 0 || in->c != '0')
        return base ? base : 10;
    narrow(width);
    ++*digits;
    __plx_scan_next(in);
    int lower = in->c == EOF ? EOF : tolower(in->c);
    if (*width != 0 && lower == 'x' && (base == 0 || base == 16)) {
        narrow(width);
        __plx_scan_next(in);
        return 16;
    }
    if (*width != 0 && lower == 'b' && base == 0 && binary) {
        narrow(width);
        __plx_scan_next(in);
        return 2;
    }
    return base ? base : 8;
}

/* Value of a digit, base or more if it is none. */
static unsigned digit_value(int c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    int lower = c | 0x20;
    if (lower >= 'a' && lower <= 'f')
        return (unsigned)(lower - 'a') + 10;
    return UINT_MAX;
}

/* The magnitude; *overflow if it needs more than 64 bits. */
static uint64_t read_digits(struct scan_source *in, int base, int width, size_t *digits,
                            int *overflow) {
    uint64_t v = 0;
    *overflow = 0;
    for (; in->c != EOF && width != 0; __plx_scan_next(in)) {
        unsigned digit = digit_value(in->c);
        if (digit >= (unsigned)base)
            break;
        if (v > (UINT64_MAX - digit) / (unsigned)base)
            *overflow = 1;
        else
            v = v * (unsigned)base + digit;
        ++*digits;
        narrow(&width);
    }
    return v;
}

/* As strtol and strtoul: clamped, with ERANGE. */
static uint64_t signed_value(uint64_t v, int negative, int overflow) {
    uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    if (overflow || v > most) {
        errno = ERANGE;
        return most;
    }
    return negative ? 0 - v : v;
}

static uint64_t unsigned_value(uint64_t v, int negative, int overflow) {
    if (overflow) {
        errno = ERANGE;
        return UINT64_MAX;
    }
    return negative ? 0 - v : v;
}

static void store(const struct conversion *conv, uint64_t v) {
    if (conv->suppress)
        return;
    if (conv->kind == 'p' || conv->length >= SCAN_LONG)
        *(uint64_t *)conv->target = v;
    else if (conv->length == SCAN_CHAR)
        *(uint8_t *)conv->target = (uint8_t)v;
    else if (conv->length == SCAN_SHORT)
        *(uint16_t *)conv->target = (uint16_t)v;
    else
        *(uint32_t *)conv->target = (uint32_t)v;
}

/* "(nil)", whose first character was just read. */
static int read_nil(struct scan_source *in, int width) {
    if (in->c != '(' || (width >= 0 && width < 5))
        return 0;
    for (const char *rest = "nil)"; *rest != '\0'; rest++)
        if (__plx_scan_next(in) == EOF || tolower(in->c) != *rest)
            return 0;
    return 1;
}

enum scan_result __plx_scan_integer(struct scan_source *in, const struct conversion *conv) {
    int width = conv->width, negative = 0, overflow = 0, has_sign = 0;
    int is_signed = conv->kind == 'd' || conv->kind == 'i';
    int base = conv->kind == 'i' ? 0 : conv->kind == 'o' ? 8 : 10;
    if (conv->kind == 'x' || conv->kind == 'X' || conv->kind == 'p')
        base = 16;
    if (__plx_scan_next(in) == EOF)
        return SCAN_INPUT;
    if (in->c == '-' || in->c == '+') {
        has_sign = 1;
        negative = in->c == '-';
        narrow(&width);
        __plx_scan_next(in);
    }
    size_t count = 0;
    base = read_prefix(in, base, &width, conv->binary, &count);
    uint64_t v = read_digits(in, base, width, &count, &overflow);
    if (count == 0) {
        if (has_sign || conv->kind != 'p' || !read_nil(in, width)) {
            __plx_scan_back(in);
            return SCAN_MISMATCH;
        }
    } else {
        __plx_scan_back(in);
    }
    store(conv, is_signed ? signed_value(v, negative, overflow)
                          : unsigned_value(v, negative, overflow));
    return SCAN_OK;
}

/* tolower in the "C" locale, as an expression. */
static int lowered(int c) {
    return c + ((unsigned)c - 'A' < 26) * 32;
}

/* The text of a floating-point number. */
struct text {
    char *p;
    size_t n, room;
    char small[256];
};

static int add(struct text *text, int c) {
    if (text->n + 1 >= text->room) {
        char *more = malloc(2 * text->room);
        if (!more)
            return -1;
        __builtin_memcpy(more, text->p, text->n);
        if (text->p != text->small)
            free(text->p);
        text->p = more;
        text->room *= 2;
    }
    text->p[text->n++] = (char)c;
    return 0;
}

/* The next character of the field must be one of this word. */
static int read_word(struct scan_source *in, struct text *text, int *width, const char *word) {
    for (; *word != '\0'; word++) {
        if (*width == 0 || __plx_scan_next(in) == EOF || lowered(in->c) != *word)
            return -1;
        narrow(width);
        if (add(text, in->c) < 0)
            return -1;
    }
    return 0;
}

/* "nan", "inf" or "infinity", whose first character was read. */
static enum scan_result read_special(struct scan_source *in, struct text *text, int width) {
    int infinity = lowered(in->c) == 'i';
    if (add(text, in->c) < 0)
        return SCAN_MEMORY;
    if (read_word(in, text, &width, infinity ? "nf" : "an") < 0)
        return SCAN_MISMATCH;
    if (!infinity || width == 0 || __plx_scan_next(in) == EOF)
        return SCAN_OK;
    if (lowered(in->c) != 'i') {
        __plx_scan_back(in);
        return SCAN_OK;
    }
    narrow(&width);
    if (add(text, in->c) < 0)
        return SCAN_MEMORY;
    return read_word(in, text, &width, "nity") < 0 ? SCAN_MISMATCH : SCAN_OK;
}

struct float_state {
    int digit, point, exponent, hex;
    char mark;
};

/* Does the character that was just read go on with the number? What to keep of it, or 0. */
static char float_part(const struct scan_source *in, const struct text *text, struct float_state *st) {
    int c = in->c;
    if (c == EOF)
        return 0;
    if ((unsigned)c - '0' < 10 || (!st->exponent && st->hex && isxdigit(c))) {
        st->digit = 1;
        return (char)c;
    }
    if (st->exponent && text->p[text->n - 1] == st->mark && (c == '-' || c == '+'))
        return (char)c;
    if (st->digit && !st->exponent && lowered(c) == st->mark) {
        st->exponent = st->point = 1;
        return st->mark;
    }
    if (!st->point && c == (unsigned char)localeconv()->decimal_point[0]) {
        st->point = 1;
        return (char)c;
    }
    return 0;
}

static enum scan_result read_decimal(struct scan_source *in, struct text *text, int width,
                                     size_t sign) {
    struct float_state st = {.mark = 'e'};
    if (width != 0 && in->c == '0') {
        if (add(text, in->c) < 0)
            return SCAN_MEMORY;
        __plx_scan_next(in);
        narrow(&width);
        st.digit = 1;
        if (width != 0 && in->c != EOF && lowered(in->c) == 'x') {
            if (add(text, in->c) < 0)
                return SCAN_MEMORY;
            st = (struct float_state){.mark = 'p', .hex = 1};
            __plx_scan_next(in);
            narrow(&width);
        }
    }
    for (;;) {
        char part = float_part(in, text, &st);
        if (!part) {
            __plx_scan_back(in);
            break;
        }
        if (add(text, part) < 0)
            return SCAN_MEMORY;
        if (width == 0 || __plx_scan_next(in) == EOF)
            break;
        narrow(&width);
    }
    return text->n == sign || (st.hex && text->n == 2 + sign) ? SCAN_MISMATCH : SCAN_OK;
}

static enum scan_result read_float(struct scan_source *in, struct text *text, int width) {
    if (__plx_scan_next(in) == EOF)
        return SCAN_INPUT;
    narrow(&width);
    if (in->c == '-' || in->c == '+') {
        if (add(text, in->c) < 0)
            return SCAN_MEMORY;
        if (width == 0 || __plx_scan_next(in) == EOF)
            return SCAN_MISMATCH;
        narrow(&width);
    }
    int lower = lowered(in->c);
    if (lower == 'n' || lower == 'i')
        return read_special(in, text, width);
    return read_decimal(in, text, width, text->n);
}

static enum scan_result store_float(const struct conversion *conv, const char *p) {
    char *end;
    if (conv->length == SCAN_LONG_LONG) {
        long double v = __plx_parse_strtold(p, &end);
        if (!conv->suppress && end != p)
            *(long double *)conv->target = v;
    } else if (conv->length == SCAN_LONG) {
        double v = __plx_parse_strtod(p, &end);
        if (!conv->suppress && end != p)
            *(double *)conv->target = v;
    } else {
        float v = __plx_parse_strtof(p, &end);
        if (!conv->suppress && end != p)
            *(float *)conv->target = v;
    }
    return end == p ? SCAN_MISMATCH : SCAN_OK;
}

enum scan_result __plx_scan_float(struct scan_source *in, const struct conversion *conv) {
    struct text text;
    text.p = text.small;
    text.n = 0;
    text.room = sizeof text.small;
    enum scan_result result = read_float(in, &text, conv->width);
    if (result == SCAN_OK) {
        text.p[text.n] = '\0';
        result = store_float(conv, text.p);
    }
    if (text.p != text.small)
        free(text.p);
    return result;
}
