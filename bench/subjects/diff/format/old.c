/* format FORMAT ARG...: a small printf: %d %u %x %o %c %s %b with flags "-+ 0#", width and precision, both perhaps *. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spec {
    int left, plus, space, zero, alternate;
    int width, precision;
    char letter;
};

static char **arguments;

static void fail(const char *why) {
    fflush(stdout);
    fprintf(stderr, "format: %s\n", why);
    exit(1);
}

static const char *next_argument(void) {
    return *arguments ? *arguments++ : "";
}

static long next_number(void) {
    const char *text = next_argument();
    char *end;
    long value;
    if (*text == '\'')
        return (unsigned char)text[1];
    value = strtol(text, &end, 0);
    if (*end != '\0')
        fail("not a number");
    return value;
}

static void repeat(int c, int count) {
    while (count-- > 0)
        putchar(c);
}

static int number_or_star(const char **format, struct spec *s) {
    int value = 0;
    if (**format == '*') {
        long given = next_number();
        (*format)++;
        if (given < -200 || given > 200)
            fail("bad width");
        if (given < 0)
            s->left = 1;
        return (int)labs(given);
    }
    while (isdigit((unsigned char)**format)) {
        value = value * 10 + *(*format)++ - '0';
        if (value > 200)
            fail("bad width");
    }
    return value;
}

static const char *parse(const char *format, struct spec *s) {
    memset(s, 0, sizeof *s);
    s->precision = -1;
    for (;; format++) {
        if (*format == '-')
            s->left = 1;
        else if (*format == '+')
            s->plus = 1;
        else if (*format == ' ')
            s->space = 1;
        else if (*format == '0')
            s->zero = 1;
        else if (*format == '#')
            s->alternate = 1;
        else
            break;
    }
    s->width = number_or_star(&format, s);
    if (*format == '.') {
        struct spec ignored = {0};
        format++;
        s->precision = number_or_star(&format, &ignored);
        if (ignored.left)
            s->precision = -1;
    }
    s->letter = *format;
    return format;
}

static void padded(const struct spec *s, const char *prefix, const char *body, int len, int zeros) {
    int used = (int)strlen(prefix) + len + zeros;
    int fill = s->width > used ? s->width - used : 0;
    int with_zeros = s->zero && !s->left && s->precision < 0 && s->letter != 's' && s->letter != 'c';
    if (!s->left && !with_zeros)
        repeat(' ', fill);
    fputs(prefix, stdout);
    if (with_zeros)
        repeat('0', fill);
    repeat('0', zeros);
    fwrite(body, 1, (size_t)len, stdout);
    if (s->left)
        repeat(' ', fill);
}

static int digits(unsigned long value, unsigned base, char *to) {
    char reversed[72];
    int len = 0;
    while (value > 0) {
        reversed[len++] = "0123456789abcdef"[value % base];
        value /= base;
    }
    for (int i = 0; i < len; i++)
        to[i] = reversed[len - 1 - i];
    return len;
}

static void integer(const struct spec *s, unsigned long value, int negative, unsigned base) {
    char body[72];
    const char *prefix = "";
    int len = digits(value, base, body);
    int least = s->precision < 0 ? 1 : s->precision;
    if (negative)
        prefix = "-";
    else if (s->letter == 'd' && s->plus)
        prefix = "+";
    else if (s->letter == 'd' && s->space)
        prefix = " ";
    else if (s->alternate && base == 16 && value != 0)
        prefix = "0x";
    else if (s->alternate && base == 2 && value != 0)
        prefix = "0b";
    else if (s->alternate && base == 8 && least <= len)
        least = len + 1;
    padded(s, prefix, body, len, least > len ? least - len : 0);
}

static void string(const struct spec *s, const char *text) {
    size_t len = strlen(text);
    if (s->precision >= 0 && len > (size_t)s->precision)
        len = (size_t)s->precision;
    padded(s, "", text, (int)len, 0);
}

static void convert(const struct spec *s) {
    long value;
    switch (s->letter) {
    case 'd':
        value = next_number();
        integer(s, value < 0 ? 0 - (unsigned long)value : (unsigned long)value, value < 0, 10);
        break;
    case 'u': integer(s, (unsigned)next_number(), 0, 10); break;
    case 'x': integer(s, (unsigned)next_number(), 0, 16); break;
    case 'o': integer(s, (unsigned)next_number(), 0, 8); break;
    case 'b': integer(s, (unsigned)next_number(), 0, 2); break;
    case 'c': string(s, (char[2]){next_argument()[0], '\0'}); break;
    case 's': string(s, next_argument()); break;
    case '%': putchar('%'); break;
    default: fail("bad conversion");
    }
}

int main(int argc, char **argv) {
    if (argc < 2)
        fail("usage: format FORMAT ARG...");
    arguments = argv + 2;
    for (const char *f = argv[1]; *f; f++) {
        struct spec s;
        if (*f != '%') {
            putchar(*f);
            continue;
        }
        f = parse(f + 1, &s);
        convert(&s);
    }
    putchar('\n');
    return 0;
}
