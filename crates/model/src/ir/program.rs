//! The whole program, and simple questions to it.

use super::consts::*;
use super::debug::*;
use super::ids::*;
use super::inst::{Callee, Inst, Op};
use super::types::{Type, TypeKind};
use crate::stored;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Functions with a body first (`defined` of them), in module order; then declarations.
    pub functions: Vec<Function>,
    pub defined: u32,
    pub blocks: Vec<Block>,
    pub insts: Vec<Inst>,
    pub globals: Vec<Global>,
    pub types: Vec<Type>,
    pub files: Vec<String>,
    pub consts: Vec<Const>,
    pub geps: Vec<Gep>,
    pub asms: Vec<Asm>,
    pub locs: Vec<Loc>,
    pub debug_types: Vec<DebugType>,
    pub variables: Vec<Variable>,
    /// In the order of `at`.
    pub bindings: Vec<Binding>,
    /// Variables that live in (allocas) or are (other instructions) an instruction's result; by instruction.
    pub inst_vars: Vec<(InstId, VarId)>,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,
    /// Successors of all blocks.
    pub successors: Vec<BlockId>,
    /// Blocks that the values of phis come from.
    pub incoming: Vec<BlockId>,
    /// Indices of `extractvalue` and `insertvalue`, lanes of shuffles.
    pub indices: Vec<u32>,
    /// Functions that run before `main` and after it.
    pub constructors: Vec<FuncId>,
    pub destructors: Vec<FuncId>,
    pub has_debug_info: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// As the linker sees it.
    pub name: String,
    /// As in the source, where it differs (static functions of one name in several files are renamed when linked).
    pub source_name: Option<String>,
    pub blocks: IdRange<BlockId>,
    pub insts: IdRange<InstId>,
    pub ty: TypeId,
    pub params: Vec<Param>,
    pub linkage: Linkage,
    pub attributes: Attributes,
    /// Its address is used other than in a direct call.
    pub address_taken: bool,
    /// LLVM knows its meaning.
    pub intrinsic: bool,
    pub file: Option<FileId>,
    /// Line of the declaration; 0 if not known.
    pub line: u32,
    /// Last line that an instruction of it has in its file; 0 if not known.
    pub end_line: u32,
    pub debug: Option<DebugTypeId>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    pub name: Option<String>,
    pub ty: TypeId,
    /// Passed as a copy in memory: the argument is an address of something of this type.
    pub byval: Option<TypeId>,
    pub debug: Option<DebugTypeId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    pub noreturn: bool,
    pub returns_twice: bool,
    pub variadic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub func: FuncId,
    pub insts: IdRange<InstId>,
    pub(crate) successors: (u32, u32),
    /// First line that an instruction of it has; 0 if none.
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub source_name: Option<String>,
    /// Type of what is stored there.
    pub ty: TypeId,
    /// None: defined elsewhere.
    pub initialiser: Option<Operand>,
    pub linkage: Linkage,
    pub constant: bool,
    pub thread_local: bool,
    pub file: Option<FileId>,
    pub line: u32,
    pub debug: Option<DebugTypeId>,
}

impl Global {
    /// Defined outside the program.
    pub fn external(&self) -> bool {
        self.initialiser.is_none()
    }
}

impl Function {
    pub fn is_defined(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub fn entry(&self) -> Option<BlockId> {
        self.blocks.first()
    }

    /// As a reader of the source knows it.
    pub fn display_name(&self) -> &str {
        self.source_name.as_deref().unwrap_or(&self.name)
    }
}

/// A hash of the sources of this crate: what another state of it has stored may mean something else.
pub const FORMAT: &str = env!("PARALLAX_MODEL");

/// A stored model that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("a stored program model cannot be read ({0}): remove it, and it will be made again")]
pub struct StoredError(String);

impl StoredError {
    pub(crate) fn new(reason: &str) -> Self {
        StoredError(reason.into())
    }
}

impl Program {
    pub fn func(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    pub fn inst(&self, id: InstId) -> &Inst {
        &self.insts[id.index()]
    }

    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    pub fn constant(&self, id: ConstId) -> &Const {
        &self.consts[id.index()]
    }

    pub fn gep(&self, id: GepId) -> &Gep {
        &self.geps[id.index()]
    }

    pub fn file(&self, id: FileId) -> &str {
        &self.files[id.index()]
    }

    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    pub fn debug_type(&self, id: DebugTypeId) -> &DebugType {
        &self.debug_types[id.index()]
    }

    /// Functions with a body, in module order.
    pub fn defined_functions(&self) -> impl DoubleEndedIterator<Item = FuncId> + ExactSizeIterator {
        (0..self.defined).map(FuncId)
    }

    pub fn func_ids(&self) -> impl DoubleEndedIterator<Item = FuncId> + ExactSizeIterator {
        (0..self.functions.len() as u32).map(FuncId)
    }

    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    pub fn inst_ids(&self) -> impl DoubleEndedIterator<Item = InstId> + ExactSizeIterator {
        (0..self.insts.len() as u32).map(InstId)
    }

    pub fn global_ids(&self) -> impl DoubleEndedIterator<Item = GlobalId> + ExactSizeIterator {
        (0..self.globals.len() as u32).map(GlobalId)
    }

    pub fn operands(&self, id: InstId) -> &[Operand] {
        let (start, len) = self.inst(id).operands;
        &self.operands[start as usize..][..len as usize]
    }

    /// In the order of the terminator; one block may occur several times.
    pub fn successors(&self, id: BlockId) -> &[BlockId] {
        let (start, len) = self.block(id).successors;
        &self.successors[start as usize..][..len as usize]
    }

    /// The blocks that the operands of a phi come from, in order; empty for anything else.
    pub fn phi_blocks(&self, id: InstId) -> &[BlockId] {
        match self.inst(id).op {
            Op::Phi { incoming } => &self.incoming[incoming as usize..][..self.operands(id).len()],
            _ => &[],
        }
    }

    /// Indices of an `extractvalue` or `insertvalue`, lanes of a shuffle.
    pub fn inst_indices(&self, id: InstId) -> &[u32] {
        match self.inst(id).op {
            Op::ExtractValue { index, depth } | Op::InsertValue { index, depth } => {
                &self.indices[index as usize..][..depth as usize]
            }
            Op::ShuffleVector { index, lanes } => &self.indices[index as usize..][..lanes as usize],
            _ => &[],
        }
    }

    /// Arguments of a call, without the called pointer.
    pub fn call_arguments(&self, id: InstId) -> &[Operand] {
        let operands = self.operands(id);
        match self.inst(id).op.call() {
            Some((Callee::Indirect, ..)) => &operands[..operands.len() - 1],
            Some(_) => operands,
            None => &[],
        }
    }

    /// The pointer that an indirect call goes through.
    pub fn called_pointer(&self, id: InstId) -> Option<Operand> {
        matches!(self.inst(id).op.call()?.0, Callee::Indirect).then(|| self.operands(id).last().copied())?
    }

    pub fn func_of(&self, id: InstId) -> FuncId {
        self.block(self.inst(id).block).func
    }

    /// Every block of a loaded program ends with a terminator.
    pub fn terminator(&self, id: BlockId) -> InstId {
        InstId(self.block(id).insts.end - 1)
    }

    pub fn loc(&self, id: InstId) -> Option<&Loc> {
        self.inst(id).loc.map(|l| &self.locs[l.index()])
    }

    /// The variable that an instruction's result is, or that lives at it.
    pub fn variable_of(&self, id: InstId) -> Option<VarId> {
        let at = self.inst_vars.binary_search_by_key(&id, |e| e.0).ok()?;
        Some(self.inst_vars[at].1)
    }

    /// By the linker's name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name).map(FuncId::from_index)
    }

    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals.iter().position(|g| g.name == name).map(GlobalId::from_index)
    }

    /// Result and parameters of a function's type.
    pub fn signature(&self, ty: TypeId) -> Option<(TypeId, &[TypeId], bool)> {
        match &self.ty(ty).kind {
            TypeKind::Func { result, params, variadic } => Some((*result, params, *variadic)),
            _ => None,
        }
    }

    /// Width of an integer or pointer of at most 64 bits; none for anything else.
    pub fn operand_bits(&self, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Int { bits, .. } => Some(bits),
            Operand::Null | Operand::Global(_) | Operand::Func(_) => Some(u64::BITS),
            Operand::Inst(i) => self.type_bits(self.inst(i).ty),
            Operand::Arg { func, index } => self.type_bits(self.func(func).params.get(index as usize)?.ty),
            Operand::Undef(ty) => self.type_bits(ty),
            Operand::Const(c) => self.type_bits(self.constant(c).ty),
            Operand::Asm(_) | Operand::Metadata => None,
        }
    }

    fn type_bits(&self, ty: TypeId) -> Option<u32> {
        match self.ty(ty).kind {
            TypeKind::Int { bits } if bits <= u64::BITS => Some(bits),
            TypeKind::Ptr => Some(u64::BITS),
            _ => None,
        }
    }

    /// Typedefs and qualifiers taken off.
    pub fn underlying(&self, mut id: DebugTypeId) -> DebugTypeId {
        // A chain of typedefs is no longer than there are types; the bound keeps damaged metadata from looping.
        for _ in 0..self.debug_types.len() {
            match self.debug_type(id) {
                DebugType::Typedef { to: Some(to), .. } | DebugType::Qualified { to: Some(to), .. } => {
                    id = *to
                }
                _ => break,
            }
        }
        id
    }

    /// Name of the member of a structure at a byte offset (`a.b` for nested ones), as the source has it.
    pub fn member_name(&self, structure: DebugTypeId, offset: u64) -> Option<String> {
        let mut path: Vec<&str> = Vec::new();
        let (mut ty, mut offset) = (structure, offset);
        // Structures nest, so each step goes to a smaller one; the bound is for damaged metadata.
        for _ in 0..self.debug_types.len() {
            let DebugType::Struct { members, .. } = self.debug_type(self.underlying(ty)) else { break };
            let holds =
                |m: &&Member| (m.offset_bits / 8..(m.offset_bits + m.bits).div_ceil(8)).contains(&offset);
            let Some(member) = members.iter().find(holds) else { break };
            if !member.name.is_empty() {
                path.push(&member.name);
            }
            offset -= member.offset_bits / 8;
            match member.ty {
                Some(inner) => ty = inner,
                None => break,
            }
        }
        (!path.is_empty()).then(|| path.join("."))
    }

    /// For a cache: [`Program::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        stored::to_bytes(self)
    }

    /// Only what the same state of this crate has written is read.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, StoredError> {
        stored::from_bytes(bytes)
    }
}
