/* printf and scanf in the dependence mode: the real ones, and the strings they read or wrote.
 *
 * The format is walked beside the real function. A directive that the walk does not know (positional arguments) ends
 * it: what comes after is done as always, but not recorded. */
#define _GNU_SOURCE
#include "dependence.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEP(name) __plx_dep_##name

enum length { PLAIN, CHAR, SHORT, LONG, WIDEST, LONG_DOUBLE };

struct directive {
    char conversion;      /* 0: end of the format, or not understood */
    enum length length;
    int suppressed;       /* scanf: nothing is stored */
    int allocates;        /* scanf: %ms */
    int star_width, star_precision;
    long width, precision; /* -1: none */
};

static const char *number(const char *f, long *n) {
    *n = 0;
    while (*f >= '0' && *f <= '9' && *n < 1 << 24) *n = *n * 10 + (*f++ - '0');
    return f;
}

static const char *length(const char *f, enum length *out) {
    switch (*f) {
    case 'h': *out = f[1] == 'h' ? CHAR : SHORT; return f + (f[1] == 'h' ? 2 : 1);
    case 'l': *out = f[1] == 'l' ? WIDEST : LONG; return f + (f[1] == 'l' ? 2 : 1);
    case 'q': case 'j': case 'z': case 't': *out = WIDEST; return f + 1;
    case 'L': *out = LONG_DOUBLE; return f + 1;
    default: *out = PLAIN; return f;
    }
}

/* The next directive at or after f; the rest of the format. */
static const char *next(const char *f, struct directive *d, int scanning) {
    memset(d, 0, sizeof *d);
    d->width = d->precision = -1;
    f = strchr(f, '%');
    if (!f) return NULL;
    f++;
    if (scanning) {
        d->suppressed = *f == '*';
        f += d->suppressed;
    } else {
        f += strspn(f, "-+ #0'I");
        if (*f == '*') d->star_width = 1, f++;
    }
    if (*f >= '0' && *f <= '9') f = number(f, &d->width);
    if (*f == '$') return NULL;
    if (!scanning && *f == '.') {
        f++;
        if (*f == '*') d->star_precision = 1, f++;
        else f = number(f, &d->precision);
    }
    if (scanning && *f == 'm') d->allocates = 1, f++;
    f = length(f, &d->length);
    d->conversion = *f;
    return *f ? f + 1 : NULL;
}

static size_t integer_bytes(enum length l) {
    switch (l) {
    case CHAR: return 1;
    case SHORT: return 2;
    case PLAIN: return 4;
    default: return 8;
    }
}

/* What a call of printf reads (and, for %n, writes). */
static void printed(const char *format, va_list arguments) {
    struct directive d;
    const char *f = format;
    dep_reads(format, strlen(format) + 1);
    while ((f = next(f, &d, 0))) {
        if (d.star_width) (void)va_arg(arguments, int);
        if (d.star_precision) d.precision = va_arg(arguments, int);
        switch (d.conversion) {
        case '%': case 'm': break;
        case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'c':
            if (d.length == LONG || d.length == WIDEST) (void)va_arg(arguments, long);
            else (void)va_arg(arguments, int);
            break;
        case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
            if (d.length == LONG_DOUBLE) (void)va_arg(arguments, long double);
            else (void)va_arg(arguments, double);
            break;
        case 's': {
            const char *s = va_arg(arguments, const char *);
            if (!s || d.length == LONG) break;
            size_t most = d.precision >= 0 ? (size_t)d.precision : SIZE_MAX / 2;
            size_t n = strnlen(s, most);
            dep_reads(s, n < most ? n + 1 : most);
            break;
        }
        case 'p': (void)va_arg(arguments, void *); break;
        case 'n': dep_writes(va_arg(arguments, void *), integer_bytes(d.length)); break;
        default: return;
        }
    }
}

#define PRINTED(format, arguments)   \
    va_list walked;                  \
    va_copy(walked, arguments);      \
    printed(format, walked);         \
    va_end(walked)

#define WITH_ARGUMENTS(call)     \
    va_list arguments;           \
    va_start(arguments, format); \
    int n = call;                \
    va_end(arguments);           \
    return n

int DEP(vprintf)(const char *format, va_list arguments) {
    PRINTED(format, arguments);
    return vprintf(format, arguments);
}
int DEP(vfprintf)(FILE *f, const char *format, va_list arguments) {
    PRINTED(format, arguments);
    return vfprintf(f, format, arguments);
}
int DEP(vdprintf)(int fd, const char *format, va_list arguments) {
    PRINTED(format, arguments);
    return vdprintf(fd, format, arguments);
}
int DEP(vsprintf)(char *to, const char *format, va_list arguments) {
    PRINTED(format, arguments);
    int n = vsprintf(to, format, arguments);
    if (n >= 0) dep_writes(to, (size_t)n + 1);
    return n;
}
int DEP(vsnprintf)(char *to, size_t size, const char *format, va_list arguments) {
    PRINTED(format, arguments);
    int n = vsnprintf(to, size, format, arguments);
    if (n >= 0) dep_writes(to, (size_t)n + 1 < size ? (size_t)n + 1 : size);
    return n;
}
int DEP(vasprintf)(char **to, const char *format, va_list arguments) {
    PRINTED(format, arguments);
    int n = vasprintf(to, format, arguments);
    if (n >= 0) {
        dep_allocated(*to, (size_t)n + 1);
        dep_writes(*to, (size_t)n + 1);
        dep_writes(to, sizeof *to);
    }
    return n;
}
int DEP(printf)(const char *format, ...) { WITH_ARGUMENTS(DEP(vprintf)(format, arguments)); }
int DEP(fprintf)(FILE *f, const char *format, ...) { WITH_ARGUMENTS(DEP(vfprintf)(f, format, arguments)); }
int DEP(dprintf)(int fd, const char *format, ...) { WITH_ARGUMENTS(DEP(vdprintf)(fd, format, arguments)); }
int DEP(sprintf)(char *to, const char *format, ...) { WITH_ARGUMENTS(DEP(vsprintf)(to, format, arguments)); }
int DEP(snprintf)(char *to, size_t size, const char *format, ...) {
    WITH_ARGUMENTS(DEP(vsnprintf)(to, size, format, arguments));
}
int DEP(asprintf)(char **to, const char *format, ...) { WITH_ARGUMENTS(DEP(vasprintf)(to, format, arguments)); }

/* Past the closing bracket of %[…]. */
static const char *after_set(const char *f) {
    if (*f == '^') f++;
    if (*f == ']') f++;
    while (*f && *f != ']') f++;
    return *f ? f + 1 : f;
}

static size_t scanned_bytes(const struct directive *d, const void *p) {
    switch (d->conversion) {
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'n': return integer_bytes(d->length);
    case 'c': return d->width > 0 ? (size_t)d->width : 1;
    case 's': case '[': return strlen(p) + 1;
    case 'p': return sizeof(void *);
    default: return d->length == LONG_DOUBLE ? sizeof(long double) : d->length == LONG ? 8 : 4;
    }
}

/* What a call of scanf that stored `stored` values wrote. */
static void scanned(const char *format, va_list arguments, int stored) {
    struct directive d;
    const char *f = format;
    dep_reads(format, strlen(format) + 1);
    while ((f = next(f, &d, 1))) {
        if (d.conversion == '[') f = after_set(f);
        if (d.conversion == '%' || d.suppressed) continue;
        if (d.conversion != 'n' && stored-- <= 0) return;
        int text = d.conversion == 's' || d.conversion == '[' || d.conversion == 'c';
        if (d.allocates || (text && d.length == LONG)) return;
        void *p = va_arg(arguments, void *);
        dep_writes(p, scanned_bytes(&d, p));
    }
}

#define SCANNED(call)                    \
    va_list arguments, walked;           \
    va_start(arguments, format);         \
    va_copy(walked, arguments);          \
    int stored = call;                   \
    scanned(format, walked, stored);     \
    va_end(walked);                      \
    va_end(arguments);                   \
    return stored

#define SCANF(name) \
    int DEP(name)(const char *format, ...) { SCANNED(vscanf(format, arguments)); }
#define FSCANF(name) \
    int DEP(name)(FILE *f, const char *format, ...) { SCANNED(vfscanf(f, format, arguments)); }
#define SSCANF(name)                                       \
    int DEP(name)(const char *s, const char *format, ...) { \
        dep_reads(s, strlen(s) + 1);                       \
        SCANNED(vsscanf(s, format, arguments));            \
    }
SCANF(scanf)
SCANF(__isoc99_scanf)
FSCANF(fscanf)
FSCANF(__isoc99_fscanf)
SSCANF(sscanf)
SSCANF(__isoc99_sscanf)
