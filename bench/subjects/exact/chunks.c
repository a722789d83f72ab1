/* Reads in.dat with read(2): records of tag, length and content; lengths are checked, contents summed. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CONTENT = 64 };

struct reader {
    int fd;
    size_t have, used;
    unsigned char buffer[16];
};

static int byte(struct reader *r) {
    if (r->used == r->have) {
        ssize_t n = read(r->fd, r->buffer, sizeof r->buffer);
        if (n <= 0)
            return -1;
        r->have = (size_t)n;
        r->used = 0;
    }
    return r->buffer[r->used++];
}

static int content(struct reader *r, unsigned char *to, int length) {
    for (int i = 0; i < length; i++) {
        int c = byte(r);
        if (c < 0)
            return 0;
        to[i] = (unsigned char)c;
    }
    return 1;
}

static int record(struct reader *r, int tag) {
    unsigned char data[MAX_CONTENT];
    int length = byte(r);
    if (length < 0 || length > MAX_CONTENT)
        return 0;
    if (!content(r, data, length))
        return 0;
    switch (tag) {
    case 'T':
        printf("text %.*s\n", length, (char *)data);
        return 1;
    case 'S': {
        uint16_t sum = 0;
        for (int i = 0; i < length; i++)
            sum = (uint16_t)(sum * 31 + data[i]);
        printf("sum %u\n", sum);
        return 1;
    }
    case 'N': {
        uint32_t number;
        if (length != 4)
            return 0;
        memcpy(&number, data, 4);
        if (number > 1000000)
            puts("large number");
        else
            puts(number % 2 ? "odd number" : "even number");
        return 1;
    }
    default:
        return tag >= 'a' && tag <= 'z';
    }
}

int main(void) {
    struct reader r = {.fd = open("in.dat", O_RDONLY)};
    if (r.fd < 0) {
        perror("in.dat");
        return 2;
    }
    if (byte(&r) != 'C' || byte(&r) != 'H')
        return 1;
    int records = 0;
    for (int tag; (tag = byte(&r)) >= 0; records++)
        if (!record(&r, tag)) {
            fprintf(stderr, "record %d is damaged\n", records);
            return 1;
        }
    printf("%d records\n", records);
    return close(r.fd);
}
