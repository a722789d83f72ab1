//! The expression pool: hash-consed, append-only, shared by the traces of both versions.
//!
//! In: operators and operands. Out: ids; equal expressions have equal ids.
//!
//! Always holds: everything made through the methods below has been through the rules of [`crate::rules`], and
//! means what was asked for; ids stay valid as long as the pool lives.

use crate::expr::*;
use crate::rules;
use parallax_trace::format::{mask, Op};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Rules make expressions in turn; beyond this depth expressions are taken as they are, so that long
/// chains (checksums of whole files) cannot exhaust the stack.
const MAX_RULE_DEPTH: u32 = 64;

/// The variables that an expression is made of, as far as it can be said without looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {
    None,
    One(VarId),
    Many,
}

/// The variables of expressions that have several.
type Supports = FxHashMap<ExprId, Arc<[VarId]>>;

/// See the module.
pub struct Pool {
    id: u64,
    nodes: Vec<Node>,
    bytes: Vec<Bytes>,
    /// What was asked for, and what became of it.
    made: FxHashMap<Node, ExprId>,
    vars: Vec<Var>,
    var_ids: FxHashMap<Var, VarId>,
    tables: Vec<Arc<[u8]>>,
    table_ids: FxHashMap<Arc<[u8]>, TableId>,
    supports: RwLock<Supports>,
    depth: u32,
    simplify: bool,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::new()
    }
}

impl Pool {
    pub fn new() -> Pool {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Pool {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            nodes: Vec::new(),
            bytes: Vec::new(),
            made: FxHashMap::default(),
            vars: Vec::new(),
            var_ids: FxHashMap::default(),
            tables: Vec::new(),
            table_ids: FxHashMap::default(),
            supports: RwLock::default(),
            depth: 0,
            simplify: true,
        }
    }

    /// A pool that keeps every expression as it was asked for: what the rules are tested against.
    pub fn without_rules() -> Pool {
        Pool { simplify: false, ..Pool::new() }
    }

    /// Different for every pool of the process: caches of one pool must not be used with another.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn width(&self, id: ExprId) -> u8 {
        self.node(id).width
    }

    /// The value of a constant.
    pub fn as_const(&self, id: ExprId) -> Option<u64> {
        let node = self.node(id);
        (node.op == Op::Const).then_some(node.num)
    }

    pub fn bytes(&self, id: ExprId) -> Bytes {
        self.bytes[id.0 as usize]
    }

    pub fn var(&self, id: VarId) -> Var {
        self.vars[id.0 as usize]
    }

    /// All variables so far.
    pub fn vars(&self) -> impl Iterator<Item = VarId> {
        (0..self.vars.len() as u32).map(VarId)
    }

    pub fn var_id(&mut self, var: Var) -> VarId {
        let next = VarId(self.vars.len() as u32);
        let vars = &mut self.vars;
        *self.var_ids.entry(var).or_insert_with(|| {
            vars.push(var);
            next
        })
    }

    /// The id of a variable that is in the pool.
    pub fn find_var(&self, var: Var) -> Option<VarId> {
        self.var_ids.get(&var).copied()
    }

    pub fn table(&self, id: TableId) -> &Arc<[u8]> {
        &self.tables[id.0 as usize]
    }

    pub fn add_table(&mut self, bytes: &[u8]) -> TableId {
        if let Some(id) = self.table_ids.get(bytes) {
            return *id;
        }
        let (id, bytes) = (TableId(self.tables.len() as u32), Arc::<[u8]>::from(bytes));
        self.tables.push(bytes.clone());
        self.table_ids.insert(bytes, id);
        id
    }

    /// The expression, simplified.
    pub(crate) fn make(&mut self, node: Node) -> ExprId {
        if let Some(id) = self.made.get(&node) {
            return *id;
        }
        let simpler = match self.simplify && self.depth < MAX_RULE_DEPTH {
            true => {
                self.depth += 1;
                let simpler = rules::apply(self, &node);
                self.depth -= 1;
                simpler
            }
            false => None,
        };
        let id = simpler.unwrap_or_else(|| self.add(node));
        self.made.insert(node, id);
        id
    }

    fn add(&mut self, node: Node) -> ExprId {
        let id = ExprId(self.nodes.len() as u32);
        let own = match node.op {
            Op::Input => Bytes::One(VarId(node.num as u32)),
            _ => Bytes::None,
        };
        let bytes = node.operands().iter().fold(own, |sum, arg| match (sum, self.bytes(*arg)) {
            (Bytes::None, other) | (other, Bytes::None) => other,
            (a, b) if a == b => a,
            _ => Bytes::Many,
        });
        self.nodes.push(node);
        self.bytes.push(bytes);
        id
    }

    pub fn constant(&mut self, width: u8, value: u64) -> ExprId {
        self.make(Node { op: Op::Const, width, args: [UNUSED; 3], num: value & mask(width) })
    }

    pub fn truth(&mut self, value: bool) -> ExprId {
        self.constant(1, value.into())
    }

    pub fn byte(&mut self, var: Var) -> ExprId {
        let num = self.var_id(var).0.into();
        self.make(Node { op: Op::Input, width: 8, args: [UNUSED; 3], num })
    }

    /// An operator of two operands: arithmetic, bitwise, shift, comparison, overflow or concatenation.
    pub fn binary(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        let width = match op {
            _ if is_predicate(op) => 1,
            Op::Concat => self.width(a) + self.width(b),
            _ => self.width(a),
        };
        self.make(Node { op, width, args: [a, b, UNUSED], num: 0 })
    }

    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        self.binary(Op::Concat, high, low)
    }

    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Eq, a, b)
    }

    pub fn eq_const(&mut self, a: ExprId, value: u64) -> ExprId {
        let value = self.constant(self.width(a), value);
        self.eq(a, value)
    }

    /// Negation of one bit.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let one = self.truth(true);
        self.binary(Op::Xor, a, one)
    }

    /// Bits `low .. low + width`.
    pub fn extract(&mut self, a: ExprId, low: u8, width: u8) -> ExprId {
        self.make(Node { op: Op::Extract, width, args: [a, UNUSED, UNUSED], num: low.into() })
    }

    /// Rules rely on extensions being wider than their operand.
    pub fn zext(&mut self, a: ExprId, width: u8) -> ExprId {
        if self.width(a) == width {
            return a;
        }
        self.make(Node { op: Op::ZExt, width, args: [a, UNUSED, UNUSED], num: 0 })
    }

    pub fn sext(&mut self, a: ExprId, width: u8) -> ExprId {
        if self.width(a) == width {
            return a;
        }
        self.make(Node { op: Op::SExt, width, args: [a, UNUSED, UNUSED], num: 0 })
    }

    pub fn ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let width = self.width(then);
        self.make(Node { op: Op::Ite, width, args: [condition, then, otherwise], num: 0 })
    }

    /// A floating-point operator; `num`: see [`Node::num`].
    pub fn float(&mut self, op: Op, width: u8, operands: [Option<ExprId>; 3], num: u64) -> ExprId {
        self.make(Node { op, width, args: operands.map(|operand| operand.unwrap_or(UNUSED)), num })
    }

    /// `width / 8` bytes at byte offset `index` (64 bits) of a table.
    pub fn read(&mut self, table: TableId, index: ExprId, width: u8) -> ExprId {
        self.make(Node { op: Op::Read, width, args: [index, UNUSED, UNUSED], num: table.0.into() })
    }

    /// Everything that these are made of, themselves included, ascending.
    pub fn cone(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut seen: rustc_hash::FxHashSet<ExprId> = roots.iter().copied().collect();
        let mut pending: Vec<ExprId> = seen.iter().copied().collect();
        while let Some(id) = pending.pop() {
            for arg in self.node(id).operands() {
                if seen.insert(*arg) {
                    pending.push(*arg);
                }
            }
        }
        let mut cone: Vec<ExprId> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// The variables that an expression is made of, ascending. Remembered, with those of its parts: loops make every round's
    /// expression of the last one's.
    pub fn support(&self, id: ExprId) -> Arc<[VarId]> {
        // A panic of another thread leaves the map whole: it only ever gains entries.
        let known = |id: ExprId, supports: &Supports| match self.bytes(id) {
            Bytes::None => Some(Arc::from([])),
            Bytes::One(var) => Some(Arc::from([var])),
            Bytes::Many => supports.get(&id).cloned(),
        };
        if let Some(vars) = known(id, &self.supports.read().unwrap_or_else(PoisonError::into_inner)) {
            return vars;
        }
        let mut supports = self.supports.write().unwrap_or_else(PoisonError::into_inner);
        let mut pending = vec![id];
        while let Some(next) = pending.last().copied() {
            let before = pending.len();
            let operands = self.node(next).operands();
            let is_unknown =
                |id: &ExprId| matches!(self.bytes(*id), Bytes::Many) && !supports.contains_key(id);
            pending.extend(operands.iter().copied().filter(is_unknown));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let parts: Vec<Arc<[VarId]>> =
                operands.iter().filter_map(|operand| known(*operand, &supports)).collect();
            supports.insert(next, union(parts));
        }
        known(id, &supports).unwrap_or_default()
    }
}

/// What is in any of these ascending lists, ascending. One that holds all of it is used again.
fn union(mut parts: Vec<Arc<[VarId]>>) -> Arc<[VarId]> {
    let mut all: Vec<VarId> = parts.iter().flat_map(|part| part.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let same = parts.iter().position(|part| part.len() == all.len());
    same.map_or_else(|| all.into(), |at| parts.swap_remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, OPERATORS};

    #[test]
    fn the_support_of_an_expression_are_the_inputs_in_its_cone() {
        let mut several = 0;
        for seed in 0..1000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut below = |n: u64| rng.u64(..n);
            let vars = (0..5).map(|offset| Var { input: 0, offset }).collect();
            let mut random = Random::new(&mut below, vars);
            let mut pool = Pool::new();
            for _ in 0..3 {
                let op = OPERATORS[random.below(OPERATORS.len() as u64) as usize];
                let expr = random.any(&mut pool, op, 4);
                let nodes = pool.cone(&[expr]).into_iter().map(|e| *pool.node(e));
                let inputs: std::collections::BTreeSet<VarId> =
                    nodes.filter(|n| n.op == Op::Input).map(|n| VarId(n.num as u32)).collect();
                assert!(pool.support(expr).iter().eq(inputs.iter()), "seed {seed}");
                several += usize::from(inputs.len() > 1);
            }
        }
        assert!(several > 500, "the expressions are too simple: {several}");
    }
}
