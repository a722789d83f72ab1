/* Runs all TEST blocks; see harness.h.
 *
 * In: `harness SEED CASES [NAME]`. Out: "tested NAME COUNT" lines, failures on standard error.
 * Always: every test runs in both locales, with nothing symbolic and with everything symbolic.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <locale.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PRINTED_FAILURES = 20 };

extern const struct test *const __start_plx_tests[], *const __stop_plx_tests[];

int in_utf8;
static uint64_t state;
static unsigned failures;
static uint64_t seed;
static const char *current;
static unsigned long current_case;
static unsigned char *slot_end[SLOTS];

uint64_t any(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

size_t below(size_t n) {
    return n ? any() % n : 0;
}

int once_in(size_t n) {
    return below(n) == 0;
}

int64_t edge_int(void) {
    static const int64_t edges[] = {0,         1,         -1,        INT8_MAX,  INT8_MIN,
                                    UINT8_MAX, INT16_MAX, INT16_MIN, INT32_MAX, INT32_MIN,
                                    UINT32_MAX, INT64_MAX, INT64_MIN};
    switch (below(4)) {
    case 0:
        return (int64_t)((uint64_t)PICK(edges) + below(3) - 1);
    case 1:
        return (int64_t)below(400) - 150;
    default:
        return (int64_t)(any() >> below(64));
    }
}

static void make_slots(void) {
    for (int i = 0; i < SLOTS; i++) {
        unsigned char *p = mmap(NULL, SLOT_BYTES + 4096, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(p + SLOT_BYTES, 4096, PROT_NONE) != 0) {
            perror("harness: guarded memory");
            exit(2);
        }
        slot_end[i] = p + SLOT_BYTES;
    }
}

void *guarded(int slot, size_t n) {
    if (n > SLOT_BYTES) {
        fprintf(stderr, "harness: %zu bytes do not fit into a slot\n", n);
        exit(2);
    }
    return slot_end[slot] - n;
}

void *guarded_copy(int slot, const void *from, size_t n) {
    return memcpy(guarded(slot, n), from, n);
}

void failure(const char *format, ...) {
    if (failures++ >= PRINTED_FAILURES)
        return;
    fprintf(stderr, "FAILED %s: locale %s, symbolic %d; repeat with: %llu CASES %s (case %lu)\n    ",
            current, in_utf8 ? "C.UTF-8" : "C", PLX_SYMBOLIC, (unsigned long long)seed, current,
            current_case);
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

void check_long(const char *what, int64_t real, int64_t model) {
    if (real != model)
        failure("%s: real %lld, model %lld", what, (long long)real, (long long)model);
}

void check_bytes(const char *what, const void *real, const void *model, size_t n) {
    const unsigned char *r = real, *m = model;
    for (size_t i = 0; i < n; i++)
        if (r[i] != m[i]) {
            failure("%s: byte %zu of %zu: real 0x%02x, model 0x%02x", what, i, n, r[i], m[i]);
            return;
        }
}

void check_text(const char *what, const char *real, const char *model) {
    if (!real != !model || (real && strcmp(real, model) != 0))
        failure("%s: real '%s', model '%s'", what, real ? real : "(null)",
                model ? model : "(null)");
}

void check_place(const char *what, const void *real, const void *real_base, const void *model,
                 const void *model_base) {
    if (!real != !model)
        failure("%s: real %s, model %s", what, real ? "found" : "null", model ? "found" : "null");
    else if (real)
        check_long(what, (const char *)real - (const char *)real_base,
                   (const char *)model - (const char *)model_base);
}

static int captured_fd, kept_fd, capture_file[2] = {-1, -1}, turn;
static char capture_text[2][1 << 16];

void capture(int fd) {
    turn = !turn;
    if (capture_file[turn] < 0)
        capture_file[turn] = memfd_create("captured", 0);
    fflush(NULL);
    if (ftruncate(capture_file[turn], 0) != 0 || lseek(capture_file[turn], 0, SEEK_SET) != 0 ||
        (kept_fd = dup(fd)) < 0 || dup2(capture_file[turn], fd) < 0) {
        perror("harness: capture");
        exit(2);
    }
    captured_fd = fd;
}

const char *captured(void) {
    fflush(NULL);
    dup2(kept_fd, captured_fd);
    close(kept_fd);
    ssize_t n = pread(capture_file[turn], capture_text[turn], sizeof *capture_text - 1, 0);
    capture_text[turn][n < 0 ? 0 : n] = 0;
    return capture_text[turn];
}

static uint64_t hash_of(const char *name) {
    uint64_t h = 1469598103934665603u;
    while (*name)
        h = (h ^ (unsigned char)*name++) * 1099511628211u;
    return h;
}

static void run(const struct test *t, unsigned long cases) {
    current = t->name;
    for (int round = 0; round < 4; round++) {
        PLX_SYMBOLIC = round & 1;
        in_utf8 = round >> 1;
        if (!setlocale(LC_ALL, in_utf8 ? "C.UTF-8" : "C")) {
            fprintf(stderr, "harness: the locale C.UTF-8 is missing\n");
            exit(2);
        }
        for (current_case = 0; current_case < cases; current_case++) {
            state = seed ^ hash_of(t->name) ^ (current_case * 0x2545f4914f6cdd1du) ^ (uint64_t)round;
            t->run();
        }
    }
    printf("tested %s %lu\n", t->name, cases * 4);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: harness SEED CASES [NAME]\n");
        return 2;
    }
    seed = strtoull(argv[1], NULL, 0);
    unsigned long cases = strtoul(argv[2], NULL, 0);
    make_slots();
    for (const struct test *const *t = __start_plx_tests; t != __stop_plx_tests; t++)
        if (argc < 4 || strcmp((*t)->name, argv[3]) == 0)
            run(*t, cases);
    if (failures)
        fprintf(stderr, "harness: %u comparisons failed, seed %llu\n", failures,
                (unsigned long long)seed);
    return failures != 0;
}
