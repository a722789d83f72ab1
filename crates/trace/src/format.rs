//! The shared-memory arena that one run writes and the engine reads without copying.
//!
//! One memory file per fork server:
//!
//! ```text
//! | Header | request | coverage | events | nodes | tables |
//! ```
//!
//! The engine fills in the offsets and capacities of the [`Header`] and the request; the run
//! appends to events, nodes and tables and bumps the counters *after* the bytes are in place, so
//! that a run killed at any moment leaves a readable arena.
//!
//! **Nodes** are a hash-consed, append-only table. A *label* is an index into it; label 0 means
//! "concrete". An operand of a node always has a smaller label than the node itself.
//!
//! **Events** are 16-byte records, some followed by a payload padded to 16 bytes.

/// First word of a valid arena.
pub const MAGIC: u64 = u64::from_le_bytes(*b"PARALLAX");
/// Changes whenever the layout changes; runtime and engine must agree.
pub const FORMAT_VERSION: u32 = 6;
/// Bytes reserved for the [`Header`] at the start of the arena.
pub const HEADER_BYTES: usize = 4096;
/// Size of an event record and the alignment of payloads.
pub const EVENT_BYTES: usize = 16;

/// A label: index of an expression node, 0 for "concrete".
pub type Label = u32;

/// What the instrumented program was built to record.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "engine", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "engine", serde(rename_all = "lowercase"))]
pub enum Mode {
    /// Which edges were taken (1 or 0), nothing else.
    Coverage = 0,
    /// Labels, branches, outputs, and how often edges were taken (up to 255, which is that often or more).
    Symbolic = 1,
    /// Every block, memory access, call and return, and nothing else (see [`crate::dependence`]).
    Dependence = 2,
}

/// First page of the arena. All fields little-endian, written in place.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "engine", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct Header {
    pub magic: u64,
    pub version: u32,
    pub _reserved: u32,

    // Set by the engine before the fork server starts. Offsets are from the start of the arena.
    pub request_offset: u64,
    pub request_capacity: u64,
    pub coverage_offset: u64,
    pub coverage_capacity: u64,
    pub events_offset: u64,
    pub events_capacity: u64,
    pub nodes_offset: u64,
    /// In nodes, not bytes.
    pub nodes_capacity: u64,
    pub tables_offset: u64,
    pub tables_capacity: u64,

    // Set by the engine before each run.
    pub request_len: u64,

    // Reset by the fork server before each run, written by the run.
    pub events_len: u64,
    /// Number of nodes including the unused node 0.
    pub nodes_len: u64,
    pub tables_len: u64,
    /// `FLAG_*` bits.
    pub flags: u32,
    /// Conditions whose value computed from the expression was not the value of the program.
    /// Such a condition is not recorded. Anything but 0 is a bug in Parallax, and is reported.
    pub inconsistent: u32,
    /// Labels dropped on load because memory had been changed by code without instrumentation.
    pub stale: u32,
    /// Events dropped because the events region was full.
    pub dropped_events: u32,

    // Dependence mode (see `dependence::records`): what fills the events region instead of events.
    /// Set by the engine: chunks are taken away while the program runs, so wait for a free one.
    pub chunk_stream: u32,
    /// Counts chunks that became full; the engine waits on it.
    pub chunk_full: u32,
    /// Counts chunks that the engine gave back; the run waits on it.
    pub chunk_freed: u32,
    pub _reserved_chunks: u32,
    /// Chunks taken so far, those given back included.
    pub chunks: u64,

    // Counted work (see [`EDGE_WORK`]).
    /// Set by the engine before each run: what the run may do; 0 for no limit.
    pub work_limit: u64,
    /// Counted down by the run, from the limit or from [`UNLIMITED_WORK`]: below 0 the run is over.
    pub work_left: i64,
}

/// The run reached its end (return from `main`, `exit`, `_exit`), as opposed to being killed.
pub const FLAG_FINISHED: u32 = 1 << 0;
/// The node table was full: later values are concrete.
pub const FLAG_NODES_FULL: u32 = 1 << 1;
/// The event region was full: later events are missing.
pub const FLAG_EVENTS_FULL: u32 = 1 << 2;
/// The table region was full: later symbolic reads were made concrete.
pub const FLAG_TABLES_FULL: u32 = 1 << 3;
/// A thread was started; what other threads compute is concrete.
pub const FLAG_THREADS: u32 = 1 << 4;
/// The program forked; children are not traced.
pub const FLAG_FORKED: u32 = 1 << 5;
/// `main` was entered.
pub const FLAG_STARTED: u32 = 1 << 6;
/// The run was ended because it had done as much work as it may.
pub const FLAG_WORK_DONE: u32 = 1 << 7;

/// Work is counted in edges of the program that are taken; an expression or an event of the trace costs as much as so many of them.
pub const EDGE_WORK: i64 = 1;
pub const RECORD_WORK: i64 = 16;
/// What is left of it at first where there is no limit.
pub const UNLIMITED_WORK: i64 = i64::MAX;
/// Where in the header the instrumented program finds what is left.
pub const WORK_LEFT_OFFSET: usize = std::mem::offset_of!(Header, work_left);

impl Header {
    /// The work that a run did after `main` was entered.
    pub fn work(&self) -> u64 {
        if self.flags & FLAG_STARTED == 0 {
            return 0;
        }
        let given = if self.work_limit == 0 { UNLIMITED_WORK } else { self.work_limit as i64 };
        given.saturating_sub(self.work_left).max(0) as u64
    }
}

/// One expression node: 24 bytes, operands are labels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "engine", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct Node {
    /// An [`Op`].
    pub op: u8,
    /// Width of the result in bits, 1 to 64.
    pub width: u8,
    pub _pad: u16,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Value of the node in this run, zero-extended; for [`Op::Const`] the constant.
    pub value: u64,
}

/// Operators. Bit-vector semantics of SMT-LIB, division by zero included
/// (`x udiv 0 = all ones`, `x urem 0 = x`, shifts by the width or more give 0 or the sign).
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// `value`, of `width` bits.
    Const = 1,
    /// Byte `b` of input `a` (index into the request's inputs); width 8. For arguments and
    /// environment variables `b` may be the length: the terminating NUL, which is 0 for every
    /// input that ends there, so that conditions on the length are conditions like any other.
    Input = 2,
    Add = 3,
    Sub = 4,
    Mul = 5,
    UDiv = 6,
    SDiv = 7,
    URem = 8,
    SRem = 9,
    Shl = 10,
    LShr = 11,
    AShr = 12,
    And = 13,
    Or = 14,
    Xor = 15,
    /// Comparisons have width 1; operands have equal widths.
    Eq = 16,
    Ne = 17,
    Ult = 18,
    Ule = 19,
    Slt = 20,
    Sle = 21,
    /// `a` extended to `width`.
    ZExt = 22,
    SExt = 23,
    /// Bits `b .. b + width` of `a` (`b` is a number, not a label).
    Extract = 24,
    /// `a` above `b`.
    Concat = 25,
    /// if `a` (width 1) then `b` else `c`.
    Ite = 26,
    /// Little-endian read of `width / 8` bytes at byte offset `a` (label, width 64) of table `b`
    /// (byte offset of a [`TableHeader`] in the tables region). A guard event bounds the offset.
    Read = 27,
    /// 1 if `a * b` overflows, unsigned; width 1.
    UMulOverflow = 28,
    /// 1 if `a * b` overflows, signed; width 1.
    SMulOverflow = 29,
    /// Upper half of `a * b` in twice the width, unsigned.
    UMulHigh = 30,
    /// Upper half of `a * b` in twice the width, signed.
    SMulHigh = 31,
    /// Operators on bit patterns of `float` (32 bits) and `double` (64); [`crate::float`] says what they mean. Arithmetic on
    /// two operands, comparisons of width 1 that are false on NaN.
    FAdd = 32,
    FSub = 33,
    FMul = 34,
    FDiv = 35,
    FRem = 36,
    FEq = 37,
    FLt = 38,
    FLe = 39,
    /// Conversions of `a`: between formats, from and to integers.
    FConvert = 40,
    FFromS = 41,
    FFromU = 42,
    FToS = 43,
    FToU = 44,
    /// Function number `b` of `a` (a [`crate::float::Math1`]).
    FMath1 = 45,
    /// Function number `c` of `a` and `b` (a [`crate::float::Math2`]).
    FMath2 = 46,
    /// `a * b + c`, rounded once.
    FFma = 47,
    /// What is nearest to `a` (64 bits, unsigned) times ten to the power of `b` (32 bits, signed): a decimal number that was read.
    FDecimal = 48,
    /// Byte `c` of the text that `printf` makes of the double `a` by [`crate::float::Spec`] `b`, 0 behind its end; width 8.
    FText = 49,
    /// How long that text is; width 32.
    FTextLen = 50,
}

impl Op {
    /// The operator with this number, if there is one.
    pub const fn from_u8(op: u8) -> Option<Op> {
        use Op::*;
        #[rustfmt::skip]
        const ALL: [Op; 50] = [
            Const, Input, Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor, Eq,
            Ne, Ult, Ule, Slt, Sle, ZExt, SExt, Extract, Concat, Ite, Read, UMulOverflow,
            SMulOverflow, UMulHigh, SMulHigh, FAdd, FSub, FMul, FDiv, FRem, FEq, FLt, FLe, FConvert, FFromS, FFromU,
            FToS, FToU, FMath1, FMath2, FFma, FDecimal, FText, FTextLen,
        ];
        if op >= 1 && op as usize <= ALL.len() {
            Some(ALL[op as usize - 1])
        } else {
            None
        }
    }

    /// The name in SMT-LIB of an operator with two operands and nothing else; `None` for the other operators.
    pub const fn smtlib(self) -> Option<&'static str> {
        Some(match self {
            Op::Add => "bvadd",
            Op::Sub => "bvsub",
            Op::Mul => "bvmul",
            Op::UDiv => "bvudiv",
            Op::SDiv => "bvsdiv",
            Op::URem => "bvurem",
            Op::SRem => "bvsrem",
            Op::Shl => "bvshl",
            Op::LShr => "bvlshr",
            Op::AShr => "bvashr",
            Op::And => "bvand",
            Op::Or => "bvor",
            Op::Xor => "bvxor",
            Op::Concat => "concat",
            Op::Eq => "=",
            Op::Ne => "distinct",
            Op::Ult => "bvult",
            Op::Ule => "bvule",
            Op::Slt => "bvslt",
            Op::Sle => "bvsle",
            _ => return None,
        })
    }

    /// The operator that has this name.
    pub fn from_smtlib(name: &str) -> Option<Op> {
        (1..=u8::MAX).map_while(Op::from_u8).find(|op| op.smtlib() == Some(name))
    }

    /// How many operands are labels: `a`, then `b`, then `c`. The rest are numbers.
    pub const fn arity(self) -> usize {
        match self {
            Op::Const | Op::Input => 0,
            Op::ZExt | Op::SExt | Op::Extract | Op::Read => 1,
            Op::FConvert | Op::FFromS | Op::FFromU | Op::FToS | Op::FToU => 1,
            Op::FMath1 | Op::FText | Op::FTextLen => 1,
            Op::Ite | Op::FFma => 3,
            _ => 2,
        }
    }

    /// Operators of [`crate::float`].
    pub const fn is_float(self) -> bool {
        self as u8 >= Op::FAdd as u8
    }

    /// Comparisons: to SMT-LIB their results are Booleans, here they are vectors of one bit.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle)
    }
}

/// In the tables region: a snapshot of an object that was read through a symbolic index.
/// Followed by `len` bytes of content, padded to 4, then, if `symbolic` is 1, `len` labels
/// (`u32`, 0 where the byte is concrete). Padded to 8.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "engine", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct TableHeader {
    pub len: u32,
    pub symbolic: u32,
    /// Address of the object in the run.
    pub address: u64,
}

/// An event record.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "engine", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct RawEvent {
    /// A `KIND_*`.
    pub kind: u8,
    pub flag: u8,
    pub aux: u16,
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

/// A conditional branch on a symbolic condition.
/// `flag`: direction taken (1 = the condition held), `x`: site, `y`: label of the condition
/// (width 1), `z`: hash of the calling context.
pub const KIND_BRANCH: u8 = 1;
/// A switch on a symbolic value. `x`: site, `y`: label of the value, `z`: context,
/// payload: one u32, the index of the case taken in the site's list, `u32::MAX` for the default.
pub const KIND_SWITCH: u8 = 2;
/// A condition that must hold for the path to stay the same although no branch shows it
/// (divisor not zero, shift amount small, index inside its table). Same fields as a branch;
/// `aux`: a `GUARD_*`.
pub const KIND_GUARD: u8 = 3;
/// A symbolic value was replaced by the value it had. `aux`: a `CONCRETE_*`, `x`: site,
/// `y`: label, `z`: context.
pub const KIND_CONCRETE: u8 = 4;
/// Symbolic data entered code without instrumentation. `x`: site, `y`: a label that was lost,
/// `z`: payload bytes, payload: name of the function.
pub const KIND_ESCAPE: u8 = 5;
/// The program looked past the end of input `x` (at offset `y`).
pub const KIND_END_OF_INPUT: u8 = 6;
/// Output. The exit status is an output of one byte to [`OUTPUT_EXIT`]. `flag`: 1 if the destination is a file rather than a standard stream, `x`: file
/// descriptor, `y`: number of bytes, `z`: site of the call in the program or 0,
/// payload: one u32 per byte: `OUTPUT_SYMBOLIC | label`, or the byte itself.
pub const KIND_OUTPUT: u8 = 7;
/// A watched instruction executed. `x`: site, `y`: label, `z`: context, payload: value as u64.
pub const KIND_WATCH: u8 = 8;
/// The program's option table as handed to getopt. `x`: 0 for getopt, 1 for getopt_long, 2 for
/// getopt_long_only, `z`: payload bytes. Payload: the short option string, then for each long
/// option `\n` and `name`, `\t`, has_arg digit, `\t`, decimal `val`.
pub const KIND_OPTIONS: u8 = 9;
/// Two strings were compared, at least one byte of which is symbolic: a token worth trying.
/// `x`: label of the first symbolic byte, `z`: payload bytes, payload: the concrete operand.
pub const KIND_COMPARE: u8 = 10;
/// Something worth telling: `x`: a `NOTE_*`.
pub const KIND_NOTE: u8 = 11;
/// A read of an input: `x`: input, `y`: offset, `z`: number of bytes.
pub const KIND_READ: u8 = 12;
/// The "descriptor" of the exit status.
pub const OUTPUT_EXIT: u32 = u32::MAX;
/// Set on an output payload word that holds a label; labels stay below it.
pub const OUTPUT_SYMBOLIC: u32 = 1 << 31;

pub const GUARD_DIVISOR: u16 = 1;
pub const GUARD_SHIFT: u16 = 2;
pub const GUARD_INDEX: u16 = 3;
/// The operands of a division of more than 64 bits fit into 64.
pub const GUARD_WIDTH: u16 = 4;

/// Reasons for making a value concrete.
pub const CONCRETE_STORE_ADDRESS: u16 = 1;
pub const CONCRETE_LOAD_ADDRESS: u16 = 2;
pub const CONCRETE_FLOAT: u16 = 3;
pub const CONCRETE_VECTOR: u16 = 4;
pub const CONCRETE_WIDE: u16 = 5;
pub const CONCRETE_ASM: u16 = 6;
pub const CONCRETE_ATOMIC: u16 = 7;
pub const CONCRETE_SIZE: u16 = 8;
pub const CONCRETE_CALL_TARGET: u16 = 9;
pub const CONCRETE_INTRINSIC: u16 = 10;
pub const CONCRETE_LIBC: u16 = 11;
pub const CONCRETE_OPAQUE: u16 = 12;

pub const NOTE_THREAD: u32 = 1;
pub const NOTE_FORK: u32 = 2;
pub const NOTE_SIGNAL: u32 = 3;
pub const NOTE_EXEC: u32 = 4;
pub const NOTE_INPUT_WRITTEN: u32 = 5;

/// Bytes a payload of `len` bytes takes in the events region.
pub const fn padded(len: usize) -> usize {
    (len + EVENT_BYTES - 1) & !(EVENT_BYTES - 1)
}

/// Low `width` bits set.
pub const fn mask(width: u8) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// `value` of `width` bits, sign-extended to 64.
pub const fn sign_extend(value: u64, width: u8) -> i64 {
    let shift = 64 - width as u32;
    ((value << shift) as i64) >> shift
}

/// Value of an operator with one, two or three operands; `width` is the result's, `operand_width`
/// the width of `a`. The one definition of the semantics: the runtime, the evaluator and the
/// tests of every solver translation share it. `None` for leaves and [`Op::Read`].
pub fn apply(op: Op, width: u8, operand_width: u8, a: u64, b: u64, c: u64) -> Option<u64> {
    let signed = |v: u64| sign_extend(v, operand_width);
    let value = match op {
        Op::Const | Op::Input | Op::Read => return None,
        op if op.is_float() => crate::float::apply(op, width, operand_width, [a, b, c]),
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv => match signed(b) {
            0 if signed(a) < 0 => 1,
            0 => u64::MAX,
            d => signed(a).wrapping_div(d) as u64,
        },
        Op::SRem => match signed(b) {
            0 => a,
            d => signed(a).wrapping_rem(d) as u64,
        },
        Op::Shl if b >= width as u64 => 0,
        Op::Shl => a << b,
        Op::LShr if b >= width as u64 => 0,
        Op::LShr => a >> b,
        Op::AShr => (signed(a) >> b.min(63)) as u64,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Eq => (a == b) as u64,
        Op::Ne => (a != b) as u64,
        Op::Ult => (a < b) as u64,
        Op::Ule => (a <= b) as u64,
        Op::Slt => (signed(a) < signed(b)) as u64,
        Op::Sle => (signed(a) <= signed(b)) as u64,
        Op::ZExt => a,
        Op::SExt => signed(a) as u64,
        Op::Extract => a >> b,
        // The caller passes the width of `b` as `c`.
        Op::Concat => (a << c) | b,
        Op::Ite => {
            if a & 1 == 1 {
                b
            } else {
                c
            }
        }
        Op::UMulOverflow => (a as u128 * b as u128 > mask(operand_width) as u128) as u64,
        Op::SMulOverflow => {
            let product = signed(a) as i128 * signed(b) as i128;
            (product != sign_extend(product as u64, operand_width) as i128) as u64
        }
        Op::UMulHigh => ((a as u128 * b as u128) >> operand_width) as u64,
        Op::SMulHigh => ((signed(a) as i128 * signed(b) as i128) >> operand_width) as u64,
        // All that are left are floating point.
        _ => return None,
    };
    Some(value & mask(width))
}
