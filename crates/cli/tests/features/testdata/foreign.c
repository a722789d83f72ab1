/* For: what is executed correctly but made concrete: vectors, assembly, atomics,
 * threads, processes. */
#include "cases.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

typedef u8 v16 __attribute__((vector_size(16)));
typedef u32 v4 __attribute__((vector_size(16)));
CASE(vectors, "concrete vector") {
    v16 a, b;
    memcpy(&a, in, 16);
    memcpy(&b, in + 16, 16);
    a = a * 3 + b;
    out(&a, 16);
    OUT(a[3]);
}
CASE(vector_made_of_elements, "concrete vector") {
    v4 a = {IN(u32, 0), 2, IN(u32, 4), 4};
    a = a + (v4){1, 1, 1, 1};
    OUT(a[0]); OUT(a[3]);
    OUT(__builtin_shufflevector(a, a, 3, 2, 1, 0)[1]);
}
static v16 vector_function(v16 a, u8 k) { return a ^ k; }
CASE(vector_arguments, "concrete vector") {
    v16 a = IN(v16, 0);
    a = vector_function(a, in[20]);
    out(&a, 16);
}
CASE(overwritten_by_a_vector, "labels 0") {
    v16 zero = {0};
    memcpy(&zero, in, 0);
    *(v16 *)in = zero;
    out(in, 16);
}
CASE(inline_assembly, "concrete asm") {
    u32 x = IN(u32, 0), y;
    __asm__("leal 5(%1,%1,2), %0" : "=r"(y) : "r"(x));
    OUT(y);
    OUT((u8)(in[4] + 1));
}
/* Assembly that writes memory: what it wrote has no label. */
CASE(assembly_writes_memory, "labels 0") {
    u8 b[1] = {in[0]};
    __asm__ volatile("movb $0x10, %0" : "=m"(b[0]));
    out(b, 1);
}
CASE(assembly_keeps_memory, "exact") {
    u8 b[2] = {in[0], in[1]};
    __asm__ volatile("" ::: "memory");
    OUT((u8)(b[0] + b[1]));
}
CASE(cpuid_like, "exact") {
    u32 a = 0, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    OUT((u8)(in[0] + 1));
}

static _Atomic u32 shared;
CASE(atomic_operations, "concrete atomic") {
    atomic_store(&shared, IN(u32, 0));
    u32 before = atomic_fetch_add(&shared, in[4]);
    u32 expected = before + in[4];
    u8 done = atomic_compare_exchange_strong(&shared, &expected, in[5]);
    OUT(before); OUT(done); OUT(atomic_load(&shared)); OUT(atomic_exchange(&shared, 3));
    static u32 plain;
    OUT(__sync_fetch_and_or(&plain, in[6])); OUT(plain);
}
CASE(overwritten_by_an_atomic, "labels 0") {
    u32 w = IN(u32, 0);
    __atomic_exchange_n(&w, 5, __ATOMIC_SEQ_CST);
    OUT(w);
}

static u32 by_thread[4];
static _Thread_local u32 own = 7;
static void *work(void *argument) {
    u8 *p = argument;
    own += *p;
    for (int i = 0; i < 1000; i++)
        if ((*p ^ i) & 1)
            own += i;
    by_thread[p - in] = own;
    return (void *)(uintptr_t)*p;
}
CASE(threads, "right; note thread") {
    pthread_t t[4];
    uintptr_t sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(t + i, 0, work, in + i);
    for (int i = 0; i < 4; i++) {
        void *r;
        pthread_join(t[i], &r);
        sum += (uintptr_t)r;
    }
    OUT((u32)sum);
    for (int i = 0; i < 4; i++)
        OUT(by_thread[i]);
    OUT((u8)(in[5] + own));
}
/* A thread overwrites symbolic bytes with constants that are the same in the first traced input: the
 * labels must go. */
static u8 exchanged[2];
static void *overwrite(void *a) { (void)a; exchanged[0] = 0x10; memset(exchanged + 1, 0x11, 1); return 0; }
CASE(thread_overwrites, "labels 0") {
    pthread_t t;
    memcpy(exchanged, in, 2);
    pthread_create(&t, 0, overwrite, 0);
    pthread_join(t, 0);
    out(exchanged, 2);
}
CASE(thread_local_variables, "exact") {
    own = IN(u32, 0);
    own += 3;
    OUT(own);
}

CASE(fork_and_wait, "right; note fork") {
    int p[2], status = 0;
    if (pipe(p))
        _exit(1);
    pid_t child = fork();
    if (child == 0) {
        u8 b = in[0] > 100 ? in[1] : in[2];
        _exit(write(p[1], &b, 1) == 1 ? in[3] & 31 : 77);
    }
    waitpid(child, &status, 0);
    u8 b = 0;
    if (read(p[0], &b, 1) != 1)
        _exit(2);
    OUT(b); OUT((u8)WEXITSTATUS(status)); OUT((u8)(in[4] + 1));
}
CASE(vfork_and_exec, "right; note fork") {
    int status = 0;
    OUT((u8)(in[0] + 1));
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
        _exit(127);
    }
    waitpid(child, &status, 0);
    OUT((u8)WEXITSTATUS(status));
}
CASE(exec_replaces_the_program, "right; note exec") {
    char text[4] = {'a' + (in[0] & 7), 0};
    OUT((u8)(in[1] + 1));
    char *args[] = {"echo", text, 0};
    execvp("echo", args);
    _exit(127);
}
CASE(system_and_popen, "right") {
    OUT((u8)(system("exit 3") >> 8));
    FILE *f = popen("echo hello", "r");
    char line[16] = {0};
    if (f == 0 || fgets(line, sizeof line, f) == 0)
        _exit(1);
    pclose(f);
    out(line, 6);
    OUT((u8)(in[0] + 1));
}
static u8 made_before_main;
__attribute__((constructor)) static void before_main(void) { made_before_main = 41; }
CASE(constructors, "exact") { OUT((u8)(made_before_main + in[0])); }
