//! Bytes for JSON and for terminals.
//!
//! In: bytes of any kind. Out: a JSON string if they are UTF-8, otherwise `{"base64": …}`, and back; on a terminal,
//! text without control characters.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are usually text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<u8>);

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Text {
        Text(bytes.to_vec())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("base64", &STANDARD.encode(&self.0))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Plain(String),
            Encoded { base64: String },
        }
        match Written::deserialize(deserializer)? {
            Written::Plain(text) => Ok(Text(text.into_bytes())),
            Written::Encoded { base64 } => {
                STANDARD.decode(base64).map(Text).map_err(serde::de::Error::custom)
            }
        }
    }
}

/// Text with escapes for what is not printable; newlines stay.
pub fn visible(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' | '\t' | '"' | '\\' => text.push(c),
                c => push_char(&mut text, c),
            }
        }
        chunk.invalid().iter().for_each(|b| text.push_str(&format!("\\x{b:02x}")));
    }
    text
}

/// The bytes in quotation marks, at most `max` of them, with escapes for what is not printable or not to be seen.
pub fn quoted(bytes: &[u8], max: usize) -> String {
    quoted_at(bytes, 0, max)
}

/// The same from a position on, which is marked.
pub fn quoted_at(bytes: &[u8], from: usize, max: usize) -> String {
    let bytes = &bytes[from.min(bytes.len())..];
    let shown = &bytes[..bytes.len().min(max)];
    let mut text = String::from(if from > 0 { "…\"" } else { "\"" });
    for chunk in shown.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_char(&mut text, c));
        chunk.invalid().iter().for_each(|b| text.push_str(&format!("\\x{b:02x}")));
    }
    text.push('"');
    if shown.len() < bytes.len() {
        text.push('…');
    }
    text
}

fn push_char(text: &mut String, c: char) {
    match c {
        '\n' => text.push_str("\\n"),
        '\t' => text.push_str("\\t"),
        '\r' => text.push_str("\\r"),
        '\0' => text.push_str("\\0"),
        '"' => text.push_str("\\\""),
        '\\' => text.push_str("\\\\"),
        c if c.is_control() || is_invisible(c) => text.push_str(&format!("\\u{{{:x}}}", c as u32)),
        c => text.push(c),
    }
}

/// Characters that look like a space or like nothing at all.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{ad}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{feff}')
}

/// `1 branch`, `2 branches`.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_become_base64() {
        let json = |bytes: &[u8]| serde_json::to_string(&Text::from(bytes)).unwrap();
        assert_eq!(json("é\n".as_bytes()), "\"é\\n\"");
        assert_eq!(json(&[0xff, 0x00]), "{\"base64\":\"/wA=\"}");
        for bytes in ["é\n".as_bytes(), &[0xff, 0x00], b""] {
            assert_eq!(serde_json::from_str::<Text>(&json(bytes)).unwrap(), Text::from(bytes));
        }
    }

    #[test]
    fn a_quoted_text_has_no_control_characters_and_says_when_it_is_cut() {
        assert_eq!(quoted(b"a\x1b\n\xff\"", 60), "\"a\\u{1b}\\n\\xff\\\"\"");
        assert_eq!(quoted(b"abcdef", 3), "\"abc\"…");
    }
}
