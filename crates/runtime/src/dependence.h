/* Recording in the dependence mode (layout: crates/trace/src/dependence/records.rs).
 *
 * Always: room() hands out words of the calling thread's own chunk, so nothing here is locked; a signal handler has a
 * chunk of its own (src/dependence.rs), so nothing here is interrupted half way by another record. */
#ifndef PLX_DEPENDENCE_H
#define PLX_DEPENDENCE_H

#include <stddef.h>
#include <stdint.h>

enum { DEP_HANDLERS = 8, DEP_SINK_WORDS = 1024 };

/* Repeated in src/dependence.rs; instrumented code uses the first two fields. */
struct plx_dep {
    uint64_t *next;
    uint64_t *end;
    void *slot;                /* of the chunk being filled, null: none */
    uint32_t busy;             /* a new chunk is being taken */
    uint32_t thread;           /* number of the thread plus 1, 0: not known yet */
    uint32_t handlers;         /* signal handlers under way */
    uint32_t pad;
    struct {
        uint64_t frame;        /* stack address of the handler */
        void *slot;            /* chunk that was interrupted */
    } handler[DEP_HANDLERS];
    uint64_t sink[DEP_SINK_WORDS]; /* where records go that nobody will read */
};

extern _Thread_local struct plx_dep __plx_dep;

/* A fresh chunk with room for so many bytes, or the sink. */
uint64_t *__plx_rt_dep_more(uint64_t bytes);

enum dep_kind {
    DEP_READ = 1,
    DEP_WRITE = 2,
    DEP_COPY = 3,
    DEP_ALLOCATED = 4,
    DEP_FREED = 5,
    DEP_GLOBAL = 6,
    DEP_FUNCTION = 7,
};

static inline uint64_t *dep_room(uint64_t words) {
    uint64_t *at = __plx_dep.next;
    if ((uint64_t)((char *)__plx_dep.end - (char *)at) < words * 8) at = __plx_rt_dep_more(words * 8);
    __plx_dep.next = at + words;
    return at;
}

static inline uint64_t dep_head(enum dep_kind kind, uint32_t payload) {
    return (uint64_t)1 << 63 | (uint64_t)kind << 56 | payload;
}

static inline void dep_record(enum dep_kind kind, uint32_t payload, const void *p, uint64_t n) {
    uint64_t *at = dep_room(3);
    at[1] = (uint64_t)p;
    at[2] = n;
    at[0] = dep_head(kind, payload);
}

static inline void dep_reads(const void *p, size_t n) {
    if (n) dep_record(DEP_READ, 0, p, n);
}

static inline void dep_writes(const void *p, size_t n) {
    if (n) dep_record(DEP_WRITE, 0, p, n);
}

static inline void dep_copies(const void *to, const void *from, size_t n) {
    if (!n) return;
    uint64_t *at = dep_room(4);
    at[1] = (uint64_t)to;
    at[2] = (uint64_t)from;
    at[3] = n;
    at[0] = dep_head(DEP_COPY, 0);
}

static inline void *dep_allocated(void *p, size_t n) {
    if (p) dep_record(DEP_ALLOCATED, 0, p, n);
    return p;
}

static inline void dep_freed(const void *p) {
    if (!p) return;
    uint64_t *at = dep_room(2);
    at[1] = (uint64_t)p;
    at[0] = dep_head(DEP_FREED, 0);
}

#endif
