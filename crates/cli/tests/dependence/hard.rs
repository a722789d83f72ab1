//! Jumps, signals, threads, forks and crashes: no corruption, events of the right thread, the last access of a crash.

use crate::support::Program;
use parallax_execute::{Outcome, TestCase};
use parallax_trace::dependence::Event;
use parallax_trace::format::{FLAG_EVENTS_FULL, FLAG_FINISHED, FLAG_FORKED, FLAG_THREADS};

const JUMPS: &str = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back; static sigjmp_buf out;
static volatile int seen;
__attribute__((noinline)) int down(int n) { if (n == 0) longjmp(back, 7); return down(n - 1) + 1; }
__attribute__((noinline)) int leaf(int n) { return n * 2; }
static void count(int s) { seen += leaf(s) != 0; }
static void leave(int s) { seen += leaf(1); siglongjmp(out, 1); }
int main(void) {
    volatile int rounds = 0;
    for (int i = 0; i < 50; i++) { if (setjmp(back) == 0) down(i); else rounds++; }
    signal(SIGUSR1, count);
    signal(SIGUSR2, leave);
    for (int i = 0; i < 30; i++) raise(SIGUSR1);
    for (volatile int i = 0; i < 40; i++) { if (sigsetjmp(out, 1) == 0) raise(SIGUSR2); }
    printf("%d %d\n", rounds, seen);
    return leaf(3);
}
"#;

#[test]
fn jumps_and_signals_leave_a_trace_that_can_be_read() {
    let mut program = Program::build("jumps", JUMPS);
    let r = program.record(&TestCase::default());
    assert_eq!(r.flags & (FLAG_EVENTS_FULL | FLAG_FINISHED), FLAG_FINISHED);
    let entered = |name: &str| {
        let function = program.function(name);
        r.of_thread(0).filter(|e| *e == Event::Enter { function }).count()
    };
    assert_eq!(entered("down"), (1..=50).sum::<usize>());
    assert_eq!((entered("count"), entered("leave"), entered("leaf")), (30, 40, 71));
    // Each setjmp returns once when it is called, and once more for every jump.
    let again = r.of_thread(0).filter(|e| matches!(e, Event::Again { .. })).count();
    assert_eq!(again, 2 * 50 + 2 * 40);
    let signals = r.of_thread(0).filter(|e| matches!(e, Event::Signal { .. })).count();
    assert_eq!(signals, 70);
}

const TIMER: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile unsigned ticks, work[64];
static void tick(int s) { for (int i = 0; i < 8; i++) work[i] += 0; ticks++; }
int main(void) {
    struct itimerval every = { { 0, 200 }, { 0, 200 } };
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &every, 0);
    unsigned i = 0, s = 1;
    while (ticks < 100) { work[i++ & 63] = s; s = s * 3 + work[(i * 5) & 63]; }
    puts("done");
    return 0;
}
"#;

#[test]
fn a_signal_between_any_two_instructions_does_no_harm() {
    // Little room, so that not much happens until enough ticks have come, however slow the machine is.
    let mut program = Program::build_with("timer", TIMER, crate::limits::small());
    let tick = program.function("tick");
    let (mut entered, mut wrong) = (0, 0);
    let map = program.map.clone();
    let run = program.stream_with(&TestCase::default(), |_, event| match event {
        Event::Enter { function } => entered += u32::from(function == tick),
        Event::Store { at, bytes, .. } => {
            wrong += u32::from(bytes != 4 && map.function_of_instruction(at) == tick);
        }
        _ => {}
    });
    assert_eq!(run.outcome, Outcome::Exited(0));
    // Those that came while a chunk was taken are not recorded.
    assert!(entered > 0 && wrong == 0, "{entered} {wrong}");
}

const THREADS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 4, ROUNDS = 20000 };
static int sums[N];
__attribute__((noinline)) static void add(int k, int i) { ((volatile int *)sums)[k] += i & 3; }
static void *work(void *p) { int k = (int)(long)p; for (int i = 0; i < ROUNDS; i++) add(k, i); if (k & 1) pthread_exit(0); return 0; }
int main(void) {
    pthread_t t[N];
    for (long k = 0; k < N; k++) pthread_create(&t[k], 0, work, (void *)k);
    for (int k = 0; k < N; k++) pthread_join(t[k], 0);
    printf("%d\n", sums[0] + sums[1] + sums[2] + sums[3]);
    return 0;
}
"#;

#[test]
fn every_thread_has_its_own_events() {
    let mut program = Program::build("threads", THREADS);
    let r = program.record(&TestCase::default());
    assert!(r.flags & FLAG_THREADS != 0 && r.flags & FLAG_EVENTS_FULL == 0);
    let add = program.function("add");
    for thread in 1..=4 {
        let entered = r.of_thread(thread).filter(|e| *e == Event::Enter { function: add }).count();
        assert_eq!(entered, 20_000, "thread {thread}");
        let inside = |at: u32| program.map.function_of_instruction(at) == add;
        let mut places = r.of_thread(thread).filter_map(|e| match e {
            Event::Store { at, address, .. } if inside(at) => Some(address),
            _ => None,
        });
        let first = places.next().unwrap();
        assert!(places.all(|a| a == first), "thread {thread} has another's accesses");
    }
    let streamed = program.stream(&TestCase::default());
    assert_eq!(streamed.events.iter().filter(|(_, e)| *e == Event::Enter { function: add }).count(), 80_000);
}

const FORKS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int child(int n) { int s = 0; for (int i = 0; i < 100000; i++) s += i ^ n; return s & 7; }
__attribute__((noinline)) int parent(int n) { return n + 1; }
int main(void) {
    int total = 0;
    for (int i = 0; i < 3; i++) {
        int status, pid = fork();
        if (pid == 0) _exit(child(i));
        waitpid(pid, &status, 0);
        total += parent(WEXITSTATUS(status));
    }
    printf("%d\n", total);
    return 0;
}
"#;

#[test]
fn children_run_but_are_not_recorded() {
    let mut program = Program::build("forks", FORKS);
    let r = program.record(&TestCase::default());
    assert!(r.flags & FLAG_FORKED != 0);
    let entered = |name: &str| {
        let function = program.function(name);
        r.events.iter().filter(|(_, e)| *e == Event::Enter { function }).count()
    };
    assert_eq!((entered("child"), entered("parent")), (0, 3));
}

const CRASH: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char *start = (char *)0x40000, *p = start + atoi(argv[1]);
    int ok = 0;
    volatile int *q = &ok;
    *q = 1;
    return *p + ok;
}
"#;

#[test]
fn the_access_that_crashes_is_the_last_one() {
    let mut program = Program::build("crash", CRASH);
    let r = program.record(&TestCase::with_args(["77"]));
    assert_eq!(r.run.outcome, Outcome::Signaled(11));
    assert_eq!(r.flags & FLAG_FINISHED, 0);
    let last = r.of_thread(0).filter(|e| matches!(e, Event::Load { .. } | Event::Store { .. })).last();
    assert!(
        matches!(last, Some(Event::Load { address, bytes: 1, .. }) if address == 0x40000 + 77),
        "{last:?}"
    );
}

const ODD: &str = r#"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct big { int v[40]; };
static int sum(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int s = 0; for (int i = 0; i < n; i++) s += va_arg(a, int); s += va_arg(b, int); va_end(a); va_end(b); return s; }
static struct big make(int k) { struct big b; for (int i = 0; i < 40; i++) b.v[i] = i * k; return b; }
static int goes(int n) { static void *to[] = { &&a, &&b, &&c }; goto *to[n]; a: return 1; b: return 2; c: return 3; }
static int vla(int n) { int v[n]; memset(v, 1, sizeof v); v[n - 1] = 5; return v[0] + v[n - 1]; }
static int many(volatile int *p) {
#define T(x) x x x x x x x x
    T(T(T(*p += 1; *p ^= 3;)))
    return *p;
}
static _Atomic int atom;
int main(void) {
    int x = 4, y;
    __asm__("addl $3, %1\n\tmovl %1, %0" : "=r"(y), "+r"(x));
    atom += 3; __atomic_compare_exchange_n((int *)&atom, &(int){3}, 9, 0, 5, 5);
    printf("%d %d %d %d %d %d %d\n", sum(3, 1, 2, 3), make(3).v[7], goes(0) + goes(2), vla(9), many(&(int){0}), atom, y);
    return 0;
}
"#;

#[test]
fn odd_constructs_run_as_they_do_natively() {
    let mut program = Program::build("odd", ODD);
    let r = program.record(&TestCase::default());
    let many = program.function("many");
    let inside = |at: u32| program.map.function_of_instruction(at) == many;
    // Two read-modify-writes, 8³ times, and the last read; more than one record can hold.
    let accesses = r.of_thread(0).filter(|e| match e {
        Event::Load { at, .. } | Event::Store { at, .. } => inside(*at),
        _ => false,
    });
    assert_eq!(accesses.count(), 4 * 512 + 1);
    let vla = program.function("vla");
    let dynamic = |e: &Event| matches!(e, Event::Stack { at, bytes: 36, .. } if program.map.function_of_instruction(*at) == vla);
    assert_eq!(r.of_thread(0).filter(dynamic).count(), 1);
}
