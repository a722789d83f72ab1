//! From expressions to clauses.
//!
//! In: expressions. Out: for each a vector of literals, lowest bit first, and clauses in a SAT solver that tie
//! them together.
//!
//! Always holds: every assignment of the input bits extends to exactly one solution of the clauses, in
//! which each literal has the value that [`parallax_trace::format::apply`] gives its bit; but floating-point operators that are no comparisons have any
//! bits, so that what is unsatisfiable here is so, and a solution has to be evaluated.

mod circuits;
mod gates;
mod real;

pub use gates::{Clauses, Gates, Lit};
pub use real::Point;

use crate::bytes::truth_table;
use crate::expr::*;
use crate::lookup::{index_bits, lookup};
use crate::pool::{Bytes, Pool};
use parallax_trace::format::Op;
use rustc_hash::FxHashMap;

/// The literals of every expression made so far.
pub struct Blaster<C> {
    pub gates: Gates<C>,
    known: FxHashMap<ExprId, Vec<Lit>>,
    vars: FxHashMap<VarId, Vec<Lit>>,
}

impl<C: Clauses> Blaster<C> {
    pub fn new(clauses: C) -> Blaster<C> {
        Blaster { gates: Gates::new(clauses), known: FxHashMap::default(), vars: FxHashMap::default() }
    }

    /// Makes everything in a cone (ascending); `false` if that takes more than so many gates.
    pub fn make(&mut self, pool: &Pool, cone: &[ExprId], gates: usize) -> bool {
        for id in cone {
            if !self.known.contains_key(id) {
                let bits = self.step(pool, *id);
                debug_assert_eq!(bits.len(), usize::from(pool.width(*id)));
                self.known.insert(*id, bits);
            }
            if self.gates.count() > gates {
                return false;
            }
        }
        true
    }

    /// The bits of an expression that was made; empty for any other.
    pub fn bits(&self, id: ExprId) -> &[Lit] {
        self.known.get(&id).map_or(&[], |bits| bits)
    }

    pub fn vars(&self) -> impl Iterator<Item = (VarId, &[Lit])> {
        self.vars.iter().map(|(var, bits)| (*var, &bits[..]))
    }

    /// The bits of a variable that something made is made of; empty for any other.
    pub fn var_bits(&self, var: VarId) -> &[Lit] {
        self.vars.get(&var).map_or(&[], |bits| bits)
    }

    fn var(&mut self, var: VarId) -> Vec<Lit> {
        let gates = &mut self.gates;
        self.vars.entry(var).or_insert_with(|| (0..8).map(|_| gates.fresh()).collect()).clone()
    }

    fn step(&mut self, pool: &Pool, id: ExprId) -> Vec<Lit> {
        let node = pool.node(id);
        let [a, b, c]: [Vec<Lit>; 3] = std::array::from_fn(|i| match node.operands().get(i) {
            Some(arg) => self.bits(*arg).to_vec(),
            None => Vec::new(),
        });
        let width = usize::from(node.width);
        let g = &mut self.gates;
        match node.op {
            Op::Const => g.constant(node.num, width),
            Op::Input => self.var(VarId(node.num as u32)),
            Op::Add => g.add(&a, &b),
            Op::Sub => g.sub(&a, &b),
            Op::Mul => g.mul(&a, &b),
            Op::UDiv => g.udivrem(&a, &b).0,
            Op::URem => g.udivrem(&a, &b).1,
            Op::SDiv => g.sdiv(&a, &b),
            Op::SRem => g.srem(&a, &b),
            Op::Shl => g.shift(&a, &b, circuits::Shift::Left),
            Op::LShr => g.shift(&a, &b, circuits::Shift::Right),
            Op::AShr => g.shift(&a, &b, circuits::Shift::Signed),
            Op::And => g.each(&a, &b, Gates::and),
            Op::Or => g.each(&a, &b, Gates::or),
            Op::Xor => g.each(&a, &b, Gates::xor),
            Op::Eq => vec![g.eq(&a, &b)],
            Op::Ne => vec![-g.eq(&a, &b)],
            Op::Ult => vec![g.ult(&a, &b)],
            Op::Ule => vec![-g.ult(&b, &a)],
            Op::Slt => vec![g.slt(&a, &b)],
            Op::Sle => vec![-g.slt(&b, &a)],
            Op::ZExt => circuits::extended(&a, gates::FALSE, width),
            Op::SExt => circuits::extended(&a, a[a.len() - 1], width),
            Op::Extract => a[node.num as usize..node.num as usize + width].to_vec(),
            Op::Concat => [b, a].concat(),
            Op::Ite => g.choose_all(a[0], &b, &c),
            Op::Read => self.read(pool, id, &a),
            Op::UMulOverflow => vec![g.mul_overflow(&a, &b, false)],
            Op::SMulOverflow => vec![g.mul_overflow(&a, &b, true)],
            Op::UMulHigh => g.mul_wide(&a, &b, false).split_off(width),
            Op::SMulHigh => g.mul_wide(&a, &b, true).split_off(width),
            Op::FEq => vec![g.real_equal(&a, &b)],
            Op::FLt => vec![g.real_less(&a, &b)],
            Op::FLe => vec![g.real_at_most(&a, &b)],
            // Any bits at all: `layers::bit_blast` asks for lemmas where they are wrong.
            _ => (0..width).map(|_| g.fresh()).collect(),
        }
    }

    fn read(&mut self, pool: &Pool, id: ExprId, index: &[Lit]) -> Vec<Lit> {
        let node = pool.node(id);
        let width = usize::from(node.width);
        if let Bytes::One(var) = pool.bytes(id) {
            let (byte, values) = (self.var(var), truth_table(pool, id));
            return self.choice(&byte, width, &|i| values[i as usize]);
        }
        let table = pool.table(TableId(node.num as u32)).clone();
        let value = |i: u64| read_table(&table, i, node.width);
        let bits = index_bits(table.len()).min(index.len());
        let inside = self.choice(&index[..bits], width, &value);
        let outside = self.gates.any(&index[bits..]);
        let zero = self.gates.constant(0, width);
        let mut result = self.gates.choose_all(outside, &zero, &inside);
        // Reads of several bytes that begin just below 2^64 go on at 0.
        for before in 1..u64::from(node.width / 8) {
            let at = before.wrapping_neg();
            let wanted = self.gates.constant(at, index.len());
            let here = self.gates.eq(index, &wanted);
            let wrapped = self.gates.constant(value(at), width);
            result = self.gates.choose_all(here, &wrapped, &result);
        }
        result
    }

    /// The value at the number that the bits are.
    fn choice(&mut self, index: &[Lit], width: usize, value: &dyn Fn(u64) -> u64) -> Vec<Lit> {
        let gates = &mut self.gates;
        (0..width)
            .map(|bit| {
                let mut leaf = |i| gates::literal(value(i) >> bit & 1 == 1);
                lookup(index.len(), &mut leaf, &mut |at, high, low| gates.choose(index[at], high, low))
            })
            .collect()
    }
}
