/* Checks and classifies the UTF-8 of its arguments: overlong forms, surrogates, letters above ASCII. */
#include <stdint.h>
#include <stdio.h>

static int length(unsigned char c) {
    if (c < 0x80)
        return 1;
    if ((c & 0xe0) == 0xc0)
        return 2;
    if ((c & 0xf0) == 0xe0)
        return 3;
    return (c & 0xf8) == 0xf0 ? 4 : 0;
}

static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

/* The number of bytes of the next character, 0 if they are wrong. */
static int next(const unsigned char *p, uint32_t *to) {
    int n = length(*p);
    if (n <= 1) {
        *to = *p;
        return n;
    }
    uint32_t c = *p & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *to = c;
    return n;
}

int main(int argc, char **argv) {
    int ascii = 0, latin = 0, other = 0;
    for (int i = 1; i < argc; i++) {
        const unsigned char *p = (const unsigned char *)argv[i];
        while (*p) {
            uint32_t c;
            int n = next(p, &c);
            if (n == 0) {
                printf("argument %d: not UTF-8\n", i);
                return 1;
            }
            if (c < 0x80)
                ascii++;
            else if (c < 0x250)
                latin++;
            else
                other++;
            p += n;
        }
    }
    printf("%d %d %d\n", ascii, latin, other);
    return 0;
}
