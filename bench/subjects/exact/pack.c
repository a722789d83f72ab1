/* Packs fields into bit-fields, unions and structs by value, and takes them apart again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    unsigned version : 3;
    unsigned urgent : 1;
    unsigned kind : 4;
    signed balance : 6;
    unsigned long id : 40;
};

union word {
    uint32_t whole;
    uint8_t bytes[4];
    struct { uint16_t low, high; } halves;
};

struct packet {
    struct header header;
    union word payload;
    uint8_t check;
};

static uint8_t checksum(struct packet p) {
    uint8_t c = 0;
    for (int i = 0; i < 4; i++)
        c = (uint8_t)(c + p.payload.bytes[i] * (i + 1));
    return (uint8_t)(c ^ p.header.kind);
}

static struct packet make(unsigned long id, unsigned long kind, long balance, uint32_t value) {
    struct packet p;
    memset(&p, 0, sizeof p);
    p.header.version = 5;
    p.header.id = id;
    p.header.kind = (unsigned)kind & 15;
    p.header.balance = (int)balance;
    p.payload.whole = value;
    p.header.urgent = value >> 31;
    p.check = checksum(p);
    return p;
}

static int swap(struct packet *p) {
    uint16_t low = p->payload.halves.low;
    p->payload.halves.low = p->payload.halves.high;
    p->payload.halves.high = low;
    return p->payload.halves.low < p->payload.halves.high;
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    struct packet p = make(strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 0), atol(argv[3]),
                           (uint32_t)strtoul(argv[4], NULL, 16));
    struct packet copy = p;
    if (copy.header.urgent)
        puts("urgent");
    if (copy.header.balance < 0)
        puts("debt");
    switch (copy.header.kind) {
    case 0: puts("none"); break;
    case 1: case 2: case 3: puts("low"); break;
    case 15: puts("all"); break;
    default: puts("other");
    }
    if (copy.header.id > 0xffffffffUL)
        puts("wide");
    int ordered = swap(&copy);
    printf("%d %02x\n", ordered, p.check);
    return copy.payload.bytes[0] == p.payload.bytes[2] ? 0 : 1;
}
