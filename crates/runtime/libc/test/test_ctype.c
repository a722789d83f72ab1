/* ctype.c against the real functions. */
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>

#include "harness.h"

#undef isascii
#undef toascii
#undef tolower
#undef toupper

static locale_t any_locale(void) {
    static locale_t made[2];
    if (!made[0]) {
        made[0] = newlocale(LC_ALL_MASK, "C", NULL);
        made[1] = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
    }
    return PICK(made);
}

#define CHARACTERS(name, range)                                                                 \
    extern int MODEL(name)(int);                                                                \
    TEST(name) {                                                                                \
        int c = range;                                                                          \
        SAME((name)(c), MODEL(name)(c));                                                        \
    }
#define IN_TABLE ((int)below(384) - 128)

#define WITH_LOCALE(name, real)                                                                 \
    extern int MODEL(name)(int, locale_t);                                                      \
    TEST(name) {                                                                                \
        int c = IN_TABLE;                                                                       \
        locale_t l = any_locale();                                                              \
        SAME((real)(c, l), MODEL(name)(c, l));                                                  \
    }

#define BOTH(name)                                                                              \
    CHARACTERS(name, IN_TABLE)                                                                  \
    WITH_LOCALE(name##_l, name##_l)                                                             \
    WITH_LOCALE(__##name##_l, name##_l)

BOTH(isalnum)
BOTH(isalpha)
BOTH(isblank)
BOTH(iscntrl)
BOTH(isdigit)
BOTH(isgraph)
BOTH(islower)
BOTH(isprint)
BOTH(ispunct)
BOTH(isspace)
BOTH(isupper)
BOTH(isxdigit)
CHARACTERS(tolower, once_in(4) ? (int)edge_int() : IN_TABLE)
CHARACTERS(toupper, once_in(4) ? (int)edge_int() : IN_TABLE)
WITH_LOCALE(tolower_l, tolower_l)
WITH_LOCALE(__tolower_l, tolower_l)
WITH_LOCALE(toupper_l, toupper_l)
WITH_LOCALE(__toupper_l, toupper_l)
CHARACTERS(isascii, (int)edge_int())
CHARACTERS(toascii, (int)edge_int())
