/* For: switches, loops, setjmp, signal handlers, computed goto, ways to end. */
#include "cases.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

CASE(switch_dense, "exact; branches 1") {
    u32 r;
    switch (in[0] & 7) {
    case 0: r = in[1] + 5; break;
    case 1: r = in[1] * 3; break;
    case 2: /* falls through */
    case 3: r = in[2]; break;
    case 5: r = in[1] - in[2]; break;
    default: r = in[3]; break;
    }
    OUT(r);
}
CASE(switch_sparse_and_wide, "exact; branches 1") {
    u64 r;
    switch (IN(i64, 0)) {
    case 0x8070605040302010ll: r = in[9]; break;
    case -1: r = in[10]; break;
    case 'a': r = in[11]; break;
    default: r = in[12]; break;
    }
    OUT(r);
}
CASE(switch_with_ranges, "exact; branches 1") {
    u8 r = in[1];
    switch (in[0]) {
    case '0' ... '9': r += 1; break;
    case 'a' ... 'f': r += 2; break;
    }
    OUT(r);
}
CASE(checksum_bit_by_bit, "exact; branches 0") {
    u32 c = ~0u;
    for (int i = 0; i < 4; i++) {
        c ^= in[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    OUT(c);
}
CASE(one_side_that_only_computes, "exact; branches 0") {
    u32 x = in[0];
    if (in[1] > 100)
        x = x * 3 + 1;
    OUT(x);
}
CASE(sides_of_known_values, "exact; branches 1") {
    int step = in[0] > 100 ? 2 : 5;
    OUT(in[step]);
}
CASE(a_side_that_could_fail, "exact; branches 1") {
    u32 x = in[0];
    if (in[1])
        x = x / in[1];
    OUT(x);
}
CASE(a_side_that_reads_memory, "exact; branches 1") {
    u32 x = in[0];
    if (in[1] < 60)
        x = in[in[1] & 3] + 1;
    OUT(x);
}
CASE(loop_with_many_values, "exact") {
    u32 a = 1, b = in[0], c = 3, d = in[1];
    for (int i = 0; i < 12; i++) {
        u32 t = a;
        a = b;
        b = c + t;
        c = d ^ i;
        d = t + in[i];
        if (i == 5)
            continue;
        a += 1;
    }
    OUT(a); OUT(b); OUT(c); OUT(d);
}
CASE(loop_bound_is_symbolic, "exact; branches 1") {
    u32 s = 0;
    for (int i = 0; i < (in[0] & 7); i++)
        s = s * 3 + in[i + 1];
    OUT(s);
}
CASE(swap_in_a_loop, "exact") {
    u8 a = in[0], b = 1;
    for (int i = 0; i < 7; i++) {
        u8 t = a;
        a = b;
        b = t;
    }
    OUT(a); OUT(b);
}
CASE(goto_out_of_loops, "exact; branches 1") {
    int i, j;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++)
            if (in[i * 4 + j] == 0x2c)
                goto found;
    i = j = 9;
found:
    OUT((u8)(i * 16 + j));
}
CASE(equal_branches, "exact; branches 1") {
    u8 x = 1;
    if (in[0] == 'q')
        x = in[1];
    OUT(x);
}

static jmp_buf home;
static u8 kept;
static __attribute__((noinline)) void jumps(u8 b) { kept = b + 1; longjmp(home, 3); }
CASE(longjmp_over_frames, "exact") {
    volatile u8 before = in[0];
    u8 unchanged = in[1];
    int r = setjmp(home);
    if (r == 0)
        jumps(in[2]);
    OUT(r); OUT((u8)before); OUT(unchanged); OUT(kept);
}
CASE(longjmp_many_times, "exact") {
    static u32 sum;
    static int round;
    sum = round = 0;
    int r = setjmp(home);
    sum = sum * 3 + in[round];
    if (++round < 6)
        longjmp(home, round);
    OUT(r); OUT(sum);
}
CASE(longjmp_with_a_symbolic_value, "right") {
    int r = setjmp(home);
    if (r == 0)
        longjmp(home, in[0] | 1);
    OUT(r);
}

static volatile sig_atomic_t caught;
static volatile u8 from_handler;
static void handler(int s) { caught = s; from_handler = in[5] + 1; }
CASE(raise_calls_the_handler, "exact; note signal") {
    signal(SIGUSR1, handler);
    u8 before = in[0];
    raise(SIGUSR1);
    OUT((int)caught); OUT((u8)from_handler); OUT((u8)(before * 2));
}
static void with_info(int s, siginfo_t *info, void *context) {
    caught = s + (info->si_signo == s) + (context != 0);
}
CASE(sigaction_with_information, "exact; note signal") {
    struct sigaction a = {0}, old;
    a.sa_sigaction = with_info;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &a, 0);
    sigaction(SIGUSR2, 0, &old);
    kill(getpid(), SIGUSR2);
    OUT((int)caught); OUT((u8)(old.sa_sigaction == with_info)); OUT((u8)(in[0] + 1));
}
/* An alarm interrupts computation on symbolic data: both must come out right. */
static volatile u32 ticks, tick_sum;
static void on_tick(int s) { (void)s; ticks++; tick_sum = tick_sum * 5 + in[ticks & 15]; }
CASE(timer_interrupts_computation, "right; note signal") {
    struct itimerval t = {{0, 300}, {0, 300}};
    u32 s = 0;
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &t, 0);
    while (ticks < 20)
        for (int i = 0; i < 16; i++)
            s = (s ^ in[i]) * 3 + (s >> 7);
    memset(&t, 0, sizeof t);
    setitimer(ITIMER_REAL, &t, 0);
    u32 expected = 0;
    for (u32 i = 1; i <= ticks; i++)
        expected = expected * 5 + in[i & 15];
    OUT((u8)(expected == tick_sum));
}
static sigjmp_buf outside;
static void leaves(int s) { siglongjmp(outside, s); }
CASE(longjmp_out_of_a_handler, "exact; note signal") {
    signal(SIGUSR1, leaves);
    int r = sigsetjmp(outside, 1);
    if (r == 0) {
        raise(SIGUSR1);
        _exit(1);
    }
    OUT(r); OUT((u8)(in[0] + 3));
    if (in[1] == 'x')
        OUT((u8)1);
}
static void leaves_alarm(int s) { siglongjmp(outside, s); }
CASE(alarm_ends_an_endless_computation, "right; note signal") {
    volatile u32 s = 0;
    struct itimerval t = {{0, 0}, {0, 20000}};
    signal(SIGALRM, leaves_alarm);
    if (sigsetjmp(outside, 1) == 0) {
        setitimer(ITIMER_REAL, &t, 0);
        for (;;)
            s = s * 3 + in[s & 15];
    }
    OUT((u8)(in[0] ^ 0x20));
}
CASE(ignored_and_restored_signals, "exact") {
    OUT((u8)(signal(SIGUSR1, SIG_IGN) == SIG_DFL));
    raise(SIGUSR1);
    OUT((u8)(signal(SIGUSR1, handler) == SIG_IGN));
    OUT((u8)(signal(SIGUSR1, SIG_DFL) == handler));
    OUT((u8)(in[0] + 1));
}

static __attribute__((noinline)) u32 threaded_code(const u8 *code, u32 x) {
    static void *labels[] = {&&stop, &&plus, &&times, &&minus};
    goto *labels[*code & 3];
plus:
    x += 5;
    goto *labels[*++code & 3];
times:
    x *= 3;
    goto *labels[*++code & 3];
minus:
    x -= 1;
    goto *labels[*++code & 3];
stop:
    return x;
}
CASE(computed_goto, "exact") {
    static const u8 code[] = {1, 2, 2, 3, 1, 0};
    OUT(threaded_code(code, in[0]));
    OUT((u8)(in[1] + 1));
}
CASE(computed_goto_chosen_by_the_input, "kept; branches 1") {
    u8 code[5] = {in[0] & 3, in[1] & 3, in[2] & 3, 0};
    OUT(threaded_code(code, 7));
}
/* Offsets between labels instead of addresses, as position-independent tables have them. */
static __attribute__((noinline)) u32 relative_code(const u8 *code, u32 x) {
    static const int offsets[] = {&&stop - &&stop, &&plus - &&stop, &&minus - &&stop};
    goto *(&&stop + offsets[*code % 3]);
plus:
    x += 5;
    goto *(&&stop + offsets[*++code % 3]);
minus:
    x -= 1;
    goto *(&&stop + offsets[*++code % 3]);
stop:
    return x;
}
CASE(computed_goto_by_offsets, "right") {
    u8 code[4] = {in[0], in[1], in[2], 0};
    OUT(relative_code(code, in[3]));
}
/* `asm goto` stays as it is, and is listed. */
static __attribute__((noinline)) u32 assembled_jump(u32 x) {
    __asm__ goto("" : : : : other);
    x += 5;
other:
    return x * 3;
}
CASE(assembler_goto, "right; escape assembled_jump; opaque assembled_jump") {
    OUT(assembled_jump(in[0]));
    OUT((u8)(in[1] + 1));
}
/* It overwrites symbolic bytes with constants that happen to be the same in the first traced input: the
 * labels must go. */
static __attribute__((noinline)) void opaque_writer(u8 *p, int twice) {
    __asm__ goto("" : : : : once);
    if (twice)
        memset(p + 1, 0x11, 1);
once:
    p[0] = 0x10;
}
CASE(opaque_function_overwrites, "labels 0") {
    u8 a[2] = {in[0], in[1]};
    opaque_writer(a, 1);
    out(a, 2);
}

CASE(exit_status_is_symbolic, "exact; status") { exit(in[0] & 63); }
CASE(exit_in_a_handler_at_exit, "exact; status") { _exit((in[0] >> 2) + (in[1] & 1)); }
static void at_end(void) { OUT((u8)(in[3] + 1)); }
CASE(functions_at_exit, "exact") { atexit(at_end); OUT((u8)(in[2] + 1)); }
static __attribute__((noinline)) void deep(int n, u8 b) {
    if (n == 0)
        exit(b > 100 ? 3 : b & 63);
    deep(n - 1, b + 1);
}
CASE(exit_in_a_nested_function, "exact; status") { deep(5, in[0]); }
CASE(crash, "branches 1; signal 11") {
    if (in[0] != 'z')
        *(volatile int *)8 = 1;
    OUT((u8)1);
}
CASE(crash_by_division, "guards 0; signal 8") {
    volatile int zero = 0;
    if (in[0] != 'z')
        OUT(in[1] / zero);
}
CASE(aborts, "branches 1; signal 6") {
    if (in[0] != 'z')
        abort();
}
CASE(killed_by_own_signal, "branches 1; signal 9") {
    if (in[0] != 'z')
        kill(getpid(), SIGKILL);
}
static __attribute__((noinline)) u32 endless(volatile u8 *p) {
    volatile u8 local[256];
    local[p[0] & 15] = p[1];
    return endless(local) + local[3];
}
CASE(stack_overflow, "branches 1; signal 11") {
    if (in[0] != 'z')
        OUT(endless(in));
}
__attribute__((destructor)) static void destroyed(void) { write(2, "destroyed\n", 10); }
