/* Decodes variable-length integers, plain or zigzag, from standard input, and checks a checksum. */
#include <inttypes.h>
#include <stdio.h>

static int decode(const unsigned char *p, size_t n, uint64_t *value) {
    uint64_t result = 0;
    for (size_t i = 0; i < n && i < 10; i++) {
        result |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (!(p[i] & 0x80)) {
            *value = result;
            return (int)i + 1;
        }
    }
    return 0;
}

static int64_t zigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

static uint8_t crc(const unsigned char *p, size_t n) {
    uint8_t c = 0;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int b = 0; b < 8; b++)
            c = (uint8_t)((c << 1) ^ (0x07 & -(c >> 7)));
    }
    return c;
}

int main(void) {
    unsigned char data[64];
    size_t n = fread(data, 1, sizeof data, stdin);
    if (n < 3 || data[0] != 0xA5)
        return 1;
    int signed_values = data[1] & 1, checked = data[1] & 2;
    if (data[1] & ~3)
        return 2;
    if (checked && crc(data, n - 1) != data[n - 1]) {
        puts("checksum");
        return 3;
    }
    size_t at = 2, end = checked ? n - 1 : n;
    uint64_t largest = 0;
    int64_t total = 0;
    while (at < end) {
        uint64_t value;
        int used = decode(data + at, end - at, &value);
        if (used == 0) {
            puts("cut off");
            return 4;
        }
        at += (size_t)used;
        if (signed_values)
            total += zigzag(value);
        else if (value > largest)
            largest = value;
    }
    if (signed_values)
        puts(total < 0 ? "negative" : total == 0 ? "zero" : "positive");
    else
        printf("largest %" PRIu64 "\n", largest % 1000);
    return 0;
}
