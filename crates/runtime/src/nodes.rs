//! Expression nodes: hash-consing, evaluation, and the few simplifications that keep traces small.
//!
//! In: operators with operand labels and values. Out: a label whose node has the right value in
//! this run. Always holds: a rewrite here preserves the value of the expression on *every* input,
//! not only on this run's.

use crate::state::{state, State};
use parallax_trace::format::{apply, mask, Node, Op, FLAG_NODES_FULL};

fn hash(n: &Node) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut h = (n.op as u64) | (n.width as u64) << 8 | (n.a as u64) << 32;
    h = h.wrapping_mul(K) ^ ((n.b as u64) | (n.c as u64) << 32);
    h = h.wrapping_mul(K);
    if n.op == Op::Const as u8 {
        h = (h ^ n.value).wrapping_mul(K);
    }
    h ^ (h >> 29)
}

fn same(x: &Node, y: &Node) -> bool {
    x.op == y.op
        && x.width == y.width
        && x.a == y.a
        && x.b == y.b
        && x.c == y.c
        && (x.op != Op::Const as u8 || x.value == y.value)
}

impl State {
    fn grown(&self, size: usize) -> Vec<u32> {
        let mut buckets = vec![0u32; size];
        for label in 1..self.nodes_len.get() {
            let mut at = hash(&self.node(label)) as usize & (size - 1);
            while buckets[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            buckets[at] = label;
        }
        buckets
    }

    /// The label of this node, made if it is new; 0 when the table is full.
    fn intern(&self, node: Node) -> u32 {
        self.enter();
        self.spend();
        let label = self.find_or_add(node);
        self.leave();
        label
    }

    fn find_or_add(&self, node: Node) -> u32 {
        // Borrowed only where a fault has interrupted this very function; its handler records nothing.
        let Ok(mut buckets) = self.buckets.try_borrow_mut() else { return 0 };
        let size = buckets.len();
        let mut at = hash(&node) as usize & (size - 1);
        while buckets[at] != 0 {
            if same(&self.node(buckets[at]), &node) {
                return buckets[at];
            }
            at = (at + 1) & (size - 1);
        }
        let label = self.nodes_len.get();
        if label >= self.nodes_capacity.get() {
            self.set_flag(FLAG_NODES_FULL);
            return 0;
        }
        // SAFETY: `label` is below the capacity of the mapped region.
        unsafe { *self.nodes.get().add(label as usize) = node }
        self.nodes_len.set(label + 1);
        self.publish_nodes();
        buckets[at] = label;
        if (label as usize + 1) * 2 > size {
            *buckets = self.grown(size * 2);
        }
        label
    }
}

pub fn value(label: u32) -> u64 {
    state().node(label).value
}

pub fn width(label: u32) -> u8 {
    state().node(label).width
}

pub fn op_of(n: &Node) -> Op {
    // Nodes are only written by this module, with valid operators.
    Op::from_u8(n.op).unwrap_or(Op::Const)
}

pub fn constant(width: u8, value: u64) -> u32 {
    let value = value & mask(width);
    state().intern(Node { op: Op::Const as u8, width, value, ..Node::default() })
}

/// Byte `offset` of input `input`, which is `byte` in this run.
pub fn input(input: u32, offset: u32, byte: u8) -> u32 {
    state().intern(Node {
        op: Op::Input as u8,
        width: 8,
        a: input,
        b: offset,
        value: byte as u64,
        ..Node::default()
    })
}

/// The label itself, or a constant node for a concrete operand.
pub fn operand(label: u32, width: u8, value: u64) -> u32 {
    if label != 0 {
        label
    } else {
        constant(width, value)
    }
}

fn make(op: Op, width: u8, a: u32, b: u32, c: u32) -> u32 {
    if a == 0 {
        return 0;
    }
    let s = state();
    let na = s.node(a);
    let (vb, vc) = match op {
        Op::ZExt | Op::SExt => (0, 0),
        Op::Extract => (b as u64, 0),
        _ if b == 0 => return 0,
        Op::Concat => (s.node(b).value, s.node(b).width as u64),
        Op::Ite if c == 0 => return 0,
        Op::Ite => (s.node(b).value, s.node(c).value),
        _ => (s.node(b).value, 0),
    };
    // Leaves and table reads do not come here, so `apply` always answers.
    let value = apply(op, width, na.width, na.value, vb, vc).unwrap_or(0);
    s.intern(Node { op: op as u8, width, a, b, c, value, _pad: 0 })
}

pub fn is_const(label: u32) -> Option<u64> {
    let n = state().node(label);
    (n.op == Op::Const as u8).then_some(n.value)
}

/// A constant result of a symbolic expression is concrete: label 0.
fn binary_shortcut(op: Op, w: u8, a: u32, b: u32) -> Option<u32> {
    let (ca, cb) = (is_const(a), is_const(b));
    match (op, ca, cb) {
        (Op::Add | Op::Or | Op::Xor, Some(0), _) => Some(b),
        (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr, _, Some(0)) => Some(a),
        (Op::And | Op::Mul, Some(0), _) | (Op::And | Op::Mul, _, Some(0)) => Some(0),
        (Op::And, Some(m), _) if m == mask(w) => Some(b),
        (Op::And, _, Some(m)) if m == mask(w) => Some(a),
        (Op::UMulHigh | Op::SMulHigh, Some(0), _) | (Op::UMulHigh | Op::SMulHigh, _, Some(0)) => Some(0),
        (Op::UMulHigh, Some(1), _) | (Op::UMulHigh, _, Some(1)) => Some(0),
        (Op::Mul, Some(1), _) => Some(b),
        (Op::Mul | Op::UDiv | Op::SDiv, _, Some(1)) => Some(a),
        (Op::Or, Some(m), _) if m == mask(w) => Some(0),
        (Op::Or, _, Some(m)) if m == mask(w) => Some(0),
        (Op::Sub | Op::Xor, ..) if a == b => Some(0),
        (Op::And | Op::Or, ..) if a == b => Some(a),
        (Op::Eq | Op::Ne | Op::Ule | Op::Sle | Op::Ult | Op::Slt, ..) if a == b => Some(0),
        _ => None,
    }
}

/// `zext(x) == const` and friends on the narrow operand, where the constant fits.
fn narrowed_comparison(op: Op, a: u32, b: u32) -> Option<(u32, u32)> {
    if !matches!(op, Op::Eq | Op::Ne) {
        return None;
    }
    let k = is_const(b)?;
    let na = state().node(a);
    if na.op != Op::ZExt as u8 {
        return None;
    }
    let inner = width(na.a);
    (k & !mask(inner) == 0).then(|| (na.a, constant(inner, k)))
}

/// An input byte, possibly extended.
fn is_plain_byte(label: u32) -> bool {
    let n = state().node(label);
    match op_of(&n) {
        Op::Input => true,
        Op::ZExt | Op::SExt => state().node(n.a).op == Op::Input as u8,
        _ => false,
    }
}

/// `(x + c) + d` and `x - d` as one addition, so that addresses stay short.
fn folded_offset(op: Op, w: u8, a: u32, b: u32) -> Option<u32> {
    let (x, k) = match (op, is_const(a), is_const(b)) {
        (Op::Add, _, Some(k)) => (a, k),
        (Op::Add, Some(k), _) => (b, k),
        (Op::Sub, _, Some(k)) => (a, k.wrapping_neg()),
        _ => return None,
    };
    let n = state().node(x);
    let (x, k) = match (op_of(&n), n.op == Op::Add as u8 && is_const(n.b).is_some()) {
        (Op::Add, true) => (n.a, is_const(n.b)?.wrapping_add(k)),
        _ => (x, k),
    };
    if k & mask(w) == 0 {
        return Some(x);
    }
    Some(make(Op::Add, w, x, constant(w, k), 0))
}

/// Two-operand arithmetic and comparison. `w` is the width of the operands.
pub fn binary(op: Op, w: u8, a: u32, b: u32) -> u32 {
    if a == 0 || b == 0 {
        return 0;
    }
    if let Some(label) = binary_shortcut(op, w, a, b) {
        return label;
    }
    if let Some(label) = folded_offset(op, w, a, b) {
        return label;
    }
    // `getchar() != EOF` on a byte. Comparisons of computed values stay, even with one outcome: that the branch
    // depends on the input is worth knowing, and how much input goes into the value may change.
    if (is_plain_byte(a) || is_plain_byte(b)) && crate::range::decided(op, w, a, b) {
        return 0;
    }
    let (a, b) = narrowed_comparison(op, a, b).unwrap_or((a, b));
    let result = match op {
        Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::UMulOverflow | Op::SMulOverflow => 1,
        _ => w,
    };
    // Comparing a boolean with a constant is the boolean or its opposite.
    if w == 1 && matches!((op, is_const(b)), (Op::Ne, Some(0)) | (Op::Eq, Some(1))) {
        return a;
    }
    if let Some(label) = opposite_comparison(op, a, b) {
        return label;
    }
    make(op, result, a, b, 0)
}

/// `not (x < y)` as `y <= x`, for a boolean negated by `== 0`, `!= 1` or `^ 1`.
fn opposite_comparison(op: Op, a: u32, b: u32) -> Option<u32> {
    let n = state().node(a);
    let k = is_const(b)?;
    let negates = n.width == 1 && matches!((op, k), (Op::Eq, 0) | (Op::Ne, 1) | (Op::Xor, 1));
    if !negates {
        return None;
    }
    let (op, x, y) = match op_of(&n) {
        Op::Eq => (Op::Ne, n.a, n.b),
        Op::Ne => (Op::Eq, n.a, n.b),
        Op::Ult => (Op::Ule, n.b, n.a),
        Op::Ule => (Op::Ult, n.b, n.a),
        Op::Slt => (Op::Sle, n.b, n.a),
        Op::Sle => (Op::Slt, n.b, n.a),
        _ => return None,
    };
    Some(make(op, 1, x, y, 0))
}

/// Zero or sign extension to `to`.
pub fn extend(op: Op, a: u32, to: u8) -> u32 {
    if a == 0 {
        return 0;
    }
    let n = state().node(a);
    if n.width == to {
        return a;
    }
    if n.width > to {
        return extract(a, 0, to);
    }
    match op_of(&n) {
        // A zero-extended value is not negative.
        Op::ZExt => make(Op::ZExt, to, n.a, 0, 0),
        Op::SExt if op == Op::SExt => make(Op::SExt, to, n.a, 0, 0),
        _ => make(op, to, a, 0, 0),
    }
}

/// Bits `low .. low + w` of `a`.
pub fn extract(a: u32, low: u32, w: u8) -> u32 {
    if a == 0 {
        return 0;
    }
    let n = state().node(a);
    if low == 0 && w == n.width {
        return a;
    }
    let high = low + w as u32;
    match op_of(&n) {
        Op::Const => 0,
        Op::Extract => extract(n.a, n.b + low, w),
        Op::ZExt | Op::SExt if high <= width(n.a) as u32 => extract(n.a, low, w),
        Op::ZExt if low >= width(n.a) as u32 => 0,
        Op::Concat if high <= width(n.b) as u32 => extract(n.b, low, w),
        Op::Concat if low >= width(n.b) as u32 => extract(n.a, low - width(n.b) as u32, w),
        _ => make(Op::Extract, w, a, low, 0),
    }
}

/// `high` above `low`; at least one of them is symbolic, the other may be a constant node.
pub fn concat(high: u32, low: u32) -> u32 {
    if high == 0 || low == 0 {
        return 0;
    }
    let (h, l) = (state().node(high), state().node(low));
    let w = h.width + l.width;
    if is_const(high) == Some(0) {
        return extend(Op::ZExt, low, w);
    }
    if h.op == Op::Extract as u8 {
        // Neighbouring pieces of one value become one piece.
        let (base, at) = if l.op == Op::Extract as u8 { (l.a, l.b) } else { (low, 0) };
        if base == h.a && h.b == at + l.width as u32 {
            return extract(base, at, w);
        }
        // A piece of a sign extension above the extended value itself.
        let n = state().node(h.a);
        if at == 0 && h.b == l.width as u32 && n.a == low && n.op == Op::SExt as u8 {
            return extract(h.a, 0, w);
        }
    }
    make(Op::Concat, w, high, low, 0)
}

pub fn ite(cond: u32, a: u32, b: u32) -> u32 {
    if a == b {
        return a;
    }
    if a == 0 || b == 0 || cond == 0 {
        return 0;
    }
    let w = width(a);
    if w == 1 && is_const(a) == Some(1) && is_const(b) == Some(0) {
        return cond;
    }
    make(Op::Ite, w, cond, a, b)
}

/// A floating-point operation whose value is known. Operands that are numbers stay as they are; labels of 0 have been replaced.
pub fn float(op: Op, width: u8, [a, b, c]: [u32; 3], value: u64) -> u32 {
    let missing = [a, b, c].iter().take(op.arity()).any(|label| *label == 0);
    if missing {
        return 0;
    }
    state().intern(Node { op: op as u8, width, a, b, c, value, _pad: 0 })
}

/// Likewise, of operands that are all labels and have the width `w`.
pub fn float_of(op: Op, width: u8, w: u8, operands: [u32; 3]) -> u32 {
    let values = operands.map(|label| if label == 0 { 0 } else { value(label) });
    let result = parallax_trace::float::apply(op, width, w, values);
    float(op, width, operands, result & mask(width))
}

/// A read of `w` bits at byte offset `index` of the table at `table`, whose value is `v`.
pub fn read(table: u32, index: u32, w: u8, v: u64) -> u32 {
    if index == 0 {
        return 0;
    }
    state().intern(Node { op: Op::Read as u8, width: w, a: index, b: table, c: 0, value: v, _pad: 0 })
}
