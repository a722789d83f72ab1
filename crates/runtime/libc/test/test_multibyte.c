/* multibyte.c and multibyte_strings.c against the real functions: results, errno, and the bytes of
 * the conversion state, also where both sides continue from each other's state. */
#define _GNU_SOURCE
#include <uchar.h>
#include <wchar.h>

#include "harness.h"

extern size_t MODEL(mbrtowc)(wchar_t *, const char *, size_t, mbstate_t *),
    MODEL(mbrlen)(const char *, size_t, mbstate_t *), MODEL(__mbrlen)(const char *, size_t, mbstate_t *),
    MODEL(mbrtoc32)(char32_t *, const char *, size_t, mbstate_t *),
    MODEL(c32rtomb)(char *, char32_t, mbstate_t *), MODEL(wcrtomb)(char *, wchar_t, mbstate_t *), MODEL(mbstowcs)(wchar_t *, const char *, size_t),
    MODEL(mbsrtowcs)(wchar_t *, const char **, size_t, mbstate_t *),
    MODEL(mbsnrtowcs)(wchar_t *, const char **, size_t, size_t, mbstate_t *),
    MODEL(wcstombs)(char *, const wchar_t *, size_t),
    MODEL(wcsrtombs)(char *, const wchar_t **, size_t, mbstate_t *),
    MODEL(wcsnrtombs)(char *, const wchar_t **, size_t, size_t, mbstate_t *);
extern int MODEL(mbtowc)(wchar_t *, const char *, size_t), MODEL(mblen)(const char *, size_t),
    MODEL(mbsinit)(const mbstate_t *), MODEL(wctomb)(char *, wchar_t);
extern size_t __mbrlen(const char *, size_t, mbstate_t *);

static void check_state(const mbstate_t *r, const mbstate_t *m) {
    check_long("state count", r->__count, m->__count);
    if (r->__count)
        check_long("state value", (int64_t)r->__value.__wch, (int64_t)m->__value.__wch);
}

/* A walk through one string in pieces; the model goes on from the real function's state, so a
 * state that only one of them understands is found out. */
#define WALK(call, model_call)                                                                  \
    do {                                                                                        \
        char *s = any_multibyte(0, 30);                                                         \
        size_t left = strlen(s) + 1;                                                            \
        mbstate_t r_state = {0}, m_state = {0};                                                 \
        for (int i = 0; i < 40 && left > 0; i++) {                                              \
            size_t n = once_in(2) ? left : below(left < 4 ? left + 1 : 4);                      \
            wchar_t r_wide = 77, m_wide = 77;                                                   \
            wchar_t *r_to = once_in(8) ? NULL : &r_wide, *m_to = r_to ? &m_wide : NULL;         \
            const char *at = once_in(20) ? NULL : s;                                            \
            (void)r_to, (void)m_to;                                                             \
            size_t used = 0;                                                                    \
            SAME(used = (call), (model_call));                                                  \
            check_long("character", r_wide, m_wide);                                            \
            check_state(&r_state, &m_state);                                                    \
            m_state = r_state;                                                                  \
            used = !at ? 0 : used == (size_t)-1 ? 1 : used == (size_t)-2 ? n : used ? used : 1; \
            if (once_in(6))                                                                     \
                memset(&r_state, 0, sizeof r_state), memset(&m_state, 0, sizeof m_state);       \
            s += used > left ? left : used, left -= used > left ? left : used;                  \
        }                                                                                       \
    } while (0)

TEST(mbrtowc) {
    if (once_in(2))
        WALK(mbrtowc(r_to, at, n, &r_state), MODEL(mbrtowc)(m_to, at, n, &m_state));
    else
        WALK(mbrtowc(r_to, at, n, NULL), MODEL(mbrtowc)(m_to, at, n, NULL));
}

TEST(mbrlen) {
    if (once_in(2))
        WALK(mbrlen(at, n, &r_state), MODEL(mbrlen)(at, n, &m_state));
    else
        WALK(mbrlen(at, n, NULL), MODEL(mbrlen)(at, n, NULL));
}

TEST(mbrtoc32) {
    if (once_in(2))
        WALK(mbrtoc32((char32_t *)r_to, at, n, &r_state), MODEL(mbrtoc32)((char32_t *)m_to, at, n, &m_state));
    else
        WALK(mbrtoc32((char32_t *)r_to, at, n, NULL), MODEL(mbrtoc32)((char32_t *)m_to, at, n, NULL));
}

TEST(__mbrlen) {
    WALK(__mbrlen(at, n, &r_state), MODEL(__mbrlen)(at, n, &m_state));
}

TEST(mbtowc) {
    mbtowc(NULL, NULL, 0), MODEL(mbtowc)(NULL, NULL, 0);
    WALK((size_t)mbtowc(r_to, at, n), (size_t)MODEL(mbtowc)(m_to, at, n));
}

TEST(mblen) {
    WALK((size_t)mblen(at, n), (size_t)MODEL(mblen)(at, n));
}

TEST(mbsinit) {
    mbstate_t state = {0};
    char *s = any_multibyte(0, 10);
    wchar_t c;
    mbrtowc(&c, s, below(strlen(s) + 1), &state);
    const mbstate_t *p = once_in(9) ? NULL : &state;
    SAME(mbsinit(p) != 0, MODEL(mbsinit)(p) != 0);
}

static wchar_t any_wide_character(void) {
    static const uint32_t edges[] = {0,      0x7f,   0x80,    0x7ff,    0x800,    0xd7ff,   0xd800,
                                     0xdfff, 0xe000, 0xffff,  0x10000,  0x10ffff, 0x110000, 0x1fffff,
                                     0x200000, 0x3ffffff, 0x4000000, 0x7fffffff, 0x80000000, 0xffffffff,
                                     0xdffff, 0xe0000, 0xe007f, 0xe0080};
    return (wchar_t)(once_in(3) ? PICK(edges) : (uint32_t)any() >> below(32));
}

#define ENCODES(name, call, model_call)                                                         \
    TEST(name) {                                                                                \
        wchar_t c = any_wide_character();                                                       \
        char r_bytes[16] = "0123456789", m_bytes[16] = "0123456789";                            \
        mbstate_t r_state = {0}, m_state = {0};                                                 \
        char *r_to = once_in(20) ? NULL : r_bytes, *m_to = r_to ? m_bytes : NULL;               \
        SAME(call, model_call);                                                                 \
        check_bytes("bytes", r_bytes, m_bytes, sizeof r_bytes);                                 \
        check_state(&r_state, &m_state);                                                        \
    }
ENCODES(wcrtomb, wcrtomb(r_to, c, once_in(2) ? &r_state : NULL), MODEL(wcrtomb)(m_to, c, &m_state))
ENCODES(c32rtomb, c32rtomb(r_to, (char32_t)c, &r_state), MODEL(c32rtomb)(m_to, (char32_t)c, &m_state))
ENCODES(wctomb, wctomb(r_to, c), MODEL(wctomb)(m_to, c))

enum { ROOM = 40 };

/* Strings of multibyte characters; the state may hold the start of a character. */
#define DECODES(name, call, model_call)                                                         \
    TEST(name) {                                                                                \
        char *s = any_multibyte(0, 30);                                                         \
        const char *r_from = s, *m_from = s;                                                    \
        size_t room = below(ROOM), most = once_in(3) ? strlen(s) + 1 : below(strlen(s) + 2);    \
        wchar_t *r_to = guarded(1, room * sizeof *r_to), *m_to = guarded(2, room * sizeof *m_to); \
        wchar_t *r_start = r_to, *m_start = m_to, c;                                            \
        mbstate_t r_state = {0}, m_state = {0};                                                 \
        if (once_in(4))                                                                         \
            mbrtowc(&c, "\xf0\x9f\x98", 1 + below(3), &r_state), m_state = r_state;             \
        memset(r_to, 1, room * sizeof *r_to), memset(m_to, 1, room * sizeof *m_to);             \
        if (once_in(5))                                                                         \
            r_to = m_to = NULL;                                                                 \
        (void)most, (void)c;                                                                    \
        SAME(call, model_call);                                                                 \
        check_bytes("characters", r_start, m_start, room * sizeof *r_start);                    \
        check_place("position", r_from, s, m_from, s);                                          \
        check_state(&r_state, &m_state);                                                        \
    }
DECODES(mbstowcs, mbstowcs(r_to, s, room), MODEL(mbstowcs)(m_to, s, room))
DECODES(mbsrtowcs, mbsrtowcs(r_to, &r_from, room, &r_state),
        MODEL(mbsrtowcs)(m_to, &m_from, room, &m_state))
DECODES(mbsnrtowcs, mbsnrtowcs(r_to, &r_from, most, room, &r_state),
        MODEL(mbsnrtowcs)(m_to, &m_from, most, room, &m_state))

#define ENCODES_STRING(name, call, model_call)                                                  \
    TEST(name) {                                                                                \
        wchar_t *s = any_wide(0, 30);                                                           \
        const wchar_t *r_from = s, *m_from = s;                                                 \
        size_t room = below(ROOM), most = once_in(3) ? wcslen(s) + 1 : below(wcslen(s) + 2);    \
        char *r_to = guarded(1, room), *m_to = guarded(2, room), *r_start = r_to, *m_start = m_to; \
        mbstate_t r_state = {0}, m_state = {0};                                                 \
        memset(r_to, 1, room), memset(m_to, 1, room);                                           \
        if (once_in(5))                                                                         \
            r_to = m_to = NULL;                                                                 \
        (void)most;                                                                             \
        SAME(call, model_call);                                                                 \
        check_bytes("bytes", r_start, m_start, room);                                           \
        check_place("position", r_from, s, m_from, s);                                          \
        check_state(&r_state, &m_state);                                                        \
    }
ENCODES_STRING(wcstombs, wcstombs(r_to, s, room), MODEL(wcstombs)(m_to, s, room))
ENCODES_STRING(wcsrtombs, wcsrtombs(r_to, &r_from, room, &r_state),
               MODEL(wcsrtombs)(m_to, &m_from, room, &m_state))
ENCODES_STRING(wcsnrtombs, wcsnrtombs(r_to, &r_from, most, room, &r_state),
               MODEL(wcsnrtombs)(m_to, &m_from, most, room, &m_state))
