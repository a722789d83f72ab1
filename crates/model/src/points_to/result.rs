//! The solved analysis: questions and answers.
//!
//! In: the solver's sets. Out: [`PointsTo`], plain data that can be stored. Always holds: equal sets are stored once; cells in sets are ids
//! into `cells`.

use super::cells::{Cell, CellId, Object, ObjectId, ObjectKind, UNBOUNDED};
use super::clones::Clones;
use super::generate::{Generator, Val};
use super::graph::NodeId;
use super::set::SparseSet;
use super::solver::Solver;
use super::Limits;
use crate::ir::*;
use crate::stored;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What every pointer of a program can point to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointsTo {
    pub objects: Vec<Object>,
    pub cells: Vec<Cell>,
    /// Distinct sets; the first is empty.
    sets: Vec<SparseSet>,
    insts: Vec<u32>,
    first_param: Vec<u32>,
    params: Vec<u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    /// By constant, ascending.
    consts: Vec<(ConstId, u32)>,
    /// By call, ascending: function, and whether an external function makes the call.
    targets: Vec<(InstId, FuncId, bool)>,
    /// By cell: pointers that can be found there.
    contents: Vec<u32>,
    /// External functions of which nothing is known.
    pub unknown_functions: Vec<FuncId>,
    /// For each of them, what it can reach.
    unknown_reach: Vec<u32>,
    /// Functions that allocate for their callers.
    pub wrappers: Vec<FuncId>,
    pub statistics: Statistics,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    pub nodes: usize,
    pub merged: usize,
    pub edges: usize,
    pub waves: usize,
    pub largest_set: usize,
}

/// Bytes of an object that an access can touch: `[start, end)`, in steps of `stride` (0: all of them).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub object: ObjectKind,
    pub start: i64,
    /// `i64::MAX`: as far as the object goes.
    pub end: i64,
    pub stride: u32,
}

impl PointsTo {
    pub fn new(program: &Program) -> PointsTo {
        PointsTo::with_limits(program, Limits::default())
    }

    pub fn with_limits(program: &Program, limits: Limits) -> PointsTo {
        let mut solver = Solver::new(limits);
        let mut generator = Generator::new(program, limits, &mut solver);
        generator.run(&mut solver);
        solver.solve(&mut generator);
        let clones = Clones::new(&solver, &generator);
        Collector { solver, clones, index: FxHashMap::default(), sets: Vec::new() }.collect(generator)
    }

    /// For a cache: [`PointsTo::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        stored::to_bytes(self)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<PointsTo, StoredError> {
        stored::from_bytes(bytes)
    }

    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }

    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub fn kind_of(&self, cell: CellId) -> ObjectKind {
        self.object(self.cell(cell).object).kind
    }

    /// Index of the set of an operand: operands with the same index point to the same cells. 0: nothing.
    pub fn set_index(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Inst(id) => self.insts[id.index()],
            Operand::Arg { func, index } => {
                let (first, last) = (self.first_param[func.index()], self.first_param[func.index() + 1]);
                if first + index < last {
                    self.params[(first + index) as usize]
                } else {
                    0
                }
            }
            Operand::Global(g) => self.globals[g.index()],
            Operand::Func(f) => self.functions[f.index()],
            Operand::Const(c) => {
                self.consts.binary_search_by_key(&c, |e| e.0).map_or(0, |at| self.consts[at].1)
            }
            _ => 0,
        }
    }

    pub fn set(&self, index: u32) -> &SparseSet {
        &self.sets[index as usize]
    }

    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// The cells that an operand can point to (ids of [`CellId`]).
    pub fn points_to(&self, operand: Operand) -> &SparseSet {
        self.set(self.set_index(operand))
    }

    /// The cells that pointers found at a cell can point to.
    pub fn content(&self, cell: CellId) -> &SparseSet {
        self.set(self.contents[cell.0 as usize])
    }

    /// Everything that an external function of which nothing is known can reach; nothing for other functions.
    pub fn reach(&self, func: FuncId) -> &SparseSet {
        let at = self.unknown_functions.binary_search(&func);
        self.set(at.map_or(0, |at| self.unknown_reach[at]))
    }

    /// Objects and offsets that a load, store or atomic instruction can touch; empty for anything else.
    pub fn places(&self, program: &Program, id: InstId) -> Vec<Place> {
        let Some((address, size)) = accessed(program, id) else { return Vec::new() };
        let mut places: Vec<Place> =
            self.points_to(address).iter().map(|c| self.place(CellId(c), size)).collect();
        places.sort();
        places.dedup();
        places
    }

    fn place(&self, cell: CellId, size: u32) -> Place {
        let cell = self.cell(cell);
        let object = self.object(cell.object);
        let end = match cell.end(size) {
            _ if cell.outer.stride != 0 && cell.outer.end == UNBOUNDED => i64::MAX,
            end => end,
        };
        let unbounded = object.flat || cell.is_anywhere();
        let stride = if cell.inner.stride != 0 || cell.is_anywhere() { 0 } else { cell.outer.stride };
        let start = if unbounded { i64::MIN } else { i64::from(cell.offset) };
        Place { object: object.kind, start, end: if unbounded { i64::MAX } else { end }, stride }
    }

    /// The functions that a call can reach: directly, through a pointer, or called back by what it calls.
    pub fn targets(&self, call: InstId) -> impl Iterator<Item = FuncId> + '_ {
        self.call_targets(call).iter().map(|t| t.1)
    }

    /// As [`PointsTo::targets`], each with its call and whether an external function makes the call.
    pub fn call_targets(&self, call: InstId) -> &[(InstId, FuncId, bool)] {
        let from = self.targets.partition_point(|t| t.0 < call);
        let to = self.targets.partition_point(|t| t.0 <= call);
        &self.targets[from..to]
    }

    /// Every call with every function it can reach, by call.
    pub fn all_targets(&self) -> &[(InstId, FuncId, bool)] {
        &self.targets
    }
}

/// Address and size of the memory that an instruction itself loads or stores.
pub fn accessed(program: &Program, id: InstId) -> Option<(Operand, u32)> {
    let inst = program.inst(id);
    let operands = program.operands(id);
    let bytes = |ty: TypeId| program.ty(ty).size.min(u64::from(u32::MAX)) as u32;
    match inst.op {
        Op::Load { .. } => Some((operands[0], bytes(inst.ty))),
        Op::Store { .. } => Some((operands[1], stored_size(program, operands[0]))),
        Op::AtomicRmw { .. } => Some((operands[0], bytes(inst.ty))),
        Op::CmpXchg { .. } => Some((operands[0], stored_size(program, operands[2]))),
        _ => None,
    }
}

fn stored_size(program: &Program, value: Operand) -> u32 {
    let of = |ty: TypeId| program.ty(ty).size.min(u64::from(u32::MAX)) as u32;
    match value {
        Operand::Inst(id) => of(program.inst(id).ty),
        Operand::Arg { func, index } => program.func(func).params.get(index as usize).map_or(8, |p| of(p.ty)),
        Operand::Int { bits, .. } => bits.div_ceil(8),
        Operand::Const(c) => of(program.constant(c).ty),
        Operand::Undef(ty) => of(ty),
        _ => 8,
    }
}

/// Turns the solver's nodes into stored sets.
struct Collector {
    solver: Solver,
    clones: Clones,
    index: FxHashMap<SparseSet, u32>,
    sets: Vec<SparseSet>,
}

impl Collector {
    fn collect(mut self, mut generator: Generator) -> PointsTo {
        let program = generator.program;
        self.intern(SparseSet::default());
        let insts = program.inst_ids().map(|id| self.of_operand(&mut generator, Operand::Inst(id))).collect();
        let mut first_param = Vec::new();
        let mut params = Vec::new();
        for func in program.func_ids() {
            first_param.push(params.len() as u32);
            for index in 0..program.func(func).params.len() as u32 {
                params.push(self.of_operand(&mut generator, Operand::Arg { func, index }));
            }
        }
        first_param.push(params.len() as u32);
        let globals =
            program.global_ids().map(|g| self.of_operand(&mut generator, Operand::Global(g))).collect();
        let functions =
            program.func_ids().map(|f| self.of_operand(&mut generator, Operand::Func(f))).collect();
        let consts = self.consts(&mut generator);
        let mut targets = std::mem::take(&mut generator.targets);
        targets.sort_unstable();
        targets.dedup();
        let mut unknown_functions: Vec<FuncId> = generator.unknown.keys().copied().collect();
        unknown_functions.sort_unstable();
        let unknown_reach = unknown_functions.iter().map(|f| self.of_node(generator.unknown[f])).collect();
        let contents = (0..self.solver.cells.cells.len() as u32)
            .map(|c| {
                let content = self.solver.content(CellId(c));
                self.intern(content)
            })
            .collect();
        let wrappers = program.defined_functions().filter(|f| generator.wrappers.get(*f).is_some()).collect();
        let statistics = Statistics {
            nodes: self.solver.graph.len(),
            merged: self.solver.graph.merged,
            edges: self.solver.graph.edge_count(),
            waves: self.solver.waves,
            largest_set: self.sets.iter().map(SparseSet::len).max().unwrap_or(0),
        };
        PointsTo {
            objects: self.solver.cells.objects,
            cells: self.solver.cells.cells,
            sets: self.sets,
            insts,
            first_param,
            params,
            globals,
            functions,
            consts,
            targets,
            contents,
            unknown_functions,
            unknown_reach,
            wrappers,
            statistics,
        }
    }

    fn consts(&mut self, generator: &mut Generator) -> Vec<(ConstId, u32)> {
        let mut found = Vec::new();
        for index in 0..generator.program.consts.len() {
            let id = ConstId::from_index(index);
            let set = self.of_operand(generator, Operand::Const(id));
            if set != 0 {
                found.push((id, set));
            }
        }
        found
    }

    fn of_operand(&mut self, generator: &mut Generator, operand: Operand) -> u32 {
        match generator.value(&mut self.solver, operand) {
            Val::Nothing => 0,
            Val::Cells(cells) => self.intern_with_clones(cells.into_iter().map(|c| c.0).collect()),
            Val::Node(node) => self.of_node(node),
        }
    }

    fn of_node(&mut self, node: NodeId) -> u32 {
        let node = self.solver.graph.representative(node) as usize;
        if self.solver.graph.points_to[node].is_empty() {
            return 0;
        }
        let set = self.solver.graph.points_to[node].clone();
        self.intern_with_clones(set)
    }

    fn intern_with_clones(&mut self, mut set: SparseSet) -> u32 {
        self.clones.add(&mut self.solver.cells, &mut set);
        self.intern(set)
    }

    fn intern(&mut self, set: SparseSet) -> u32 {
        if let Some(&id) = self.index.get(&set) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.index.insert(set, id);
        id
    }
}
