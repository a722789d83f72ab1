/* The formatter behind the printf family.
 *
 * In: a format, its arguments, and a sink. Out: the formatted bytes with their labels: integers,
 * characters and strings are formatted by plain C here, so that a symbolic number's digits are
 * expressions over it. Doubles are formatted by the real snprintf and labelled byte by byte
 * (printf_float.h). What cannot carry a label exactly (long double, wide characters,
 * digit grouping of a locale) is formatted by the real snprintf, conversion by conversion, with an
 * escape where the argument is symbolic. Always holds: bytes, count and errno are glibc's.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum length { LENGTH_NONE, LENGTH_HH, LENGTH_H, LENGTH_L, LENGTH_LL };

struct spec {
    int left, plus, space, alt, zero, group, i18n;
    int width, precision; /* precision -1: none */
    enum length length;
    char conversion;
    /* 0: the next argument, else its position, from 1. */
    int at, width_at, precision_at;
    int width_arg, precision_arg, width_negative, left_by_width;
    const char *length_text;
    int length_chars;
};

#include "printf_float.h"

enum kind { KIND_INT, KIND_LONG, KIND_POINTER, KIND_DOUBLE, KIND_LONG_DOUBLE };

union value {
    int64_t i;
    void *p;
    double d;
    long double ld;
};

struct arguments {
    va_list list;
    /* All arguments by position, if the format uses positions. */
    union value *by_position;
    int saved_errno;
    /* glibc's slow way: see size_in_format. */
    int slow;
};

static int fail(int error) {
    errno = error;
    return -1;
}

/* Makes room in a full sink. */
static int drained(struct plx_sink *sink) {
    return sink->used < sink->room || !sink->flush ? 0 : sink->flush(sink);
}

static int counted(struct plx_sink *sink, size_t n) {
    if (n > INT_MAX - sink->total)
        return fail(EOVERFLOW);
    sink->total += n;
    return 0;
}

static int put(struct plx_sink *sink, const char *p, size_t n) {
    if (counted(sink, n) < 0)
        return -1;
    while (n > 0) {
        if (drained(sink) < 0)
            return -1;
        size_t free_room = sink->room - sink->used;
        size_t part = n < free_room ? n : free_room;
        if (part == 0)
            return 0;
        __builtin_memcpy(sink->buf + sink->used, p, part);
        sink->used += part;
        p += part;
        n -= part;
    }
    return 0;
}

static int pad(struct plx_sink *sink, char c, int64_t wanted) {
    size_t n = wanted > 0 ? (size_t)wanted : 0;
    if (counted(sink, n) < 0)
        return -1;
    while (n > 0) {
        if (drained(sink) < 0)
            return -1;
        size_t free_room = sink->room - sink->used;
        size_t part = n < free_room ? n : free_room;
        if (part == 0)
            return 0;
        __builtin_memset(sink->buf + sink->used, c, part);
        sink->used += part;
        n -= part;
    }
    return 0;
}

/* A number in the format; -1 if it is too large. */
static int number(const char **f) {
    int64_t n = 0;
    int too_large = 0;
    for (; **f >= '0' && **f <= '9'; ++*f) {
        n = n * 10 + (**f - '0');
        if (n > INT_MAX) {
            too_large = 1;
            n = INT_MAX;
        }
    }
    return too_large ? -1 : (int)n;
}

/* `N$` at *f: N, and *f behind it. Else 0. */
static int position(const char **f) {
    const char *p = *f;
    if (*p < '1' || *p > '9')
        return 0;
    int n = number(&p);
    if (*p != '$' || n <= 0)
        return 0;
    *f = p + 1;
    return n;
}

static int flag(struct spec *s, char c) {
    switch (c) {
    case '-': s->left = 1; return 1;
    case '+': s->plus = 1; return 1;
    case ' ': s->space = 1; return 1;
    case '#': s->alt = 1; return 1;
    case '0': s->zero = 1; return 1;
    case '\'': s->group = 1; return 1;
    case 'I': s->i18n = 1; return 1;
    default: return 0;
    }
}

static const char *parse_length(struct spec *s, const char *f) {
    s->length_text = f;
    if (*f == 'h') {
        s->length = *++f == 'h' ? (++f, LENGTH_HH) : LENGTH_H;
    } else if (*f == 'l') {
        s->length = *++f == 'l' ? (++f, LENGTH_LL) : LENGTH_L;
    } else if (*f == 'q' || *f == 'L') {
        s->length = LENGTH_LL;
        f++;
    } else if (*f == 'z' || *f == 'Z' || *f == 't' || *f == 'j') {
        s->length = LENGTH_L;
        f++;
    }
    s->length_chars = (int)(f - s->length_text);
    return f;
}

/* A width or precision in the format. glibc refuses one that is too large, except in its slow way
 * through formats with positions or unknown conversions, which ignores it. */
static int size_in_format(const char **f, int slow, int ignored, int *n) {
    *n = number(f);
    if (*n >= 0)
        return 0;
    *n = ignored;
    return slow ? 0 : fail(EOVERFLOW);
}

/* f is behind the '%'. Where the format goes on; null with errno set for a bad one. */
static const char *parse(struct spec *s, const char *f, int slow) {
    *s = (struct spec){.precision = -1};
    s->at = position(&f);
    while (flag(s, *f))
        f++;
    if (*f == '*') {
        f++;
        s->width_arg = 1;
        s->width_at = position(&f);
    } else if (size_in_format(&f, slow, 0, &s->width) < 0) {
        return NULL;
    }
    if (*f == '.') {
        f++;
        if (*f == '*') {
            f++;
            s->precision_arg = 1;
            s->precision_at = position(&f);
        } else if (size_in_format(&f, slow, -1, &s->precision) < 0) {
            return NULL;
        }
    }
    f = parse_length(s, f);
    s->conversion = *f;
    /* The slow way knows these for floating point only. */
    if (slow && (*s->length_text == 'L' || *s->length_text == 'q') && !strchr("aAeEfFgG", *f)) {
        s->length = LENGTH_NONE;
        s->length_chars = 0;
    }
    if (s->conversion == '\0')
        return errno = EINVAL, NULL;
    return f + 1;
}

/* Kind of the argument of a conversion; -1: it takes none. */
static int kind_of(const struct spec *s) {
    switch (s->conversion) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'b': case 'B':
        return s->length >= LENGTH_L ? KIND_LONG : KIND_INT;
    case 'c': case 'C':
        return KIND_INT;
    case 's': case 'S': case 'p': case 'n':
        return KIND_POINTER;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        return s->length == LENGTH_LL ? KIND_LONG_DOUBLE : KIND_DOUBLE;
    default:
        return -1;
    }
}

static union value next(struct arguments *args, int kind) {
    union value v = {0};
    switch (kind) {
    case KIND_INT: v.i = va_arg(args->list, int); break;
    case KIND_LONG: v.i = va_arg(args->list, long); break;
    case KIND_POINTER: v.p = va_arg(args->list, void *); break;
    case KIND_DOUBLE: v.d = va_arg(args->list, double); break;
    case KIND_LONG_DOUBLE: v.ld = va_arg(args->list, long double); break;
    }
    return v;
}

static union value argument(struct arguments *args, int at, int kind) {
    return at && args->by_position ? args->by_position[at - 1] : next(args, kind);
}

/* `*` for width and precision. */
static int resolve_stars(struct spec *s, struct arguments *args) {
    if (s->width_arg) {
        int width = (int)argument(args, s->width_at, KIND_INT).i;
        if (width < 0) {
            if (width == INT_MIN)
                return fail(EOVERFLOW);
            s->left_by_width = !s->left;
            s->left = s->width_negative = 1;
            width = -width;
        }
        s->width = width;
    }
    if (s->precision_arg) {
        int precision = (int)argument(args, s->precision_at, KIND_INT).i;
        s->precision = precision < 0 ? -1 : precision;
    }
    return 0;
}

static int put_padded(struct plx_sink *sink, const struct spec *s, const char *p, size_t n) {
    int64_t padding = (int64_t)s->width - (int64_t)n;
    if (!s->left && pad(sink, ' ', padding) < 0)
        return -1;
    if (put(sink, p, n) < 0)
        return -1;
    return s->left ? pad(sink, ' ', padding) : 0;
}

static int put_string(struct plx_sink *sink, const struct spec *s, const char *p) {
    size_t most = s->precision < 0 ? SIZE_MAX : (size_t)s->precision;
    if (!p)
        return put_padded(sink, s, "(null)", most >= 6 ? 6 : 0);
    return put_padded(sink, s, p, __plx_io_length(p, most));
}

enum { MOST_DIGITS = 64 };

/* The digits of v, written to end at `end`; where they start. Nothing for 0. */
static char *digits(char *end, uint64_t v, int base, char ten) {
    if (base == 10) {
        for (; v != 0; v /= 10)
            *--end = (char)('0' + v % 10);
    } else if (base == 8) {
        for (; v != 0; v >>= 3)
            *--end = (char)('0' + (v & 7));
    } else if (base == 2) {
        for (; v != 0; v >>= 1)
            *--end = (char)('0' + (v & 1));
    } else {
        for (; v != 0; v >>= 4) {
            char d = (char)(v & 15);
            *--end = (char)(d + (d < 10 ? '0' : ten - 10));
        }
    }
    return end;
}

static int put_integer(struct plx_sink *sink, const struct spec *s, uint64_t v, int base,
                       const char *prefix) {
    char text[MOST_DIGITS], *end = text + sizeof text;
    char *start = digits(end, v, base, s->conversion == 'X' ? 'A' : 'a');
    if (start == end && s->precision != 0)
        *--start = '0';
    int64_t length = end - start, prefix_length = (int64_t)strlen(prefix);
    int64_t zeros = s->precision > length ? s->precision - length : 0;
    if (base == 8 && s->alt && zeros == 0 && (v != 0 || length == 0))
        zeros = 1;
    if (s->precision < 0 && s->zero && !s->left && s->width > length + prefix_length + zeros)
        zeros = s->width - length - prefix_length;
    int64_t padding = s->width - (length + prefix_length + zeros);
    if (!s->left && pad(sink, ' ', padding) < 0)
        return -1;
    if (put(sink, prefix, prefix_length) < 0 || pad(sink, '0', zeros) < 0 ||
        put(sink, start, length) < 0)
        return -1;
    return s->left ? pad(sink, ' ', padding) : 0;
}

static int put_signed(struct plx_sink *sink, const struct spec *s, int64_t v) {
    if (s->length == LENGTH_HH)
        v = (signed char)v;
    else if (s->length == LENGTH_H)
        v = (short)v;
    else if (s->length == LENGTH_NONE)
        v = (int)v;
    const char *sign = v < 0 ? "-" : s->plus ? "+" : s->space ? " " : "";
    return put_integer(sink, s, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, sign);
}

static int put_unsigned(struct plx_sink *sink, const struct spec *s, uint64_t v) {
    if (s->length == LENGTH_HH)
        v = (unsigned char)v;
    else if (s->length == LENGTH_H)
        v = (unsigned short)v;
    else if (s->length == LENGTH_NONE)
        v = (unsigned)v;
    if (s->conversion == 'u')
        return put_integer(sink, s, v, 10, "");
    if (s->conversion == 'o')
        return put_integer(sink, s, v, 8, "");
    char prefix[] = {'0', s->conversion, '\0'};
    int base = s->conversion == 'b' || s->conversion == 'B' ? 2 : 16;
    return put_integer(sink, s, v, base, s->alt && v != 0 ? prefix : "");
}

static int put_pointer(struct plx_sink *sink, const struct spec *s, void *p) {
    if (!p) {
        /* glibc never cuts this short. */
        return put_padded(sink, s, "(nil)", 5);
    }
    const char *prefix = s->plus ? "+0x" : s->space ? " 0x" : "0x";
    return put_integer(sink, s, (uintptr_t)p, 16, prefix);
}

static void store_count(const struct spec *s, void *where, size_t total) {
    switch (s->length) {
    case LENGTH_HH: *(signed char *)where = (signed char)total; break;
    case LENGTH_H: *(short *)where = (short)total; break;
    case LENGTH_NONE: *(int *)where = (int)total; break;
    default: *(long *)where = (long)total; break;
    }
}

/* The specification again, with `*` resolved unless `stars` are kept. `out` has room for it. */
static void spell(char *out, const struct spec *s, int stars) {
    *out++ = '%';
    const char *names = "-+ #0'I";
    int left = s->left && !(stars && s->left_by_width);
    const int set[] = {left, s->plus, s->space, s->alt, s->zero, s->group, s->i18n};
    for (int i = 0; names[i]; i++)
        if (set[i])
            *out++ = names[i];
    if (stars && s->width_arg)
        *out++ = '*';
    else if (s->width)
        out += sprintf(out, "%d", s->width);
    if (s->precision >= 0)
        out += sprintf(out, ".%d", s->precision);
    __builtin_memcpy(out, s->length_text, s->length_chars);
    out += s->length_chars;
    *out++ = s->conversion;
    *out = '\0';
}

static int real_format(char *out, size_t room, const char *text, int kind, union value v) {
    switch (kind) {
    case KIND_INT: return snprintf(out, room, text, (int)v.i);
    case KIND_LONG: return snprintf(out, room, text, (long)v.i);
    case KIND_POINTER: return snprintf(out, room, text, v.p);
    case KIND_DOUBLE: return snprintf(out, room, text, v.d);
    case KIND_LONG_DOUBLE: return snprintf(out, room, text, v.ld);
    /* No argument but, perhaps, the width. */
    default: return snprintf(out, room, text, (int)v.i);
    }
}

/* One conversion by the real libc. */
static int put_real(struct plx_sink *sink, const struct spec *s, int kind, union value v,
                    int saved_errno) {
    enum { USUAL = 512, SPEC_TEXT = 64 };
    char text[SPEC_TEXT], small[USUAL], *out = small;
    if (kind == KIND_INT || kind == KIND_LONG)
        __plx_escape_value("printf", (uint64_t)v.i);
    else if (kind == KIND_POINTER && v.p)
        __plx_escape("printf", v.p, sizeof(wchar_t));
    else if (kind < 0)
        v.i = s->width_negative ? -s->width : s->width;
    spell(text, s, kind < 0);
    small[0] = '\0';
    errno = saved_errno;
    int n = real_format(small, sizeof small, text, kind, v);
    if (n >= USUAL) {
        out = malloc((size_t)n + 1);
        if (!out)
            return -1;
        errno = saved_errno;
        n = real_format(out, (size_t)n + 1, text, kind, v);
    }
    /* After an error: what came before it. */
    size_t length = n < 0 ? strlen(out) : (size_t)n;
    int error = errno;
    __plx_clear_labels(out, length);
    if (kind == KIND_DOUBLE && n >= 0)
        label_float(s, out, length, v.d, (uint64_t)v.i);
    int result = put(sink, out, length);
    if (out != small)
        free(out);
    return n < 0 ? fail(error) : result;
}

/* Does the locale, rather than this file, know how to write this number? */
static int locale_digits(const struct spec *s) {
    return s->i18n || (s->group && localeconv()->thousands_sep[0] != '\0');
}

static int convert(struct plx_sink *sink, struct spec *s, struct arguments *args) {
    if (resolve_stars(s, args) < 0)
        return -1;
    if (s->conversion == '%')
        return put(sink, "%", 1);
    int kind = kind_of(s);
    union value v = {0};
    if (kind >= 0)
        v = argument(args, s->at, kind);
    if ((kind < 0 && s->conversion != 'm') ||
        (s->length == LENGTH_H && !strchr("diouxXbn", s->conversion)))
        args->slow = 1;
    int wide = s->length >= LENGTH_L;
    switch (s->conversion) {
    case 'd': case 'i':
        return locale_digits(s) ? put_real(sink, s, kind, v, args->saved_errno)
                                : put_signed(sink, s, v.i);
    case 'u': case 'o': case 'x': case 'X': case 'b': case 'B':
        return locale_digits(s) ? put_real(sink, s, kind, v, args->saved_errno)
                                : put_unsigned(sink, s, (uint64_t)v.i);
    case 'c':
        if (!wide) {
            char byte = (char)v.i;
            return put_padded(sink, s, &byte, 1);
        }
        break;
    case 's':
        if (!wide)
            return put_string(sink, s, v.p);
        break;
    case 'p':
        return put_pointer(sink, s, v.p);
    case 'n':
        store_count(s, v.p, sink->total);
        return 0;
    }
    return put_real(sink, s, kind, v, args->saved_errno);
}

static void note_kind(signed char *kinds, int most, int at, int kind) {
    if (at >= 1 && at <= most && kind >= 0)
        kinds[at - 1] = (signed char)kind;
}

/* Highest position in the format; with `kinds`, also the kind of the argument at each. */
static int scan_positions(const char *f, signed char *kinds, int most) {
    int highest = 0;
    while (*(f = strchrnul(f, '%')) != '\0') {
        struct spec s;
        f = parse(&s, f + 1, 1);
        if (!f)
            break;
        int used[] = {s.at, s.width_at, s.precision_at};
        for (int i = 0; i < 3; i++)
            highest = used[i] > highest ? used[i] : highest;
        if (kinds) {
            note_kind(kinds, most, s.width_at, KIND_INT);
            note_kind(kinds, most, s.precision_at, KIND_INT);
            note_kind(kinds, most, s.at, kind_of(&s));
        }
    }
    return highest;
}

/* Loads all arguments of a format with positions. */
static int load_positions(struct arguments *args, const char *format) {
    int highest = scan_positions(format, NULL, 0);
    if (highest == 0)
        return 0;
    args->by_position = calloc((size_t)highest, sizeof *args->by_position + 1);
    if (!args->by_position)
        return -1;
    args->slow = 1;
    signed char *kinds = (signed char *)(args->by_position + highest);
    scan_positions(format, kinds, highest);
    for (int i = 0; i < highest; i++)
        args->by_position[i] = next(args, kinds[i]);
    return 0;
}

/* Plain text up to the next '%'. */
static size_t literal(const char *f) {
    size_t n = strchrnul(f, '%') - f;
    if (!__plx_symbolic(f, n + 1))
        return n;
    n = 0;
    while (f[n] != '\0' && f[n] != '%')
        n++;
    return n;
}

static int format_all(struct plx_sink *sink, const char *f, struct arguments *args) {
    for (;;) {
        size_t n = literal(f);
        if (put(sink, f, n) < 0)
            return -1;
        f += n;
        if (*f == '\0')
            return (int)sink->total;
        struct spec s;
        f = parse(&s, f + 1, args->slow);
        if (!f)
            return -1;
        if (convert(sink, &s, args) < 0)
            return -1;
    }
}

int __plx_io_format(struct plx_sink *sink, const char *format, va_list list) {
    struct arguments args = {.saved_errno = errno};
    va_copy(args.list, list);
    int uses_positions = strchr(format, '$') != NULL;
    int result = -1;
    if (!uses_positions || load_positions(&args, format) == 0)
        result = format_all(sink, format, &args);
    va_end(args.list);
    free(args.by_position);
    return result;
}
