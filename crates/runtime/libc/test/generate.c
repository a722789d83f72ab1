/* Generators of test inputs; see harness.h.
 *
 * In: the random numbers of harness.c. Out: strings and bytes in guarded memory, biased towards
 * what breaks libraries: empty, one character, near misses, repeated characters, high bytes.
 */
#include "harness.h"

static const char *const alphabets[] = {
    "a",        "ab",          "aAbB",     "0123456789",       "09azAZ",   "/.a",
    " \t\n\v\f\r+-0x19", "-=a:", "\x7f\x80\xff", "abcdefghijklmnopqrstuvwxyz",
};

static size_t any_length(size_t most) {
    switch (below(8)) {
    case 0:
        return 0;
    case 1:
        return below(3) > most ? most : below(3);
    case 2:
        return below(most + 1);
    default:
        return below((most < 24 ? most : 24) + 1);
    }
}

char *string_of(int slot, size_t most, const char *alphabet) {
    size_t n = any_length(most), kinds = strlen(alphabet);
    char *s = guarded(slot, n + 1);
    for (size_t i = 0; i < n; i++)
        s[i] = alphabet[below(kinds)];
    s[n] = 0;
    return s;
}

char *any_string(int slot, size_t most) {
    if (!once_in(4))
        return string_of(slot, most, PICK(alphabets));
    size_t n = any_length(most);
    char *s = guarded(slot, n + 1);
    for (size_t i = 0; i < n; i++)
        s[i] = (char)(1 + below(255));
    s[n] = 0;
    return s;
}

char *string_like(int slot, const char *like) {
    size_t n = strlen(like), from = once_in(3) ? below(n + 1) : 0;
    size_t kept = once_in(2) ? n - from : below(n - from + 1);
    char *s = guarded(slot, kept + 1);
    memcpy(s, like + from, kept);
    s[kept] = 0;
    if (kept && once_in(3)) {
        char *p = &s[below(kept)];
        *p = (char)(once_in(2) ? *p ^ 0x20 : (int)below(255) + 1);
        *p = *p ? *p : '!';
    }
    return s;
}

unsigned char *any_bytes(int slot, size_t n) {
    unsigned char *p = guarded(slot, n);
    unsigned kinds = once_in(2) ? 256 : 1 + (unsigned)below(3);
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)below(kinds);
    return p;
}

/* No tag characters (U+E0000..U+E007F): in the C locale glibc's functions on strings read memory
 * outside the target for them. */
wchar_t *any_wide(int slot, size_t most) {
    static const wchar_t picks[] = {L'a',   L'b',   L'A',    L'0',    L'9',   L' ',     L'\n',
                                    0x7f,   0x80,   0xe9,    0x7ff,   0x20ac, 0xd800,   0xffff,
                                    0x1f600, 0x10ffff, 0x110000, 0x7fffffff, -1};
    size_t n = any_length(most), narrow = below(4);
    wchar_t *s = guarded(slot, (n + 1) * sizeof *s);
    for (size_t i = 0; i < n; i++)
        s[i] = narrow == 0 ? PICK(picks) : narrow == 1 ? (wchar_t)(1 + below(127)) : picks[below(7)];
    s[n] = 0;
    return s;
}

static size_t put_utf8(char *at, uint32_t c) {
    unsigned char *p = (unsigned char *)at;
    if (c < 0x80)
        return *p = (unsigned char)c, 1;
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : c < 0x200000 ? 3 : c < 0x4000000 ? 4 : 5;
    p[0] = (unsigned char)((0xff00u >> (more + 1)) | (c >> (6 * more)));
    for (int i = 1; i <= more; i++)
        p[i] = (unsigned char)(0x80 | ((c >> (6 * (more - i))) & 0x3f));
    return (size_t)more + 1;
}

char *any_multibyte(int slot, size_t most) {
    static const uint32_t picks[] = {'a',    'Z',    ' ',    0x80,    0x7ff,   0x800,
                                     0x20ac, 0xd7ff, 0xd800, 0xdfff,  0xe000,  0xffff,
                                     0x10000, 0x1f600, 0x10ffff, 0x110000, 0x1fffff, 0x7fffffff};
    char buffer[SLOT_BYTES];
    size_t n = 0, wanted = any_length(most);
    unsigned broken = once_in(2) ? 6 : 1000;
    while (n + 6 < sizeof buffer && n < wanted) {
        uint32_t c = once_in(3) ? (uint32_t)(1 + below(0x2000)) : picks[below(once_in(4) ? 18 : 8)];
        n += put_utf8(buffer + n, c);
        if (once_in(broken))
            n -= n > 1;
        if (once_in(broken))
            buffer[n ? n - 1 : n++] = (char)(1 + below(255));
    }
    buffer[n++] = 0;
    return guarded_copy(slot, buffer, n);
}
