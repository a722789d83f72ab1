/* Models of the functions of <wctype.h>: iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph
 * iswlower iswprint iswpunct iswspace iswupper iswxdigit iswctype towlower towupper towctrans, and
 * of wcwidth btowc wctob wctype wctrans.
 *
 * In: any wide character. Out: the same values as the library's functions.
 * Always: characters below 128 are classified by expressions that hold in every locale whose
 * character set contains ASCII, which is every one that glibc has for these functions.
 * Departs: other characters are made concrete and given to the real function.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "models.h"

#undef iswalnum
#undef iswalpha
#undef iswblank
#undef iswcntrl
#undef iswdigit
#undef iswgraph
#undef iswlower
#undef iswprint
#undef iswpunct
#undef iswspace
#undef iswupper
#undef iswxdigit

#define CONCRETE(c) ((wint_t)__plx_concrete(c))

/* Is c in from..to? */
static inline int within(wint_t c, wint_t from, wint_t to) {
    return c - from <= to - from;
}

static inline int ascii_alpha(wint_t c) {
    return within(c | 0x20, 'a', 'z');
}

static inline int ascii_digit(wint_t c) {
    return within(c, '0', '9');
}

static inline int ascii_alnum(wint_t c) {
    return ascii_alpha(c) | ascii_digit(c);
}

static inline int ascii_graph(wint_t c) {
    return within(c, '!', '~');
}

/* `bit` is what the library's function returns where the answer is yes. */
#define CLASS(name, bit, is_ascii)                                                              \
    int MODEL(name)(wint_t c) {                                                                 \
        if (c >= 128)                                                                           \
            return name(CONCRETE(c));                                                           \
        return (is_ascii) ? (bit) : 0;                                                          \
    }

CLASS(iswalnum, _ISalnum, ascii_alnum(c))
CLASS(iswalpha, _ISalpha, ascii_alpha(c))
CLASS(iswblank, _ISblank, (c == ' ') | (c == '\t'))
CLASS(iswcntrl, _IScntrl, (c < ' ') | (c == 127))
CLASS(iswdigit, 1, ascii_digit(c))
CLASS(iswgraph, _ISgraph, ascii_graph(c))
CLASS(iswlower, _ISlower, within(c, 'a', 'z'))
CLASS(iswprint, _ISprint, within(c, ' ', '~'))
CLASS(iswpunct, _ISpunct, ascii_graph(c) & !ascii_alnum(c))
CLASS(iswspace, _ISspace, (c == ' ') | within(c, '\t', '\r'))
CLASS(iswupper, _ISupper, within(c, 'A', 'Z'))
CLASS(iswxdigit, _ISxdigit, ascii_digit(c) | within(c | 0x20, 'a', 'f'))

wint_t MODEL(towlower)(wint_t c) {
    if (c >= 128)
        return towlower(CONCRETE(c));
    return c + (wint_t)within(c, 'A', 'Z') * 32;
}

wint_t MODEL(towupper)(wint_t c) {
    if (c >= 128)
        return towupper(CONCRETE(c));
    return c - (wint_t)within(c, 'a', 'z') * 32;
}

wctype_t MODEL(wctype)(const char *name) {
    __plx_escape("wctype", name, strlen(name) + 1);
    return wctype(name);
}

wctrans_t MODEL(wctrans)(const char *name) {
    __plx_escape("wctrans", name, strlen(name) + 1);
    return wctrans(name);
}

/* The library answers 0 or 1 for a class of its own tables. */
int MODEL(iswctype)(wint_t c, wctype_t class) {
    static const struct {
        const char *name;
        int (*is)(wint_t);
    } classes[] = {
        {"alnum", MODEL(iswalnum)}, {"alpha", MODEL(iswalpha)}, {"blank", MODEL(iswblank)},
        {"cntrl", MODEL(iswcntrl)}, {"digit", MODEL(iswdigit)}, {"graph", MODEL(iswgraph)},
        {"lower", MODEL(iswlower)}, {"print", MODEL(iswprint)}, {"punct", MODEL(iswpunct)},
        {"space", MODEL(iswspace)}, {"upper", MODEL(iswupper)}, {"xdigit", MODEL(iswxdigit)},
    };
    if (LABELLED_VALUE(c))
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
            if (class != 0 && class == wctype(classes[i].name))
                return classes[i].is(c) != 0;
    return iswctype(CONCRETE(c), class);
}

wint_t MODEL(towctrans)(wint_t c, wctrans_t mapping) {
    if (mapping != 0 && mapping == wctrans("tolower"))
        return MODEL(towlower)(c);
    if (mapping != 0 && mapping == wctrans("toupper"))
        return MODEL(towupper)(c);
    return towctrans(CONCRETE(c), mapping);
}

int MODEL(wcwidth)(wchar_t c) {
    if ((wint_t)c >= 128)
        return wcwidth((wchar_t)CONCRETE((wint_t)c));
    if (c == 0)
        return 0;
    return within((wint_t)c, ' ', '~') ? 1 : -1;
}

wint_t MODEL(btowc)(int c) {
    if ((unsigned)c < 128)
        return (wint_t)c;
    return charset() == CHARSET_OTHER ? btowc((int)CONCRETE((uint64_t)c)) : WEOF;
}

int MODEL(wctob)(wint_t c) {
    if (c < 128)
        return (int)c;
    return charset() == CHARSET_OTHER ? wctob(CONCRETE(c)) : EOF;
}
