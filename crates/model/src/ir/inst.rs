//! Instructions: every opcode of LLVM 19.
//!
//! Always holds: operands of an instruction stand in one range of `Program::operands`, in the order that each variant of
//! [`Op`] says; successors stand in the block, not in the operands.

use super::ids::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inst {
    pub op: Op,
    /// Type of the result.
    pub ty: TypeId,
    pub block: BlockId,
    /// Range in `Program::operands`; read with `Program::operands`.
    pub(crate) operands: (u32, u32),
    pub loc: Option<LocId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// Operands: left, right.
    Binary(BinaryOp),
    FNeg,
    Cast(CastOp),
    ICmp(IntPredicate),
    FCmp(FloatPredicate),
    /// Operand: number of elements.
    Alloca {
        allocated: TypeId,
    },
    /// Operand: address.
    Load {
        volatile: bool,
        atomic: bool,
    },
    /// Operands: value, address.
    Store {
        volatile: bool,
        atomic: bool,
    },
    /// Operands: base, indices.
    Gep(GepId),
    /// Operands: values, in the order of `Program::incoming`.
    Phi {
        incoming: u32,
    },
    /// Operands: condition, value if true, value if false.
    Select,
    /// Operands: arguments; then the called pointer, if the call is indirect.
    Call {
        callee: Callee,
        signature: TypeId,
        flags: CallFlags,
    },
    /// As a call; successors: normal, unwind.
    Invoke {
        callee: Callee,
        signature: TypeId,
        flags: CallFlags,
    },
    /// As a call (`asm goto`); successors: default, indirect ones.
    CallBr {
        callee: Callee,
        signature: TypeId,
        flags: CallFlags,
    },
    /// One successor.
    Br,
    /// Operand: condition; successors: if true, if false.
    CondBr,
    /// Operands: condition, case values; successors: default, cases.
    Switch,
    /// Operand: address of a block; successors: all possible ones.
    IndirectBr,
    /// Operand: value, if any.
    Ret,
    Unreachable,
    /// Operand: aggregate. `index` is the first of `depth` indices in `Program::indices`.
    ExtractValue {
        index: u32,
        depth: u32,
    },
    /// Operands: aggregate, element.
    InsertValue {
        index: u32,
        depth: u32,
    },
    /// Operands: vector, index.
    ExtractElement,
    /// Operands: vector, element, index.
    InsertElement,
    /// Operands: two vectors; lanes in `Program::indices`, [`UNKNOWN_LANE`] for an undefined one.
    ShuffleVector {
        index: u32,
        lanes: u32,
    },
    /// Operands: address, expected, new.
    CmpXchg {
        volatile: bool,
    },
    /// Operands: address, value.
    AtomicRmw {
        op: RmwOp,
        volatile: bool,
    },
    Fence,
    Freeze,
    /// Operand: address of the list.
    VaArg,
    LandingPad,
    Resume,
    CatchPad,
    CatchRet,
    CatchSwitch,
    CleanupPad,
    CleanupRet,
}

/// An undefined lane of a shuffle.
pub const UNKNOWN_LANE: u32 = u32::MAX;

impl Op {
    pub fn is_terminator(self) -> bool {
        use Op::*;
        matches!(
            self,
            Br | CondBr
                | Switch
                | IndirectBr
                | Ret
                | Unreachable
                | Resume
                | CatchRet
                | CatchSwitch
                | CleanupRet
        ) || matches!(self, Invoke { .. } | CallBr { .. })
    }

    /// Callee, signature and flags of a call of any kind.
    pub fn call(self) -> Option<(Callee, TypeId, CallFlags)> {
        match self {
            Op::Call { callee, signature, flags }
            | Op::Invoke { callee, signature, flags }
            | Op::CallBr { callee, signature, flags } => Some((callee, signature, flags)),
            _ => None,
        }
    }
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    /// A function that LLVM knows the meaning of (`llvm.memcpy…`).
    Intrinsic(FuncId),
    /// Through the last operand.
    Indirect,
    Asm(AsmId),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFlags {
    /// Said at the call or of the callee.
    pub noreturn: bool,
    pub returns_twice: bool,
    pub must_tail: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    FpTrunc,
    FpExt,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    /// On floating-point numbers, or with a bound.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl IntPredicate {
    /// The predicate that holds exactly where this one does not.
    pub fn negated(self) -> Self {
        use IntPredicate::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Ugt => Ule,
            Uge => Ult,
            Ult => Uge,
            Ule => Ugt,
            Sgt => Sle,
            Sge => Slt,
            Slt => Sge,
            Sle => Sgt,
        }
    }

    /// The predicate with its sides exchanged.
    pub fn swapped(self) -> Self {
        use IntPredicate::*;
        match self {
            Eq | Ne => self,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            Sgt => Slt,
            Sge => Sle,
            Slt => Sgt,
            Sle => Sge,
        }
    }

    /// Does it hold for two zero-extended numbers of `bits` (at most 64) bits?
    pub fn holds(self, bits: u32, a: u64, b: u64) -> bool {
        use IntPredicate::*;
        let unused = 64 - bits.clamp(1, 64);
        let (s, t) = ((a << unused) as i64, (b << unused) as i64);
        let (a, b) = (a << unused, b << unused);
        match self {
            Eq => a == b,
            Ne => a != b,
            Ugt => a > b,
            Uge => a >= b,
            Ult => a < b,
            Ule => a <= b,
            Sgt => s > t,
            Sge => s >= t,
            Slt => s < t,
            Sle => s <= t,
        }
    }
}

/// Ordered (`O`) predicates are false, unordered (`U`) ones true, where an operand is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}
