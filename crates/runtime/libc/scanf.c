/* The engine of the scanf family: formats, and where characters come from.
 *
 * In: a stream or a string, a format, pointers. Out: converted values with labels; every decision
 * about a symbolic character is a branch. Always holds: results, count, what stays unread, errno
 * and end-of-file state are glibc's.
 */
#define _GNU_SOURCE
#include "scanf_model.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int __plx_scan_next(struct scan_source *in) {
    if (in->c == EOF) {
        errno = in->eof_errno;
        return EOF;
    }
    int c;
    if (in->fp)
        c = plx_getc(in->fp);
    else
        c = *in->s != '\0' ? *in->s++ : EOF;
    if (c != EOF)
        in->read_in++;
    else
        in->eof_errno = errno;
    return in->c = c;
}

void __plx_scan_back(struct scan_source *in) {
    if (in->c == EOF)
        return;
    in->read_in--;
    if (in->fp)
        __plx_io_unread(in->fp, in->c);
    else
        in->s--;
}

enum dialect { DIALECT_GNU, DIALECT_C99, DIALECT_C23 };

/* Memory that this call allocated: freed again if its conversion fails or the call ends with
 * EOF. */
struct allocated {
    struct allocated *before;
    void **where;
    int complete;
};

struct scan {
    struct scan_source in;
    va_list first, rest;
    enum dialect dialect;
    int done, skip_space;
    struct allocated *allocated;
};

static int number(const char **f) {
    int64_t n = 0;
    for (; **f >= '0' && **f <= '9'; ++*f)
        n = n > INT_MAX ? n : n * 10 + (**f - '0');
    return n > INT_MAX ? -1 : (int)n;
}

static void *argument(struct scan *scan, int at) {
    if (at == 0)
        return va_arg(scan->rest, void *);
    va_list list;
    va_copy(list, scan->first);
    void *p = NULL;
    while (at-- > 0)
        p = va_arg(list, void *);
    va_end(list);
    return p;
}

static const char *parse_length(struct conversion *conv, const char *f, enum dialect dialect) {
    switch (*f) {
    case 'h':
        conv->length = f[1] == 'h' ? SCAN_CHAR : SCAN_SHORT;
        return f[1] == 'h' ? f + 2 : f + 1;
    case 'l':
        conv->length = f[1] == 'l' ? SCAN_LONG_LONG : SCAN_LONG;
        return f[1] == 'l' ? f + 2 : f + 1;
    case 'q':
    case 'L':
        conv->length = SCAN_LONG_LONG;
        return f + 1;
    case 'z':
    case 'Z':
    case 'j':
    case 't':
        conv->length = SCAN_LONG;
        return f + 1;
    case 'a':
        if (dialect != DIALECT_GNU || (f[1] != 's' && f[1] != 'S' && f[1] != '['))
            return f;
        conv->allocate = 1;
        return f + 1;
    case 'm':
        conv->allocate = 1;
        if (f[1] == 'l')
            conv->length = SCAN_LONG;
        return f[1] == 'l' ? f + 2 : f + 1;
    default:
        return f;
    }
}

/* The characters behind "[". A set that does not end fails when it is its turn. */
static const char *parse_set(struct conversion *conv, const char *f) {
    memset(conv->set, 0, sizeof conv->set);
    conv->inverted = *f == '^';
    f += conv->inverted;
    if (*f == ']' || *f == '-')
        conv->set[(unsigned char)*f++] = 1;
    for (; *f != ']'; f++) {
        unsigned char from = (unsigned char)f[-1], to = (unsigned char)f[1];
        if (*f == '\0') {
            conv->endless = 1;
            return f;
        }
        if (*f == '-' && to != '\0' && to != ']' && from <= to) {
            for (unsigned c = from; c <= to; c++)
                conv->set[c] = 1;
            f++;
        } else {
            conv->set[(unsigned char)*f] = 1;
        }
    }
    return f + 1;
}

/* f is behind the '%'. Where the format goes on, null if it is not valid. */
static const char *parse(struct scan *scan, struct conversion *conv, const char *f, int *at) {
    conv->suppress = conv->allocate = conv->endless = conv->width = *at = 0;
    conv->length = SCAN_INT;
    conv->binary = scan->dialect == DIALECT_C23;
    int have_width = 0;
    if (*f >= '0' && *f <= '9') {
        int n = number(&f);
        have_width = *f != '$';
        *(have_width ? &conv->width : at) = n;
        f += !have_width;
    }
    if (!have_width) {
        for (; *f == '*' || *f == '\'' || *f == 'I'; f++)
            conv->suppress |= *f == '*';
        conv->width = number(&f);
    }
    if (conv->width == 0)
        conv->width = -1;
    f = parse_length(conv, f, scan->dialect);
    if (*f == '\0')
        return NULL;
    conv->kind = *f++;
    if (conv->kind == 'C' || conv->kind == 'S') {
        conv->kind = conv->kind == 'C' ? 'c' : 's';
        conv->length = SCAN_LONG;
    }
    return conv->kind == '[' ? parse_set(conv, f) : f;
}

static enum scan_result skip_spaces(struct scan_source *in) {
    int saved = errno;
    errno = 0;
    do {
        if ((in->c == EOF || __plx_scan_next(in) == EOF) && errno == EINTR)
            return SCAN_INPUT;
    } while (in->c != EOF && isspace(in->c));
    errno = saved;
    __plx_scan_back(in);
    return SCAN_OK;
}

/* A character that the input must have here. */
static enum scan_result literal(struct scan *scan, unsigned char wanted) {
    struct scan_source *in = &scan->in;
    if (__plx_scan_next(in) == EOF)
        return SCAN_INPUT;
    if (scan->skip_space) {
        while (isspace(in->c))
            if (__plx_scan_next(in) == EOF)
                return SCAN_INPUT;
        scan->skip_space = 0;
    }
    if (in->c == wanted)
        return SCAN_OK;
    __plx_scan_back(in);
    return SCAN_MISMATCH;
}

/* A multibyte character in the format: its bytes, without skipping spaces before them. */
static enum scan_result literal_multibyte(struct scan *scan, const char *f, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (__plx_scan_next(&scan->in) == EOF)
            return SCAN_INPUT;
        if (scan->in.c != (unsigned char)f[i]) {
            __plx_scan_back(&scan->in);
            return SCAN_MISMATCH;
        }
    }
    return SCAN_OK;
}

static void store_count(const struct conversion *conv, size_t n) {
    switch (conv->length) {
    case SCAN_CHAR: *(char *)conv->target = (char)n; break;
    case SCAN_SHORT: *(short *)conv->target = (short)n; break;
    case SCAN_INT: *(int *)conv->target = (int)n; break;
    default: *(long *)conv->target = (long)n; break;
    }
}

static enum scan_result prepare_text(struct scan *scan, struct conversion *conv) {
    enum { FIRST_ROOM = 100 };
    if (conv->suppress || !conv->allocate)
        return SCAN_OK;
    if (!conv->target)
        return SCAN_MISMATCH;
    size_t unit = conv->length >= SCAN_LONG ? sizeof(wchar_t) : 1;
    struct allocated *note = malloc(sizeof *note);
    *(void **)conv->target = malloc(FIRST_ROOM * unit);
    if (!note || !*(void **)conv->target) {
        free(note);
        return SCAN_MEMORY;
    }
    *note = (struct allocated){.before = scan->allocated, .where = conv->target};
    scan->allocated = note;
    return SCAN_OK;
}

static enum scan_result convert_text(struct scan *scan, struct conversion *conv) {
    enum scan_result result = prepare_text(scan, conv);
    if (result == SCAN_OK)
        result = conv->length >= SCAN_LONG ? __plx_scan_wide(&scan->in, conv)
                                           : __plx_scan_text(&scan->in, conv);
    if (result != SCAN_OK)
        return result;
    scan->done += !conv->suppress;
    if (conv->allocate && !conv->suppress)
        scan->allocated->complete = 1;
    return SCAN_OK;
}

static enum scan_result convert(struct scan *scan, struct conversion *conv, int at) {
    enum scan_result result = SCAN_MISMATCH;
    if (scan->skip_space || !memchr("[cn", conv->kind, 3)) {
        if (skip_spaces(&scan->in) != SCAN_OK)
            return SCAN_INPUT;
        scan->skip_space = 0;
    }
    if (conv->kind == '%')
        return literal(scan, '%');
    if (conv->endless || !memchr("ncs[diouxXpaAeEfFgG", conv->kind, 19))
        return SCAN_MISMATCH;
    conv->target = conv->suppress ? NULL : argument(scan, at);
    switch (conv->kind) {
    case 'n':
        if (!conv->suppress)
            store_count(conv, scan->in.read_in);
        return SCAN_OK;
    case 'c':
    case 's':
    case '[':
        return convert_text(scan, conv);
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'p':
        result = __plx_scan_integer(&scan->in, conv);
        break;
    default:
        result = __plx_scan_float(&scan->in, conv);
    }
    if (result == SCAN_OK)
        scan->done += !conv->suppress;
    return result;
}

static enum scan_result run(struct scan *scan, const char *f) {
    struct conversion conv;
    mbstate_t state = {0};
    while (*f != '\0') {
        enum scan_result result;
        int at;
        size_t n = (unsigned char)*f < 0x80 ? 0 : mbrlen(f, strlen(f), &state);
        if (n > 0 && n <= MB_LEN_MAX) {
            result = literal_multibyte(scan, f, n);
            f += n;
        } else if (*f == '%') {
            f = parse(scan, &conv, f + 1, &at);
            if (!f)
                return SCAN_MISMATCH;
            result = convert(scan, &conv, at);
        } else if (isspace((unsigned char)*f)) {
            scan->skip_space = 1;
            f++;
            continue;
        } else {
            result = literal(scan, (unsigned char)*f++);
        }
        if (result != SCAN_OK)
            return result;
    }
    if (scan->skip_space) {
        while (__plx_scan_next(&scan->in) != EOF && isspace(scan->in.c))
            ;
        __plx_scan_back(&scan->in);
    }
    return SCAN_OK;
}

static int finish(struct scan *scan, enum scan_result result) {
    if (result == SCAN_ENCODING)
        errno = EILSEQ;
    if (result == SCAN_MEMORY || (result == SCAN_INPUT && scan->done == 0))
        scan->done = EOF;
    while (scan->allocated) {
        struct allocated *note = scan->allocated;
        scan->allocated = note->before;
        if (scan->done == EOF || !note->complete) {
            free(*note->where);
            *note->where = NULL;
        }
        free(note);
    }
    return scan->done;
}

static int scan_all(FILE *fp, const char *s, const char *format, va_list args, enum dialect dialect) {
    struct scan scan = {.in = {.fp = fp, .s = (const unsigned char *)s}, .dialect = dialect};
    va_copy(scan.first, args);
    va_copy(scan.rest, args);
    int locked = fp ? plx_lock(fp) : 0;
    int done = finish(&scan, run(&scan, format));
    if (fp)
        plx_unlock(fp, locked);
    va_end(scan.first);
    va_end(scan.rest);
    return done;
}

static int scan_stream(FILE *fp, const char *format, va_list args, enum dialect dialect) {
    /* A stream for wide characters gives no bytes. */
    return fwide(fp, -1) >= 0 ? EOF : scan_all(fp, NULL, format, args, dialect);
}

#define VARIADIC(call)                                                                             \
    va_list args;                                                                                  \
    va_start(args, f);                                                                             \
    int done = call;                                                                               \
    va_end(args);                                                                                  \
    return done

/* The six functions of one dialect. */
#define FAMILY(prefix, dialect)                                                                    \
    int MODEL(prefix##vfscanf)(FILE *fp, const char *f, va_list args) {                            \
        return scan_stream(fp, f, args, dialect);                                                  \
    }                                                                                              \
    int MODEL(prefix##vscanf)(const char *f, va_list args) {                                       \
        return scan_stream(stdin, f, args, dialect);                                               \
    }                                                                                              \
    int MODEL(prefix##vsscanf)(const char *s, const char *f, va_list args) {                       \
        return scan_all(NULL, s, f, args, dialect);                                                \
    }                                                                                              \
    int MODEL(prefix##fscanf)(FILE *fp, const char *f, ...) {                                      \
        VARIADIC(scan_stream(fp, f, args, dialect));                                               \
    }                                                                                              \
    int MODEL(prefix##scanf)(const char *f, ...) {                                                 \
        VARIADIC(scan_stream(stdin, f, args, dialect));                                            \
    }                                                                                              \
    int MODEL(prefix##sscanf)(const char *s, const char *f, ...) {                                 \
        VARIADIC(scan_all(NULL, s, f, args, dialect));                                             \
    }

FAMILY(, DIALECT_GNU)
FAMILY(__isoc99_, DIALECT_C99)
FAMILY(__isoc23_, DIALECT_C23)
