//! Functions and variables that have another name now: found by who refers to them.
//!
//! In: the pairs by name, both programs. Out: more pairs, and other ones where names went from one thing to another.
//!
//! Two functions have the same *shape* if they are the same, instruction by instruction, whatever the functions and variables of the program that they refer
//! to are called; two variables, if they have the same type and first value in that sense. What a pair of the same shape refers to in the same place
//! speaks for being a pair too. Always holds: only what has the same shape, and what everything speaks for with one voice, becomes a pair, and a pair by name is
//! given up only if less is changed without it. A pair is no claim that both are the same: the comparison that follows says what differs.

use crate::align;
use crate::norm::{hash, is_anonymous, Names, Norm};
use crate::pairs::Pairs;
use parallax_model::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How often pairs are looked for again after others were found: renamed functions can call renamed functions so deep.
const ROUNDS: usize = 64;
/// Constants nest no deeper than this in C.
const MAX_DEPTH: u32 = 64;

/// A function with a body, or a variable, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thing {
    Function(FuncId),
    Variable(GlobalId),
}

type Pair = (Thing, Thing);

/// Finds pairs by reference; true if a pair by name was given up for one.
pub fn by_reference(pairs: &mut Pairs, old: &Program, new: &Program) -> bool {
    let mut search =
        Search { old: Norm::new(old, blind(old)), new: Norm::new(new, blind(new)), known: HashMap::new() };
    let mut gave_up = false;
    for _ in 0..ROUNDS {
        let found = search.round(pairs);
        if found.is_empty() {
            break;
        }
        for pair in found {
            gave_up |= pairs.link_anew(pair.0, pair.1);
        }
    }
    gave_up
}

/// Names that tell nothing but what the program does not define, and where it begins.
fn blind(program: &Program) -> Names {
    let mut names = Names::by_name(program);
    for f in program.defined_functions().filter(|f| program.func(*f).name != "main") {
        names.functions[f.index()] = hash(&"a function");
    }
    for g in program.global_ids().filter(|g| is_variable(program, *g)) {
        names.globals[g.index()] = hash(&"a variable");
    }
    names
}

fn is_variable(program: &Program, g: GlobalId) -> bool {
    !program.global(g).external() && !is_anonymous(program, g) && !program.global(g).name.starts_with("llvm.")
}

struct Search<'p> {
    old: Norm<'p>,
    new: Norm<'p>,
    /// What a pair refers to, in order; none if it has not the same shape.
    known: HashMap<Pair, Option<Vec<Pair>>>,
}

impl Search<'_> {
    /// Pairs that all references speak for and that are none yet.
    fn round(&mut self, pairs: &Pairs) -> Vec<Pair> {
        let linked = self.linked(pairs);
        for pair in &linked {
            self.learn(*pair);
        }
        let said = Votes::new(linked.iter().flat_map(|pair| self.refers(*pair)));
        // Who is said to be another is no witness.
        let trusted = linked.iter().filter(|pair| !said.contradicts(**pair));
        let votes = Votes::new(trusted.flat_map(|pair| self.refers(*pair)));
        let current: BTreeMap<Thing, Thing> = linked.into_iter().collect();
        let wanted: Vec<Pair> = votes.unanimous().filter(|(a, b)| current.get(a) != Some(b)).collect();
        wanted.into_iter().filter(|pair| self.learn(*pair)).collect()
    }

    fn linked(&self, pairs: &Pairs) -> Vec<Pair> {
        let functions = self.old.program.defined_functions().filter_map(|f| {
            let other = pairs.functions[f.index()]?;
            Some((Thing::Function(f), Thing::Function(other)))
        });
        let variables = self.old.program.global_ids().filter(|g| is_variable(self.old.program, *g));
        let variables = variables.filter_map(|g| {
            let other = pairs.globals[g.index()]?;
            Some((Thing::Variable(g), Thing::Variable(other)))
        });
        functions.chain(variables).collect()
    }

    fn refers(&self, pair: Pair) -> impl Iterator<Item = Pair> + '_ {
        self.known.get(&pair).into_iter().flatten().flatten().copied()
    }

    /// Has a pair the same shape?
    fn learn(&mut self, pair: Pair) -> bool {
        if let Some(known) = self.known.get(&pair) {
            return known.is_some();
        }
        let found = match pair {
            (Thing::Function(f), Thing::Function(g)) => self.in_functions(f, g),
            (Thing::Variable(a), Thing::Variable(b)) => self.in_variables(a, b),
            _ => None,
        };
        let same = found.is_some();
        self.known.insert(pair, found);
        same
    }

    fn in_functions(&self, f: FuncId, g: FuncId) -> Option<Vec<Pair>> {
        let (p, q) = (self.old.program, self.new.program);
        let (a, b) = (p.func(f), q.func(g));
        let same = self.old.ty(a.ty) == self.new.ty(b.ty) && align::same(&self.old, &self.new, a, b);
        if !same {
            return None;
        }
        let mut walk = Walk { old: p, new: q, seen: HashSet::new(), found: Vec::new() };
        for (i, j) in a.insts.iter().zip(b.insts.iter()) {
            if let (Some((Callee::Direct(x), ..)), Some((Callee::Direct(y), ..))) =
                (p.inst(i).op.call(), q.inst(j).op.call())
            {
                walk.operands(Operand::Func(x), Operand::Func(y), 0);
            }
            if !self.old.tells_source(i) {
                for (x, y) in p.operands(i).iter().zip(q.operands(j)) {
                    walk.operands(*x, *y, 0);
                }
            }
        }
        Some(walk.found)
    }

    fn in_variables(&self, a: GlobalId, b: GlobalId) -> Option<Vec<Pair>> {
        let (x, y) = (self.old.program.global(a), self.new.program.global(b));
        if self.old.content(a) != self.new.content(b) || x.constant != y.constant {
            return None;
        }
        let mut walk =
            Walk { old: self.old.program, new: self.new.program, seen: HashSet::new(), found: Vec::new() };
        if let (Some(x), Some(y)) = (x.initialiser, y.initialiser) {
            walk.operands(x, y, 0);
        }
        Some(walk.found)
    }
}

/// Goes through two constants of the same shape at once.
struct Walk<'p> {
    old: &'p Program,
    new: &'p Program,
    seen: HashSet<(Operand, Operand)>,
    found: Vec<Pair>,
}

impl Walk<'_> {
    fn operands(&mut self, x: Operand, y: Operand, depth: u32) {
        let plain = |o| matches!(o, Operand::Inst(_) | Operand::Arg { .. } | Operand::Int { .. });
        if depth > MAX_DEPTH || plain(x) || !self.seen.insert((x, y)) {
            return;
        }
        match (x, y) {
            (Operand::Func(a), Operand::Func(b)) => self.functions(a, b),
            (Operand::Global(a), Operand::Global(b)) => self.variables(a, b, depth),
            (Operand::Const(a), Operand::Const(b)) => {
                let (a, b) = (&self.old.constant(a).kind, &self.new.constant(b).kind);
                if let (ConstKind::BlockAddress(a), ConstKind::BlockAddress(b)) = (a, b) {
                    self.functions(self.old.block(*a).func, self.new.block(*b).func);
                }
                for (x, y) in a.operands().iter().zip(b.operands()) {
                    self.operands(*x, *y, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn functions(&mut self, a: FuncId, b: FuncId) {
        if self.old.func(a).is_defined() && self.new.func(b).is_defined() {
            self.found.push((Thing::Function(a), Thing::Function(b)));
        }
    }

    fn variables(&mut self, a: GlobalId, b: GlobalId, depth: u32) {
        if is_variable(self.old, a) && is_variable(self.new, b) {
            self.found.push((Thing::Variable(a), Thing::Variable(b)));
        } else if is_anonymous(self.old, a) && is_anonymous(self.new, b) {
            let (x, y) = (self.old.global(a).initialiser, self.new.global(b).initialiser);
            if let (Some(x), Some(y)) = (x, y) {
                self.operands(x, y, depth + 1);
            }
        }
    }
}

/// Who is said to be whom, in both directions.
#[derive(Default)]
struct Votes {
    to_new: BTreeMap<Thing, BTreeSet<Thing>>,
    to_old: BTreeMap<Thing, BTreeSet<Thing>>,
}

impl Votes {
    fn new(said: impl Iterator<Item = Pair>) -> Votes {
        let mut votes = Votes::default();
        for (a, b) in said {
            votes.to_new.entry(a).or_default().insert(b);
            votes.to_old.entry(b).or_default().insert(a);
        }
        votes
    }

    /// Is one of the two said to be something else?
    fn contradicts(&self, (a, b): Pair) -> bool {
        let other = |of: Option<&BTreeSet<Thing>>, than| of.is_some_and(|all| all.iter().any(|t| *t != than));
        other(self.to_new.get(&a), b) || other(self.to_old.get(&b), a)
    }

    fn unanimous(&self) -> impl Iterator<Item = Pair> + '_ {
        let only = |(a, to): (&Thing, &BTreeSet<Thing>)| match to.first() {
            Some(b) if to.len() == 1 && self.to_old[b].len() == 1 => Some((*a, *b)),
            _ => None,
        };
        self.to_new.iter().filter_map(only)
    }
}
