//! What the debug information says: places, source types, variables.

use super::consts::Operand;
use super::ids::*;
use serde::{Deserialize, Serialize};

/// A source place. Line 0 means that the compiler made the code up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Loc {
    pub file: FileId,
    pub line: u32,
    pub col: u32,
    /// The call that this code was inlined at.
    pub inlined_at: Option<LocId>,
}

/// A type of the source language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DebugType {
    Base {
        name: String,
        bits: u64,
    },
    Pointer {
        to: Option<DebugTypeId>,
    },
    Struct {
        name: Option<String>,
        bytes: u64,
        union: bool,
        members: Vec<Member>,
    },
    Array {
        element: Option<DebugTypeId>,
        bytes: u64,
    },
    Enum {
        name: Option<String>,
        bits: u64,
        values: Vec<Enumerator>,
    },
    Typedef {
        name: String,
        to: Option<DebugTypeId>,
    },
    /// `const`, `volatile`, `restrict`, `_Atomic`.
    Qualified {
        constant: bool,
        to: Option<DebugTypeId>,
    },
    /// Result first; a missing one is `void`.
    Func {
        types: Vec<Option<DebugTypeId>>,
    },
    /// Declared only, or of another language.
    Other {
        name: Option<String>,
    },
}

/// A member of a structure or union.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Empty for an anonymous structure or union.
    pub name: String,
    pub ty: Option<DebugTypeId>,
    pub offset_bits: u64,
    pub bits: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Enumerator {
    pub name: String,
    pub value: i64,
}

/// A local variable or parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub ty: Option<DebugTypeId>,
    /// The function in whose code it is found (after inlining, not always the one that declares it).
    pub func: FuncId,
    /// Which parameter it is, from 0, of the function that declares it.
    pub arg: Option<u32>,
    pub file: Option<FileId>,
    pub line: u32,
}

/// From here on, a variable has this value, or lives at this address.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    pub var: VarId,
    pub value: Operand,
    pub kind: BindingKind,
    /// The instruction before which this begins to hold.
    pub at: InstId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingKind {
    /// The operand is the variable's address.
    Address,
    /// The operand is the variable's value.
    Value,
    /// The value is computed from the operand, or is a part of the variable.
    Derived,
}
