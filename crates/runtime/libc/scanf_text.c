/* Characters, strings and sets in scanf, narrow and wide.
 *
 * In: characters, a conversion. Out: the text with its labels in the program's memory, or in
 * memory allocated for it. Always holds: *target points to valid memory whenever the conversion
 * allocates, so that the engine can free it.
 */
#define _GNU_SOURCE
#include "scanf_model.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

size_t MODEL(mbrtowc)(wchar_t *dst, const char *s, size_t n, mbstate_t *state);

/* Where text goes: nowhere, to memory of the program, or to memory that grows. */
struct destination {
    char *p;
    size_t used, room, unit;
    char **where;
};

static struct destination destination(const struct conversion *conv, size_t unit) {
    enum { FIRST_ROOM = 100 };
    struct destination dst = {.unit = unit};
    if (conv->suppress)
        return dst;
    if (conv->allocate) {
        dst.where = conv->target;
        dst.p = *dst.where;
        dst.room = FIRST_ROOM;
    } else {
        dst.p = conv->target;
        dst.room = SIZE_MAX;
    }
    return dst;
}

static int resize(struct destination *dst, size_t room) {
    char *p = realloc(dst->p, room * dst->unit);
    if (!p)
        return -1;
    *dst->where = dst->p = p;
    dst->room = room;
    return 0;
}

/* Makes sure of room for one more. */
static int reserve(struct destination *dst) {
    return !dst->p || dst->used < dst->room ? 0 : resize(dst, 2 * dst->room);
}

static int add(struct destination *dst, int c) {
    if (reserve(dst) < 0)
        return -1;
    if (dst->p)
        dst->p[dst->used++] = (char)c;
    return 0;
}

static int add_wide(struct destination *dst, wchar_t c) {
    if (reserve(dst) < 0)
        return -1;
    if (dst->p)
        ((wchar_t *)dst->p)[dst->used++] = c;
    return 0;
}

/* Allocated memory shrinks to what is used; if that fails it stays as it is. */
static enum scan_result trim(struct destination *dst) {
    if (dst->where && dst->used < dst->room)
        resize(dst, dst->used);
    return SCAN_OK;
}

/* Does the character that was read end the field? */
static int ends(const struct conversion *conv, int c) {
    if (conv->kind == 's')
        return isspace(c);
    return conv->kind == '[' && conv->set[c] == conv->inverted;
}

enum scan_result __plx_scan_text(struct scan_source *in, const struct conversion *conv) {
    struct destination dst = destination(conv, 1);
    int width = conv->kind == 'c' && conv->width < 0 ? 1 : conv->width;
    if (__plx_scan_next(in) == EOF)
        return SCAN_INPUT;
    size_t start = in->read_in;
    do {
        if (ends(conv, in->c)) {
            __plx_scan_back(in);
            break;
        }
        if (add(&dst, in->c) < 0)
            return SCAN_MEMORY;
    } while ((width < 0 || --width > 0) && __plx_scan_next(in) != EOF);
    if (conv->kind == '[' && in->read_in < start)
        return SCAN_MISMATCH;
    if (conv->kind != 'c' && add(&dst, '\0') < 0)
        return SCAN_MEMORY;
    return trim(&dst);
}

/* Reads the rest of the character that starts with the byte just read. For a set, every byte
 * must be in it. */
static enum scan_result whole_character(struct scan_source *in, const struct conversion *conv,
                                        wchar_t *c) {
    char bytes[MB_LEN_MAX];
    for (size_t n = 0; n < sizeof bytes;) {
        if (n > 0 && __plx_scan_next(in) == EOF)
            return SCAN_ENCODING;
        if (n > 0 && conv->kind == '[' && ends(conv, in->c)) {
            __plx_scan_back(in);
            return SCAN_ENCODING;
        }
        bytes[n++] = (char)in->c;
        mbstate_t state = {0};
        size_t length = MODEL(mbrtowc)(c, bytes, n, &state);
        if (length <= n)
            return SCAN_OK;
        if (length == (size_t)-1)
            return SCAN_ENCODING;
    }
    return SCAN_ENCODING;
}

enum scan_result __plx_scan_wide(struct scan_source *in, const struct conversion *conv) {
    struct destination dst = destination(conv, sizeof(wchar_t));
    int width = conv->kind == 'c' && conv->width < 0 ? 1 : conv->width;
    if (__plx_scan_next(in) == EOF)
        return SCAN_INPUT;
    size_t start = in->read_in;
    do {
        if (ends(conv, in->c)) {
            __plx_scan_back(in);
            break;
        }
        wchar_t c;
        enum scan_result result = whole_character(in, conv, &c);
        if (result != SCAN_OK)
            return result;
        if (add_wide(&dst, c) < 0)
            return SCAN_MEMORY;
    } while ((width < 0 || --width > 0) && __plx_scan_next(in) != EOF);
    if (conv->kind == '[' && in->read_in < start)
        return SCAN_MISMATCH;
    if (conv->kind != 'c' && add_wide(&dst, L'\0') < 0)
        return SCAN_MEMORY;
    return trim(&dst);
}
