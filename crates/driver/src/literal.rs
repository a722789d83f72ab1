//! Values as C writes them.
//!
//! In: the bytes of a value, lowest first. Out: an expression of C that has this value.

use crate::types::{Class, Scalar};

/// Digits of an octal escape.
const PRINTABLE: std::ops::RangeInclusive<u8> = 0x20..=0x7e;

/// A number, character or constant.
pub fn scalar(scalar: &Scalar, bytes: &[u8]) -> String {
    let width = scalar.bytes.min(8);
    let unsigned = bytes.iter().take(8).rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let shift = 64 - 8 * width as u32;
    let signed = (unsigned << shift) as i64 >> shift;
    match &scalar.class {
        Class::Float => fraction(scalar, unsigned),
        Class::Bool => (unsigned & 1).to_string(),
        Class::Enum(values) => {
            let known = values.iter().find(|(_, value)| *value == signed);
            known.map_or_else(|| signed.to_string(), |(name, _)| name.clone())
        }
        Class::Char => character(unsigned as u8),
        Class::Unsigned if unsigned > i32::MAX as u64 => format!("{unsigned}u"),
        Class::Unsigned => unsigned.to_string(),
        // C has no literal of the smallest number.
        Class::Signed if signed == i64::MIN => "(-9223372036854775807 - 1)".to_owned(),
        Class::Signed if signed == i64::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        Class::Signed => signed.to_string(),
    }
}

fn fraction(scalar: &Scalar, bits: u64) -> String {
    let value = if scalar.bytes == 4 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    if value.is_nan() {
        return "__builtin_nan(\"\")".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "__builtin_inf()" } else { "-__builtin_inf()" }.to_owned();
    }
    match scalar.bytes {
        4 => format!("{:?}f", f32::from_bits(bits as u32)),
        _ => format!("{value:?}"),
    }
}

fn character(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        0 => "'\\0'".to_owned(),
        byte => format!("'{}'", escaped(byte)),
    }
}

fn escaped(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b'"' => "\\\"".to_owned(),
        // Could begin a trigraph.
        b'?' => "\\?".to_owned(),
        byte if PRINTABLE.contains(&byte) => char::from(byte).to_string(),
        // Three digits always: the next character may be one.
        byte => format!("\\{byte:03o}"),
    }
}

/// A string; zeros inside it stay.
pub fn string(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.iter().map(|byte| escaped(*byte)).collect::<String>())
}

/// Numbers one after the other, zeros at the end left out.
pub fn block(of: &Scalar, bytes: &[u8]) -> String {
    let step = of.bytes.max(1);
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last / step + 1);
    if of.class == Class::Char {
        return string(&bytes[..used]);
    }
    let items: Vec<String> = bytes.chunks(step).take(used.max(1)).map(|one| scalar(of, one)).collect();
    format!("{{{}}}", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(bytes: usize) -> Scalar {
        Scalar { class: Class::Signed, bytes }
    }

    #[test]
    fn numbers_are_written_with_their_sign_and_width() {
        assert_eq!(scalar(&signed(4), &[0xfe, 0xff, 0xff, 0xff]), "-2");
        assert_eq!(scalar(&signed(1), &[0x80]), "-128");
        assert_eq!(scalar(&signed(4), &i32::MIN.to_le_bytes()), "(-2147483647 - 1)");
        assert_eq!(scalar(&Scalar::unsigned(4), &u32::MAX.to_le_bytes()), "4294967295u");
        let double = Scalar { class: Class::Float, bytes: 8 };
        assert_eq!(scalar(&double, &0.1f64.to_le_bytes()), "0.1");
        assert_eq!(scalar(&double, &1e300f64.to_le_bytes()), "1e300");
        assert_eq!(scalar(&double, &(-0.0f64).to_le_bytes()), "-0.0");
    }

    #[test]
    fn strings_escape_what_c_would_read_otherwise() {
        assert_eq!(string(b"a\"\\\n\x019?"), "\"a\\\"\\\\\\n\\0019\\?\"");
    }

    #[test]
    fn blocks_leave_out_zeros_at_the_end() {
        assert_eq!(block(&signed(2), &[1, 0, 0, 0, 255, 255, 0, 0]), "{1, 0, -1}");
        assert_eq!(block(&signed(4), &[0; 16]), "{0}");
    }
}
