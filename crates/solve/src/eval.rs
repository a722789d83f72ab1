//! Evaluation: expressions compiled once, run on many assignments.
//!
//! In: a pool and roots; then values of bytes. Out: the values of the roots.
//!
//! Always holds: operators mean what [`parallax_trace::format::apply`] says, table reads outside their table
//! give bytes of 0, as in `parallax_trace::eval`.

use crate::expr::*;
use crate::pool::Pool;
use parallax_trace::format::Op;
use std::sync::Arc;

struct Step {
    node: Node,
    widths: [u8; 3],
    /// Positions of the operands among the steps.
    args: [u32; 3],
}

/// The cone of some roots, ready to run.
pub struct Program {
    steps: Vec<Step>,
    tables: Vec<Arc<[u8]>>,
    roots: Vec<u32>,
    vars: Vec<VarId>,
    values: Vec<u64>,
}

/// See [`Program::part`].
pub struct Part {
    input: usize,
    steps: Vec<u32>,
}

impl Part {
    /// What one run costs.
    pub fn len(&self) -> usize {
        self.steps.len() + 1
    }
}

impl Program {
    pub fn new(pool: &Pool, roots: &[ExprId]) -> Program {
        let cone = pool.cone(roots);
        // Every operand of a cone is in the cone, before its node.
        let position = |id: ExprId| cone.binary_search(&id).map_or(0, |at| at as u32);
        let (mut vars, mut tables) = (Vec::new(), Vec::new());
        let steps: Vec<Step> = cone
            .iter()
            .map(|id| {
                let mut node = *pool.node(*id);
                let (mut widths, mut args) = ([0; 3], [0; 3]);
                for (i, arg) in pool.node(*id).operands().iter().enumerate() {
                    (widths[i], args[i]) = (pool.width(*arg), position(*arg));
                }
                match node.op {
                    Op::Input => vars.push(VarId(node.num as u32)),
                    Op::Read => {
                        tables.push(pool.table(TableId(node.num as u32)).clone());
                        node.num = tables.len() as u64 - 1;
                    }
                    _ => {}
                }
                Step { node, widths, args }
            })
            .collect();
        let roots = roots.iter().map(|id| position(*id)).collect();
        vars.sort_unstable();
        Program { values: vec![0; steps.len()], steps, tables, roots, vars }
    }

    /// Number of nodes: what one run costs.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The variables it reads, ascending.
    pub fn vars(&self) -> &[VarId] {
        &self.vars
    }

    /// Evaluates everything.
    pub fn run(&mut self, byte: &dyn Fn(VarId) -> u8) {
        for at in 0..self.steps.len() {
            let node = &self.steps[at].node;
            self.values[at] = match node.op {
                Op::Const => node.num,
                Op::Input => byte(VarId(node.num as u32)).into(),
                _ => self.computed(at),
            };
        }
    }

    /// What depends on a variable, to be run when only that has changed.
    pub fn part(&self, var: VarId) -> Part {
        let (mut input, mut steps, mut depends) = (0, Vec::new(), vec![false; self.steps.len()]);
        for (at, step) in self.steps.iter().enumerate() {
            let is_input = step.node.op == Op::Input;
            let args = &step.args[..arity(step.node.op)];
            if is_input && VarId(step.node.num as u32) == var {
                (input, depends[at]) = (at, true);
            } else if args.iter().any(|arg| depends[*arg as usize]) {
                depends[at] = true;
                steps.push(at as u32);
            }
        }
        Part { input, steps }
    }

    /// Evaluates a part; what the rest is made of must be as it was in the last run.
    pub fn run_part(&mut self, part: &Part, byte: u8) {
        self.values[part.input] = byte.into();
        for at in &part.steps {
            self.values[*at as usize] = self.computed(*at as usize);
        }
    }

    /// The value of a step that is no leaf, from those of its operands.
    fn computed(&self, at: usize) -> u64 {
        let step = &self.steps[at];
        let value = |i: usize| self.values[step.args[i] as usize];
        match step.node.op {
            Op::Read => read_table(&self.tables[step.node.num as usize], value(0), step.node.width),
            op => {
                let mut values = [0; 3];
                (0..arity(op)).for_each(|i| values[i] = value(i));
                operate(&step.node, step.widths, values)
            }
        }
    }

    /// The value of a root in the last run.
    pub fn value(&self, root: usize) -> u64 {
        self.values[self.roots[root] as usize]
    }

    pub fn run_one(&mut self, byte: &dyn Fn(VarId) -> u8) -> u64 {
        self.run(byte);
        self.value(0)
    }
}

/// The value of one expression.
pub fn eval(pool: &Pool, id: ExprId, byte: &dyn Fn(VarId) -> u8) -> u64 {
    Program::new(pool, &[id]).run_one(byte)
}
