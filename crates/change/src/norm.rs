//! Normal forms: what an instruction, constant, type or global *is*, apart from names, numbers and places.
//!
//! In: a program, and what its functions and named globals are called for the comparison ([`Names`]). Out: hashes that are
//! equal in both versions exactly where the thing is the same.
//!
//! Always holds: source places, names of locals and types, and the numbering of anything do not enter a hash. String
//! literals and other constants without a name count by their content.

use parallax_model::*;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The arguments of these calls say where in the source they stand and what the source looks like there: no change.
const SOURCE_TELLERS: [&str; 4] = ["__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn"];
/// Constants nest no deeper than this in C; the bound keeps hostile bitcode from exhausting the stack.
const MAX_DEPTH: u32 = 64;

/// What functions and globals are called: the same number on both sides means the same thing.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub functions: Vec<u64>,
    pub globals: Vec<u64>,
}

impl Names {
    /// By name alone: what there is before anything is matched.
    pub fn by_name(program: &Program) -> Names {
        Names {
            functions: program.functions.iter().map(|f| hash(&("function", f.display_name()))).collect(),
            globals: program
                .globals
                .iter()
                .map(|g| hash(&("global", g.source_name.as_ref().unwrap_or(&g.name))))
                .collect(),
        }
    }
}

/// Hashes any value.
pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// How the names of literals and of what the compiler makes up begin.
const LITERALS: [&str; 6] =
    [".", "__const.", "__func__.", "__FUNCTION__.", "__PRETTY_FUNCTION__.", "switch.table"];

/// A constant that the source gives no name (a string): it is what it holds.
pub fn is_anonymous(program: &Program, global: GlobalId) -> bool {
    let g = program.global(global);
    let literal = LITERALS.iter().any(|start| g.name.starts_with(start));
    g.constant && g.linkage == Linkage::Internal && literal && g.initialiser.is_some()
}

fn type_hashes(program: &Program) -> Vec<u64> {
    let mut known = vec![None; program.types.len()];
    (0..program.types.len()).map(|i| type_hash(program, TypeId::from_index(i), &mut known, 0)).collect()
}

fn type_hash(program: &Program, id: TypeId, known: &mut Vec<Option<u64>>, depth: u32) -> u64 {
    if let Some(known) = known[id.index()] {
        return known;
    }
    if depth > MAX_DEPTH {
        return 0;
    }
    let ty = program.ty(id);
    let mut inner = |id: &TypeId| type_hash(program, *id, known, depth + 1);
    let result = match &ty.kind {
        TypeKind::Void => hash(&0),
        TypeKind::Int { bits } => hash(&(1, bits)),
        TypeKind::Float(kind) => hash(&(2, *kind as u8)),
        TypeKind::Ptr => hash(&3),
        TypeKind::Struct(s) => {
            let fields: Vec<_> = s.fields.iter().map(|f| (inner(&f.ty), f.offset)).collect();
            hash(&(4, fields, ty.size))
        }
        TypeKind::Array { element, len } => hash(&(5, inner(element), len)),
        TypeKind::Vector { element, len, scalable } => hash(&(6, inner(element), len, scalable)),
        TypeKind::Func { result, params, variadic } => {
            let params: Vec<_> = params.iter().map(&mut inner).collect();
            hash(&(7, inner(result), params, variadic))
        }
        TypeKind::Label => hash(&8),
        TypeKind::Token => hash(&9),
        TypeKind::Metadata => hash(&10),
        TypeKind::Other => hash(&11),
    };
    known[id.index()] = Some(result);
    result
}

/// One program, ready to be hashed.
pub struct Norm<'p> {
    pub program: &'p Program,
    pub names: Names,
    types: Vec<u64>,
    consts: Vec<u64>,
    /// Content of globals; for anonymous ones also their identity.
    contents: Vec<u64>,
}

impl<'p> Norm<'p> {
    pub fn new(program: &'p Program, names: Names) -> Norm<'p> {
        let mut norm = Norm { program, names, types: Vec::new(), consts: Vec::new(), contents: Vec::new() };
        norm.types = type_hashes(program);
        norm.contents = program.global_ids().map(|g| norm.content_hash(g, 0)).collect();
        norm.consts = program.consts.iter().map(|c| norm.const_hash(c, 0)).collect();
        norm
    }

    pub fn ty(&self, id: TypeId) -> u64 {
        self.types[id.index()]
    }

    /// Type and first value of a global.
    pub fn content(&self, id: GlobalId) -> u64 {
        self.contents[id.index()]
    }

    fn content_hash(&self, id: GlobalId, depth: u32) -> u64 {
        let g = self.program.global(id);
        let value = g.initialiser.map(|i| self.constant(i, depth + 1));
        hash(&("content", self.types[g.ty.index()], value, g.thread_local))
    }

    fn const_hash(&self, c: &Const, depth: u32) -> u64 {
        if depth > MAX_DEPTH {
            return 0;
        }
        let ty = self.types[c.ty.index()];
        let all = |operands: &[Operand]| -> Vec<u64> {
            operands.iter().map(|o| self.constant(*o, depth + 1)).collect()
        };
        match &c.kind {
            ConstKind::Wide(value) => hash(&(0, ty, value)),
            ConstKind::Float { kind, bits, exact } => hash(&(1, ty, *kind as u8, bits, exact)),
            ConstKind::Zero => hash(&(2, ty)),
            ConstKind::Bytes(bytes) => hash(&(3, ty, bytes)),
            ConstKind::Aggregate(elements) => hash(&(4, ty, all(elements))),
            ConstKind::Gep { gep, operands } => hash(&(5, self.gep(*gep), all(operands))),
            ConstKind::Cast { op, operand } => hash(&(6, ty, op, self.constant(*operand, depth + 1))),
            ConstKind::Binary { op, operands } => hash(&(7, ty, op, all(operands))),
            ConstKind::Other(operands) => hash(&(10, ty, all(operands))),
            ConstKind::BlockAddress(block) => {
                let func = self.program.block(*block).func;
                hash(&(11, self.names.functions[func.index()]))
            }
            ConstKind::Symbol(name) => hash(&(12, name)),
        }
    }

    /// An operand that is no value computed at run time. Values are all alike here.
    fn constant(&self, operand: Operand, depth: u32) -> u64 {
        match operand {
            Operand::Inst(_) => hash(&0),
            Operand::Arg { index, .. } => hash(&(1, index)),
            Operand::Int { bits, value } => hash(&(2, bits, value)),
            Operand::Null => hash(&3),
            Operand::Undef(_) => hash(&4),
            Operand::Global(g) if is_anonymous(self.program, g) => match self.contents.get(g.index()) {
                Some(content) => *content,
                None if depth > MAX_DEPTH => 0,
                None => self.content_hash(g, depth),
            },
            Operand::Global(g) => hash(&(5, self.names.globals[g.index()])),
            Operand::Func(f) => hash(&(6, self.names.functions[f.index()])),
            Operand::Const(c) => match self.consts.get(c.index()) {
                Some(known) => *known,
                None => self.const_hash(self.program.constant(c), depth),
            },
            Operand::Asm(asm) => {
                let asm = &self.program.asms[asm.index()];
                hash(&(7, &asm.text, &asm.constraints, asm.side_effects))
            }
            Operand::Metadata => hash(&8),
        }
    }

    /// An operand by itself; results of instructions are all alike.
    pub fn operand(&self, operand: Operand) -> u64 {
        self.constant(operand, 0)
    }

    /// Where an address computation leads, whatever type it is written with.
    fn gep(&self, id: GepId) -> u64 {
        let gep = self.program.gep(id);
        let terms: Vec<_> = gep.terms.iter().map(|t| (t.operand, t.scale)).collect();
        hash(&(gep.offset, terms))
    }

    /// An instruction without what it computes from: opcode, type, and every operand that is no instruction.
    pub fn shallow(&self, id: InstId) -> u64 {
        if self.tells_source(id) {
            return hash(&("source", self.kind(id)));
        }
        let operands = self.program.operands(id);
        let immediate: Vec<u64> = match self.program.inst(id).op {
            // Indices are in the normal form of the computation; only those that vary are operands.
            Op::Gep(gep) => {
                let varying = self.program.gep(gep).terms.iter().map(|t| operands[t.operand as usize]);
                operands.first().copied().into_iter().chain(varying).map(|o| self.operand(o)).collect()
            }
            // In the order of the blocks that they come from, which is no order of the source.
            Op::Phi { .. } => {
                let mut values: Vec<u64> = operands.iter().map(|o| self.operand(*o)).collect();
                values.sort_unstable();
                values
            }
            Op::Alloca { .. } => Vec::new(),
            _ => operands.iter().map(|o| self.operand(*o)).collect(),
        };
        hash(&(self.detail(id), immediate))
    }

    /// Opcode and type alone: instructions that could be versions of each other.
    pub fn kind(&self, id: InstId) -> u64 {
        let inst = self.program.inst(id);
        let ty = self.types[inst.ty.index()];
        match inst.op {
            Op::Binary(_) => hash(&("binary", ty)),
            Op::ICmp(_) | Op::FCmp(_) => hash(&"compare"),
            Op::Cast(_) => hash(&("cast", ty)),
            Op::Gep(_) => hash(&"gep"),
            Op::Alloca { .. } => hash(&"alloca"),
            Op::Call { .. } | Op::Invoke { .. } | Op::CallBr { .. } => hash(&"call"),
            op => hash(&("op", std::mem::discriminant(&op), ty)),
        }
    }

    /// Everything of an instruction but its operands.
    fn detail(&self, id: InstId) -> u64 {
        let inst = self.program.inst(id);
        let ty = self.types[inst.ty.index()];
        let op = inst.op;
        let what = std::mem::discriminant(&op);
        match op {
            Op::Binary(o) => hash(&(what, ty, o)),
            Op::Cast(o) => hash(&(what, ty, o)),
            Op::ICmp(p) => hash(&(what, p)),
            Op::FCmp(p) => hash(&(what, p)),
            Op::Alloca { allocated } => hash(&(what, self.types[allocated.index()])),
            Op::Load { volatile, atomic } | Op::Store { volatile, atomic } => {
                hash(&(what, ty, volatile, atomic))
            }
            Op::Gep(gep) => hash(&(what, self.gep(gep))),
            Op::Call { callee, signature, .. }
            | Op::Invoke { callee, signature, .. }
            | Op::CallBr { callee, signature, .. } => {
                hash(&(what, self.callee(callee), self.types[signature.index()]))
            }
            Op::ExtractValue { .. } | Op::InsertValue { .. } | Op::ShuffleVector { .. } => {
                hash(&(what, ty, self.program.inst_indices(id)))
            }
            Op::CmpXchg { volatile } => hash(&(what, ty, volatile)),
            Op::AtomicRmw { op, volatile } => hash(&(what, ty, op as u8, volatile)),
            _ => hash(&(what, ty)),
        }
    }

    fn callee(&self, callee: Callee) -> u64 {
        match callee {
            Callee::Direct(f) => hash(&(0, self.names.functions[f.index()])),
            Callee::Intrinsic(f) => hash(&(1, &self.program.func(f).name)),
            Callee::Indirect => hash(&2),
            Callee::Asm(asm) => self.operand(Operand::Asm(asm)),
        }
    }

    /// Is everything but the operands the same?
    pub fn same_detail(&self, id: InstId, other: &Norm, other_id: InstId) -> bool {
        self.detail(id) == other.detail(other_id)
    }

    /// A call whose arguments only say where it stands.
    pub fn tells_source(&self, id: InstId) -> bool {
        match self.program.inst(id).op.call() {
            Some((Callee::Direct(f), ..)) => SOURCE_TELLERS.contains(&self.program.func(f).name.as_str()),
            _ => false,
        }
    }
}
