//! Weakest preconditions: seed 003's example, cases that it could not do, and a machine that shows that nothing hopeless ever leads to a target.

use crate::common::*;
use crate::distances::{world, World};
use crate::machine::{Frame, Machine};
use crate::random_c::random_program;
use parallax_model::distance::{Distances, Hopeless};
use parallax_model::wp::*;
use parallax_model::*;

fn hopeless(w: &World, targets: &[BlockId]) -> Hopeless {
    let memory = PlainMemory::new(&w.p, &w.calls);
    let context = Context::new(&w.p, &w.calls, &w.returns, &memory);
    Preconditions::new(&context, targets).hopeless(&context)
}

#[test]
fn distances_of_figure_3_with_preconditions_are_as_printed() {
    let w = world(program("figure3.c"));
    let block = |f: &str, text: &str| block_at(&w.p, f, line("figure3.c", text));
    let target = block("check", "abort();");
    let hopeless = hopeless(&w, &[target]);
    let distances = Distances::new(&w.icfg, &w.p, &[target], &hopeless);
    let at = |f: &str, text: &str| distances.block(block(f, text));
    assert_eq!(at("main", "atoi(argv"), Some(3), "updated, it was 2");
    assert_eq!(at("main", "check(0);"), Some(2), "updated, it was 1");
    assert_eq!(at("main", "if (input > 100)"), Some(2));
    assert_eq!(at("main", "check(input);"), Some(1));
    assert_eq!(at("check", "if (x == 999)"), Some(1));
    assert_eq!(at("check", "abort();"), Some(0));
    // 0 = 999 is false.
    let calls: Vec<u32> = hopeless.calls.iter().map(|(site, _)| w.p.loc(*site).unwrap().line).collect();
    assert_eq!(calls, [line("figure3.c", "check(0);")]);
}

#[test]
fn contradictory_conditions_on_the_way_make_the_first_branch_of_figure_3_hopeless() {
    let w = world(program("figure3.c"));
    let target = block_at(&w.p, "check", line("figure3.c", "abort();"));
    let first = block_at(&w.p, "main", line("figure3.c", "int input = atoi"));
    let hopeless = hopeless(&w, &[target]);
    // input < 100 and later input > 100.
    let taken = block_at(&w.p, "main", line("figure3.c", "check(0);"));
    let successor = w.p.successors(first).iter().position(|s| *s == taken).unwrap() as u32;
    assert!(hopeless.edge(&w.p, first, successor));
    assert!(!hopeless.edge(&w.p, first, 1 - successor));
    assert!(!hopeless.block(first));
}

/// Lines of `text` marked with `// hopeless` are the first lines of blocks that are hopeless or to which only hopeless edges lead, those with `// open` of
/// others; `// target` is the target.
#[track_caller]
fn check(text: &str) {
    let w = world(program_of(text));
    let marked = |mark: &str| {
        let lines = text.lines().enumerate().filter(|(_, l)| l.ends_with(mark));
        let lines: Vec<u32> = lines.map(|(i, _)| i as u32 + 1).collect();
        let blocks = w.p.block_ids().filter(|b| lines.contains(&w.p.block(*b).line));
        let blocks: Vec<BlockId> = blocks.collect();
        assert!(!blocks.is_empty() || lines.is_empty(), "{mark}");
        blocks
    };
    let target = marked("// target");
    assert_eq!(target.len(), 1);
    let hopeless = hopeless(&w, &target);
    let without_hope = |block: BlockId| {
        let into = |b: BlockId| {
            (0..).zip(w.p.successors(b)).filter(move |(_, s)| **s == block).map(move |(i, _)| (b, i))
        };
        let mut edges = w.p.block_ids().flat_map(into).peekable();
        let entered = edges.peek().is_some();
        hopeless.block(block) || (entered && edges.all(|(b, i)| hopeless.edge(&w.p, b, i)))
    };
    for block in marked("// hopeless") {
        assert!(without_hope(block), "line {} is not hopeless", w.p.block(block).line);
    }
    for block in marked("// open") {
        assert!(!without_hope(block), "line {} is hopeless", w.p.block(block).line);
    }
    assert!(!marked("// open").is_empty());
}

const HEAD: &str = "int puts(const char *);\nvoid abort(void);\nint atoi(const char *);\n";

#[test]
fn a_flag_in_a_field_that_is_cleared_makes_a_branch_hopeless() {
    check(&format!(
        "{HEAD}static struct {{ int verbose; int quiet; }} options;
int main(int argc, char **argv) {{
    if (argc > 3)
        options.verbose = 0; // hopeless
    else
        options.verbose = argc; // open
    puts(\"between\"); // open
    if (options.verbose == 2)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn an_enum_set_by_an_option_survives_a_call_that_does_not_touch_it() {
    check(&format!(
        "{HEAD}enum style {{ NORMAL, CONTEXT, UNIFIED, ED }};
static enum style style;
static int count;
static void other(int n) {{ count += n; }}
int main(int argc, char **argv) {{
    switch (argv[1][0]) {{
    case 'c':
        style = CONTEXT; // hopeless
        break;
    case 'u':
        style = UNIFIED; // open
        break;
    default:
        style = ED; // hopeless
    }}
    other(argc);
    if (style == UNIFIED)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn a_call_that_may_write_the_variable_leaves_hope() {
    check(&format!(
        "{HEAD}static int mode;
static void other(int n) {{ if (n > 7) mode = n; }}
int main(int argc, char **argv) {{
    if (argc > 3)
        mode = 0; // open
    else
        mode = 1; // open
    other(argc);
    if (mode == 9)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn a_call_whose_callee_calls_the_writer_leaves_hope() {
    check(&format!(
        "{HEAD}static int mode;
static void inner(int n) {{ if (n > 7) mode = n; }}
static void outer(int n) {{ puts(\"outer\"); inner(n + 1); }}
int main(int argc, char **argv) {{
    if (argc > 3)
        mode = 0; // open
    else
        mode = 1; // open
    outer(argc);
    if (mode == 9)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn conditions_on_one_variable_that_contradict_each_other_are_found() {
    check(&format!(
        "{HEAD}int main(int argc, char **argv) {{
    int n = atoi(argv[1]);
    if (n > 10)
        puts(\"large\"); // hopeless
    else
        puts(\"small\"); // open
    if (n < 5)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn a_function_that_returns_constants_only_does_not_return_others() {
    check(&format!(
        "{HEAD}static int classify(int n) {{
    if (n > 10)
        return 3;
    return puts(\"x\") ? 4 : 5;
}}
int main(int argc, char **argv) {{
    int kind = argc;
    if (argv[1][0] == 'k')
        kind = classify(argc); // hopeless
    else
        kind = puts(\"other\"); // open
    if (kind == 7)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn behind_the_return_of_a_function_the_condition_goes_on_in_its_caller() {
    check(&format!(
        "{HEAD}static int state;
static void set(int n) {{
    if (n > 3)
        state = 1; // hopeless
    else
        state = 2; // open
}}
int main(int argc, char **argv) {{
    set(argc); // open
    if (state == 2)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn what_a_pointer_leads_to_is_known_between_two_tests() {
    check(&format!(
        "{HEAD}struct node {{ int kind; struct node *next; }};
int visit(struct node *n) {{
    if (n->kind == 1)
        return visit(n->next); // open
    if (n->kind > 4) {{
        if (n->kind == 2)
            return 7;
        n->kind = 3; // hopeless
    }} else
        n->next = 0; // open
    if (n->kind == 4)
        puts(\"reached\"); // target
    return 0;
}}
"
    ));
}

#[test]
fn a_handler_that_runs_at_exit_is_reached_from_where_the_program_ends() {
    check(&format!(
        "{HEAD}int atexit(void (*)(void));
void exit(int) __attribute__((noreturn));
static int state;
static void finish(void) {{
    if (state == 1)
        puts(\"reached\"); // target
}}
int main(int argc, char **argv) {{
    atexit(finish);
    if (argc > 3)
        state = 0; // hopeless
    else
        state = 1; // open
    if (argc == 2)
        exit(1);
    return 0;
}}
"
    ));
}

#[test]
fn a_far_jump_leads_behind_the_place_it_was_prepared() {
    check(&format!(
        "{HEAD}#include <setjmp.h>
static jmp_buf back;
static void give_up(int n) {{
    puts(\"giving up\"); // open
    longjmp(back, n);
}}
int main(int argc, char **argv) {{
    if (setjmp(back))
        puts(\"reached\"); // target
    else
        give_up(argc); // open
    return 0;
}}
"
    ));
}

fn holds(machine: &Machine, frame: &Frame, cond: &Cond) -> bool {
    cond.terms().all(|(term, set)| match term {
        Term::Register(r) => match r {
            Operand::Inst(i) if !frame.registers.contains_key(&i) => true,
            _ => set.contains(machine.value(frame, r)),
        },
        Term::Memory(cell) => match cell.base {
            Operand::Inst(i) if !frame.registers.contains_key(&i) => true,
            base => {
                let at = machine.value(frame, base).wrapping_add(cell.offset as u64);
                set.contains(machine.load(at, cell.bits))
            }
        },
    })
}

/// The heart: on every run that reaches the target, the condition of every block on the way held when the block was entered.
#[test]
fn on_runs_that_reach_a_target_no_condition_on_the_way_was_violated() {
    let (mut reached, mut proven, mut checked) = (0, 0, 0);
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text = random_program(&mut rng);
        let w = world(program_of(&text));
        let memory = PlainMemory::new(&w.p, &w.calls);
        let context = Context::new(&w.p, &w.calls, &w.returns, &memory);
        for target in w.p.block_ids().step_by(3) {
            let pre = Preconditions::new(&context, &[target]);
            let hopeless = pre.hopeless(&context);
            let plain = w.distances(&[target]);
            let proof = |b: &BlockId| hopeless.block(*b) && plain.block(*b).is_some();
            proven += w.p.block_ids().filter(proof).count() + hopeless.edges.len() + hopeless.calls.len();
            for input in [-3, -1, 0, 1, 2, 3, 4, 5, 7, 200] {
                // What was found wrong, by the number of the block in the run; it counts only if the target comes later.
                let (mut wrong, mut last_wrong_before) = (Vec::new(), None);
                let mut count = 0;
                let mut machine = Machine::new(&w.p);
                let mut enter = |m: &Machine, frame: &Frame, block: BlockId| {
                    count += 1;
                    checked += 1;
                    let mut fine = pre.block(block).is_some_and(|cond| holds(m, frame, cond));
                    if let Some(from) = frame.from {
                        let mut edges = (0..).zip(w.p.successors(from)).filter(|(_, s)| **s == block);
                        fine &= edges.any(|(i, _)| !hopeless.edge(&w.p, from, i));
                    }
                    if block == target {
                        reached += 1;
                        last_wrong_before = wrong.last().copied().or(last_wrong_before);
                    }
                    if !fine {
                        wrong.push((count, block));
                    }
                };
                let main = func(&w.p, "main");
                let _ = machine.call(main, vec![input as u32 as u64, 0], &mut enter);
                assert_eq!(last_wrong_before, None, "seed {seed}, target {target:?}, input {input}\n{text}");
            }
        }
    }
    assert!(reached > 500 && checked > 10_000, "too little was reached to be a test: {reached} of {checked}");
    assert!(proven > 50, "too little was proven to be a test: {proven}");
}

#[test]
fn sets_of_numbers_are_never_too_small() {
    const BITS: u32 = 5;
    let all = 0..32u64;
    let set_of = |r: &Ranges| -> Vec<u64> { all.clone().filter(|v| r.contains(*v)).collect() };
    let mut rng = fastrand::Rng::with_seed(7);
    use IntPredicate::*;
    for _ in 0..5000 {
        let pieces = |rng: &mut fastrand::Rng| {
            let n = rng.usize(0..5);
            let list = (0..n).map(|_| rng.u64(0..32)).map(|a| (a, (a + 3).min(31))).collect();
            Ranges::of(BITS, list)
        };
        let (a, b, k) = (pieces(&mut rng), pieces(&mut rng), rng.u64(0..32));
        let (sa, sb) = (set_of(&a), set_of(&b));
        let wanted = |keep: &dyn Fn(u64) -> bool| -> Vec<u64> { all.clone().filter(|v| keep(*v)).collect() };
        assert_eq!(set_of(&a.intersect(&b)), wanted(&|v| sa.contains(&v) && sb.contains(&v)));
        assert_eq!(set_of(&a.union(&b)), wanted(&|v| sa.contains(&v) || sb.contains(&v)));
        assert_eq!(set_of(&a.shifted(k)), wanted(&|v| sa.contains(&((v + 32 - k) % 32))));
        assert_eq!(set_of(&a.inverted()), wanted(&|v| sa.contains(&(31 - v))));
        assert_eq!(set_of(&a.before_zext(3)), (0..8).filter(|v| sa.contains(v)).collect::<Vec<_>>());
        let extended = |v: u64| if v >= 4 { v + 24 } else { v };
        let before: Vec<u64> = (0..8).filter(|v| a.before_sext(3).contains(*v)).collect();
        assert_eq!(before, (0..8).filter(|v| sa.contains(&extended(*v))).collect::<Vec<_>>());
        for predicate in [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge] {
            let found = set_of(&Ranges::satisfying(BITS, predicate, k));
            assert_eq!(found, wanted(&|v| predicate.holds(BITS, v, k)), "{predicate:?} {k}");
        }
        assert_eq!(
            set_of(&Ranges::except(BITS, sa.iter().copied().take(3))),
            wanted(&|v| !sa[..sa.len().min(3)].contains(&v))
        );
    }
    let many = Ranges::of(8, (0..100).map(|i| (2 * i, 2 * i)).collect());
    assert!((0..100).all(|i| many.contains(2 * i)));
}
