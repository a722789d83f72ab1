/* Labels of the text that printf makes of a double; printf.c includes it behind `struct spec`.
 *
 * In: a conversion, its argument, the text that the real function made. Out: each byte with the label of an operator that
 * the engine evaluates. Always: how long the text is is a condition of the path.
 */
#include <locale.h>
#include <string.h>

#include "decimal.h"

enum { MOST_WIDTH = 255, MOST_PRECISION = 255, MOST_TEXT = 600 };

/* The conversion as one number: see `Spec` in crates/trace/src/float/text.rs. */
static unsigned float_spec(const struct spec *s) {
    unsigned letter = (unsigned)(strchr("fFeEgGaA", s->conversion) - "fFeEgGaA");
    const int flags[] = {s->left, s->plus, s->space, s->alt, s->zero};
    unsigned spec = letter | (unsigned)s->width << 8 | (unsigned)(s->precision + 1) << 16;
    for (unsigned i = 0; i < 5; i++)
        spec |= flags[i] ? 8u << i : 0;
    return spec;
}

/* Can the engine make this text? */
static int expressible(const struct spec *s, size_t length) {
    const char *point = localeconv()->decimal_point;
    return !s->i18n && !s->group && point[0] == '.' && point[1] == '\0' && s->width <= MOST_WIDTH &&
           s->precision <= MOST_PRECISION && length <= MOST_TEXT;
}

static void label_float(const struct spec *s, char *text, size_t length, double x, uint64_t bits) {
    if (!__plx_symbolic_value(bits))
        return;
    if (!expressible(s, length)) {
        __plx_escape_value("printf", bits);
        return;
    }
    unsigned spec = float_spec(s);
    if (__plx_op_text_length((unsigned)length, x, spec) != (unsigned)length)
        return;
    for (unsigned i = 0; i < length; i++)
        text[i] = (char)__plx_op_text((unsigned char)text[i], x, spec, i);
}
