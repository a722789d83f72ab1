//! The solver against a naive fixpoint on random systems of constraints, and cells against sets of offsets.

use super::cells::{overlap, Cell, CellId, Cells, ObjectKind, Walk, UNBOUNDED};
use super::copies::copied_to;
use super::graph::NodeId;
use super::set::SparseSet;
use super::shape::{Array, Shape};
use super::solver::{derive, Binder, Solver, Step};
use super::Limits;
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

const LIMITS: Limits = Limits {
    cells: 10_000,
    unsized_cells: 10_000,
    offset: 1 << 16,
    arrays: 256,
    copy_pairs: u32::MAX,
    large: u32::MAX,
    huge: u32::MAX,
};
/// Few offsets, because the naive fixpoint looks at all pairs.
const NARROW: Limits = Limits { offset: 40, ..LIMITS };

#[derive(Clone, Copy, Debug)]
enum Constraint {
    Base(NodeId, usize),
    Copy(NodeId, NodeId),
    Load(NodeId, NodeId),
    Store(NodeId, NodeId),
    Gep(NodeId, Step, NodeId),
    Memory { to: NodeId, from: NodeId, len: Option<u64> },
}

struct NoCalls;

impl Binder for NoCalls {
    fn bind(&mut self, _: &mut Solver, _: u32, _: CellId) {}
}

fn shapes() -> Vec<Shape> {
    let records = vec![Array { start: 8, end: 56, stride: 16 }];
    vec![
        Shape::untyped(None),
        Shape::untyped(Some(24)),
        Shape { size: Some(64), arrays: records, flat: false },
        Shape::flat(),
    ]
}

fn objects(cells: &mut Cells) -> Vec<CellId> {
    let mut made = Vec::new();
    for (i, shape) in shapes().into_iter().enumerate() {
        let object = cells.object(ObjectKind::Global(GlobalId(i as u32)), shape);
        made.push(cells.at(object, 0));
    }
    made
}

fn random_step(rng: &mut fastrand::Rng) -> Step {
    if rng.bool() {
        return Step::Shift(8 * rng.i64(-1..4));
    }
    let extent = rng.bool().then(|| 8 * rng.u32(1..4));
    Step::Walk(Walk { stride: 8 * rng.u32(1..3), extent, forward: rng.bool() })
}

fn random_system(rng: &mut fastrand::Rng, nodes: u32) -> Vec<Constraint> {
    let mut system: Vec<Constraint> = (0..4).map(|i| Constraint::Base(rng.u32(0..nodes), i)).collect();
    for _ in 0..rng.usize(4..14) {
        let (a, b) = (rng.u32(0..nodes), rng.u32(0..nodes));
        system.push(match rng.u32(0..6) {
            0 | 1 => Constraint::Copy(a, b),
            2 => Constraint::Load(a, b),
            3 => Constraint::Store(a, b),
            4 => Constraint::Gep(a, random_step(rng), b),
            _ => Constraint::Memory { to: a, from: b, len: rng.bool().then(|| 8 * rng.u64(1..4)) },
        });
    }
    system
}

fn solve(system: &[Constraint], nodes: u32) -> Vec<BTreeSet<String>> {
    let cells = solved(system, nodes, NARROW);
    cells.iter().map(|cells| cells.iter().map(|c| format!("{c:?}")).collect()).collect()
}

/// What each node can point to.
fn solved(system: &[Constraint], nodes: u32, limits: Limits) -> Vec<Vec<Cell>> {
    let mut solver = Solver::new(limits);
    let base = objects(&mut solver.cells);
    (0..nodes).for_each(|_| {
        solver.node();
    });
    for constraint in system {
        match *constraint {
            Constraint::Base(node, object) => solver.graph.add(node, base[object]),
            Constraint::Copy(a, b) => solver.graph.add_edge(a, b),
            Constraint::Load(p, to) => solver.load(p, to),
            Constraint::Store(p, value) => solver.store(p, value),
            Constraint::Gep(from, step, to) => solver.gep(from, &[step], to),
            Constraint::Memory { to, from, len } => solver.copy_memory(to, from, len),
        }
    }
    solver.solve(&mut NoCalls);
    let set = |n: NodeId| &solver.graph.points_to[solver.graph.representative(n) as usize];
    (0..nodes).map(|n| set(n).iter().map(|c| solver.cells.get(CellId(c))).collect()).collect()
}

fn names(cells: &Cells, ids: impl Iterator<Item = u32>) -> BTreeSet<String> {
    ids.map(|c| format!("{:?}", cells.get(CellId(c)))).collect()
}

/// The state of the naive fixpoint.
struct Naive {
    cells: Cells,
    sets: Vec<SparseSet>,
    memory: BTreeMap<CellId, SparseSet>,
}

impl Naive {
    fn apply(&mut self, constraint: Constraint) {
        match constraint {
            Constraint::Base(..) => {}
            Constraint::Copy(a, b) => {
                let set = self.sets[a as usize].clone();
                self.sets[b as usize].union(&set);
            }
            Constraint::Load(p, to) => {
                for cell in self.sets[p as usize].clone().iter() {
                    let found = self.found(CellId(cell));
                    self.sets[to as usize].union(&found);
                }
            }
            Constraint::Store(p, value) => {
                for cell in self.sets[p as usize].clone().iter() {
                    let value = self.sets[value as usize].clone();
                    self.memory.entry(CellId(cell)).or_default().union(&value);
                }
            }
            Constraint::Gep(from, step, to) => {
                for cell in self.sets[from as usize].clone().iter() {
                    for target in derive(&mut self.cells, CellId(cell), &[step]) {
                        self.sets[to as usize].insert(target.0);
                    }
                }
            }
            Constraint::Memory { to, from, len } => self.copy(to, from, len),
        }
    }

    fn found(&self, cell: CellId) -> SparseSet {
        let mut found = SparseSet::default();
        let this = self.cells.get(cell);
        for (other, set) in &self.memory {
            let other = self.cells.get(*other);
            if other.object == this.object && overlap(&this, 1, &other, 1) {
                found.union(set);
            }
        }
        found
    }

    fn copy(&mut self, to: NodeId, from: NodeId, len: Option<u64>) {
        for source in self.sets[from as usize].clone().iter().map(CellId) {
            for target in self.sets[to as usize].clone().iter().map(CellId) {
                for (cell, set) in self.memory.clone() {
                    let (start, inside) = (self.cells.get(source), self.cells.get(cell));
                    if source == target || start.object != inside.object {
                        continue;
                    }
                    for place in copied_to(&mut self.cells, &start, &inside, target, len) {
                        self.memory.entry(place).or_default().union(&set);
                    }
                }
            }
        }
    }
}

fn naive(system: &[Constraint], nodes: u32) -> Vec<BTreeSet<String>> {
    let mut cells = Cells::new(NARROW);
    let base = objects(&mut cells);
    let mut state =
        Naive { cells, sets: vec![SparseSet::default(); nodes as usize], memory: BTreeMap::new() };
    for constraint in system {
        if let Constraint::Base(node, object) = *constraint {
            state.sets[node as usize].insert(base[object].0);
        }
    }
    loop {
        let before = (state.sets.clone(), state.memory.clone());
        system.iter().for_each(|c| state.apply(*c));
        if before == (state.sets.clone(), state.memory.clone()) {
            break;
        }
    }
    state.sets.iter().map(|s| names(&state.cells, s.iter())).collect()
}

#[test]
fn the_solver_agrees_with_a_naive_fixpoint_on_random_systems() {
    let mut rng = fastrand::Rng::with_seed(7);
    for round in 0..300 {
        let nodes = rng.u32(2..9);
        let system = random_system(&mut rng, nodes);
        assert_eq!(solve(&system, nodes), naive(&system, nodes), "round {round}: {system:?}");
    }
}

#[test]
fn places_that_are_not_told_apart_lose_nothing() {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut coarser = 0;
    for round in 0..300 {
        let nodes = rng.u32(2..9);
        let system = random_system(&mut rng, nodes);
        let (fine, coarse) =
            (solved(&system, nodes, NARROW), solved(&system, nodes, Limits { large: 2, huge: 3, ..NARROW }));
        for (node, (fine, coarse)) in fine.iter().zip(&coarse).enumerate() {
            coarser += usize::from(fine != coarse);
            for cell in fine {
                let same = coarse.iter().filter(|c| c.object == cell.object);
                let covered: BTreeSet<i32> = same.flat_map(|c| offsets(c, 64)).collect();
                let lost =
                    offsets(cell, 64).into_iter().any(|o| (0..64).contains(&o) && !covered.contains(&o));
                assert!(!lost, "round {round}, node {node}: {cell:?} in {coarse:?}: {system:?}");
            }
        }
    }
    assert!(coarser > 20, "the limit is reached: {coarser}");
}

/// The offsets of a cell, as far as `limit`.
fn offsets(cell: &Cell, limit: i32) -> BTreeSet<i32> {
    let repeat = |start: BTreeSet<i32>, span: super::cells::Span| -> BTreeSet<i32> {
        if span.stride == 0 {
            return start;
        }
        let end = if span.end == UNBOUNDED { limit } else { span.end };
        start.into_iter().flat_map(|s| (s..end).step_by(span.stride as usize)).collect()
    };
    if cell.is_anywhere() {
        return (0..limit).collect();
    }
    repeat(repeat(BTreeSet::from([cell.offset]), cell.inner), cell.outer)
}

#[test]
fn accesses_that_share_a_byte_overlap() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut seen = (0, 0);
    for _ in 0..3000 {
        let mut cells = Cells::new(LIMITS);
        let start = objects(&mut cells)[rng.usize(0..3)];
        let mut pick = || {
            let steps: Vec<Step> = (0..rng.usize(0..4)).map(|_| random_step(&mut rng)).collect();
            derive(&mut cells, start, &steps).first().map(|c| cells.get(*c))
        };
        let (Some(a), Some(b)) = (pick(), pick()) else { continue };
        let (a_size, b_size) = (1 << rng.u32(0..4), 1 << rng.u32(0..4));
        let bytes = |c: &Cell, size: i32| -> BTreeSet<i32> {
            offsets(c, 256).into_iter().flat_map(|o| o..o + size).collect()
        };
        let shared = !bytes(&a, a_size).is_disjoint(&bytes(&b, b_size));
        let said = overlap(&a, a_size as u32, &b, b_size as u32);
        assert!(said || !shared, "{a:?} ({a_size}) and {b:?} ({b_size}) share a byte");
        assert_eq!(said, overlap(&b, b_size as u32, &a, a_size as u32));
        seen.0 += usize::from(said);
        seen.1 += usize::from(!said);
    }
    assert!(seen.0 > 100 && seen.1 > 100, "both answers are tried: {seen:?}");
}

#[test]
fn a_field_of_an_element_stays_a_field_of_an_element() {
    let mut cells = Cells::new(LIMITS);
    let object = cells.object(ObjectKind::Global(GlobalId(0)), shapes().remove(2));
    // Elements of 16 bytes at 8, 24 and 40.
    let (first, third) = (cells.at(object, 8 + 4), cells.at(object, 40 + 4));
    assert_eq!(first, third);
    let next = Step::Walk(Walk { stride: 16, extent: None, forward: false });
    assert_eq!(derive(&mut cells, first, &[next]), [first]);
    let field = derive(&mut cells, first, &[Step::Shift(4)]);
    assert_eq!(field, [cells.at(object, 8 + 8)]);
    assert!(!overlap(&cells.get(first), 4, &cells.get(field[0]), 4));
}

#[test]
fn a_structure_is_found_again_from_the_array_in_it() {
    let mut cells = Cells::new(LIMITS);
    let arrays = vec![Array { start: 16, end: 48, stride: 1 }];
    let shape = Shape { size: Some(48), arrays, flat: false };
    let object = cells.object(ObjectKind::Global(GlobalId(0)), shape);
    let text = cells.at(object, 16);
    let start = cells.at(object, 0);
    assert!(derive(&mut cells, text, &[Step::Shift(-16)]).contains(&start));
}

#[test]
fn a_field_behind_an_array_is_found_from_the_start_of_the_structure() {
    let mut cells = Cells::new(LIMITS);
    // Two elements of 32 bytes, each with an array of four numbers at its start; and a number behind them.
    let arrays = vec![Array { start: 0, end: 64, stride: 32 }, Array { start: 0, end: 16, stride: 4 }];
    let object = cells.object(ObjectKind::Global(GlobalId(0)), Shape { size: Some(72), arrays, flat: false });
    let start = cells.at(object, 0);
    let reached = |cells: &mut Cells, by| derive(cells, start, &[Step::Shift(by)]);
    assert_eq!(reached(&mut cells, 8), [start], "in the array");
    assert_eq!(reached(&mut cells, 16), [cells.at(object, 16)], "behind the array, in the element");
    assert_eq!(reached(&mut cells, 48), [cells.at(object, 16)], "the same in the other element");
    assert_eq!(reached(&mut cells, 64), [cells.at(object, 64)], "behind both");
}

#[test]
fn a_copy_brings_every_place_among_its_bytes_along() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut compared = 0;
    for _ in 0..3000 {
        let mut cells = Cells::new(LIMITS);
        let base = objects(&mut cells);
        let from = base[rng.usize(0..3)];
        // An object without a type, so that nothing is rounded to an element there.
        let to = base[0];
        let mut pick = || {
            let steps: Vec<Step> = (0..rng.usize(0..3)).map(|_| random_step(&mut rng)).collect();
            derive(&mut cells, from, &steps).first().map(|c| cells.get(*c))
        };
        let (Some(source), Some(inside)) = (pick(), pick()) else { continue };
        let len = rng.bool().then(|| 8 * rng.u64(1..5));
        let end = len.map_or(256, |l| l as i32);
        let mut brought = BTreeSet::new();
        for start in offsets(&source, 128) {
            // From an element inside an array, nothing behind the array is copied.
            let goes = |o: &i32| start == source.offset || source.outer.contains(i64::from(*o));
            let at = offsets(&inside, 128).into_iter().filter(goes).map(|o| o - start);
            brought.extend(at.filter(|o| (0..end).contains(o)));
        }
        let targets = copied_to(&mut cells, &source, &inside, to, len);
        let reached: BTreeSet<i32> = targets.into_iter().flat_map(|t| offsets(&cells.get(t), 256)).collect();
        assert!(reached.is_superset(&brought), "{source:?} {inside:?} {len:?}: {brought:?} in {reached:?}");
        compared += brought.len();
    }
    assert!(compared > 1000);
}
