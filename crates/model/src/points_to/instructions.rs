//! Constraints of instructions and of initial values.
//!
//! In: the program, one instruction or initialiser at a time. Out: constraints in the solver. Calls are in `calls.rs`.

use super::cells::{ObjectId, ObjectKind};
use super::generate::{Generator, Val};
use super::graph::NodeId;
use super::shape::Shape;
use super::solver::{Solver, Step};
use crate::ir::*;

/// Elements of an array of which every scalar is looked at when a whole aggregate is loaded or stored.
const AGGREGATE_PARTS: usize = 64;

impl Generator<'_> {
    pub fn run(&mut self, solver: &mut Solver) {
        self.entry(solver);
        for global in self.program.global_ids() {
            self.initial(solver, global);
        }
        for func in self.program.defined_functions() {
            self.by_value(solver, func);
            for id in self.program.func(func).insts.iter() {
                self.instruction(solver, func, id);
            }
        }
    }

    /// What `main` is given.
    fn entry(&mut self, solver: &mut Solver) {
        let Some(main) = self.program.function_named("main") else { return };
        for (index, kind) in [(1, ObjectKind::Arguments), (2, ObjectKind::Environment)] {
            let cell = self.outside(solver, kind);
            if let Some(param) = self.param(main, index) {
                solver.graph.add(param, cell);
            }
        }
    }

    /// An object outside the program, whose pointers point into itself.
    pub fn outside(&mut self, solver: &mut Solver, kind: ObjectKind) -> super::cells::CellId {
        let object = solver.cells.object(kind, Shape::flat());
        let cell = solver.cells.anywhere(object);
        let content = solver.stored(cell);
        solver.graph.add(content, cell);
        cell
    }

    fn initial(&mut self, solver: &mut Solver, id: GlobalId) {
        let global = self.program.global(id);
        let object = self.global(solver, id);
        match global.initialiser {
            Some(value) => self.initialise(solver, object, 0, global.ty, value),
            None => {
                let kind = match global.name.as_str() {
                    "environ" | "__environ" => ObjectKind::Environment,
                    _ => ObjectKind::Pointee(id),
                };
                let target = self.outside(solver, kind);
                let anywhere = solver.cells.anywhere(object);
                let content = solver.stored(anywhere);
                solver.graph.add(content, target);
            }
        }
    }

    fn initialise(&mut self, solver: &mut Solver, object: ObjectId, at: i64, ty: TypeId, value: Operand) {
        if let Operand::Const(c) = value {
            if let ConstKind::Aggregate(elements) = &self.program.constant(c).kind {
                for (i, element) in elements.iter().enumerate() {
                    if let Some((offset, inner)) = self.part(self.program.constant(c).ty, i) {
                        self.initialise(solver, object, at + offset, inner, *element);
                    }
                }
                return;
            }
        }
        if !self.carries[ty.index()] {
            return;
        }
        let value = self.value(solver, value);
        if !matches!(value, Val::Nothing) {
            let cell = solver.cells.at(object, at);
            let content = solver.stored(cell);
            self.flow(solver, &value, content);
        }
    }

    /// Offset and type of the i-th element of an aggregate.
    fn part(&self, ty: TypeId, i: usize) -> Option<(i64, TypeId)> {
        match &self.program.ty(ty).kind {
            TypeKind::Struct(s) => s.fields.get(i).map(|f| (f.offset as i64, f.ty)),
            TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => {
                Some((i as i64 * self.program.ty(*element).size as i64, *element))
            }
            _ => None,
        }
    }

    /// Structures passed by value: the callee has a copy of its own.
    fn by_value(&mut self, solver: &mut Solver, func: FuncId) {
        for (index, param) in self.program.func(func).params.iter().enumerate() {
            let (Some(ty), index) = (param.byval, index as u32) else { continue };
            let shape = Shape::of(self.program, ty, Some(1), &self.limits);
            let object = solver.cells.object(ObjectKind::ByVal { func, index }, shape);
            let cell = solver.cells.at(object, 0);
            if let Some(node) = self.param(func, index) {
                solver.graph.add(node, cell);
            }
        }
    }

    fn instruction(&mut self, solver: &mut Solver, func: FuncId, id: InstId) {
        let program = self.program;
        let inst = program.inst(id);
        let operands = program.operands(id);
        match inst.op {
            Op::Load { .. } => self.load_inst(solver, id, operands[0]),
            Op::Store { .. } => self.store_inst(solver, operands[0], operands[1]),
            Op::Gep(gep) => self.gep_inst(solver, id, gep, operands),
            Op::Phi { .. }
            | Op::Freeze
            | Op::Cast(_)
            | Op::ExtractValue { .. }
            | Op::InsertValue { .. }
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector { .. } => self.copy_all(solver, id, operands),
            Op::Select => self.copy_all(solver, id, &operands[1..]),
            Op::Binary(op) => self.arithmetic(solver, id, op, operands),
            Op::Ret => {
                if let (Some(&value), Some(to)) = (operands.first(), self.return_node(func)) {
                    let value = self.value(solver, value);
                    self.flow(solver, &value, to);
                }
            }
            Op::CmpXchg { .. } => {
                self.load_inst(solver, id, operands[0]);
                self.store_inst(solver, operands[2], operands[0]);
            }
            Op::AtomicRmw { .. } => {
                self.load_inst(solver, id, operands[0]);
                self.store_inst(solver, operands[1], operands[0]);
            }
            Op::VaArg => self.va_arg(solver, id, operands[0]),
            Op::Call { .. } | Op::Invoke { .. } | Op::CallBr { .. } => self.call_inst(solver, id),
            _ => {}
        }
    }

    pub fn return_node(&self, func: FuncId) -> Option<NodeId> {
        let node = self.returns[func.index()];
        (node != super::generate::NO_NODE).then_some(node)
    }

    fn copy_all(&mut self, solver: &mut Solver, id: InstId, operands: &[Operand]) {
        let Some(to) = self.result(id) else { return };
        for &operand in operands {
            let value = self.value(solver, operand);
            self.flow(solver, &value, to);
        }
    }

    fn gep_inst(&mut self, solver: &mut Solver, id: InstId, gep: GepId, operands: &[Operand]) {
        let Some(to) = self.result(id) else { return };
        let steps = self.gep_steps(gep, operands);
        match self.value(solver, operands[0]) {
            Val::Node(base) => solver.gep(base, &steps, to),
            other => {
                let derived = self.derived(solver, &other, &steps);
                self.flow(solver, &derived, to);
            }
        }
    }

    /// A number that becomes a pointer again: anywhere in the objects that its operands point to.
    fn arithmetic(&mut self, solver: &mut Solver, id: InstId, op: BinaryOp, operands: &[Operand]) {
        let Some(to) = self.result(id) else { return };
        for &operand in operands {
            let value = self.value(solver, operand);
            let constant = match (op, operands) {
                (BinaryOp::Add, [_, Operand::Int { bits: 64, value }]) => Some(*value as i64),
                (BinaryOp::Sub, [_, Operand::Int { bits: 64, value }]) => {
                    Some((*value as i64).wrapping_neg())
                }
                _ => None,
            };
            let moved = match constant {
                Some(by) => self.derived(solver, &value, &[Step::Shift(by)]),
                None => self.anywhere(solver, &value),
            };
            self.flow(solver, &moved, to);
        }
    }

    /// Offsets of the scalars in a type that can hold pointers.
    fn pointer_offsets(&self, ty: TypeId, at: i64, found: &mut Vec<i64>) {
        if !self.carries[ty.index()] || found.len() >= AGGREGATE_PARTS {
            return;
        }
        match &self.program.ty(ty).kind {
            TypeKind::Struct(s) => {
                s.fields.iter().for_each(|f| self.pointer_offsets(f.ty, at + f.offset as i64, found));
            }
            TypeKind::Array { element, len } => {
                let size = self.program.ty(*element).size as i64;
                (0..(*len).min(AGGREGATE_PARTS as u64) as i64)
                    .for_each(|i| self.pointer_offsets(*element, at + i * size, found));
            }
            TypeKind::Vector { element, len, .. } => {
                let size = self.program.ty(*element).size as i64;
                (0..i64::from(*len)).for_each(|i| self.pointer_offsets(*element, at + i * size, found));
            }
            TypeKind::Int { bits } if *bits > 64 => {
                (0..i64::from(*bits / 64)).for_each(|i| found.push(at + 8 * i));
            }
            _ => found.push(at),
        }
    }

    fn offsets_of(&self, ty: TypeId) -> Vec<i64> {
        let mut found = Vec::new();
        self.pointer_offsets(ty, 0, &mut found);
        if found.is_empty() {
            found.push(0);
        }
        found
    }

    fn load_inst(&mut self, solver: &mut Solver, id: InstId, address: Operand) {
        let Some(to) = self.result(id) else { return };
        let address = self.value(solver, address);
        for offset in self.offsets_of(self.program.inst(id).ty) {
            let steps = if offset == 0 { vec![] } else { vec![Step::Shift(offset)] };
            let place = self.derived(solver, &address, &steps);
            self.load(solver, &place, to);
        }
    }

    fn store_inst(&mut self, solver: &mut Solver, value: Operand, address: Operand) {
        let ty = self.operand_type(value);
        let value = self.value(solver, value);
        if matches!(value, Val::Nothing) {
            return;
        }
        let address = self.value(solver, address);
        for offset in ty.map_or(vec![0], |t| self.offsets_of(t)) {
            let steps = if offset == 0 { vec![] } else { vec![Step::Shift(offset)] };
            let place = self.derived(solver, &address, &steps);
            self.store(solver, &place, &value);
        }
    }

    /// Type of an operand, where it is an aggregate or may be one.
    fn operand_type(&self, operand: Operand) -> Option<TypeId> {
        match operand {
            Operand::Inst(id) => Some(self.program.inst(id).ty),
            Operand::Arg { func, index } => self.program.func(func).params.get(index as usize).map(|p| p.ty),
            Operand::Const(c) => Some(self.program.constant(c).ty),
            Operand::Undef(ty) => Some(ty),
            _ => None,
        }
    }

    /// The list points to the areas where arguments are; both areas are one object.
    fn va_arg(&mut self, solver: &mut Solver, id: InstId, list: Operand) {
        let Some(to) = self.result(id) else { return };
        let list = self.value(solver, list);
        for offset in [8, 16] {
            let place = self.derived(solver, &list, &[Step::Shift(offset)]);
            let area = solver.node();
            self.load(solver, &place, area);
            self.load(solver, &Val::Node(area), to);
        }
    }
}
