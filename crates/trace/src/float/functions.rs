//! Functions of `math.h`: their numbers, and those that are computed here bit by bit.
//!
//! In: doubles. Out: doubles, as glibc's functions give them.

/// Functions of one number. The models of libc use the same numbers (`runtime/libc/math.c`).
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Math1 {
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
    FrexpMantissa,
    FrexpExponent,
    ModfFraction,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Cbrt,
}

/// Functions of two numbers; the second of [`Math2::Scale`] is an `int`.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Math2 {
    Pow,
    Atan2,
    Hypot,
    Remainder,
    Min,
    Max,
    Scale,
    Fmod,
}

impl Math1 {
    #[rustfmt::skip]
    pub const ALL: [Math1; 26] = {
        use Math1::*;
        [
            Sqrt, Floor, Ceil, Trunc, Round, RoundEven, FrexpMantissa, FrexpExponent, ModfFraction, Sin, Cos, Tan, Asin, Acos,
            Atan, Sinh, Cosh, Tanh, Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Cbrt,
        ]
    };

    pub fn from_number(number: u64) -> Option<Math1> {
        Math1::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Is the result the same with every library?
    pub fn is_exact(self) -> bool {
        (self as u8) < Math1::Sin as u8
    }

    /// Never decreases, wherever it is a number.
    pub fn is_rising(self) -> bool {
        use Math1::*;
        matches!(self, Sqrt | Floor | Ceil | Trunc | Round | RoundEven)
    }

    pub fn name(self) -> &'static str {
        #[rustfmt::skip]
        const NAMES: [&str; 26] = [
            "sqrt", "floor", "ceil", "trunc", "round", "rint", "frexp", "frexp_exponent", "modf", "sin", "cos", "tan", "asin",
            "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt",
        ];
        NAMES[self as usize]
    }
}

impl Math2 {
    #[rustfmt::skip]
    pub const ALL: [Math2; 8] = {
        use Math2::*;
        [Pow, Atan2, Hypot, Remainder, Min, Max, Scale, Fmod]
    };

    pub fn from_number(number: u64) -> Option<Math2> {
        Math2::ALL.get(usize::try_from(number).ok()?).copied()
    }

    pub fn name(self) -> &'static str {
        ["pow", "atan2", "hypot", "remainder", "fmin", "fmax", "ldexp", "fmod"][self as usize]
    }
}

const MANTISSA_BITS: u32 = 52;
const EXPONENTS: u64 = 0x7ff;

/// Mantissa from 1/2 to 1, and exponent; what has none is itself, with 0.
pub(super) fn frexp(x: f64) -> (f64, i32) {
    let exponent = |bits: u64| bits >> MANTISSA_BITS & EXPONENTS;
    if x == 0.0 || exponent(x.to_bits()) == EXPONENTS {
        return (x, 0);
    }
    // A subnormal number is made a normal one first.
    let (y, by) = if exponent(x.to_bits()) == 0 { (x * 18014398509481984.0, 54) } else { (x, 0) };
    let bits = y.to_bits() & !(EXPONENTS << MANTISSA_BITS) | 1022 << MANTISSA_BITS;
    (f64::from_bits(bits), exponent(y.to_bits()) as i32 - 1022 - by)
}

/// `x` times two to the power of `n`, rounded once. `single`: what is to become a `float`, which is rounded by who asks.
pub(super) fn scale(x: f64, n: i32, single: bool) -> f64 {
    let power = |n: i32| f64::from_bits(((n + 1023) as u64) << MANTISSA_BITS);
    if single {
        // Any `float` times this is an exact double; beyond it, it is infinite or zero as a `float`.
        let n = n.clamp(-400, 400);
        return x * power(n);
    }
    let (mut y, mut n) = (x, n.clamp(-5000, 5000));
    while n > 1023 {
        y *= power(1023);
        n -= 1023;
    }
    // So many at a time that the last step, which rounds, is the only one that does.
    while n < -1022 {
        let step = -1022 + 53;
        y *= power(step);
        n -= step;
    }
    y * power(n)
}

/// The remainder of the division that rounds to the nearest, as in fdlibm.
pub(super) fn remainder(x: f64, p: f64) -> f64 {
    if p == 0.0 || !x.is_finite() || p.is_nan() {
        return f64::NAN;
    }
    let p = p.abs();
    let small = p <= f64::MAX / 2.0;
    let mut y = if small { (x % (p + p)).abs() } else { x.abs() };
    let twice = p < 2.0 * f64::MIN_POSITIVE;
    let half = |y: f64| if twice { y + y > p } else { y > 0.5 * p };
    let reached = |y: f64| if twice { y + y >= p } else { y >= 0.5 * p };
    if half(y) {
        y -= p;
        if reached(y) {
            y -= p;
        }
    }
    if x.is_sign_negative() {
        -y
    } else {
        y
    }
}
