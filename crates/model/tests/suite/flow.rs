//! Control flow of functions: exits, endless loops, calls that do not come back, loops with two entries.

use crate::common::*;
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::graph::components;
use parallax_model::graph::Graph;
use parallax_model::*;

struct Flows {
    p: Program,
    calls: CallGraph,
    returns: Returns,
}

fn flows() -> Flows {
    let p = program("flow.c");
    let calls = CallGraph::coarse(&p);
    let returns = Returns::new(&p, &calls);
    Flows { p, calls, returns }
}

impl Flows {
    fn flow(&self, name: &str) -> Flow {
        Flow::new(&self.p, &self.calls, &self.returns, func(&self.p, name))
    }

    /// The block that begins with the line of this text.
    fn block(&self, name: &str, text: &str) -> BlockId {
        block_at(&self.p, name, line("flow.c", text))
    }

    /// Lines of the branches that decide over a block.
    fn deciders(&self, name: &str, text: &str) -> Vec<u32> {
        let controllers = self.flow(name).controllers(self.block(name, text));
        controllers.into_iter().map(|(b, _)| self.p.loc(self.p.terminator(b)).unwrap().line).collect()
    }
}

#[test]
fn a_function_whose_every_way_ends_the_program_does_not_return() {
    let f = flows();
    let may = |name| f.returns.may_return(func(&f.p, name));
    assert!(!may("give_up") && !may("exit") && !may("abort") && !may("longjmp"));
    assert!(may("half") && may("main") && may("protect") && may("puts") && may("odd") && may("even"));
    assert!(!may("forever"), "it only calls itself");
    assert!(!may("serve"));
}

#[test]
fn behind_a_call_that_does_not_return_the_function_is_over() {
    let f = flows();
    let flow = f.flow("half");
    let call = f.block("half", "give_up(n);");
    assert_eq!(flow.cfg.successors(call).count(), 0);
    // So the rest of the function is executed only if the call is not.
    assert_eq!(f.deciders("half", "return n / 2;"), [line("flow.c", "if (n & 1)")]);
    assert!(!flow.always_executed(f.block("half", "return n / 2;")));
}

#[test]
fn a_loop_without_an_end_has_post_dominators_too() {
    let f = flows();
    let flow = f.flow("serve");
    assert_eq!(flow.cfg.endless.len(), 1);
    let (seven, served) = (f.block("serve", "puts(\"seven\")"), f.block("serve", "puts(\"served\")"));
    assert!(flow.post_dominates(served, seven));
    assert_eq!(f.deciders("serve", "puts(\"seven\")"), [line("flow.c", "if (request == 7)")]);
    assert_eq!(f.deciders("serve", "puts(\"served\")"), [] as [u32; 0]);
    assert!(flow.always_executed(served) && !flow.always_executed(seven));
    assert_eq!(flow.loops.loops.len(), 1);
}

#[test]
fn a_loop_with_two_entries_is_irreducible() {
    let f = flows();
    let flow = f.flow("two_doors");
    assert_eq!(flow.loops.loops.len(), 1);
    assert!(flow.loops.loops[0].irreducible);
    let middle = f.block("two_doors", "n -= 3;");
    let first = f.block("two_doors", "sum += n;");
    for block in [middle, first] {
        assert_eq!(flow.loops.depth(flow.cfg.node(block)), 1);
    }
    assert!(!flow.dominates(first, middle));
    let deciders = f.deciders("two_doors", "sum += n;");
    assert_eq!(deciders, [line("flow.c", "while (n > 0)")]);
}

#[test]
fn calls_through_pointers_reach_all_functions_of_their_type() {
    let f = flows();
    let call = the(&f.p, "odd", |op| matches!(op, Op::Call { callee: Callee::Indirect, .. }));
    let callees = f.calls.callees(call);
    assert!(callees.contains(&func(&f.p, "even")));
    let callers: Vec<InstId> = f.calls.callers(func(&f.p, "even")).collect();
    assert!(callers.contains(&call));
    assert!(!callees.contains(&func(&f.p, "far_away")), "its address is not taken");
}

#[test]
fn every_block_reaches_the_virtual_exit_and_branches_control_what_they_decide() {
    let f = flows();
    for id in f.p.defined_functions() {
        let flow = Flow::new(&f.p, &f.calls, &f.returns, id);
        let ends = flow.cfg.graph.reversed().reachable([flow.cfg.exit()]);
        assert!(ends.iter().all(|e| *e), "{}", f.p.func(id).name);
        for block in f.p.func(id).blocks.iter() {
            for (branch, successor) in flow.controllers(block) {
                assert!(f.p.successors(branch).len() > 1);
                let taken = f.p.successors(branch)[successor as usize];
                assert!(flow.post_dominates(block, taken));
            }
        }
    }
}

#[test]
fn components_are_the_sets_of_nodes_that_reach_each_other() {
    let mut rng = fastrand::Rng::with_seed(6);
    for _ in 0..2000 {
        let n = rng.u32(1..10);
        let edges: Vec<_> = (0..rng.u32(0..2 * n)).map(|_| (rng.u32(0..n), rng.u32(0..n))).collect();
        let graph = Graph::new(n as usize, &edges);
        let (component, count) = components(&graph);
        let reach: Vec<Vec<bool>> = (0..n).map(|i| graph.reachable([i])).collect();
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let mutual = reach[a as usize][b as usize] && reach[b as usize][a as usize];
            let (ca, cb) = (component[a as usize], component[b as usize]);
            assert_eq!(ca == cb, mutual, "{edges:?}");
            assert!((ca as usize) < count);
            assert!(!reach[a as usize][b as usize] || cb <= ca, "edges lead to smaller components");
        }
    }
}

#[test]
fn a_function_of_twenty_thousand_blocks_is_analysed_at_once() {
    let mut text = String::from("int f(int *p, int n) {\nint s = 0;\n");
    for i in 0..10_500 {
        text += &format!("if (p[{i}] > n) {{ s += {i}; if (s & 1) return s; }}\n");
    }
    text += "return s;\n}\n";
    let p = program_of(&text);
    assert!(p.blocks.len() > 20_000, "{}", p.blocks.len());
    let calls = CallGraph::coarse(&p);
    let returns = Returns::new(&p, &calls);
    let start = computed();
    let flow = Flow::new(&p, &calls, &returns, FuncId(0));
    assert!(flow.loops.loops.is_empty());
    let time = computed() - start;
    assert!(time.as_secs() < 5, "{time:?}");
}
