/* What instrumented code calls. Each stub answers the usual case, nothing symbolic, at once, and hands
 * the rest to the runtime. The calling convention keeps (almost) all registers, so that a call
 * costs its call site next to nothing; stable Rust cannot define functions with it. */
#include <stdint.h>

#define STUB __attribute__((preserve_most))
#define SHADOW_TABLE ((void **)0x100000000000)
#define LIKELY(x) __builtin_expect(!!(x), 1)

static inline int has_shadow(uint64_t address) { return SHADOW_TABLE[(address << 17) >> 29] != 0; }

uint32_t __plx_rt_binary(uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint32_t);
STUB uint32_t __plx_binary(uint32_t what, uint32_t la, uint32_t lb, uint64_t a, uint64_t b, uint32_t site) {
    return LIKELY(!(la | lb)) ? 0 : __plx_rt_binary(what, la, lb, a, b, site);
}

#define FLOAT_STUB(name)                                                                                       \
    uint32_t __plx_rt_##name(uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, uint32_t);            \
    STUB uint32_t __plx_##name(uint32_t what, uint32_t la, uint32_t lb, uint64_t a, uint64_t b, uint64_t result, \
                               uint32_t site) {                                                                \
        return LIKELY(!(la | lb)) ? 0 : __plx_rt_##name(what, la, lb, a, b, result, site);                     \
    }
FLOAT_STUB(float)
FLOAT_STUB(math)
FLOAT_STUB(fcmp)

uint32_t __plx_rt_fma(uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t);
STUB uint32_t __plx_fma(uint32_t width, uint32_t la, uint32_t lb, uint32_t lc, uint64_t a, uint64_t b, uint64_t c,
                        uint64_t result, uint32_t site) {
    return LIKELY(!(la | lb | lc)) ? 0 : __plx_rt_fma(width, la, lb, lc, a, b, c, result, site);
}

uint32_t __plx_rt_cast(uint32_t, uint32_t);
STUB uint32_t __plx_cast(uint32_t what, uint32_t label) {
    return LIKELY(!label) ? 0 : __plx_rt_cast(what, label);
}

uint32_t __plx_rt_select(uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t);
void __plx_rt_branch(uint32_t, uint32_t, uint32_t);
STUB uint32_t __plx_select(uint32_t width, uint32_t lc, uint32_t la, uint32_t lb, uint64_t a, uint64_t b,
                           uint32_t c, uint32_t site) {
    if (LIKELY(!(la | lb | lc))) return 0;
    if (!lc) return c ? la : lb;
    // Between known values it is a branch like any other: what is computed from the result stays known.
    if (!(la | lb) && width > 1) {
        __plx_rt_branch(site, lc, c);
        return 0;
    }
    return __plx_rt_select(width, lc, la, lb, a, b);
}

uint32_t __plx_rt_offset(uint32_t, uint64_t, uint32_t, uint64_t, uint64_t);
STUB uint32_t __plx_offset(uint32_t lbase, uint64_t base, uint32_t lindex, uint64_t index, uint64_t scale) {
    return LIKELY(!(lbase | lindex)) ? 0 : __plx_rt_offset(lbase, base, lindex, index, scale);
}

uint32_t __plx_rt_probe(uint64_t, uint64_t);
STUB uint32_t __plx_probe(uint64_t address, uint64_t len) { return __plx_rt_probe(address, len); }

uint32_t __plx_rt_load(uint64_t, uint32_t, uint32_t, uint64_t, uint32_t);
STUB uint32_t __plx_load(uint64_t address, uint32_t laddress, uint32_t width, uint64_t value, uint32_t site) {
    if (LIKELY(!laddress && !has_shadow(address))) return 0;
    return __plx_rt_load(address, laddress, width, value, site);
}

void __plx_rt_load_opaque(uint64_t, uint32_t, uint64_t, uint32_t, uint32_t);
STUB void __plx_load_opaque(uint64_t address, uint32_t laddress, uint64_t len, uint32_t reason, uint32_t site) {
    if (laddress || has_shadow(address)) __plx_rt_load_opaque(address, laddress, len, reason, site);
}

void __plx_rt_store(uint64_t, uint32_t, uint64_t, uint32_t, uint32_t);
STUB void __plx_store(uint64_t address, uint32_t laddress, uint64_t len, uint32_t label, uint32_t site) {
    if (LIKELY(!(laddress | label) && !has_shadow(address))) return;
    __plx_rt_store(address, laddress, len, label, site);
}

void __plx_rt_clear(uint64_t, uint64_t);
STUB void __plx_clear(uint64_t address, uint64_t len) { __plx_rt_clear(address, len); }

/* Integers of more than 64 bits: labels and values of two words. */
uint64_t __plx_rt_wide_binary(uint32_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t);
STUB uint64_t __plx_wide_binary(uint32_t what, uint64_t la, uint64_t lb, uint64_t alo, uint64_t ahi, uint64_t blo,
                                uint64_t bhi, uint32_t site) {
    return LIKELY(!(la | lb)) ? 0 : __plx_rt_wide_binary(what, la, lb, alo, ahi, blo, bhi, site);
}

uint64_t __plx_rt_wide_overflow(uint32_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t);
STUB uint64_t __plx_wide_overflow(uint32_t what, uint64_t la, uint64_t lb, uint64_t alo, uint64_t ahi, uint64_t blo,
                                  uint64_t bhi, uint32_t site) {
    return LIKELY(!(la | lb)) ? 0 : __plx_rt_wide_overflow(what, la, lb, alo, ahi, blo, bhi, site);
}

uint64_t __plx_rt_wide_cast(uint32_t, uint64_t, uint64_t, uint64_t);
STUB uint64_t __plx_wide_cast(uint32_t what, uint64_t labels, uint64_t lo, uint64_t hi) {
    return LIKELY(!labels) ? 0 : __plx_rt_wide_cast(what, labels, lo, hi);
}

uint64_t __plx_rt_wide_select(uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                              uint32_t);
STUB uint64_t __plx_wide_select(uint32_t what, uint32_t lc, uint64_t la, uint64_t lb, uint64_t alo, uint64_t ahi,
                                uint64_t blo, uint64_t bhi, uint32_t site) {
    if (LIKELY(!(la | lb | lc))) return 0;
    if (!lc) return what >> 8 ? la : lb;
    return __plx_rt_wide_select(what, lc, la, lb, alo, ahi, blo, bhi, site);
}

uint64_t __plx_rt_wide_load(uint64_t, uint32_t, uint32_t, uint64_t, uint64_t, uint32_t);
STUB uint64_t __plx_wide_load(uint64_t address, uint32_t laddress, uint32_t width, uint64_t lo, uint64_t hi,
                              uint32_t site) {
    if (LIKELY(!laddress && !has_shadow(address) && !has_shadow(address + 15))) return 0;
    return __plx_rt_wide_load(address, laddress, width, lo, hi, site);
}

void __plx_rt_wide_store(uint64_t, uint32_t, uint64_t, uint64_t, uint32_t);
STUB void __plx_wide_store(uint64_t address, uint32_t laddress, uint64_t len, uint64_t labels, uint32_t site) {
    if (LIKELY(!laddress && !labels && !has_shadow(address) && !has_shadow(address + 15))) return;
    __plx_rt_wide_store(address, laddress, len, labels, site);
}

void __plx_rt_concretise(uint32_t, uint32_t, uint32_t);
STUB void __plx_concretise(uint32_t reason, uint32_t label, uint32_t site) {
    if (label) __plx_rt_concretise(reason, label, site);
}

STUB void __plx_branch(uint32_t site, uint32_t label, uint32_t taken) {
    if (label) __plx_rt_branch(site, label, taken);
}

void __plx_rt_switch(uint32_t, uint32_t, uint32_t, uint64_t);
STUB void __plx_switch(uint32_t site, uint32_t label, uint32_t which, uint64_t value) {
    if (label) __plx_rt_switch(site, label, which, value);
}

void __plx_rt_watch(uint32_t, uint32_t, uint64_t);
STUB void __plx_watch(uint32_t site, uint32_t label, uint64_t value) { __plx_rt_watch(site, label, value); }

void __plx_rt_escape_argument(const char *, uint32_t, uint32_t);
STUB void __plx_escape_argument(const char *name, uint32_t label, uint32_t site) {
    if (label) __plx_rt_escape_argument(name, label, site);
}

void __plx_rt_escape_pointee(const char *, uint64_t, uint32_t);
STUB void __plx_escape_pointee(const char *name, uint64_t address, uint32_t site) {
    if (has_shadow(address)) __plx_rt_escape_pointee(name, address, site);
}

void __plx_rt_va_start(const void *, void *);
STUB void __plx_va_start(const void *list, void *labels) { __plx_rt_va_start(list, labels); }

void __plx_rt_va_end(void *);
STUB void __plx_va_end(void *labels) { __plx_rt_va_end(labels); }

void __plx_rt_va_enter(void *);
STUB void __plx_va_enter(void *labels) { __plx_rt_va_enter(labels); }

void __plx_rt_byval(uint64_t, uint64_t, uint32_t);
STUB void __plx_byval(uint64_t to, uint64_t len, uint32_t slot) { __plx_rt_byval(to, len, slot); }

void __plx_rt_copy(uint64_t, uint64_t, uint64_t);
STUB void __plx_copy(uint64_t to, uint64_t from, uint64_t len) { __plx_rt_copy(to, from, len); }

void __plx_rt_fill(uint64_t, uint32_t, uint64_t);
STUB void __plx_fill(uint64_t to, uint32_t label, uint64_t len) { __plx_rt_fill(to, label, len); }

uint32_t __plx_rt_argument(uint32_t, uint32_t);
STUB uint32_t __plx_argument(uint32_t index, uint32_t width) { return __plx_rt_argument(index, width); }

uint32_t __plx_rt_result(uint32_t, uint32_t);
STUB uint32_t __plx_result(uint32_t index, uint32_t width) { return __plx_rt_result(index, width); }

uint32_t __plx_rt_intrinsic(uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t);
STUB uint32_t __plx_intrinsic(uint32_t what, uint32_t la, uint32_t lb, uint32_t lc, uint64_t a, uint64_t b,
                              uint64_t c) {
    return LIKELY(!(la | lb)) ? 0 : __plx_rt_intrinsic(what, la, lb, lc, a, b, c);
}
