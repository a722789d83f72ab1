//! Where changes meet: seed 004, figures 2.5, 4.3 and 4.6, on programs of our own of the same shape.

use crate::common::{model_not_cleaned, of, pair, Pair};
use parallax_change::{targets, Csg, Effects, NodeKind, Target, World};
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::memory::Memory;
use parallax_model::mod_ref::Edges;
use parallax_model::pdg::{Node, Pdg};
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::slice::{Direction, Slice};
use parallax_model::{InstId, Program};
use std::collections::BTreeSet;

pub fn dependence(program: &Program) -> Pdg {
    let points_to = PointsTo::new(program);
    let memory = Memory::new(program, &points_to);
    let edges = Edges::new(program, &points_to);
    Pdg::new(&memory, &edges, &mut Reaching::new(&memory, &edges, Limits::default()))
}

fn effects(pdg: &Pdg, units: &[Vec<InstId>]) -> Effects {
    let slice = |insts: &[InstId]| Slice::new(pdg, insts.iter().copied(), Direction::Forward).insts;
    Effects::new(units.iter().map(Vec::as_slice), slice)
}

/// Instructions that an instruction depends on, over what stands between.
pub fn depends_on(pdg: &Pdg, inst: InstId) -> Vec<InstId> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let mut pending = vec![Node::Inst(inst), Node::Site(inst)];
    while let Some(node) = pending.pop() {
        if seen.insert(node) {
            for (on, _) in pdg.dependencies(node) {
                match on {
                    Node::Inst(other) => found.push(other),
                    between => pending.push(between),
                }
            }
        }
    }
    found
}

/// Line n of the figure is line n + 4 here.
const RUNNING: &str = "\
int printf(const char *, ...);
int scanf(const char *, ...);
int main(void) {
    int i, j, a, b, o;
    scanf(\"%d%d\", &i, &j);
    a = i;
    b = 0;
    o = 0;
    if (a > 0) {
        b = j;
        o = 1;
    }
    if (b > 0)
        o = 2;
    printf(\"%d\", o);
    return 0;
}
";

fn running() -> Pair {
    let new = RUNNING
        .replace("a = i;", "a = i + 1;")
        .replace("b = j;", "b = j + 1;")
        .replace("o = 2;", "o = o + 1;");
    pair(RUNNING, &new)
}

#[test]
fn changes_interfere_where_the_seed_says() {
    let pair = running();
    let changes = &pair.comparison.changes;
    let lines: Vec<_> = changes.iter().map(|c| c.new_lines.lines.clone()).collect();
    assert_eq!(lines, [[6], [10], [14]], "{:?}", pair.changes());
    let units: Vec<Vec<InstId>> = changes.iter().map(|c| c.new_insts.clone()).collect();
    let effects = effects(&dependence(&pair.new), &units);
    let at = |which: &[usize]| -> Vec<u32> {
        let met = effects.meeting(which);
        let lines: BTreeSet<u32> =
            met.iter().filter_map(|i| pair.new.loc(*i)).map(|l| l.line).filter(|l| *l > 0).collect();
        lines.into_iter().map(|line| line - 4).collect()
    };
    assert_eq!(at(&[0, 1]), [6, 9, 10, 11]);
    assert_eq!(at(&[0, 2]), [10, 11]);
    assert_eq!(at(&[1, 2]), [10, 11]);
    assert_eq!(at(&[0, 1, 2]), [10, 11]);
}

/// The graph with interaction locations.
fn sequences(pair: &Pair, targets: &[Target]) -> Csg {
    let pdg = dependence(&pair.new);
    let units: Vec<Vec<InstId>> = targets.iter().map(|t| t.insts.clone()).collect();
    let calls = CallGraph::coarse(&pair.new);
    let returns = Returns::new(&pair.new, &calls);
    let world = World { program: &pair.new, calls: &calls, returns: &returns };
    Csg::with_interactions(&world, targets, &effects(&pdg, &units), |inst| depends_on(&pdg, inst))
}

/// Its edges between lines; interaction locations have an `i`.
fn edges(program: &Program, csg: &Csg) -> Vec<String> {
    let name = |n: usize| match (csg.nodes[n].kind, csg.nodes[n].inst) {
        (NodeKind::Entry, _) => "entry".to_owned(),
        (NodeKind::Exit, _) => "exit".to_owned(),
        (kind, inst) => {
            let line = program.loc(inst.unwrap()).unwrap().line;
            format!("{}{line}", if kind == NodeKind::Interaction { "i" } else { "" })
        }
    };
    let mut edges: Vec<String> =
        csg.edges.iter().map(|(a, b)| format!("{}-{}", name(*a), name(*b))).collect();
    edges.sort();
    edges
}

/// The shape of figure 4.5, statement n of the figure on line n + 4. Not cleaned up, so that every assignment is code.
const CUT: &str = "\
int isdigit(int);
void check(int);
void parse(const char *fs) {
    int v = 0, init = 1, c;

    while (*fs) {
        if (isdigit(*fs)) {
            v = *fs - '0';

        } else if (*fs == '-') {
            c = v > 0;
            init = c ? v : 1;
        } else if (*fs == '\\n') {
            check(init);
        }
        fs++;
    }
}
int main(int argc, char **argv) {
    parse(argv[1]);
    return 0;
}
";

#[test]
fn the_graph_with_interactions_is_that_of_the_algorithm() {
    let new = CUT
        .replace("c;\n\n", "c, lhs;\n    lhs = 0;\n")
        .replace("'0';\n\n", "'0';\n            lhs = 1;\n")
        .replace("c = v > 0;", "c = lhs;");
    let pair = of(model_not_cleaned(CUT), model_not_cleaned(&new));
    let targets = targets(&pair.new, &pair.comparison);
    assert_eq!(pair.targets(), ["parse:5", "parse:9", "parse:11"]);
    // Changes on 1, 5 and 7 of the figure in any order that the loop allows; 8 follows 7 and depends on all three. (Line 10, which only
    // uses what 8 computes, is no important location.)
    let mut expected = vec![
        "entry-5", "5-9", "5-11", "5-exit", "9-9", "9-11", "9-exit", "11-i12", "5-i12", "9-i12", "i12-9",
        "i12-11", "i12-exit",
    ];
    expected.sort();
    assert_eq!(edges(&pair.new, &sequences(&pair, &targets)), expected);
}

/// The shape of figure 4.3: one change decides over an allocation, the other over an access, which is in another function.
const RANGES: &str = "\
#include <stdlib.h>
static char *printable;
static int is_printable(unsigned i) {
    return printable[i];
}
void mark(unsigned);
int main(int argc, char **argv) {
    unsigned most = atoi(argv[1]), start = atoi(argv[2]);

        printable = malloc(most + 1);
    if (argc > 3 &&
        start &&

        !is_printable(start))
        mark(start);
    return 0;
}
";

#[test]
fn changes_of_the_allocation_and_of_the_guard_interact_at_the_access() {
    let new = RANGES
        .replace("[2]);\n\n", "[2]);\n    if (most)\n")
        .replace("start &&\n\n", "start &&\n        most &&\n");
    let pair = pair(RANGES, &new);
    let targets = targets(&pair.new, &pair.comparison);
    assert_eq!(pair.targets(), ["main:9", "main:13"], "{:?}", pair.changes());
    let csg = sequences(&pair, &targets);
    let edges = edges(&pair.new, &csg);
    // The access in line 4 depends on both, can be reached from the second change without passing another, and is where both end up.
    for edge in ["entry-9", "9-13", "9-i4", "13-i4", "9-exit", "13-exit", "i4-exit"] {
        assert!(edges.contains(&edge.to_owned()), "{edge} in {edges:?}");
    }
    assert!(!edges.contains(&"entry-13".to_owned()), "the first change is always executed: {edges:?}");
}
