//! The thread-local block that instrumented code and the runtime share (see `tls.c`).

/// Argument labels passed at most; later arguments are concrete.
pub const MAX_ARGS: usize = 64;
/// Result leaves passed at most.
pub const MAX_RET: usize = 16;
/// Variadic stack slots whose labels are passed.
pub const MAX_VA_OVERFLOW: usize = 64;
/// Struct arguments by value whose origin is passed.
pub const MAX_BYVAL: usize = 16;

#[repr(C)]
pub struct Tls {
    pub args: u32,
    pub ret: u32,
    pub context: u32,
    pub off: u32,
    pub va: u32,
    pub pad: u32,
    pub arg_label: [u32; MAX_ARGS],
    pub ret_label: [u32; MAX_RET],
    pub va_gp: [u32; 6],
    pub va_fp: [u32; 8],
    pub va_overflow: [u32; MAX_VA_OVERFLOW],
    pub byval: [u64; MAX_BYVAL],
}

extern "C" {
    fn __plx_tls_here() -> *mut Tls;
    fn __plx_tls_size() -> u32;
}

/// The calling thread's block.
#[inline]
pub fn tls() -> &'static mut Tls {
    // SAFETY: the C side returns the address of a live thread-local object of this layout; the
    // reference is used only within one runtime call on this thread and never kept.
    unsafe { &mut *__plx_tls_here() }
}

/// True if Rust and C agree on the layout.
pub fn layout_agrees() -> bool {
    // SAFETY: a pure C function without arguments.
    unsafe { __plx_tls_size() as usize == std::mem::size_of::<Tls>() }
}

/// Labels of the arguments of the hook that is being called, if any is symbolic. Resets the block.
pub fn take_args() -> Option<[u32; 8]> {
    let t = tls();
    if t.args == 0 {
        return None;
    }
    let mut out = [0; 8];
    for (i, label) in out.iter_mut().enumerate() {
        if i < t.args as usize {
            *label = t.arg_label[i];
        }
    }
    t.args = 0;
    Some(out)
}
