//! What `printf` makes of a double: `%f %F %e %E %g %G %a %A` with flags, width and precision.
//!
//! In: a number and a conversion. Out: its text, byte for byte that of glibc in a locale whose decimal point is a point.
//!
//! Digits are those of the exact decimal expansion, rounded half to even, as both glibc and Rust's formatter compute them.

use std::fmt::Write;

/// Longest text: 309 digits, a point, the largest precision, or the largest width.
pub const TEXT_BYTES: usize = 640;

/// A conversion in one number: bits 0 to 2 the letter (of "fFeEgGaA"), 3 `-`, 4 `+`, 5 space, 6 `#`, 7 `0`, 8 to 15 the
/// width, 16 to 24 the precision plus 1, or 0 if there is none. The models of libc make them (`runtime/libc/printf_float.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec(pub u32);

const LETTERS: &[u8; 8] = b"fFeEgGaA";

impl Spec {
    fn letter(self) -> u8 {
        LETTERS[self.0 as usize & 7].to_ascii_lowercase()
    }
    fn is_upper(self) -> bool {
        self.0 & 1 != 0
    }
    fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 != 0
    }
    fn left(self) -> bool {
        self.has(3)
    }
    fn alternative(self) -> bool {
        self.has(6)
    }
    fn width(self) -> usize {
        self.0 as usize >> 8 & 0xff
    }
    fn precision(self) -> Option<usize> {
        (self.0 as usize >> 16 & 0x1ff).checked_sub(1)
    }

    /// As it is written in a format: `%-8.3f`.
    pub fn write(self, out: &mut dyn Write) -> std::fmt::Result {
        out.write_char('%')?;
        for (bit, flag) in (3..).zip("-+ #0".chars()).filter(|(bit, _)| self.has(*bit)) {
            let _ = bit;
            out.write_char(flag)?;
        }
        if self.width() > 0 {
            write!(out, "{}", self.width())?;
        }
        if let Some(precision) = self.precision() {
            write!(out, ".{precision}")?;
        }
        out.write_char(LETTERS[self.0 as usize & 7].into())
    }
}

/// Text that does not grow beyond its room.
pub struct Buffer {
    bytes: [u8; TEXT_BYTES],
    len: usize,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer { bytes: [0; TEXT_BYTES], len: 0 }
    }
}

impl Buffer {
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The byte at this place, 0 behind the end.
    pub fn get(&self, at: usize) -> u8 {
        self.as_bytes().get(at).copied().unwrap_or(0)
    }
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
    pub fn as_str(&self) -> &str {
        // Only text is written.
        std::str::from_utf8(self.as_bytes()).unwrap_or("")
    }
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }
    fn extend(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.push(*byte));
    }
    fn repeat(&mut self, byte: u8, count: usize) {
        (0..count).for_each(|_| self.push(byte));
    }
    /// Without the zeros at the end of a fraction, and without a point at the very end.
    fn strip_zeros(&mut self) {
        if self.as_bytes().contains(&b'.') {
            while self.len > 0 && self.bytes[self.len - 1] == b'0' {
                self.len -= 1;
            }
            if self.len > 0 && self.bytes[self.len - 1] == b'.' {
                self.len -= 1;
            }
        }
    }
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.extend(text.as_bytes());
        Ok(())
    }
}

/// The text of a number.
pub fn text(x: f64, spec: Spec) -> Buffer {
    let mut body = Buffer::default();
    let magnitude = x.abs();
    let mut prefix: &[u8] = b"";
    if x.is_nan() {
        body.extend(b"nan");
    } else if x.is_infinite() {
        body.extend(b"inf");
    } else {
        match spec.letter() {
            b'f' => fixed(&mut body, magnitude, spec.precision().unwrap_or(6), spec.alternative()),
            b'e' => {
                let (mantissa, exponent) = scientific(magnitude, spec.precision().unwrap_or(6));
                body.extend(mantissa.as_bytes());
                if spec.alternative() && !mantissa.as_bytes().contains(&b'.') {
                    body.push(b'.');
                }
                power(&mut body, b'e', exponent, 2);
            }
            b'g' => general(&mut body, magnitude, spec),
            _ => {
                prefix = b"0x";
                hexadecimal(&mut body, magnitude, spec);
            }
        }
    }
    padded(x, spec, prefix, &body)
}

/// Sign, padding and case.
fn padded(x: f64, spec: Spec, prefix: &[u8], body: &Buffer) -> Buffer {
    let sign: &[u8] = match () {
        () if x.is_sign_negative() => b"-",
        () if spec.has(4) => b"+",
        () if spec.has(5) => b" ",
        () => b"",
    };
    let room = spec.width().saturating_sub(sign.len() + prefix.len() + body.len());
    let zeros = spec.has(7) && !spec.left() && x.is_finite();
    let mut out = Buffer::default();
    if !zeros && !spec.left() {
        out.repeat(b' ', room);
    }
    out.extend(sign);
    out.extend(prefix);
    if zeros {
        out.repeat(b'0', room);
    }
    out.extend(body.as_bytes());
    if spec.left() {
        out.repeat(b' ', room);
    }
    if spec.is_upper() {
        out.bytes.make_ascii_uppercase();
    }
    out
}

fn fixed(out: &mut Buffer, x: f64, precision: usize, point: bool) {
    let _ = write!(out, "{x:.precision$}");
    if point && precision == 0 {
        out.push(b'.');
    }
}

/// Digits with one before the point, and the exponent.
fn scientific(x: f64, precision: usize) -> (Buffer, i32) {
    let mut all = Buffer::default();
    let _ = write!(all, "{x:.precision$e}");
    let at = all.as_bytes().iter().position(|byte| *byte == b'e').unwrap_or(all.len);
    let exponent = all.as_str().get(at + 1..).and_then(|text| text.parse().ok()).unwrap_or(0);
    all.len = at;
    (all, exponent)
}

/// `e+05`, `p-3`.
fn power(out: &mut Buffer, letter: u8, exponent: i32, digits: usize) {
    out.push(letter);
    out.push(if exponent < 0 { b'-' } else { b'+' });
    let _ = write!(out, "{:0digits$}", exponent.unsigned_abs());
}

fn general(out: &mut Buffer, x: f64, spec: Spec) {
    let digits = spec.precision().unwrap_or(6).max(1);
    let (mantissa, exponent) = scientific(x, digits - 1);
    let short = (-4..digits as i32).contains(&exponent);
    if short {
        fixed(out, x, (digits as i32 - 1 - exponent) as usize, spec.alternative());
    } else {
        out.extend(mantissa.as_bytes());
        if spec.alternative() && digits == 1 {
            out.push(b'.');
        }
    }
    if !spec.alternative() {
        out.strip_zeros();
    }
    if !short {
        power(out, b'e', exponent, 2);
    }
}

/// Digits of base 16 behind the point of a double.
const HEX_DIGITS: usize = 13;

fn hexadecimal(out: &mut Buffer, x: f64, spec: Spec) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let lead = u64::from(exponent > 0);
    let power_of_two = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => exponent - 1023,
    };
    let mut number = lead << 52 | fraction;
    let precision = spec.precision().unwrap_or(HEX_DIGITS);
    if precision < HEX_DIGITS {
        let dropped = 4 * (HEX_DIGITS - precision) as u32;
        let (rest, half) = (number & ((1 << dropped) - 1), 1u64 << (dropped - 1));
        number >>= dropped;
        number += u64::from(rest > half || rest == half && number & 1 == 1);
        number <<= dropped;
    }
    let _ = write!(out, "{}", number >> 52);
    if precision > 0 || spec.alternative() {
        out.push(b'.');
    }
    for digit in 0..precision {
        let shift = 52usize.checked_sub(4 * (digit + 1));
        let value = shift.map_or(0, |shift| number >> shift & 0xf);
        let _ = write!(out, "{value:x}");
    }
    if spec.precision().is_none() {
        strip_hexadecimal(out, spec.alternative());
    }
    power(out, b'p', power_of_two, 1);
}

fn strip_hexadecimal(out: &mut Buffer, keep_point: bool) {
    out.strip_zeros();
    if keep_point && !out.as_bytes().contains(&b'.') {
        out.push(b'.');
    }
}
