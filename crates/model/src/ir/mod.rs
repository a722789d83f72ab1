//! The program model: plain data with dense ids.
//!
//! In: what the loader found. Out: [`Program`], which every analysis reads.
//!
//! Always holds: ids index the vectors of [`Program`]. Functions with a body come first, in module order; the
//! blocks of a function, and the instructions of a block, are contiguous ranges in module order, so ids compare
//! as places in the program do. Debug intrinsics are no instructions.

mod consts;
mod debug;
mod ids;
mod inst;
mod program;
mod types;

pub use consts::{Asm, Const, ConstKind, Gep, GepTerm, Linkage, Operand, PathStep};
pub use debug::{Binding, BindingKind, DebugType, Enumerator, Loc, Member, Variable};
pub use ids::*;
pub use inst::{
    BinaryOp, CallFlags, Callee, CastOp, FloatPredicate, Inst, IntPredicate, Op, RmwOp, UNKNOWN_LANE,
};
pub use program::{Attributes, Block, Function, Global, Param, Program, StoredError, FORMAT};
pub use types::{Field, FloatKind, StructType, Type, TypeKind};
