/* Where the runs of a stage begin (see stage.rs). In C because its compiler knows functions that return twice. */
#include <stdlib.h>
#include <ucontext.h>

/* The same as in stage.rs. */
struct plx_contexts {
    ucontext_t beginning;
    ucontext_t between;
    int marked;
};

int getcontext(ucontext_t *) __attribute__((returns_twice));

/* Returns for every run, each time with memory and registers as they were when `save` was called. */
void __plx_stage_mark(struct plx_contexts *kept, void (*save)(void)) {
    getcontext(&kept->beginning);
    if (!kept->marked) {
        kept->marked = 1;
        save();
    }
}

/* Calls `restore` on another stack than the one that it restores, then goes to the beginning. */
_Noreturn void __plx_stage_resume(struct plx_contexts *kept, void *stack, size_t size, void (*restore)(void)) {
    getcontext(&kept->between);
    kept->between.uc_stack.ss_sp = stack;
    kept->between.uc_stack.ss_size = size;
    kept->between.uc_link = &kept->beginning;
    makecontext(&kept->between, restore, 0);
    setcontext(&kept->between);
    abort();
}
