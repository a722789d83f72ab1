//! What pointers of small programs point to, and what their calls reach.

use crate::common::{line, program};
use parallax_model::alias::{may_alias, AliasClasses};
use parallax_model::memory::Memory;
use parallax_model::mod_ref::{Edges, ModRef};
use parallax_model::points_to::{CellId, ObjectKind, PointsTo};
use parallax_model::*;
use std::collections::BTreeSet;

pub fn name_of(program: &Program, kind: ObjectKind) -> String {
    let at = |i: InstId| program.loc(i).map_or(0, |l| l.line);
    match kind {
        ObjectKind::Global(g) => program.global(g).name.clone(),
        ObjectKind::Stack(a) => match program.variable_of(a) {
            Some(v) => program.variable(v).name.clone(),
            None => format!("stack {}", at(a)),
        },
        ObjectKind::Heap { site, context } => format!("heap {}", at(context.unwrap_or(site))),
        ObjectKind::Function(f) => program.func(f).name.clone(),
        ObjectKind::Arguments => "argv".into(),
        other => format!("{other:?}"),
    }
}

pub fn insts_at(program: &Program, line: u32) -> Vec<InstId> {
    program.inst_ids().filter(|i| program.loc(*i).is_some_and(|l| l.line == line)).collect()
}

/// Objects from which the line with this text loads a number.
#[track_caller]
fn loads_from(file: &str, program: &Program, points_to: &PointsTo, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for inst in insts_at(program, line(file, text)) {
        let number = matches!(program.ty(program.inst(inst).ty).kind, TypeKind::Int { .. });
        if matches!(program.inst(inst).op, Op::Load { .. }) && number {
            found.extend(points_to.places(program, inst).iter().map(|p| name_of(program, p.object)));
        }
    }
    found
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|n| n.to_string()).collect()
}

fn called_at(file: &str, program: &Program, points_to: &PointsTo, text: &str) -> BTreeSet<String> {
    let insts = insts_at(program, line(file, text));
    insts.iter().flat_map(|i| points_to.targets(*i)).map(|f| program.func(f).name.clone()).collect()
}

#[test]
fn the_field_of_a_table_decides_which_functions_are_called() {
    let program = program("tables.c");
    let points_to = PointsTo::new(&program);
    let called = |text| called_at("tables.c", &program, &points_to, text);
    assert_eq!(called("/* run */"), set(&["twice", "square"]));
    assert_eq!(called("/* note */"), set(&["count"]));
    assert_eq!(called("/* hook */"), set(&["never"]));
}

#[test]
fn each_caller_of_an_allocation_function_has_objects_of_its_own() {
    let program = program("lists.c");
    let points_to = PointsTo::new(&program);
    let first = format!("heap {}", line("lists.c", "/* first node */"));
    let second = format!("heap {}", line("lists.c", "/* second node */"));
    let loads = |text| loads_from("lists.c", &program, &points_to, text);
    assert_eq!(loads("/* read first */"), set(&[&first]));
    assert_eq!(loads("/* read second */"), set(&[&second]));
    let site = crate::common::the(
        &program,
        "allocate",
        |o| matches!(o, Op::Call { callee: Callee::Direct(f), .. } if program.func(*f).name == "malloc"),
    );
    let is_there = |o: &points_to::Object| matches!(o.kind, ObjectKind::Heap { site: s, .. } if s == site);
    assert!(points_to.objects.iter().any(is_there), "the site is the call of malloc itself");
}

#[test]
fn fields_copies_lists_of_arguments_and_numbers_keep_their_targets_apart() {
    let program = program("fields.c");
    let points_to = PointsTo::new(&program);
    let loads = |text| loads_from("fields.c", &program, &points_to, text);
    assert_eq!(loads("/* left */"), set(&["a"]));
    assert_eq!(loads("/* right */"), set(&["b"]));
    assert_eq!(loads("/* many */"), set(&["c", "d"]));
    assert_eq!(loads("/* copied right */"), set(&["b"]));
    assert_eq!(loads("/* after realloc */"), set(&["e"]));
    assert_eq!(loads("/* number */"), set(&["f"]));
    assert_eq!(loads("/* variable argument */"), set(&["g"]));
    assert_eq!(loads("/* copied left */"), set(&["a", "h"]));
    assert_eq!(loads("/* argument */"), set(&["argv"]));
}

#[test]
fn fields_behind_arrays_and_tables_with_zeros_at_their_end_are_found() {
    let program = program("arrays.c");
    let points_to = PointsTo::new(&program);
    let loads = |text: &str| loads_from("arrays.c", &program, &points_to, text);
    assert_eq!(loads("/* field behind */"), set(&["here"]));
    assert_eq!(loads("/* field copied */"), set(&["here"]));
    assert_eq!(loads("/* entry */"), set(&["here", "there"]));
    let table = |inst: &InstId| {
        let places = points_to.places(&program, *inst);
        places.iter().any(|p| name_of(&program, p.object) == "steps" && p.start <= 0 && p.end >= 256)
    };
    assert!(insts_at(&program, line("arrays.c", "/* step */")).iter().any(table));
}

#[test]
fn a_call_through_a_pointer_reaches_functions_with_as_many_parameters() {
    let text = "int one(int a) { return a; }
        int two(int a, int b) { return a + b; }
        void *table[2] = { one, two };
        int main(int argc, char **argv) { return ((int (*)(int)) table[argc & 1])(argc); }";
    let program = crate::common::program_of(text);
    let points_to = PointsTo::new(&program);
    let main = program.function_named("main").unwrap();
    let mut calls = program.func(main).insts.iter().filter(|i| program.called_pointer(*i).is_some());
    let targets: Vec<&str> =
        points_to.targets(calls.next().unwrap()).map(|f| program.func(f).name.as_str()).collect();
    assert_eq!(targets, ["one"]);
}

#[test]
fn callbacks_get_what_libc_gives_them() {
    let program = program("callbacks.c");
    let points_to = PointsTo::new(&program);
    let loads = |text| loads_from("callbacks.c", &program, &points_to, text);
    assert_eq!(loads("/* compare */"), set(&["numbers"]));
    assert_eq!(loads("/* key */"), set(&["wanted"]));
    assert_eq!(loads("/* element */"), set(&["numbers"]));
    assert_eq!(loads("/* found */"), set(&["numbers"]));
    assert_eq!(loads("/* key of tree */"), set(&["root", "leaf"]));
    let called = |text| called_at("callbacks.c", &program, &points_to, text);
    assert_eq!(called("/* signal */"), set(&["signal", "stop"]));
    assert_eq!(called("/* atexit */"), set(&["atexit", "finish"]));
    assert_eq!(called("/* qsort */"), set(&["qsort", "compare"]));
    assert_eq!(called("visit (t->left)"), set(&["sum"]));
    assert!(points_to.unknown_functions.is_empty());
}

#[test]
fn an_unknown_external_function_can_do_everything_to_what_it_is_given() {
    let program = crate::common::program_of(
        "extern int *mystery (int **, int (*) (int *));\n\
         static int x, y;\n\
         static int seen (int *p) { return *p; }\n\
         int main (void) {\n\
           int *p = &x;\n\
           int *q = mystery (&p, seen);\n\
           return *q + y; }\n",
    );
    let points_to = PointsTo::new(&program);
    let unknown: Vec<_> = points_to.unknown_functions.iter().map(|f| &program.func(*f).name).collect();
    assert_eq!(unknown, ["mystery"]);
    let objects = |name: &str| -> BTreeSet<String> {
        let loads = crate::common::insts(&program, name, |o| matches!(o, Op::Load { .. }));
        let places = loads.iter().flat_map(|l| points_to.places(&program, *l));
        places.map(|p| name_of(&program, p.object)).collect()
    };
    assert!(objects("seen").contains("x") && objects("main").contains("x"));
    assert!(!objects("seen").contains("y"));
}

#[test]
fn functions_write_what_they_and_their_callees_write() {
    let program = program("callbacks.c");
    let points_to = PointsTo::new(&program);
    let memory = Memory::new(&program, &points_to);
    let edges = Edges::new(&program, &points_to);
    let mod_ref = ModRef::new(&memory, &edges);
    let names = |set: &points_to::SparseSet| -> BTreeSet<String> {
        set.iter().map(|c| name_of(&program, points_to.kind_of(CellId(c)))).collect()
    };
    let of = |name: &str| crate::common::func(&program, name);
    assert_eq!(names(mod_ref.writes(of("finish"))), set(&["wanted"]));
    let main = names(mod_ref.writes(of("main")));
    assert!(main.is_superset(&set(&["wanted", "numbers", "stopped"])), "{main:?}");
    assert!(names(mod_ref.writes(of("sum"))).is_empty());
    assert_eq!(names(mod_ref.reads(of("look"))), set(&["wanted", "numbers"]));
    assert!(edges.is_recursive(of("sum")) && !edges.is_recursive(of("main")));
}

#[test]
fn functions_that_call_each_other_write_the_same() {
    let program = crate::common::program_of(
        "static int a, b, c;\n\
         static int even (int n);\n\
         __attribute__((noinline)) static int odd (int n) { a = n; return n ? even (n - 1) : 0; }\n\
         __attribute__((noinline)) static int even (int n) { b = n; return n ? odd (n - 1) : 1; }\n\
         __attribute__((noinline)) static int start (int n) { c = n; return even (n); }\n\
         int main (int argc, char **argv) { return start (argc) + a + b + c; }\n",
    );
    let points_to = PointsTo::new(&program);
    let (memory, edges) = (Memory::new(&program, &points_to), Edges::new(&program, &points_to));
    let mod_ref = ModRef::new(&memory, &edges);
    let written = |name: &str| -> BTreeSet<String> {
        let cells = mod_ref.writes(crate::common::func(&program, name)).iter();
        cells.map(|c| name_of(&program, points_to.kind_of(CellId(c)))).collect()
    };
    assert_eq!(written("odd"), set(&["a", "b"]));
    assert_eq!(written("even"), set(&["a", "b"]));
    assert_eq!(written("start"), set(&["a", "b", "c"]));
    assert_eq!(ModRef::from_bytes(&mod_ref.to_bytes()).unwrap(), mod_ref);
}

#[test]
fn accesses_of_different_fields_do_not_alias() {
    let program = program("lists.c");
    let points_to = PointsTo::new(&program);
    let memory = Memory::new(&program, &points_to);
    let stores = crate::common::insts(&program, "push_first", |o| matches!(o, Op::Store { .. }));
    let [value, next, head] = stores[..] else { panic!("{stores:?}") };
    assert!(!may_alias(&memory, value, next) && !may_alias(&memory, value, head));
    assert!(may_alias(&memory, value, value));
    let classes = AliasClasses::new(&memory);
    assert_ne!(classes.class(value), classes.class(next));
    let loads = insts_at(&program, line("lists.c", "/* read first */"));
    let load = loads.into_iter().find(|i| matches!(program.inst(*i).op, Op::Load { .. })).unwrap();
    assert_eq!(classes.class(load), classes.class(value));
}

#[test]
fn a_stored_analysis_is_read_back_as_it_was() {
    let points_to = PointsTo::new(&program("fields.c"));
    let bytes = points_to.to_bytes();
    assert_eq!(PointsTo::from_bytes(&bytes).unwrap(), points_to);
}

#[test]
fn preconditions_know_that_a_store_through_a_pointer_misses_a_variable() {
    use parallax_model::calls::CallGraph;
    use parallax_model::wp::{Cell, Memory as _, PlainMemory, PointedMemory, Write};
    let program = crate::common::program_of(
        "static int flag, other, *shown[2];\n\
         static void put (int *p) { *p = 3; }\n\
         int main (int argc, char **argv) {\n\
           shown[0] = &flag;\n\
           shown[1] = &other;\n\
           put (&other);\n\
           return flag; }\n",
    );
    let points_to = PointsTo::new(&program);
    let accesses = Memory::new(&program, &points_to);
    let mod_ref = ModRef::new(&accesses, &Edges::new(&program, &points_to));
    let calls = CallGraph::new(&program, |site| points_to.targets(site).collect());
    let store = crate::common::the(&program, "put", |o| matches!(o, Op::Store { .. }));
    let call =
        crate::common::the(&program, "main", |o| matches!(o, Op::Call { callee: Callee::Direct(_), .. }));
    let cell =
        |name: &str| Cell { base: Operand::Global(program.global_named(name).unwrap()), offset: 0, bits: 32 };
    let plain = PlainMemory::new(&program, &calls);
    assert_eq!(plain.write(&program, store, cell("flag")), Write::May);
    let pointed = PointedMemory { plain, accesses: &accesses, mod_ref: &mod_ref };
    for inst in [store, call] {
        assert_eq!(pointed.write(&program, inst, cell("flag")), Write::No);
        assert_eq!(pointed.write(&program, inst, cell("other")), Write::May);
    }
}
