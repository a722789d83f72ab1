//! Distances: the seeds' worked examples, and a naive version that follows the definition on every program here.

use crate::common::*;
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::distance::{control_distances, Distances, Hopeless};
use parallax_model::icfg::Icfg;
use parallax_model::*;

pub struct World {
    pub p: Program,
    pub calls: CallGraph,
    pub returns: Returns,
    pub icfg: Icfg,
}

pub fn world(p: Program) -> World {
    let calls = CallGraph::coarse(&p);
    let returns = Returns::new(&p, &calls);
    let icfg = Icfg::new(&p, &calls, &returns);
    World { p, calls, returns, icfg }
}

impl World {
    pub fn distances(&self, targets: &[BlockId]) -> Distances {
        Distances::new(&self.icfg, &self.p, targets, &Hopeless::default())
    }

    /// Ways in the down phase or the up phase, by relaxing the definition until nothing changes.
    fn naive(&self, targets: &[BlockId]) -> Vec<Option<u32>> {
        let p = &self.p;
        let n = p.insts.len();
        // Distances from before each instruction: [going in only, going out first].
        let mut far = vec![[u32::MAX; 2]; n];
        for t in targets {
            p.block(*t).insts.iter().for_each(|i| far[i.index()] = [0, 0]);
        }
        let first = |b: BlockId| p.block(b).insts.start as usize;
        loop {
            let before = far.clone();
            for i in p.inst_ids() {
                for phase in [0, 1] {
                    let mut best = far[i.index()][phase].min(far[i.index()][0]);
                    for &callee in self.calls.callees(i) {
                        if let Some(entry) = p.func(callee).entry() {
                            best = best.min(far[first(entry)][0]);
                        }
                        if p.func(callee).name.ends_with("longjmp") {
                            let lands = |j: &InstId| p.inst(*j).op.call().is_some_and(|c| c.2.returns_twice);
                            for j in p.inst_ids().filter(lands) {
                                best = best.min(far[j.index() + 1][phase]);
                            }
                        }
                    }
                    if !self.returns.goes_on(p, &self.calls, i) {
                    } else if !p.inst(i).op.is_terminator() {
                        best = best.min(far[i.index() + 1][phase]);
                    } else {
                        let block = p.inst(i).block;
                        let successors = p.successors(block);
                        let weight = u32::from(successors.iter().any(|s| *s != successors[0]));
                        for s in successors {
                            best = best.min(far[first(*s)][phase].saturating_add(weight));
                        }
                        if p.inst(i).op == Op::Ret && phase == 1 {
                            let behind = |c: &InstId| self.returns.goes_on(p, &self.calls, *c);
                            for c in self.calls.callers(p.block(block).func).filter(behind) {
                                best = best.min(far[c.index() + 1][1]);
                            }
                        }
                    }
                    far[i.index()][phase] = best;
                }
            }
            if far == before {
                break;
            }
        }
        let of = |b: BlockId| far[first(b)][1];
        p.block_ids().map(|b| (of(b) != u32::MAX).then_some(of(b))).collect()
    }
}

#[test]
fn distances_are_those_of_the_definition() {
    for name in ["flow.c", "figure3.c", "figure1.c", "numbers.c", "shapes.c"] {
        let w = world(program(name));
        for target in w.p.block_ids() {
            let found = w.distances(&[target]);
            let found: Vec<_> = w.p.block_ids().map(|b| found.block(b)).collect();
            assert_eq!(found, w.naive(&[target]), "{name}, target {target:?}");
        }
    }
}

#[test]
fn many_possible_callees_are_as_far_as_few() {
    let mut text = String::new();
    for i in 0..30 {
        text += &format!("int f{i}(int n) {{ if (n > {i}) return n; return {i}; }}\n");
    }
    let names: Vec<String> = (0..30).map(|i| format!("f{i}")).collect();
    text += &format!("int (*const all[])(int) = {{{}}};\n", names.join(", "));
    text += "int main(int n, char **v) { if (n > 3) n = all[n](n); else n = 1; if (n == 4) return 9; return n; }\n";
    let w = world(program_of(&text));
    let call = the(&w.p, "main", |op| matches!(op.call(), Some((Callee::Indirect, ..))));
    assert_eq!(w.calls.callees(call).len(), 30);
    for target in w.p.block_ids() {
        let found = w.distances(&[target]);
        let found: Vec<_> = w.p.block_ids().map(|b| found.block(b)).collect();
        assert_eq!(found, w.naive(&[target]), "target {target:?}");
    }
}

#[test]
fn control_flow_distances_of_figure_3_are_as_printed() {
    let w = world(program("figure3.c"));
    let target = block_at(&w.p, "check", line("figure3.c", "abort();"));
    let distances = w.distances(&[target]);
    let at = |f: &str, text: &str| distances.block(block_at(&w.p, f, line("figure3.c", text)));
    assert_eq!(at("main", "atoi(argv"), Some(2));
    assert_eq!(at("main", "check(0);"), Some(1));
    assert_eq!(at("main", "if (input > 100)"), Some(2));
    assert_eq!(at("main", "check(input);"), Some(1));
    assert_eq!(at("check", "if (x == 999)"), Some(1));
    assert_eq!(at("check", "abort();"), Some(0));
}

#[test]
fn a_target_in_the_caller_is_reached_after_the_return() {
    let w = world(program_of(
        "int puts(const char *);\nint f(int n) {\nif (n)\nputs(\"a\");\nreturn puts(\"b\");\n}\n\
         int main(int n, char **v) {\nn = f(n);\nif (n == 2)\nputs(\"c\");\nreturn 0;\n}\n",
    ));
    let distances = w.distances(&[block_at(&w.p, "main", 10)]);
    let at = |f: &str, line| distances.block(block_at(&w.p, f, line));
    assert_eq!(at("f", 3), Some(2), "the branch in f and the one behind the call");
    assert_eq!(at("f", 5), Some(1));
    assert_eq!(at("main", 8), Some(1), "the call is short-cut");
    assert_eq!(at("main", 11), None);
    let inside = |f: &str, line| distances.block_inside(block_at(&w.p, f, line));
    assert_eq!(inside("f", 5), None, "f has a target only by returning");
    assert_eq!(inside("main", 8), Some(1));
}

#[test]
fn a_handler_that_runs_at_exit_is_near_to_where_the_program_ends() {
    let w = world(program_of(
        "#include <stdlib.h>\nint puts(const char *);\nstatic void finish(void) {\nif (puts(\"x\"))\nputs(\"y\");\n}\n\
         int main(int n, char **v) {\natexit(finish);\nif (n > 3)\nexit(puts(\"z\"));\nreturn puts(\"w\");\n}\n",
    ));
    let distances = w.distances(&[block_at(&w.p, "finish", 5)]);
    let at = |f: &str, line| distances.block(block_at(&w.p, f, line));
    assert_eq!(at("finish", 4), Some(1));
    assert_eq!(at("main", 10), Some(1), "by exit");
    assert_eq!(at("main", 11), Some(1), "by return");
}

fn control(w: &World, targets: &[BlockId]) -> Vec<Option<u32>> {
    let flows: Vec<Flow> =
        w.p.defined_functions().map(|f| Flow::new(&w.p, &w.calls, &w.returns, f)).collect();
    control_distances(&w.p, &flows, &w.calls, targets)
}

#[test]
fn control_distances_are_those_of_the_definition() {
    for name in ["flow.c", "figure3.c", "figure1.c", "numbers.c", "shapes.c"] {
        let w = world(program(name));
        let flows: Vec<Flow> =
            w.p.defined_functions().map(|f| Flow::new(&w.p, &w.calls, &w.returns, f)).collect();
        // Edges of the graph, one by one: block to block, and block to what its calls always execute.
        let mut edges: Vec<(BlockId, BlockId)> = Vec::new();
        for block in w.p.block_ids() {
            let f = w.p.block(block).func;
            let flow = &flows[f.index()];
            edges.extend(flow.controllers(block).into_iter().map(|(branch, _)| (branch, block)));
            if flow.always_executed(block) {
                edges.extend(w.calls.callers(f).map(|site| (w.p.inst(site).block, block)));
            }
        }
        for target in w.p.block_ids() {
            let mut distances = vec![None; w.p.blocks.len()];
            distances[target.index()] = Some(0u32);
            for _ in w.p.block_ids() {
                for (from, to) in &edges {
                    let longer = distances[to.index()].map(|d| d + 1);
                    let old = distances[from.index()];
                    distances[from.index()] = old.into_iter().chain(longer).min();
                }
            }
            let found = control_distances(&w.p, &flows, &w.calls, &[target]);
            assert_eq!(found, distances, "{name}, target {target:?}");
        }
    }
}

#[test]
fn control_dependence_distances_of_figure_1_are_as_told() {
    let w = world(program("figure1.c"));
    let block = |text: &str| block_at(&w.p, "main", line("figure1.c", text));
    let distances = control(&w, &[block("y = 2;")]);
    assert_eq!(distances[block("y = 2;").index()], Some(0));
    assert_eq!(distances[block("int x = atoi").index()], Some(1), "the branch on x > 0");
    assert_eq!(distances[block("if (x > 20)").index()], None, "cannot lead to the change");
    assert_eq!(distances[block("o = 10;").index()], None);
}

#[test]
fn calls_weigh_nothing_and_dependences_weigh_one() {
    let w = world(program("figure3.c"));
    let block = |f: &str, text: &str| block_at(&w.p, f, line("figure3.c", text));
    let distances = control(&w, &[block("check", "abort();")]);
    let at = |f: &str, text: &str| distances[block(f, text).index()];
    assert_eq!(at("check", "if (x == 999)"), Some(1));
    // Call (0), entry to the branch (1), branch to the target (1).
    assert_eq!(at("main", "check(input);"), Some(2));
    assert_eq!(at("main", "if (input > 100)"), Some(3));
    assert_eq!(at("main", "int input = atoi"), Some(3));
}
