//! From the program to constraints.
//!
//! In: a program. Out: nodes for its registers, and constraints for its instructions and initialisers. A register gets a node if
//! its type can carry a pointer: pointers, integers of 64 bits and more, aggregates and vectors of these; and bytes that are loaded
//! and stored at once, which is how a loop copies memory.
//!
//! Always holds: constants need no nodes until something is added to them; the value of an operand is known before its
//! instruction is looked at, so the order of instructions does not matter.

use super::cells::{CellId, ObjectId, ObjectKind, Walk};
use super::graph::NodeId;
use super::shape::{self, flatten, Shape};
use super::solver::{Solver, Step};
use super::wrappers::Wrappers;
use super::Limits;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const NO_NODE: NodeId = NodeId::MAX;

/// What an operand can point to.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Nothing,
    Cells(Vec<CellId>),
    Node(NodeId),
}

/// A call: of the program, or of a callback by an external function.
#[derive(Clone, Debug)]
pub(super) struct CallSite {
    pub inst: InstId,
    pub args: Vec<Val>,
    pub result: Option<NodeId>,
    /// An external function makes it.
    pub callback: bool,
}

pub(super) struct Generator<'p> {
    pub program: &'p Program,
    pub limits: Limits,
    pub wrappers: Wrappers,
    pub insts: Vec<NodeId>,
    /// First parameter's node of each function in `params`.
    first_param: Vec<usize>,
    params: Vec<NodeId>,
    pub returns: Vec<NodeId>,
    pub variadic: FxHashMap<FuncId, NodeId>,
    pub calls: Vec<CallSite>,
    pub bound: FxHashSet<(u32, FuncId)>,
    /// Call, function, and whether an external function makes the call.
    pub targets: Vec<(InstId, FuncId, bool)>,
    /// Nodes through which everything flows that an unknown external function sees.
    pub unknown: FxHashMap<FuncId, NodeId>,
    pub asm_node: Option<NodeId>,
    /// What an allocation wrapper sees, and what one of its callers gets: the same memory.
    pub clones: Vec<(CellId, CellId)>,
    constants: FxHashMap<Vec<CellId>, NodeId>,
    pub carries: Vec<bool>,
    byte_copies: FxHashSet<InstId>,
    address_arithmetic: FxHashSet<InstId>,
}

impl<'p> Generator<'p> {
    pub fn new(program: &'p Program, limits: Limits, solver: &mut Solver) -> Self {
        let carries = (0..program.types.len()).map(|t| carries(program, TypeId(t as u32))).collect();
        let mut generator = Generator {
            program,
            limits,
            wrappers: Wrappers::find(program),
            insts: vec![NO_NODE; program.insts.len()],
            first_param: Vec::new(),
            params: Vec::new(),
            returns: Vec::new(),
            variadic: FxHashMap::default(),
            calls: Vec::new(),
            bound: FxHashSet::default(),
            targets: Vec::new(),
            unknown: FxHashMap::default(),
            asm_node: None,
            clones: Vec::new(),
            constants: FxHashMap::default(),
            carries,
            byte_copies: FxHashSet::default(),
            address_arithmetic: FxHashSet::default(),
        };
        generator.find_special();
        generator.make_nodes(solver);
        generator
    }

    /// Bytes that are copied, and arithmetic whose result becomes a pointer again.
    fn find_special(&mut self) {
        let mut pending = Vec::new();
        let mut looked_at = FxHashSet::default();
        for id in self.program.inst_ids() {
            let (op, operands) = (self.program.inst(id).op, self.program.operands(id));
            if let (Op::Store { .. }, [Operand::Inst(value), _]) = (op, operands) {
                let source = self.program.inst(*value);
                if matches!(source.op, Op::Load { .. }) && self.bits(source.ty) == Some(8) {
                    self.byte_copies.insert(*value);
                }
            } else {
                looked_at.extend(operands.iter().copied());
            }
            if let (Op::Cast(CastOp::IntToPtr), [operand]) = (op, operands) {
                pending.push(*operand);
            }
        }
        // A byte that is also compared, converted or handed on is text, not a part of a pointer that is being moved.
        self.byte_copies.retain(|id| !looked_at.contains(&Operand::Inst(*id)));
        let mut seen = FxHashSet::default();
        while let Some(operand) = pending.pop() {
            let Operand::Inst(id) = operand else { continue };
            if !seen.insert(id) {
                continue;
            }
            match self.program.inst(id).op {
                Op::Binary(_) => {
                    self.address_arithmetic.insert(id);
                }
                Op::Phi { .. } | Op::Select | Op::Freeze => {}
                _ => continue,
            }
            pending.extend(self.program.operands(id));
        }
    }

    fn bits(&self, ty: TypeId) -> Option<u32> {
        match self.program.ty(ty).kind {
            TypeKind::Int { bits } => Some(bits),
            _ => None,
        }
    }

    fn make_nodes(&mut self, solver: &mut Solver) {
        for func in self.program.func_ids() {
            self.first_param.push(self.params.len());
            let f = self.program.func(func);
            let defined = f.is_defined();
            for param in &f.params {
                let wanted = defined && self.carries[param.ty.index()];
                self.params.push(if wanted { solver.node() } else { NO_NODE });
            }
            let result = self.program.signature(f.ty).map(|s| s.0);
            let wanted = defined && result.is_some_and(|r| self.carries[r.index()]);
            self.returns.push(if wanted { solver.node() } else { NO_NODE });
            if defined && f.attributes.variadic {
                let node = solver.node();
                self.variadic.insert(func, node);
            }
        }
        for id in self.program.inst_ids() {
            if self.carries_inst(id) {
                self.insts[id.index()] = solver.node();
            }
        }
    }

    fn carries_inst(&self, id: InstId) -> bool {
        let inst = self.program.inst(id);
        match inst.op {
            Op::Binary(_) => self.address_arithmetic.contains(&id),
            Op::Load { .. } if self.byte_copies.contains(&id) => true,
            Op::Alloca { .. } | Op::Store { .. } => false,
            Op::Cast(CastOp::ZExt | CastOp::SExt) => false,
            _ => self.carries[inst.ty.index()],
        }
    }

    pub fn param(&self, func: FuncId, index: u32) -> Option<NodeId> {
        if index as usize >= self.program.func(func).params.len() {
            return None;
        }
        let node = self.params[self.first_param[func.index()] + index as usize];
        (node != NO_NODE).then_some(node)
    }

    pub fn result(&self, id: InstId) -> Option<NodeId> {
        let node = self.insts[id.index()];
        (node != NO_NODE).then_some(node)
    }

    pub fn value(&mut self, solver: &mut Solver, operand: Operand) -> Val {
        match operand {
            Operand::Inst(id) => match self.program.inst(id).op {
                Op::Alloca { .. } => Val::Cells(vec![self.alloca(solver, id)]),
                _ => self.result(id).map_or(Val::Nothing, Val::Node),
            },
            Operand::Arg { func, index } => self.param(func, index).map_or(Val::Nothing, Val::Node),
            Operand::Global(g) => {
                let object = self.global(solver, g);
                Val::Cells(vec![solver.cells.at(object, 0)])
            }
            Operand::Func(f) => Val::Cells(vec![self.function(solver, f)]),
            Operand::Const(c) => self.constant(solver, c),
            _ => Val::Nothing,
        }
    }

    fn constant(&mut self, solver: &mut Solver, id: ConstId) -> Val {
        let program = self.program;
        match &program.constant(id).kind {
            ConstKind::Gep { gep, operands } => {
                let steps = self.gep_steps(*gep, operands);
                match self.value(solver, operands[0]) {
                    Val::Cells(cells) => {
                        Val::Cells(cells.into_iter().flat_map(|c| solver.derive(c, &steps)).collect())
                    }
                    other => other,
                }
            }
            ConstKind::Cast { operand, .. } => self.value(solver, *operand),
            ConstKind::Aggregate(operands) | ConstKind::Other(operands) => self.all_of(solver, operands),
            ConstKind::Binary { operands, .. } => {
                let cells = match self.all_of(solver, operands) {
                    Val::Cells(cells) => cells,
                    other => return other,
                };
                let anywhere = |c: CellId| solver.cells.anywhere(solver.cells.get(c).object);
                Val::Cells(cells.into_iter().map(anywhere).collect())
            }
            ConstKind::Symbol(_) => {
                let object = solver.cells.object(ObjectKind::Unknown, Shape::flat());
                Val::Cells(vec![solver.cells.anywhere(object)])
            }
            _ => Val::Nothing,
        }
    }

    fn all_of(&mut self, solver: &mut Solver, operands: &[Operand]) -> Val {
        let mut cells = Vec::new();
        for operand in operands {
            if let Val::Cells(more) = self.value(solver, *operand) {
                cells.extend(more);
            }
        }
        if cells.is_empty() {
            Val::Nothing
        } else {
            Val::Cells(cells)
        }
    }

    /// A node with this value.
    pub fn node_of(&mut self, solver: &mut Solver, value: &Val) -> Option<NodeId> {
        match value {
            Val::Nothing => None,
            Val::Node(node) => Some(*node),
            Val::Cells(cells) => {
                if let Some(&node) = self.constants.get(cells) {
                    return Some(node);
                }
                let node = solver.node();
                for &cell in cells {
                    solver.graph.add(node, cell);
                }
                self.constants.insert(cells.clone(), node);
                Some(node)
            }
        }
    }

    pub fn flow(&mut self, solver: &mut Solver, value: &Val, to: NodeId) {
        match value {
            Val::Nothing => {}
            Val::Node(node) => solver.graph.add_edge(*node, to),
            Val::Cells(cells) => cells.iter().for_each(|c| solver.graph.add(to, *c)),
        }
    }

    pub fn load(&mut self, solver: &mut Solver, pointer: &Val, to: NodeId) {
        match pointer {
            Val::Nothing => {}
            Val::Node(node) => solver.load(*node, to),
            Val::Cells(cells) => {
                for &cell in cells {
                    let from = solver.loaded(cell);
                    solver.graph.add_edge(from, to);
                }
            }
        }
    }

    pub fn store(&mut self, solver: &mut Solver, pointer: &Val, value: &Val) {
        match (pointer, value) {
            (Val::Nothing, _) | (_, Val::Nothing) => {}
            (Val::Cells(cells), _) => {
                for &cell in cells {
                    if solver.cells.object_of(cell).read_only {
                        continue;
                    }
                    let to = solver.stored(cell);
                    self.flow(solver, value, to);
                }
            }
            (Val::Node(node), _) => {
                if let Some(value) = self.node_of(solver, value) {
                    solver.store(*node, value);
                }
            }
        }
    }

    /// The address after steps from a pointer.
    pub fn derived(&mut self, solver: &mut Solver, pointer: &Val, steps: &[Step]) -> Val {
        match pointer {
            Val::Nothing => Val::Nothing,
            Val::Cells(cells) => Val::Cells(cells.iter().flat_map(|c| solver.derive(*c, steps)).collect()),
            Val::Node(node) if steps.is_empty() => Val::Node(*node),
            Val::Node(node) => {
                let to = solver.node();
                solver.gep(*node, steps, to);
                Val::Node(to)
            }
        }
    }

    /// Pointers anywhere into the objects that a pointer points to.
    pub fn anywhere(&mut self, solver: &mut Solver, pointer: &Val) -> Val {
        let walk = Walk { stride: 1, extent: None, forward: false };
        self.derived(solver, pointer, &[Step::Walk(walk)])
    }

    pub fn global(&mut self, solver: &mut Solver, id: GlobalId) -> ObjectId {
        let global = self.program.global(id);
        let known = shape::of_global(self.program, global, &self.limits);
        // An array declared elsewhere may be larger than its declaration says.
        let shape = if global.external() { Shape { size: None, ..known } } else { known };
        let object = solver.cells.object(ObjectKind::Global(id), shape);
        if global.constant {
            solver.cells.make_read_only(object);
        }
        object
    }

    fn function(&mut self, solver: &mut Solver, id: FuncId) -> CellId {
        let object = solver.cells.object(ObjectKind::Function(id), Shape::flat());
        solver.cells.anywhere(object)
    }

    fn alloca(&mut self, solver: &mut Solver, id: InstId) -> CellId {
        let Op::Alloca { allocated } = self.program.inst(id).op else {
            let object = solver.cells.object(ObjectKind::Unknown, Shape::flat());
            return solver.cells.anywhere(object);
        };
        let count = match self.program.operands(id).first() {
            Some(Operand::Int { value, .. }) => Some(*value),
            _ => None,
        };
        let shape = match self.bits(allocated) {
            // A variable-length array or `alloca`: its elements are not known.
            Some(8) if count.is_none() => Shape::untyped(None),
            _ => Shape::of(self.program, allocated, count, &self.limits),
        };
        let object = solver.cells.object(ObjectKind::Stack(id), shape);
        solver.cells.at(object, 0)
    }

    /// The steps of an address computation.
    pub fn gep_steps(&self, id: GepId, operands: &[Operand]) -> Vec<Step> {
        let gep = self.program.gep(id);
        let mut steps = Vec::new();
        let mut shift = 0i64;
        let mut ty = gep.source;
        for (i, step) in gep.path.iter().enumerate() {
            let index = operands.get(i + 1).copied();
            match *step {
                PathStep::Field(field) => {
                    if let TypeKind::Struct(s) = &self.program.ty(ty).kind {
                        if let Some(f) = s.fields.get(field as usize) {
                            shift += f.offset as i64;
                            ty = f.ty;
                        }
                    }
                }
                PathStep::Index(k) if i == 0 => {
                    self.pointer_step(ty, k, index, &mut shift, &mut steps);
                }
                PathStep::Index(k) => {
                    let (element, extent) = self.element(ty);
                    let size = self.program.ty(element).size;
                    match k {
                        Some(k) => shift += k.wrapping_mul(size as i64),
                        None => {
                            push_shift(&mut steps, &mut shift);
                            let forward = self.never_negative(index);
                            steps.push(Step::Walk(Walk { stride: size as u32, extent, forward }));
                        }
                    }
                    ty = element;
                }
            }
        }
        push_shift(&mut steps, &mut shift);
        steps
    }

    /// The first index: a step of the pointer itself. A pointer that steps by something larger than a byte, or by
    /// one byte, steps through an array.
    fn pointer_step(
        &self,
        ty: TypeId,
        k: Option<i64>,
        index: Option<Operand>,
        shift: &mut i64,
        steps: &mut Vec<Step>,
    ) {
        // The element of an array of arrays: `&a[i]` of one is a step of all its elements.
        let size = self.program.ty(ty).size;
        let (stride, forward) = match k {
            Some(0) => return,
            Some(k) if size == 1 && k.unsigned_abs() > 1 => {
                *shift += k;
                return;
            }
            Some(k) => (size, k > 0),
            None => (size, self.never_negative(index)),
        };
        let stride = stride.min(u64::from(u32::MAX)) as u32;
        steps.push(Step::Walk(Walk { stride, extent: None, forward }));
    }

    /// Element of an array, and the bytes of all of them. An array of at most one element is one of any length.
    fn element(&self, ty: TypeId) -> (TypeId, Option<u32>) {
        match self.program.ty(ty).kind {
            TypeKind::Array { element, len } => {
                let bytes = len.saturating_mul(self.program.ty(element).size);
                let (_, all) = flatten(self.program, ty);
                (element, (all > 1).then_some(bytes.min(i32::MAX as u64) as u32))
            }
            TypeKind::Vector { element, len, .. } => {
                (element, Some((u64::from(len) * self.program.ty(element).size) as u32))
            }
            _ => (ty, None),
        }
    }

    fn never_negative(&self, index: Option<Operand>) -> bool {
        match index {
            Some(Operand::Inst(id)) => matches!(self.program.inst(id).op, Op::Cast(CastOp::ZExt)),
            Some(Operand::Int { bits, value }) => {
                bits < 64 && value >> (bits.max(1) - 1) == 0 || value as i64 >= 0
            }
            _ => false,
        }
    }
}

fn push_shift(steps: &mut Vec<Step>, shift: &mut i64) {
    if *shift != 0 {
        steps.push(Step::Shift(*shift));
        *shift = 0;
    }
}

/// Can a value of this type hold a pointer?
fn carries(program: &Program, ty: TypeId) -> bool {
    match &program.ty(ty).kind {
        TypeKind::Ptr => true,
        TypeKind::Int { bits } => *bits >= 64,
        TypeKind::Struct(s) => s.fields.iter().any(|f| carries(program, f.ty)),
        TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => carries(program, *element),
        _ => false,
    }
}
