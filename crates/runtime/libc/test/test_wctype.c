/* wctype.c against the real functions. */
#define _GNU_SOURCE
#include <wchar.h>
#include <wctype.h>

#include "harness.h"

static wint_t any_character(void) {
    static const wint_t edges[] = {0, 127, 128, 255, 256, 0x131, 0x17f, 0xd800, 0xffff, WEOF, 0x110000};
    return once_in(2) ? (wint_t)below(128) : once_in(4) ? PICK(edges) : (wint_t)any() >> below(32);
}

#define CHARACTERS(name)                                                                        \
    extern __typeof__(name) MODEL(name);                                                        \
    TEST(name) {                                                                                \
        wint_t c = any_character();                                                             \
        SAME((name)(c), MODEL(name)(c));                                                        \
    }
CHARACTERS(iswalnum)
CHARACTERS(iswalpha)
CHARACTERS(iswblank)
CHARACTERS(iswcntrl)
CHARACTERS(iswdigit)
CHARACTERS(iswgraph)
CHARACTERS(iswlower)
CHARACTERS(iswprint)
CHARACTERS(iswpunct)
CHARACTERS(iswspace)
CHARACTERS(iswupper)
CHARACTERS(iswxdigit)
CHARACTERS(towlower)
CHARACTERS(towupper)
CHARACTERS(wctob)

extern __typeof__(wcwidth) MODEL(wcwidth);
TEST(wcwidth) {
    wchar_t c = (wchar_t)any_character();
    SAME(wcwidth(c), MODEL(wcwidth)(c));
}

extern __typeof__(btowc) MODEL(btowc);
TEST(btowc) {
    int c = once_in(4) ? (int)edge_int() : (int)below(386) - 130;
    SAME((btowc)(c), MODEL(btowc)(c));
}

static const char *const classes[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower",
                                      "print", "punct", "space", "upper", "xdigit", "none", ""};

extern __typeof__(wctype) MODEL(wctype);
TEST(wctype) {
    const char *name = PICK(classes);
    SAME(wctype(name), MODEL(wctype)(name));
}

extern __typeof__(iswctype) MODEL(iswctype);
TEST(iswctype) {
    wint_t c = any_character();
    wctype_t class = wctype(PICK(classes));
    SAME(iswctype(c, class), MODEL(iswctype)(c, class));
}

static const char *const mappings[] = {"tolower", "toupper", "none"};

extern __typeof__(wctrans) MODEL(wctrans);
TEST(wctrans) {
    const char *name = PICK(mappings);
    SAME(wctrans(name), MODEL(wctrans)(name));
}

extern __typeof__(towctrans) MODEL(towctrans);
TEST(towctrans) {
    wint_t c = any_character();
    wctrans_t mapping = wctrans(PICK(mappings));
    SAME(towctrans(c, mapping), MODEL(towctrans)(c, mapping));
}
