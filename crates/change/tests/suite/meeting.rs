//! Where changes meet: seed 004, figure 2.5, on a program of our own of the same shape.

use crate::common::{pair, Pair};
use parallax_change::Effects;
use parallax_model::memory::Memory;
use parallax_model::mod_ref::Edges;
use parallax_model::pdg::Pdg;
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::slice::{Direction, Slice};
use parallax_model::{InstId, Program};
use std::collections::BTreeSet;

fn dependence(program: &Program) -> Pdg {
    let points_to = PointsTo::new(program);
    let memory = Memory::new(program, &points_to);
    let edges = Edges::new(program, &points_to);
    Pdg::new(&memory, &edges, &mut Reaching::new(&memory, &edges, Limits::default()))
}

fn effects(pdg: &Pdg, units: &[Vec<InstId>]) -> Effects {
    let slice = |insts: &[InstId]| Slice::new(pdg, insts.iter().copied(), Direction::Forward).insts;
    Effects::new(units.iter().map(Vec::as_slice), slice)
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
