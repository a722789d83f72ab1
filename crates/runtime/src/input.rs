//! Where input bytes enter: arguments, environment, descriptors and streams.
//!
//! A descriptor is an input if the file it refers to now has the device and inode of one of the
//! request's files; so `dup`, `open` by another name and inherited descriptors need no bookkeeping. A
//! byte is labelled only if it still is what the request says: a program that overwrites its
//! input does not get wrong labels.

use crate::state::state;
use crate::tls::tls;
use crate::{events, nodes, objects, shadow};
use parallax_trace::format::NOTE_INPUT_WRITTEN;
use parallax_trace::request::{Input, Request, Source};
use std::cell::UnsafeCell;
use std::ffi::CString;

struct FileInput {
    number: u32,
    identity: (u64, u64),
    /// Bytes consumed so far, for descriptors that cannot tell their position.
    consumed: u64,
    /// The program has written to the file: its bytes are no longer input, whatever they are.
    written: bool,
}

#[derive(Default)]
struct Inputs {
    list: Vec<Input>,
    files: Vec<FileInput>,
    warned: bool,
}

struct Global(UnsafeCell<Option<Inputs>>);
// SAFETY: used by the traced thread only (callers check `tls.off`).
unsafe impl Sync for Global {}
static INPUTS: Global = Global(UnsafeCell::new(None));

fn inputs() -> &'static mut Inputs {
    // SAFETY: see above; references are not kept across calls.
    unsafe { (*INPUTS.0.get()).get_or_insert_with(Inputs::default) }
}

/// Argument vector and environment of the run, labelled, in the shape `main` wants.
pub struct Vectors {
    pub argc: i32,
    pub argv: *mut *mut libc::c_char,
    pub envp: *mut *mut libc::c_char,
}

/// Set up all inputs of a run.
pub fn prepare(request: Request) -> Vectors {
    let mut argv = vec![place(&request.argv0, None)];
    let mut env: Vec<*mut libc::c_char> = request.fixed_env.iter().map(|s| place(s, None)).collect();
    for (number, input) in request.inputs.iter().enumerate() {
        let number = number as u32;
        match &input.source {
            Source::Argument(_) => argv.push(place(&input.bytes, input.symbolic.then_some((number, 0)))),
            Source::Env(name) => {
                let text = [name.as_slice(), b"=", &input.bytes].concat();
                env.push(place(&text, input.symbolic.then_some((number, name.len() + 1))));
            }
            Source::Stdin => register_file(number, identity_of_fd(0)),
            Source::File(path) => {
                register_file(number, identity_of_path(&[&request.root[..], path].join(&b'/')))
            }
        }
    }
    inputs().list = request.inputs;
    let argc = argv.len() as i32;
    Vectors { argc, argv: terminated(argv), envp: terminated(env) }
}

/// The environment of the run, for constructors: not labelled.
pub fn environment(request: &Request) -> *mut *mut libc::c_char {
    let mut env: Vec<*mut libc::c_char> = request.fixed_env.iter().map(|s| copy(s)).collect();
    for input in &request.inputs {
        if let Source::Env(name) = &input.source {
            env.push(copy(&[name.as_slice(), b"=", &input.bytes].concat()));
        }
    }
    terminated(env)
}

/// A NUL-terminated copy in memory that lives as long as the run.
fn copy(bytes: &[u8]) -> *mut libc::c_char {
    let bytes: Vec<u8> = bytes.iter().copied().filter(|b| *b != 0).collect();
    // SAFETY: a fresh block of sufficient size, written completely.
    unsafe {
        let at = libc::malloc(bytes.len() + 1) as *mut u8;
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
        *at.add(bytes.len()) = 0;
        at.cast()
    }
}

/// A NUL-terminated copy in memory that lives as long as the run; bytes from `label.1` on are labelled
/// as input `label.0`, the terminator included (see [`parallax_trace::format::Op::Input`]).
fn place(bytes: &[u8], label: Option<(u32, usize)>) -> *mut libc::c_char {
    let bytes: Vec<u8> = bytes.iter().copied().filter(|b| *b != 0).collect();
    let at = copy(&bytes);
    objects::mark_start(at as usize, true);
    if let (Some((number, from)), true) = (label, state().is_on()) {
        for i in from..=bytes.len() {
            let byte = bytes.get(i).copied().unwrap_or(0);
            shadow::set(at as usize + i, nodes::input(number, (i - from) as u32, byte));
        }
    }
    at as *mut libc::c_char
}

fn terminated(mut list: Vec<*mut libc::c_char>) -> *mut *mut libc::c_char {
    list.push(std::ptr::null_mut());
    Box::leak(list.into_boxed_slice()).as_mut_ptr()
}

fn register_file(number: u32, identity: Option<(u64, u64)>) {
    if let Some(identity) = identity {
        inputs().files.push(FileInput { number, identity, consumed: 0, written: false });
    }
}

fn identity_of_fd(fd: i32) -> Option<(u64, u64)> {
    // SAFETY: fstat writes the struct or fails.
    unsafe {
        let mut st: libc::stat = std::mem::zeroed();
        (libc::fstat(fd, &mut st) == 0).then_some((st.st_dev, st.st_ino))
    }
}

fn identity_of_path(path: &[u8]) -> Option<(u64, u64)> {
    let path = CString::new(path).ok()?;
    // SAFETY: stat writes the struct or fails.
    unsafe {
        let mut st: libc::stat = std::mem::zeroed();
        (libc::stat(path.as_ptr(), &mut st) == 0).then_some((st.st_dev, st.st_ino))
    }
}

fn file_of(fd: i32) -> Option<&'static mut FileInput> {
    if !state().is_on() || tls().off != 0 || inputs().files.is_empty() {
        return None;
    }
    let identity = identity_of_fd(fd)?;
    inputs().files.iter_mut().find(|f| f.identity == identity)
}

/// The program writes to `fd`, which may be one of its inputs.
pub fn written(fd: i32) {
    if let Some(file) = file_of(fd) {
        file.written = true;
        warn_written();
    }
}

fn warn_written() {
    if !std::mem::replace(&mut inputs().warned, true) {
        events::note(NOTE_INPUT_WRITTEN);
    }
}

/// Label the `len` bytes at `address`, which are bytes `offset..` of the file input.
fn label_bytes(file: &FileInput, address: usize, len: usize, offset: u64) {
    shadow::clear(address, len);
    let number = file.number;
    let input = &inputs().list[number as usize];
    if !input.symbolic || file.written {
        return;
    }
    for i in 0..len {
        // SAFETY: the caller has just read these bytes from the kernel.
        let byte = unsafe { *((address + i) as *const u8) };
        let at = offset as usize + i;
        if input.bytes.get(at) == Some(&byte) {
            shadow::set(address + i, nodes::input(number, at as u32, byte));
        } else {
            warn_written();
        }
    }
    events::input_read(number, offset as u32, len as u32);
}

/// `n` bytes were read from `fd` into `p`, at offset `at` or (-1) ending at the current position.
#[no_mangle]
pub extern "C" fn __plx_fd_read(fd: i32, p: usize, n: usize, at: i64) {
    crate::tls::take_args();
    let Some(file) = file_of(fd) else {
        return shadow::clear(p, n);
    };
    let offset = if at >= 0 { at as u64 } else { position(fd, file, n) };
    let number = file.number;
    if n == 0 {
        events::end_of_input(number, offset as u32);
    } else {
        label_bytes(file, p, n, offset);
    }
}

/// Offset of the `n` bytes just read.
fn position(fd: i32, file: &mut FileInput, n: usize) -> u64 {
    // SAFETY: lseek has no memory effects.
    let now = unsafe { libc::lseek(fd, 0, libc::SEEK_CUR) };
    if now >= n as i64 {
        return (now - n as i64) as u64;
    }
    let start = file.consumed;
    file.consumed += n as u64;
    start
}

/// The head of glibc's `FILE` (stable since 1999, and inlined into programs by its headers).
#[repr(C)]
struct Stream {
    flags: i32,
    read_ptr: usize,
    read_end: usize,
    read_base: usize,
    write: [usize; 3],
    buf_base: usize,
    buf_end: usize,
    save: [usize; 3],
    markers: usize,
    chain: usize,
    fileno: i32,
}

const STREAM_IN_BACKUP: i32 = 0x100;

/// The stream's buffer was refilled by libc.
///
/// # Safety
/// `stream` is an open stream.
#[no_mangle]
pub unsafe extern "C" fn __plx_stream_filled(stream: usize) {
    crate::tls::take_args();
    // SAFETY: see above.
    let s = unsafe { &*(stream as *const Stream) };
    if s.flags & STREAM_IN_BACKUP != 0 || s.read_end <= s.read_base {
        return;
    }
    let len = s.read_end - s.read_base;
    let Some(file) = file_of(s.fileno) else {
        return shadow::clear(s.read_base, len);
    };
    let offset = position(s.fileno, file, len);
    label_bytes(file, s.read_base, len, offset);
}

/// The program met the end of the stream.
///
/// # Safety
/// `stream` is an open stream.
#[no_mangle]
pub unsafe extern "C" fn __plx_stream_ended(stream: usize) {
    crate::tls::take_args();
    // SAFETY: see above.
    let fd = unsafe { (*(stream as *const Stream)).fileno };
    if let Some(file) = file_of(fd) {
        let number = file.number;
        let offset = position(fd, file, 0);
        events::end_of_input(number, offset as u32);
    }
}
