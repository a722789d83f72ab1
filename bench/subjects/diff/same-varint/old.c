/* Prints the fields of a message on standard input: tags and values as variable-length integers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2, GROUP_START = 3, GROUP_END = 4, FIXED32 = 5 };

struct reader {
    const unsigned char *at;
    const unsigned char *end;
    int depth;
    const char *error;
};

static unsigned char message[2048];

static unsigned long long varint(struct reader *r) {
    unsigned long long value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        unsigned char byte;
        if (r->at == r->end) {
            r->error = "truncated integer";
            return 0;
        }
        byte = *r->at++;
        if (shift == 63 && byte > 1) {
            r->error = "integer too large";
            return 0;
        }
        value |= (unsigned long long)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->error = "integer too long";
    return 0;
}

static long long zigzag(unsigned long long value) {
    return (long long)(value >> 1) ^ -(long long)(value & 1);
}

static unsigned long long fixed(struct reader *r, int bytes) {
    unsigned long long value = 0;
    if (r->end - r->at < bytes) {
        r->error = "truncated number";
        return 0;
    }
    for (int i = 0; i < bytes; i++)
        value |= (unsigned long long)*r->at++ << (8 * i);
    return value;
}

static void indent(const struct reader *r) {
    for (int i = 0; i < r->depth; i++)
        fputs("  ", stdout);
}

static void string(struct reader *r, unsigned field) {
    unsigned long long len = varint(r);
    if (r->error)
        return;
    if (len > (unsigned long long)(r->end - r->at)) {
        r->error = "string beyond the end";
        return;
    }
    printf("%u: \"", field);
    for (unsigned long long i = 0; i < len; i++) {
        unsigned char c = *r->at++;
        if (c >= ' ' && c < 127 && c != '"' && c != '\\')
            putchar(c);
        else
            printf("\\x%02x", c);
    }
    puts("\"");
}

/* Odd fields from 16 on hold signed numbers. */
static void integer(struct reader *r, unsigned field) {
    unsigned long long value = varint(r);
    if (r->error)
        return;
    if (field >= 16 && field % 2 == 1)
        printf("%u: %lld\n", field, zigzag(value));
    else
        printf("%u: %llu\n", field, value);
}

static void one_field(struct reader *r, unsigned *groups) {
    unsigned long long tag = varint(r);
    unsigned field = (unsigned)(tag >> 3);
    if (r->error)
        return;
    if (field == 0 || tag >> 3 > 0x1fffffff) {
        r->error = "bad field number";
        return;
    }
    if ((tag & 7) != GROUP_END)
        indent(r);
    switch (tag & 7) {
    case VARINT: integer(r, field); break;
    case FIXED64: printf("%u: 0x%016llx\n", field, fixed(r, 8)); break;
    case FIXED32: printf("%u: 0x%08llx\n", field, fixed(r, 4)); break;
    case BYTES: string(r, field); break;
    case GROUP_START:
        if (r->depth == 8) {
            r->error = "groups too deep";
            return;
        }
        printf("%u {\n", field);
        groups[r->depth++] = field;
        break;
    case GROUP_END:
        if (r->depth == 0 || groups[r->depth - 1] != field) {
            r->error = "unmatched end of group";
            return;
        }
        r->depth--;
        indent(r);
        puts("}");
        break;
    default: r->error = "unknown wire type";
    }
}

int main(void) {
    unsigned groups[8];
    size_t size = fread(message, 1, sizeof message, stdin);
    struct reader r = {message, message + size, 0, NULL};
    while (r.at < r.end && r.error == NULL)
        one_field(&r, groups);
    if (r.error == NULL && r.depth > 0)
        r.error = "group not ended";
    if (r.error) {
        printf("error at %td: %s\n", r.at - message, r.error);
        return 1;
    }
    return 0;
}
