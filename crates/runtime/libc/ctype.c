/* Models of the functions of <ctype.h>: isalnum isalpha isblank iscntrl isdigit isgraph islower
 * isprint ispunct isspace isupper isxdigit tolower toupper, each with its _l variant, and isascii
 * toascii.
 *
 * In: -1 (EOF), -128..255. Out: the same values as the library's functions, by reading the same
 * tables, so that a symbolic character gives a table-read expression.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>

#include "models.h"

#undef isascii
#undef toascii
#undef tolower
#undef toupper

#define CLASS(name, bit)                                                                        \
    int MODEL(name)(int c) {                                                                    \
        return (*__ctype_b_loc())[c] & (unsigned short)(bit);                                   \
    }                                                                                           \
    int MODEL(name##_l)(int c, locale_t locale) {                                               \
        return locale->__ctype_b[c] & (unsigned short)(bit);                                    \
    }                                                                                           \
    FORWARD(int, __##name##_l, name##_l, (int c, locale_t locale), c, locale)

CLASS(isalnum, _ISalnum)
CLASS(isalpha, _ISalpha)
CLASS(isblank, _ISblank)
CLASS(iscntrl, _IScntrl)
CLASS(isdigit, _ISdigit)
CLASS(isgraph, _ISgraph)
CLASS(islower, _ISlower)
CLASS(isprint, _ISprint)
CLASS(ispunct, _ISpunct)
CLASS(isspace, _ISspace)
CLASS(isupper, _ISupper)
CLASS(isxdigit, _ISxdigit)

int MODEL(tolower)(int c) {
    return c >= -128 && c < 256 ? (*__ctype_tolower_loc())[c] : c;
}

int MODEL(toupper)(int c) {
    return c >= -128 && c < 256 ? (*__ctype_toupper_loc())[c] : c;
}

int MODEL(tolower_l)(int c, locale_t locale) {
    return c >= -128 && c < 256 ? locale->__ctype_tolower[c] : c;
}
FORWARD(int, __tolower_l, tolower_l, (int c, locale_t locale), c, locale)

int MODEL(toupper_l)(int c, locale_t locale) {
    return c >= -128 && c < 256 ? locale->__ctype_toupper[c] : c;
}
FORWARD(int, __toupper_l, toupper_l, (int c, locale_t locale), c, locale)

int MODEL(isascii)(int c) {
    return (c & ~0x7f) == 0;
}

int MODEL(toascii)(int c) {
    return c & 0x7f;
}
