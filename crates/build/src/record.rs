//! What the wrapper leaves in objects and executables, and how it is found again.
//!
//! In: [`ObjectRecord`]s and [`LinkRecord`]s. Out: bytes of a section, and back.
//!
//! A record is a magic word, the length of its body in decimal, a newline, the body as JSON, and a
//! newline. What always holds: sections of many objects may be concatenated in any order with any
//! padding between them, and every record is still found, because a reader looks for the magic
//! word and trusts the length.

use serde::{de::DeserializeOwned, Deserialize, Serialize};

/// Section of objects and executables that holds [`ObjectRecord`]s.
pub const OBJECT_SECTION: &str = ".parallax_bc";
/// Section of executables that holds [`LinkRecord`]s.
pub const LINK_SECTION: &str = ".parallax_link";

const MAGIC: &[u8] = b"\nPLX1 ";

/// One compiled object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObjectRecord {
    /// The source file as named on the command line.
    pub source: String,
    /// Directory in which the compiler ran.
    pub directory: String,
    /// The object as the compiler was told to write it, made absolute.
    pub object: String,
    pub content: Content,
    /// The native compiler, with the arguments that are part of its name.
    #[serde(default)]
    pub compiler: String,
    /// All flags of the native compilation, as they were given.
    #[serde(default)]
    pub flags: Vec<String>,
}

/// The bitcode of an object, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Where it was stored; the hash finds it in another cache.
    Bitcode { path: String, hash: String },
    /// A copy of the native object stands in for the bitcode. `copy` is absent if the object was
    /// never a file of its own (compiled and linked in one call).
    Missing { reason: String, copy: Option<String> },
}

/// One link of an executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkRecord {
    pub directory: String,
    /// argv of the wrapper after argv[0], response files expanded.
    pub arguments: Vec<String>,
    /// The linker driver was the C++ one.
    pub cxx: bool,
    /// The native compiler that linked, with the arguments that are part of its name.
    #[serde(default)]
    pub compiler: String,
}

/// One record as bytes of a section.
pub fn encode<T: Serialize>(record: &T) -> Vec<u8> {
    // Records hold strings only, for which serialisation cannot fail.
    let body = serde_json::to_vec(record).expect("strings serialise");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(format!("{}\n", body.len()).bytes());
    bytes.extend(body);
    bytes.push(b'\n');
    bytes
}

/// All records of a section. What is damaged is skipped: a record that cannot be read is the same
/// as an object that never had one, which the collection reports.
pub fn decode<T: DeserializeOwned>(section: &[u8]) -> Vec<T> {
    let mut records = Vec::new();
    let mut rest = section;
    while let Some(start) = find(rest, MAGIC) {
        rest = &rest[start + MAGIC.len()..];
        let Some((body, after)) = split_body(rest) else { continue };
        if let Ok(record) = serde_json::from_slice(body) {
            records.push(record);
            rest = after;
        }
    }
    records
}

fn split_body(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let newline = bytes.iter().position(|&b| b == b'\n')?;
    let length: usize = std::str::from_utf8(&bytes[..newline]).ok()?.parse().ok()?;
    let rest = &bytes[newline + 1..];
    (length <= rest.len()).then(|| rest.split_at(length))
}

/// Position of the first occurrence of `needle`.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(source: &str) -> ObjectRecord {
        ObjectRecord {
            source: source.into(),
            directory: "/tree".into(),
            object: "/tree/a.o".into(),
            content: Content::Bitcode { path: "/cache/a.bc".into(), hash: "00".into() },
            compiler: "/usr/bin/clang".into(),
            flags: vec!["-O2".into()],
        }
    }

    #[test]
    fn concatenated_and_padded_records_are_all_found() {
        let mut section = encode(&record("a.c"));
        section.extend([0; 7]);
        section.extend(encode(&record("b\n.c")));
        section.extend([0; 1]);
        section.extend(encode(&record("PLX1 3\n.c")));
        assert_eq!(decode::<ObjectRecord>(&section), [record("a.c"), record("b\n.c"), record("PLX1 3\n.c")]);
    }

    #[test]
    fn a_truncated_record_does_not_hide_the_next_one() {
        let whole = encode(&record("a.c"));
        let mut section = whole[..whole.len() / 2].to_vec();
        section.extend(encode(&record("b.c")));
        assert_eq!(decode::<ObjectRecord>(&section), [record("b.c")]);
    }
}
