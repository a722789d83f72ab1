//! Addresses and sizes of accesses, objects and ranges against what the program prints about itself.

use crate::support::Program;
use parallax_execute::TestCase;
use parallax_trace::dependence::{Effect, Event, Memory, EXTERNAL};

const ACCESSES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { char tag; long value, more; };
int global_array[4];
__attribute__((noinline)) void poke(volatile short *s, volatile long *l) { *s = 1; *l = *s; }
__attribute__((noinline)) long by_value(struct pair p) { struct pair *q = &p; printf("copy %p\n", (void *)q); return q->value; }
int main(int argc, char **argv) {
    struct pair local = { 'x', 5 };
    struct pair *heap = malloc(3 * sizeof *heap);
    printf("global %p\n", (void *)global_array);
    printf("local %p\n", (void *)&local);
    printf("heap %p\n", (void *)heap);
    poke((short *)&heap[1].tag, &local.value);
    global_array[argc + 1] = 7;
    long v = by_value(local);
    heap = realloc(heap, 4000);
    printf("moved %p\n", (void *)heap);
    memcpy(heap + 2, &local, sizeof local);
    char *dup = strdup(argv[1]);
    printf("dup %p\n", (void *)dup);
    printf("argv %p\n", (void *)argv[1]);
    free(heap);
    return strlen(dup) + (int)v;
}
"#;

#[test]
fn accesses_and_objects_are_where_the_program_says_they_are() {
    let mut program = Program::build("accesses", ACCESSES);
    let r = program.record_alone(&TestCase::with_args(["hello"]));
    let one = |word: &str| r.printed(word)[0];
    let (local, heap, moved, dup) = (one("local"), one("heap"), one("moved"), one("dup"));
    let has = |wanted: &dyn Fn(&Event) -> bool| r.events.iter().any(|(_, e)| wanted(e));
    // poke(): two bytes into heap[1].tag, then read again, then eight bytes into local.value.
    let poke = program.function("poke");
    let inside: Vec<Event> = r
        .of_thread(0)
        .filter(|e| match e {
            Event::Load { at, .. } | Event::Store { at, .. } => {
                program.map.function_of_instruction(*at) == poke
            }
            _ => false,
        })
        .collect();
    let facts: Vec<(bool, u64, u64)> = inside
        .iter()
        .map(|e| match *e {
            Event::Load { address, bytes, .. } => (false, address, bytes),
            Event::Store { address, bytes, .. } => (true, address, bytes),
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(facts, [(true, heap + 24, 2), (false, heap + 24, 2), (true, local + 8, 8)]);
    let number = program.map.globals.iter().position(|g| g == "global_array").unwrap() as u32;
    assert!(has(&|e| *e == Event::Global { global: number, address: one("global"), bytes: 16 }));
    // argc is 2.
    assert!(has(&|e| matches!(e, Event::Store { address, bytes: 4, .. } if *address == one("global") + 12)));
    assert!(has(&|e| matches!(e, Event::Stack { address, bytes: 24, .. } if *address == local)));
    let callee = program.function("by_value");
    assert!(has(
        &|e| *e == Event::Argument { function: callee, argument: 0, address: one("copy"), bytes: 24 }
    ));
    let effects: Vec<Effect> = r
        .of_thread(0)
        .filter_map(|e| match e {
            Event::Outside { effect, .. } => Some(effect),
            _ => None,
        })
        .collect();
    for wanted in [
        Effect::Allocates { address: heap, bytes: 72 },
        Effect::Frees { address: heap },
        Effect::Allocates { address: moved, bytes: 4000 },
        Effect::Copies { to: dup, from: one("argv"), bytes: 5 },
        Effect::Frees { address: moved },
        Effect::Reads { address: dup, bytes: 6 },
    ] {
        assert!(effects.contains(&wanted), "{wanted:?} is missing in {effects:?}");
    }
    let copied = |e: &Event| match *e {
        Event::Copy { to, from, bytes, .. } => (to, from, bytes) == (moved + 48, local, 24),
        Event::Outside { effect: Effect::Copies { to, from, bytes }, .. } => {
            (to, from, bytes) == (moved + 48, local, 24)
        }
        _ => false,
    };
    assert!(has(&copied));
    assert!(has(&|e| matches!(e, Event::Given { address, bytes: 6 } if *address == one("argv"))));
}

const FORMATS: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void) {
    char text[64]; int n; long m; char word[16]; double d; short s;
    int len = snprintf(text, sizeof text, "%5d %-3s|%.2s %ld %c%% %g", 42, "ab", "xyz", 7L, 'c', 1.5);
    int got = sscanf("12 word 99 [in] 2.5", "%d %15s %ld %*[[a-z] %hd", &n, word, &m, &s);
    got += sscanf("3.5", "%lf", &d);
    printf("text %p\nword %p\nn %p\nm %p\nd %p\nlen %x\ngot %x\n", text, word, (void *)&n, (void *)&m, (void *)&d, len, got);
    return 0;
}
"#;

#[test]
fn printf_and_scanf_record_what_they_wrote() {
    let mut program = Program::build("formats", FORMATS);
    let r = program.record_alone(&TestCase::default());
    let one = |word: &str| r.printed(word)[0];
    let writes: Vec<(u64, u64)> = r
        .events
        .iter()
        .filter_map(|(_, e)| match e {
            Event::Outside { effect: Effect::Writes { address, bytes }, .. } => Some((*address, *bytes)),
            _ => None,
        })
        .collect();
    // "%hd" does not match "] 2.5": three values were stored by the first call.
    assert_eq!(one("got"), 4);
    let expected =
        [(one("text"), one("len") + 1), (one("n"), 4), (one("word"), 5), (one("m"), 8), (one("d"), 8)];
    assert_eq!(writes, expected);
}

const CALLS: &str = r#"
#include <stdlib.h>
#include <string.h>
typedef int (*op)(int);
__attribute__((noinline)) int twice(int x) { return 2 * x; }
__attribute__((noinline)) int next(int x) { return x + 1; }
int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
op ops[2] = { twice, next };
size_t (*measure)(const char *) = strlen;
int main(int argc, char **argv) {
    int v[3] = { 3, 1, 2 };
    qsort(v, 3, sizeof *v, compare);
    return ops[argc & 1](v[0]) + ops[!(argc & 1)](v[1]) + (int)measure(argv[0]);
}
"#;

#[test]
fn calls_through_pointers_and_from_outside_lead_to_the_right_function() {
    let mut program = Program::build("calls", CALLS);
    let r = program.record(&TestCase::default());
    let map = &program.map;
    let through: Vec<&str> = r
        .of_thread(0)
        .filter_map(|e| match e {
            Event::Call { callee, address, .. } if address != 0 => {
                map.callee(callee.expect("a known function"))
            }
            _ => None,
        })
        .collect();
    assert_eq!(through, ["next", "twice", "strlen"]);
    let direct = |e: &Event| matches!(e, Event::Call { callee: Some(c), .. } if c & EXTERNAL != 0 && map.callee(*c) == Some("qsort"));
    assert_eq!(r.of_thread(0).filter(direct).count(), 1);
    let entered = |name: &str| {
        let function = program.function(name);
        r.of_thread(0).filter(|e| *e == Event::Enter { function }).count()
    };
    assert!(entered("compare") >= 2);
    assert_eq!((entered("twice"), entered("next"), entered("main")), (1, 1, 1));
    // What qsort wrote is told of after its callbacks, and still is qsort's.
    let call = r.of_thread(0).find_map(|e| match e {
        Event::Call { at, .. } if direct(&e) => Some(at),
        _ => None,
    });
    let wrote = |e: &Event| matches!(e, Event::Outside { at, effect: Effect::Writes { bytes: 12, .. } } if Some(*at) == call);
    assert_eq!(r.of_thread(0).filter(wrote).count(), 1);
}

const WRITERS: &str = r#"
#include <stdlib.h>
#include <string.h>
struct pair { int a, b; } cell;
__attribute__((noinline)) void first(struct pair *p) { p->a = 1; p->b = 1; }
__attribute__((noinline)) void second(struct pair *p) { p->b = 2; }
__attribute__((noinline)) void third(struct pair *p, struct pair *q) { memmove(p, q, (size_t)p->a * 8); }
__attribute__((noinline)) long whole(volatile long *p) { return *p; }
__attribute__((noinline)) int dirty(void) { volatile int v[4]; v[0] = 7; return v[0]; }
__attribute__((noinline)) int clean(void) { volatile int v[4]; return v[0] & 0; }
int main(void) {
    struct pair other = { 0, 0 };
    first(&cell); second(&cell);
    long r = whole((long *)&cell);
    third(&cell, &other);
    r += whole((long *)&cell);
    long *fresh = malloc(8);
    r += whole(fresh) & 0;
    r += dirty() + clean();
    free(fresh);
    return (int)r & 1;
}
"#;

#[test]
fn the_last_writer_of_every_byte_is_known() {
    let mut program = Program::build("writers", WRITERS);
    let (whole, clean) = (program.function("whole"), program.function("clean"));
    let mut memory = Memory::default();
    let mut seen: Vec<(String, Vec<(String, u64)>)> = Vec::new();
    let map = program.map.clone();
    program.record_with(&TestCase::default(), |at, event| {
        if let Event::Load { at: instruction, address, bytes } = event {
            let reader = map.function_of_instruction(instruction);
            if reader == whole || reader == clean {
                let mut writers = Vec::new();
                memory.writers(address, bytes, |write, n| {
                    let function = || map.functions[map.function_of_instruction(write.at) as usize].clone();
                    writers.push((if write.number == 0 { "nobody".into() } else { function() }, n));
                });
                seen.push((map.functions[reader as usize].clone(), writers));
            }
        }
        memory.event(at, &event);
    });
    let names = |list: &[(&str, u64)]| list.iter().map(|(n, k)| (n.to_string(), *k)).collect::<Vec<_>>();
    let expected = [
        ("whole".to_string(), names(&[("first", 4), ("second", 4)])),
        ("whole".to_string(), names(&[("third", 8)])),
        ("whole".to_string(), names(&[("nobody", 8)])),
        ("clean".to_string(), names(&[("nobody", 4)])),
    ];
    assert_eq!(seen, expected);
}

const SCOPES: &str = r#"
#include <stdio.h>
__attribute__((noinline)) void show(const char *name, volatile char *array) { array[0] = 1; printf("%s %p\n", name, (void *)array); }
int main(int argc, char **argv) {
    { char first[64]; show("first", first); }
    { char second[64]; show("second", second); }
    return 0;
}
"#;

#[test]
fn variables_of_scopes_that_exclude_each_other_have_addresses_of_their_own() {
    let mut program = Program::build("scopes", SCOPES);
    let r = program.record_alone(&TestCase::default());
    let (first, second) = (r.printed("first")[0], r.printed("second")[0]);
    assert!(first.abs_diff(second) >= 64, "{first:x} and {second:x}");
    let arrays = r.of_thread(0).filter(|e| matches!(e, Event::Stack { bytes: 64, .. }));
    assert_eq!(arrays.count(), 2);
}
