/* Thread-local state shared by instrumented code and the runtime, as one struct of 32-bit
 * fields so that the instrumenter can address a field by number. In C because stable Rust
 * cannot define thread-local symbols. The layout is repeated in src/tls.rs and in the
 * instrumenter's abi.rs; `__plx_tls_size` lets the runtime check that they agree. */
#include <stdint.h>

struct plx_tls {
    uint32_t args;         /* valid argument labels, 0: all concrete */
    uint32_t ret;          /* valid result labels, 0: all concrete */
    uint32_t context;      /* hash of the calling context */
    uint32_t off;          /* 1: this thread is not traced */
    uint32_t va;           /* 0: no va_* labels; else stack slots of the call, plus 1 */
    uint32_t pad;
    uint32_t arg_label[64];
    uint32_t ret_label[16];
    uint32_t va_gp[6];
    uint32_t va_fp[8];
    uint32_t va_overflow[64];
    uint64_t byval[16];    /* where a struct argument was copied from, 0: unknown */
};

_Thread_local struct plx_tls __plx_tls;

struct plx_tls *__plx_tls_here(void) { return &__plx_tls; }
uint32_t __plx_tls_size(void) { return sizeof __plx_tls; }
