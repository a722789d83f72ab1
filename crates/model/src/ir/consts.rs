//! Operands, constants and address computations.

use super::ids::*;
use super::inst::{BinaryOp, CastOp};
use super::types::FloatKind;
use serde::{Deserialize, Serialize};

/// What an instruction or a constant refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operand {
    /// The result of an instruction.
    Inst(InstId),
    Arg {
        func: FuncId,
        index: u32,
    },
    /// Of up to 64 bits, zero-extended.
    Int {
        bits: u32,
        value: u64,
    },
    Null,
    /// Undefined, or poison.
    Undef(TypeId),
    /// The address of a global variable.
    Global(GlobalId),
    /// The address of a function.
    Func(FuncId),
    /// Any other constant.
    Const(ConstId),
    Asm(AsmId),
    /// Metadata as an argument of an intrinsic: no value of the program.
    Metadata,
}

/// A constant that does not fit an [`Operand`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Const {
    pub ty: TypeId,
    pub kind: ConstKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ConstKind {
    /// An integer of more than 64 bits; more than 128 are cut off.
    Wide(u128),
    /// The value as a double's bits; `exact` is false where a double cannot hold it.
    Float {
        kind: FloatKind,
        bits: u64,
        exact: bool,
    },
    /// All bytes are zero.
    Zero,
    /// An array of bytes.
    Bytes(#[serde(with = "bytes")] Vec<u8>),
    /// Elements of a structure, array or vector.
    Aggregate(Vec<Operand>),
    /// Address computation; operands as of a `getelementptr`.
    Gep {
        gep: GepId,
        operands: Vec<Operand>,
    },
    Cast {
        op: CastOp,
        operand: Operand,
    },
    Binary {
        op: BinaryOp,
        operands: [Operand; 2],
    },
    /// A constant expression of another kind (on vectors).
    Other(Vec<Operand>),
    BlockAddress(BlockId),
    /// Address of something that is no variable and no function of the program: an `ifunc` by name.
    Symbol(String),
}

impl ConstKind {
    /// What the constant refers to.
    pub fn operands(&self) -> &[Operand] {
        match self {
            ConstKind::Aggregate(operands) | ConstKind::Gep { operands, .. } | ConstKind::Other(operands) => {
                operands
            }
            ConstKind::Cast { operand, .. } => std::slice::from_ref(operand),
            ConstKind::Binary { operands, .. } => operands,
            _ => &[],
        }
    }
}

/// Where an address computation leads: base + `offset` + the sum of operand × scale over `terms`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gep {
    /// Type in steps of which the indices count.
    pub source: TypeId,
    /// Type of what the result points to.
    pub result: TypeId,
    pub inbounds: bool,
    /// Bytes that all constant indices add.
    pub offset: i64,
    pub terms: Vec<GepTerm>,
    /// One step for each index.
    pub path: Vec<PathStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GepTerm {
    /// Which operand of the instruction (0 is the base).
    pub operand: u32,
    /// Bytes for each unit of it.
    pub scale: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathStep {
    Field(u32),
    /// Element of an array or vector, or a step of the base pointer; none where the index varies.
    Index(Option<i64>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asm {
    pub text: String,
    pub constraints: String,
    pub side_effects: bool,
}

/// How a name is seen by the linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Linkage {
    External,
    /// Not seen outside its file.
    Internal,
    /// Another definition may win.
    Weak,
    /// A tentative definition.
    Common,
    /// Appended to others of its name (`llvm.used`, constructors).
    Appending,
}

/// Bytes as one run, not as a sequence of numbers.
mod bytes {
    use serde::de::Visitor;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bytes(bytes)
    }

    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E>(self, v: &[u8]) -> Result<Vec<u8>, E> {
            Ok(v.to_vec())
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u8>, D::Error> {
        d.deserialize_bytes(Bytes)
    }
}
