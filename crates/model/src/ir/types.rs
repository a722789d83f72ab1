//! Types of the IR, with sizes and offsets from the data layout.

use super::ids::{DebugTypeId, TypeId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Type {
    pub kind: TypeKind,
    /// Bytes between two of them in an array; 0 for what has no size (functions, void, opaque structures).
    pub size: u64,
    pub align: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TypeKind {
    Void,
    Int {
        bits: u32,
    },
    Float(FloatKind),
    Ptr,
    Struct(StructType),
    Array {
        element: TypeId,
        len: u64,
    },
    Vector {
        element: TypeId,
        len: u32,
        scalable: bool,
    },
    Func {
        result: TypeId,
        params: Vec<TypeId>,
        variadic: bool,
    },
    Label,
    Token,
    Metadata,
    /// A type of a target (matrix tiles and the like).
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FloatKind {
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructType {
    /// As in the IR (`struct.option`); none for a literal structure.
    pub name: Option<String>,
    pub fields: Vec<Field>,
    pub packed: bool,
    /// Declared, never defined.
    pub opaque: bool,
    /// The structure of the source with this name and layout.
    pub debug: Option<DebugTypeId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub ty: TypeId,
    /// Bytes from the start of the structure.
    pub offset: u64,
}
