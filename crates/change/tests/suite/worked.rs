//! Worked examples of the seeds on flow and dependence, on programs of our own of the same shape. Expectations are those of the papers' text
//! and figures. What is compared with them: lines, in code that is not cleaned up, so that every statement is there.
//!
//! Where the others are: docs/model.md, "The seeds' examples".

use crate::common::{model_not_cleaned, pair};
use crate::meeting::{dependence, depends_on};
use parallax_change::{irrelevant, World};
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::icfg::Icfg;
use parallax_model::slice::{Direction, Slice};
use parallax_model::wp::{Context, PlainMemory, Preconditions};
use parallax_model::*;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of the statements, which are the comments behind them, by line.
fn marks(text: &str) -> BTreeMap<u32, u32> {
    let mark = |line: &str| line.trim_end().strip_suffix("*/")?.rsplit_once("/*")?.1.trim().parse().ok();
    (1..).zip(text.lines()).filter_map(|(n, line)| Some((n, mark(line)?))).collect()
}

/// The statement that an instruction belongs to.
fn statement(program: &Program, marks: &BTreeMap<u32, u32>, inst: InstId) -> Option<u32> {
    marks.get(&program.loc(inst)?.line).copied()
}

/// From a statement to those that stand in a relation with its instructions, over instructions of no statement.
fn related(
    program: &Program,
    marks: &BTreeMap<u32, u32>,
    from: u32,
    mut next: impl FnMut(InstId) -> Vec<InstId>,
) -> BTreeSet<u32> {
    let mut pending: Vec<InstId> =
        program.inst_ids().filter(|i| statement(program, marks, *i) == Some(from)).collect();
    assert!(!pending.is_empty(), "{from}");
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(inst) = pending.pop() {
        if !seen.insert(inst) {
            continue;
        }
        for other in next(inst) {
            match statement(program, marks, other) {
                Some(n) if n != from => {
                    found.insert(n);
                }
                _ => pending.push(other),
            }
        }
    }
    found
}

#[track_caller]
fn check_graph(
    text: &str,
    program: &Program,
    mut next: impl FnMut(InstId) -> Vec<InstId>,
    expected: &[(u32, &[u32])],
) {
    let marks = marks(text);
    for n in marks.values() {
        let found = related(program, &marks, *n, &mut next);
        let row = expected.iter().find(|(from, _)| from == n).map_or(&[][..], |(_, to)| to);
        assert_eq!(found, row.iter().copied().collect(), "from {n}");
    }
}

/// Seed 000, figure 1 (a); the numbers are those of the figure.
const MOTIVATION: &str = "\
int input(void);
void output(int);
int main(void) {
    int x, y, o;
    x = input(); /* 5 */
    if (x > 0) { /* 7 */
        y = 2; /* 8 */
        if (x - y > 0) /* 9 */
            o = y; /* 10 */
        else
            o = 0; /* 12 */
    } else
        o = -1; /* 14 */
    if (x > 20) /* 16 */
        o = 10; /* 17 */
    output(o); /* 19 */
    return 0;
}
";

#[test]
fn control_flow_of_the_motivating_example_is_that_of_the_seed() {
    let program = model_not_cleaned(MOTIVATION);
    let first = |b: &BlockId| program.block(*b).insts.iter().next().unwrap();
    let next = |inst: InstId| {
        let block = program.inst(inst).block;
        match program.terminator(block) == inst {
            true => program.successors(block).iter().map(first).collect(),
            false => vec![InstId(inst.0 + 1)],
        }
    };
    let expected: [(u32, &[u32]); 9] = [
        (5, &[7]),
        (7, &[8, 14]),
        (8, &[9]),
        (9, &[10, 12]),
        (10, &[16]),
        (12, &[16]),
        (14, &[16]),
        (16, &[17, 19]),
        (17, &[19]),
    ];
    check_graph(MOTIVATION, &program, next, &expected);
}

#[test]
fn control_dependence_of_the_motivating_example_is_that_of_the_seed() {
    let program = model_not_cleaned(MOTIVATION);
    let calls = CallGraph::coarse(&program);
    let returns = Returns::new(&program, &calls);
    let flow = Flow::new(&program, &calls, &returns, program.function_named("main").unwrap());
    let controllers = |inst: InstId| -> Vec<InstId> {
        let all = flow.controllers(program.inst(inst).block);
        all.into_iter().map(|(block, _)| program.terminator(block)).collect()
    };
    // Node 7 decides whether the change (node 8) is executed, node 16 does not.
    let expected: [(u32, &[u32]); 6] =
        [(8, &[7]), (9, &[7]), (10, &[9]), (12, &[9]), (14, &[7]), (17, &[16])];
    check_graph(MOTIVATION, &program, controllers, &expected);
}

/// Seed 004, figure 2.1, before the changes.
const RUNNING: &str = "\
int input(void);
void output(int);
int main(void) {
    int i, j, a, b, o;
    i = input(); j = input(); /* 1 */
    a = i; /* 2 */
    b = 0; /* 3 */
    o = 0; /* 4 */
    if (a > 0) { /* 5 */
        b = j; /* 6 */
        o = 1; /* 7 */
    }
    if (b > 0) /* 9 */
        o = 2; /* 10 */
    output(o); /* 11 */
    return 0;
}
";

/// Figure 2.2: every statement and what it depends on directly.
#[test]
fn the_dependence_graphs_of_the_running_example_are_those_of_the_seed() {
    let new = RUNNING
        .replace("a = i;", "a = i + 1;")
        .replace("b = j;", "b = j + 1;")
        .replace("o = 2;", "o = o + 1;");
    // In the changed program there is a new dependence of line 10 on lines 4 and 7.
    for (text, tenth) in [(RUNNING, &[9][..]), (&new, &[4, 7, 9][..])] {
        let program = model_not_cleaned(text);
        let pdg = dependence(&program);
        let expected: [(u32, &[u32]); 7] =
            [(2, &[1]), (5, &[2]), (6, &[1, 5]), (7, &[5]), (9, &[3, 6]), (10, tenth), (11, &[4, 7, 10])];
        check_graph(text, &program, |inst| depends_on(&pdg, inst), &expected);
    }
}

/// Branches that cannot lead to the line with `target`, as `line>line`, by weakest preconditions too.
fn hopeless(text: &str, with_preconditions: bool) -> Vec<String> {
    let program = crate::common::model(text);
    let calls = CallGraph::coarse(&program);
    let returns = Returns::new(&program, &calls);
    let world = World { program: &program, calls: &calls, returns: &returns };
    let target = 1 + text.lines().position(|l| l.contains("target")).unwrap() as u32;
    let blocks: Vec<BlockId> = program.block_ids().filter(|b| program.block(*b).line == target).collect();
    assert_eq!(blocks.len(), 1);
    let memory = PlainMemory::new(&program, &calls);
    let context = Context::new(&program, &calls, &returns, &memory);
    let mut hopeless = Preconditions::new(&context, &blocks).hopeless(&context);
    if !with_preconditions {
        hopeless = Default::default();
    }
    let found = irrelevant(&world, &Icfg::new(&program, &calls, &returns), &blocks, &hopeless);
    let show = |(block, successor): &(BlockId, u32)| {
        let from = program.loc(program.terminator(*block)).unwrap().line;
        format!("{from}>{}", program.block(program.successors(*block)[*successor as usize]).line)
    };
    found.execute.iter().map(show).collect()
}

/// Seed 000, section 4.3: branches that contradict each other.
#[test]
fn a_branch_that_contradicts_the_condition_of_the_target_is_irrelevant() {
    let text = "\
int input(void);
int puts(const char *);
int main(void) {
    int x = input();
    if (x > 2)
        puts(\"large\");
    if (x < 0)
        puts(\"target\");
    return 0;
}
";
    assert_eq!(hopeless(text, false), ["7>9"]);
    assert_eq!(hopeless(text, true), ["5>6", "7>9"]);
}

/// Seed 000, section 4.3: a branch and an assignment that contradict each other.
#[test]
fn a_branch_to_an_assignment_that_contradicts_the_condition_of_the_target_is_irrelevant() {
    let text = "\
int input(void);
int puts(const char *);
static int y;
int main(void) {
    int x = input();
    if (x > 0)
        y = 1; /* 1 */
    else
        y = 0; /* 2 */
    puts(\"between\");
    if (y) /* 3 */
        puts(\"target\");
    return 0;
}
";
    assert_eq!(hopeless(text, false), ["11>13"]);
    assert_eq!(hopeless(text, true), ["6>9", "11>13"]);
    // The branch to be flipped instead is found by slicing backwards from the condition.
    let program = model_not_cleaned(text);
    let pdg = dependence(&program);
    let condition = program.inst_ids().filter(|i| program.loc(*i).is_some_and(|l| l.line == 11));
    let slice = Slice::new(&pdg, condition, Direction::Backward);
    let lines: BTreeSet<u32> = slice.lines(&program).into_iter().map(|(_, line)| line).collect();
    assert!(lines.is_superset(&BTreeSet::from([5, 6, 7, 9, 11])), "{lines:?}");
    assert!(!lines.contains(&10), "{lines:?}");
}

/// Seed 003, section 3.1: lines that are not executable are dropped, those of one block are one target.
#[test]
fn lines_of_a_patch_that_are_not_executable_are_dropped_and_those_of_a_block_are_one_target() {
    let old = "\
int puts(const char *);
int main(int argc, char **argv) {
    if (argc > 1) {
        puts(\"one\");
    }
    puts(\"two\");
    return 0;
}
";
    let new = old.replace(
        "        puts(\"one\");\n",
        "        /* a comment */

        int unused;
#ifdef NEVER
        puts(\"never\");
#endif
        puts(\"one\");
        puts(\"more\");
        puts(\"and more\");
",
    );
    let pair = pair(old, &new);
    assert_eq!(pair.targets(), ["main:11"]);
    assert_eq!(pair.changes(), ["added main [] [11,12]"]);
}
