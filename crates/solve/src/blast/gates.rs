//! Gates: each is a literal and the clauses that define it, made once.
//!
//! In: literals. Out: literals. Gates with a constant or repeated input cost nothing.

use rustc_hash::FxHashMap;

/// A literal as SAT solvers write it: a variable, or its negation as a negative number.
pub type Lit = i32;

/// Variable 1 is true.
pub const TRUE: Lit = 1;
pub const FALSE: Lit = -1;

pub const fn literal(value: bool) -> Lit {
    if value {
        TRUE
    } else {
        FALSE
    }
}

/// Whatever takes clauses.
pub trait Clauses {
    fn clause(&mut self, literals: &[Lit]);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Choose(Lit, Lit, Lit),
}

/// See the module.
pub struct Gates<C> {
    pub clauses: C,
    made: FxHashMap<Gate, Lit>,
    pub(super) divisions: FxHashMap<(Vec<Lit>, Vec<Lit>), (Vec<Lit>, Vec<Lit>)>,
    last: Lit,
}

impl<C: Clauses> Gates<C> {
    pub fn new(mut clauses: C) -> Gates<C> {
        clauses.clause(&[TRUE]);
        Gates { clauses, made: FxHashMap::default(), divisions: FxHashMap::default(), last: TRUE }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.made.len()
    }

    pub fn fresh(&mut self) -> Lit {
        self.last += 1;
        self.last
    }

    fn gate(&mut self, gate: Gate, define: &dyn Fn(&mut C, Lit)) -> Lit {
        if let Some(lit) = self.made.get(&gate) {
            return *lit;
        }
        let out = self.fresh();
        define(&mut self.clauses, out);
        self.made.insert(gate, out);
        out
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match () {
            () if a == FALSE || b == FALSE || a == -b => FALSE,
            () if a == TRUE || a == b => b,
            () if b == TRUE => a,
            () => self.gate(Gate::And(a, b), &|clauses, out| {
                clauses.clause(&[-out, a]);
                clauses.clause(&[-out, b]);
                clauses.clause(&[out, -a, -b]);
            }),
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        -self.and(-a, -b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Signs come out, so that x ^ y and !x ^ y share a gate.
        let negate = (a < 0) != (b < 0);
        let (a, b) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        let out = match () {
            () if a == b => FALSE,
            () if a == TRUE => -b,
            () => self.gate(Gate::Xor(a, b), &|clauses, out| {
                clauses.clause(&[-out, a, b]);
                clauses.clause(&[-out, -a, -b]);
                clauses.clause(&[out, -a, b]);
                clauses.clause(&[out, a, -b]);
            }),
        };
        if negate {
            -out
        } else {
            out
        }
    }

    /// If `condition` then `a` else `b`.
    pub fn choose(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        let (condition, a, b) = if condition < 0 { (-condition, b, a) } else { (condition, a, b) };
        match () {
            () if condition == TRUE || a == b => a,
            () if a == -b => self.xor(condition, b),
            () if a == TRUE || a == condition => self.or(condition, b),
            () if a == FALSE || a == -condition => self.and(-condition, b),
            () if b == TRUE || b == -condition => self.or(-condition, a),
            () if b == FALSE || b == condition => self.and(condition, a),
            () => self.gate(Gate::Choose(condition, a, b), &|clauses, out| {
                clauses.clause(&[-condition, -a, out]);
                clauses.clause(&[-condition, a, -out]);
                clauses.clause(&[condition, -b, out]);
                clauses.clause(&[condition, b, -out]);
                // Implied, but lets the solver see an output that does not depend on the condition.
                clauses.clause(&[-a, -b, out]);
                clauses.clause(&[a, b, -out]);
            }),
        }
    }

    pub fn any(&mut self, bits: &[Lit]) -> Lit {
        bits.iter().fold(FALSE, |sum, bit| self.or(sum, *bit))
    }
}
