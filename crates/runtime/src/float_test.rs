//! The table of floating-point operators against the hardware and the C library, bit for bit, on special and random values.

use parallax_trace::float::{apply, text, Math1, Math2, Spec};
use parallax_trace::format::{mask, Op};
use std::arch::asm;

/// Zeros, infinities, NaNs quiet and signalling, subnormal numbers, halfway cases, limits of integers.
fn any_bits(rng: &mut fastrand::Rng, width: u8) -> u64 {
    const SPECIAL: [f64; 22] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        0.1,
        1e308,
        5e-324,
        2.2250738585072014e-308,
        f64::INFINITY,
        f64::NEG_INFINITY,
        9007199254740993.0,
        4503599627370495.5,
        2147483647.5,
        2147483648.0,
        9223372036854775808.0,
        18446744073709551616.0,
        -2147483649.0,
        1e22,
    ];
    let value = match rng.u8(..8) {
        0..=2 => SPECIAL[rng.usize(..SPECIAL.len())],
        3 => f64::from(rng.i32(..)) / 8.0,
        4 => f64::from(rng.u8(..)),
        // NaNs of both kinds, with payloads.
        5 if width == 32 => return u64::from(rng.bool()) << 31 | 0x7f80_0000 | rng.u64(1..1 << 23),
        5 => return u64::from(rng.bool()) << 63 | 0x7ff << 52 | rng.u64(1..1 << 52),
        _ => return rng.u64(..) & mask(width),
    };
    if width == 32 {
        u64::from((value as f32).to_bits())
    } else {
        value.to_bits()
    }
}

macro_rules! sse {
    ($name:literal, $a:expr, $b:expr, $float:ident) => {{
        let mut a = $float::from_bits($a as _);
        let b = $float::from_bits($b as _);
        // SAFETY: an operation on two registers.
        unsafe { asm!(concat!($name, " {}, {}"), inout(xmm_reg) a, in(xmm_reg) b, options(pure, nomem, nostack)) };
        u64::from(a.to_bits())
    }};
}

/// What the processor computes.
fn hardware(op: Op, width: u8, a: u64, b: u64) -> u64 {
    match (op, width) {
        (Op::FAdd, 64) => sse!("addsd", a, b, f64),
        (Op::FSub, 64) => sse!("subsd", a, b, f64),
        (Op::FMul, 64) => sse!("mulsd", a, b, f64),
        (Op::FDiv, 64) => sse!("divsd", a, b, f64),
        (Op::FMath1, 64) => sse!("sqrtsd", a, a, f64),
        (Op::FAdd, _) => sse!("addss", a, b, f32),
        (Op::FSub, _) => sse!("subss", a, b, f32),
        (Op::FMul, _) => sse!("mulss", a, b, f32),
        (Op::FDiv, _) => sse!("divss", a, b, f32),
        _ => sse!("sqrtss", a, a, f32),
    }
}

#[test]
fn arithmetic_is_that_of_the_processor() {
    let mut rng = fastrand::Rng::with_seed(1);
    for width in [32, 64] {
        for op in [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FMath1] {
            for _ in 0..20_000 {
                let (a, b) = (any_bits(&mut rng, width), any_bits(&mut rng, width));
                let second = if op == Op::FMath1 { Math1::Sqrt as u64 } else { b };
                let found = apply(op, width, width, [a, second, 0]);
                assert_eq!(found, hardware(op, width, a, b), "{op:?} {width}: {a:x} {b:x}");
            }
        }
    }
}

/// Conversions by the processor: to 32 and 64 bits, and between formats.
#[test]
fn conversions_are_those_of_the_processor() {
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..50_000 {
        let (bits, single) = (any_bits(&mut rng, 64), any_bits(&mut rng, 32));
        let (x, y) = (f64::from_bits(bits), f32::from_bits(single as u32));
        let (word, half, narrow, wide): (i64, i32, f32, f64);
        let integer = rng.i64(..) >> rng.u32(..64);
        let (from, single_from): (f64, f32);
        // SAFETY: conversions of registers.
        unsafe {
            asm!("cvttsd2si {}, {}", out(reg) word, in(xmm_reg) x, options(pure, nomem, nostack));
            asm!("cvttsd2si {:e}, {}", out(reg) half, in(xmm_reg) x, options(pure, nomem, nostack));
            asm!("cvtsd2ss {}, {}", out(xmm_reg) narrow, in(xmm_reg) x, options(pure, nomem, nostack));
            asm!("cvtss2sd {}, {}", out(xmm_reg) wide, in(xmm_reg) y, options(pure, nomem, nostack));
            asm!("cvtsi2sd {}, {}", out(xmm_reg) from, in(reg) integer, options(pure, nomem, nostack));
            asm!("cvtsi2ss {}, {}", out(xmm_reg) single_from, in(reg) integer, options(pure, nomem, nostack));
        }
        let of = |op, width, from, a| apply(op, width, from, [a, 0, 0]) & mask(width);
        assert_eq!(of(Op::FToS, 64, 64, bits), word as u64, "{x}");
        assert_eq!(of(Op::FToS, 32, 64, bits), u64::from(half as u32), "{x}");
        assert_eq!(of(Op::FToS, 8, 64, bits), u64::from(half as u8), "{x}");
        assert_eq!(of(Op::FToU, 32, 64, bits), u64::from(word as u32), "{x}");
        assert_eq!(of(Op::FConvert, 32, 64, bits), u64::from(narrow.to_bits()), "{bits:x}");
        assert_eq!(of(Op::FConvert, 64, 32, single), wide.to_bits(), "{single:x}");
        assert_eq!(of(Op::FFromS, 64, 64, integer as u64), from.to_bits(), "{integer}");
        assert_eq!(of(Op::FFromS, 32, 64, integer as u64), u64::from(single_from.to_bits()), "{integer}");
        assert_eq!(of(Op::FFromU, 64, 64, integer as u64), (integer as u64 as f64).to_bits(), "{integer}");
        if (0.0..18446744073709551616.0).contains(&x) {
            assert_eq!(of(Op::FToU, 64, 64, bits), x as u64, "{x}");
        }
    }
}

extern "C" {
    fn frexp(x: f64, exponent: *mut i32) -> f64;
    fn ldexp(x: f64, n: i32) -> f64;
    fn ldexpf(x: f32, n: i32) -> f32;
    fn modf(x: f64, whole: *mut f64) -> f64;
    fn remainder(x: f64, y: f64) -> f64;
    fn strtof(text: *const libc::c_char, end: *mut *mut libc::c_char) -> f32;
}

/// A function of libm itself: Rust brings some of its own under the same names.
fn libm(name: &std::ffi::CStr) -> *mut libc::c_void {
    // SAFETY: strings that end; the library stays open.
    let found = unsafe { libc::dlsym(libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW), name.as_ptr()) };
    assert!(!found.is_null(), "{name:?} is not in libm.so.6");
    found
}

fn unary(name: &std::ffi::CStr) -> unsafe extern "C" fn(f64) -> f64 {
    // SAFETY: what is asked for has this type.
    unsafe { std::mem::transmute(libm(name)) }
}

fn binary(name: &std::ffi::CStr) -> unsafe extern "C" fn(f64, f64) -> f64 {
    // SAFETY: as above.
    unsafe { std::mem::transmute(libm(name)) }
}

#[test]
fn functions_are_those_of_the_c_library() {
    let [fmod, fmin, fmax] = [c"fmod", c"fmin", c"fmax"].map(binary);
    let roundings = [
        (Math1::Floor, unary(c"floor")),
        (Math1::Ceil, unary(c"ceil")),
        (Math1::Trunc, unary(c"trunc")),
        (Math1::Round, unary(c"round")),
        (Math1::RoundEven, unary(c"rint")),
    ];
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..30_000 {
        let (a, b) = (any_bits(&mut rng, 64), any_bits(&mut rng, 64));
        let n = if rng.bool() { rng.i32(-2200..2200) } else { rng.i32(..) };
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let one = |f: Math1| apply(Op::FMath1, 64, 64, [a, f as u64, 0]);
        let two = |f: Math2| apply(Op::FMath2, 64, 64, [a, b, f as u64]);
        let (mut exponent, mut whole) = (0, 0.0);
        // SAFETY: functions of numbers; the pointers are to local variables.
        unsafe {
            let mantissa = frexp(x, &mut exponent);
            assert_eq!(one(Math1::FrexpMantissa), mantissa.to_bits(), "frexp {x}");
            assert_eq!(one(Math1::FrexpExponent) as i32, exponent, "frexp {x}");
            let fraction = modf(x, &mut whole);
            assert_eq!(one(Math1::ModfFraction), fraction.to_bits(), "modf {x}");
            assert_eq!(one(Math1::Trunc), whole.to_bits(), "modf {x}");
            for (function, real) in roundings {
                assert_eq!(one(function), real(x).to_bits(), "{function:?} {x} {a:x}");
            }
            let scale = Math2::Scale as u64;
            let by = u64::from(n as u32);
            assert_eq!(apply(Op::FMath2, 64, 64, [a, by, scale]), ldexp(x, n).to_bits(), "ldexp {x} {n}");
            let single = any_bits(&mut rng, 32);
            let wanted = ldexpf(f32::from_bits(single as u32), n).to_bits();
            assert_eq!(
                apply(Op::FMath2, 32, 32, [single, by, scale]),
                wanted.into(),
                "ldexpf {single:x} {n}"
            );
            // Of two NaNs the library's compiler chose one; the runtime compares (`runtime::float`).
            if !x.is_nan() || !y.is_nan() {
                // glibc 2.36 gives some zeros of the smallest numbers the other sign; the runtime compares here, too.
                let (ours, wanted) = (f64::from_bits(two(Math2::Remainder)), remainder(x, y));
                assert!(ours == wanted || ours.is_nan() && wanted.is_nan(), "remainder {x:e} {y:e}");
                assert_eq!(two(Math2::Fmod), fmod(x, y).to_bits(), "fmod {x} {y}");
            }
            if !x.is_nan() && !y.is_nan() {
                assert_eq!(two(Math2::Min), fmin(x, y).to_bits(), "fmin {x} {y}");
                assert_eq!(two(Math2::Max), fmax(x, y).to_bits(), "fmax {x} {y}");
            }
        }
    }
}

#[test]
fn decimal_numbers_are_those_of_strtod() {
    let mut rng = fastrand::Rng::with_seed(4);
    for _ in 0..50_000 {
        let digits = rng.u64(..) >> rng.u32(..64);
        let exponent = if rng.bool() { rng.i32(-30..30) } else { rng.i32(-400..400) };
        let written = std::ffi::CString::new(format!("{digits}e{exponent}")).unwrap();
        // SAFETY: a string that ends.
        let (wide, single) = unsafe {
            (
                libc::strtod(written.as_ptr(), std::ptr::null_mut()),
                strtof(written.as_ptr(), std::ptr::null_mut()),
            )
        };
        let of = |width| apply(Op::FDecimal, width, 64, [digits, u64::from(exponent as u32), 0]);
        assert_eq!(of(64), wide.to_bits(), "{written:?}");
        assert_eq!(of(32), u64::from(single.to_bits()), "{written:?}");
    }
}

#[test]
fn texts_are_those_of_printf() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..60_000 {
        let x = match rng.u8(..4) {
            // Halfway between what few digits can say.
            0 => f64::from(rng.i32(-100_000..100_000)) / f64::from(1 << rng.u8(..8)),
            _ => f64::from_bits(any_bits(&mut rng, 64)),
        };
        let width = if rng.bool() { 0 } else { rng.u32(..30) };
        let precision = if rng.bool() { 0 } else { 1 + rng.u32(..22) };
        let spec = rng.u32(..8) | rng.u32(..32) << 3 | width << 8 | precision << 16;
        let mut format = String::new();
        Spec(spec).write(&mut format).unwrap();
        let written = std::ffi::CString::new(format.clone()).unwrap();
        let mut buffer = [0u8; 800];
        // SAFETY: the format takes one double; the buffer's length is told.
        let length = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), buffer.len(), written.as_ptr(), x) };
        let wanted = String::from_utf8_lossy(&buffer[..length as usize]).into_owned();
        assert_eq!(text(x, Spec(spec)).as_str(), wanted, "{format} of {x:e}");
    }
}
