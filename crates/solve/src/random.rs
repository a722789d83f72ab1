//! Random expressions: for the tests of everything that reads them.
//!
//! In: a source of numbers. Out: expressions of any operator, rich in what rules and solvers stumble over:
//! borderline constants, shared parts, extensions, short tables.

use crate::expr::*;
use crate::pool::Pool;
use parallax_trace::format::{mask, Op};

/// A number below the one given.
pub type Source<'r> = &'r mut dyn FnMut(u64) -> u64;

const WIDTHS: [u8; 8] = [1, 3, 8, 8, 16, 32, 33, 64];

/// The operators that are not leaves.
pub const OPERATORS: [Op; 29] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Eq,
    Op::Ne,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
    Op::ZExt,
    Op::SExt,
    Op::Extract,
    Op::Concat,
    Op::Ite,
    Op::Read,
    Op::UMulOverflow,
    Op::SMulOverflow,
    Op::UMulHigh,
    Op::SMulHigh,
];

/// Makes expressions over some variables.
pub struct Random<'r> {
    below: Source<'r>,
    vars: Vec<Var>,
    /// Expressions made before, to be used again.
    bag: Vec<ExprId>,
    max_width: u8,
    reuse: bool,
    reals: bool,
}

impl<'r> Random<'r> {
    pub fn new(below: Source<'r>, vars: Vec<Var>) -> Random<'r> {
        Random { below, vars, bag: Vec::new(), max_width: 64, reuse: true, reals: false }
    }

    /// Nothing wider than this, table indices apart: products and quotients of 64 bits are hard to solve.
    pub fn up_to(self, max_width: u8) -> Random<'r> {
        Random { max_width, ..self }
    }

    /// Comparisons of integers that were floating point, too.
    pub fn with_reals(self) -> Random<'r> {
        Random { reals: true, ..self }
    }

    /// No expression is used twice: the same numbers make the same expression in any pool.
    pub fn without_reuse(self) -> Random<'r> {
        Random { reuse: false, ..self }
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.below)(n)
    }

    fn width(&mut self) -> u8 {
        WIDTHS[self.below(8) as usize].min(self.max_width)
    }

    fn constant(&mut self, pool: &mut Pool, width: u8) -> ExprId {
        let ones = mask(width);
        let value = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => ones,
            3 => ones >> 1,
            4 => 1 << self.below(width.into()),
            5 => self.below(256),
            6 => ones - 1,
            _ => self.below(u64::MAX),
        };
        pool.constant(width, value)
    }

    fn leaf(&mut self, pool: &mut Pool, width: u8) -> ExprId {
        let at = self.below(self.vars.len() as u64) as usize;
        let byte = pool.byte(self.vars[at]);
        match (width, self.below(2)) {
            (8, _) => byte,
            (w, 0) if w > 8 => pool.zext(byte, w),
            (w, _) if w > 8 => pool.sext(byte, w),
            (w, low) => pool.extract(byte, (low * 5).min(u64::from(8 - w)) as u8, w),
        }
    }

    /// An expression of this width.
    pub fn expr(&mut self, pool: &mut Pool, width: u8, depth: u32) -> ExprId {
        if self.reuse && self.below(4) == 0 {
            let same: Vec<ExprId> = self.bag.iter().copied().filter(|e| pool.width(*e) == width).collect();
            if !same.is_empty() {
                return same[self.below(same.len() as u64) as usize];
            }
        }
        let made = match self.below(7) {
            0 => self.constant(pool, width),
            1 => self.leaf(pool, width),
            _ if depth == 0 => self.leaf(pool, width),
            2 => self.twisted(pool, width, depth - 1),
            _ => {
                let node = self.node_of_width(pool, width, depth - 1);
                pool.make(node)
            }
        };
        self.bag.push(made);
        if self.bag.len() > 24 {
            self.bag.remove(0);
        }
        made
    }

    /// A number of 32 or 64 bits: computed, converted, read, or any bits.
    pub fn real(&mut self, pool: &mut Pool, width: u8, depth: u32) -> ExprId {
        let make =
            |pool: &mut Pool, op, operands: [Option<ExprId>; 3], num| pool.float(op, width, operands, num);
        if depth == 0 || self.below(6) == 0 {
            return self.real_constant(pool, width);
        }
        match self.below(9) {
            0 => self.expr(pool, width, depth - 1),
            1 => {
                let digits = self.expr(pool, 16, depth - 1);
                let digits = pool.zext(digits, 64);
                let exponent = pool.constant(32, self.below(8).wrapping_sub(4));
                make(pool, Op::FDecimal, [Some(digits), Some(exponent), None], 0)
            }
            2 => {
                let op = if self.below(2) == 0 { Op::FFromS } else { Op::FFromU };
                let bits = 1 + self.below(64) as u8;
                let integer = self.expr(pool, bits.min(self.max_width), depth - 1);
                make(pool, op, [Some(integer), None, None], 0)
            }
            3 => {
                let x = self.real(pool, width, depth - 1);
                make(pool, Op::FMath1, [Some(x), None, None], self.below(6))
            }
            4 => {
                let x = self.real(pool, 96 - width, depth - 1);
                make(pool, Op::FConvert, [Some(x), None, None], 0)
            }
            5 => {
                let (x, sign) = (self.real(pool, width, depth - 1), 1u64 << (width - 1));
                let (op, bits) = if self.below(2) == 0 { (Op::Xor, sign) } else { (Op::And, sign - 1) };
                let bits = pool.constant(width, bits);
                pool.binary(op, x, bits)
            }
            _ => {
                let op = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRem][self.below(5) as usize];
                let a = self.real(pool, width, depth - 1);
                let b = self.real(pool, width, depth - 1);
                let (a, b) = if self.below(3) == 0 { (b, a) } else { (a, b) };
                make(pool, op, [Some(a), Some(b), None], 0)
            }
        }
    }

    fn real_constant(&mut self, pool: &mut Pool, width: u8) -> ExprId {
        let value = match self.below(8) {
            0 => 0.0,
            1 => -1.0,
            2 => self.below(1000) as f64 / 8.0,
            3 => self.below(1000) as f64 - 500.0,
            4 => 0.1,
            5 => f64::INFINITY,
            6 => f64::NAN,
            _ => f64::from_bits(self.below(u64::MAX)),
        };
        let bits = if width == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        pool.constant(width, bits)
    }

    /// A shape that compilers make of loads, loop counters and negations.
    fn twisted(&mut self, pool: &mut Pool, width: u8, depth: u32) -> ExprId {
        match self.below(3) {
            0 if width > 1 => {
                let zeros = 1 + self.below(u64::from(width) - 1) as u8;
                let high = self.expr(pool, width - zeros, depth);
                let low = pool.constant(zeros, 0);
                pool.concat(high, low)
            }
            1 if width > 1 => {
                let x = self.expr(pool, width, depth);
                let c = pool.constant(width, 1);
                pool.binary(Op::Add, x, c)
            }
            _ => {
                let x = self.expr(pool, width, depth);
                let ones = pool.constant(width, mask(width));
                pool.binary(Op::Xor, x, ones)
            }
        }
    }

    fn node_of_width(&mut self, pool: &mut Pool, width: u8, depth: u32) -> Node {
        loop {
            let op = OPERATORS[self.below(OPERATORS.len() as u64) as usize];
            let fits = match op {
                Op::ZExt | Op::SExt | Op::Concat => width > 1,
                Op::Extract => width <= self.max_width,
                Op::Read => width % 8 == 0,
                op => !is_predicate(op) || width == 1,
            };
            if fits {
                return self.node(pool, op, width, depth);
            }
        }
    }

    /// A node of any width with this operator, not yet made.
    pub fn any_node(&mut self, pool: &mut Pool, op: Op, depth: u32) -> Node {
        let mut width = match op {
            Op::Read => 8 << self.below(4),
            op if is_predicate(op) => 1,
            Op::FToS | Op::FToU => [8, 16, 32, 64][self.below(4) as usize],
            op if op.is_float() => 32 << self.below(2),
            _ => self.width(),
        };
        if matches!(op, Op::ZExt | Op::SExt | Op::Concat) {
            width = width.max(2);
        }
        self.node(pool, op, width, depth)
    }

    /// An expression of any width with this operator.
    pub fn any(&mut self, pool: &mut Pool, op: Op, depth: u32) -> ExprId {
        let node = self.any_node(pool, op, depth);
        pool.make(node)
    }

    fn node(&mut self, pool: &mut Pool, op: Op, width: u8, depth: u32) -> Node {
        let mut args = [UNUSED; 3];
        let mut num = 0;
        match op {
            Op::ZExt | Op::SExt => {
                let narrow = 1 + self.below(u64::from(width) - 1) as u8;
                let narrow = if narrow > 8 { 8 } else { narrow };
                args[0] = self.expr(pool, narrow, depth);
            }
            Op::Extract => {
                let wide = width + self.below(u64::from(self.max_width - width) + 1) as u8;
                args[0] = self.expr(pool, wide, depth);
                num = self.below(u64::from(wide - width) + 1);
                num = if self.below(3) == 0 { 0 } else { num };
            }
            Op::Concat => {
                let high = 1 + self.below(u64::from(width) - 1) as u8;
                args[0] = self.expr(pool, high, depth);
                args[1] = self.expr(pool, width - high, depth);
            }
            Op::Ite => {
                args = [1, width, width].map(|width| self.expr(pool, width, depth));
            }
            Op::Read => {
                let (len, kinds) = (1 + self.below(300), 1 + self.below(6));
                let bytes: Vec<u8> = (0..len).map(|_| (37 * self.below(kinds)) as u8).collect();
                num = pool.add_table(&bytes).0.into();
                let bits = 1 + self.below(16) as u8;
                let index = self.expr(pool, bits, depth);
                args[0] = pool.zext(index, 64);
            }
            Op::FEq | Op::FLt | Op::FLe | Op::FToS | Op::FToU => {
                let width = if self.below(3) == 0 { 32 } else { 64 };
                args[0] = self.real(pool, width, depth + 1);
                args[1] = match self.below(4) {
                    _ if op.arity() == 1 => UNUSED,
                    0 => args[0],
                    1 => self.real(pool, width, depth + 1),
                    _ => self.real_constant(pool, width),
                };
                if op.arity() == 2 && self.below(3) == 0 {
                    args.swap(0, 1);
                }
            }
            Op::Slt if self.reals && self.below(4) == 0 => {
                let width = if self.below(2) == 0 { 32 } else { 64 };
                let real = if self.below(2) == 0 { 32 } else { 64 };
                let x = self.real(pool, real, depth + 1);
                args[0] = pool.float(Op::FToS, width, [Some(x), None, None], 0);
                args[1] = self.constant(pool, width);
                if self.below(2) == 0 {
                    args.swap(0, 1);
                }
            }
            op if op.is_float() => {
                args[0] = self.real(pool, width, depth);
                args[1] = self.real(pool, width, depth);
            }
            op => {
                let width = if is_predicate(op) { self.width() } else { width };
                args[0] = self.expr(pool, width, depth);
                args[1] = self.expr(pool, width, depth);
            }
        }
        Node { op, width, args, num }
    }
}
