//! Types of the debug information as a driver sees them: typedefs and qualifiers gone, base types as widths and signs, and how C spells them.
//!
//! In: a program model and the id of a type. Out: its [`Kind`], its spelling in a declaration.
//!
//! Always holds: a spelling that is given denotes a type of the same size and the same way of being passed, on this machine.

use parallax_model::{DebugType, DebugTypeId, Enumerator, Member, Program};
use serde::{Deserialize, Serialize};

/// A value of one machine word or less.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scalar {
    pub class: Class,
    pub bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    Signed,
    Unsigned,
    Bool,
    /// A character, signed here unless it says otherwise.
    Char,
    /// `float`, `double`; `long double` takes the value of a double.
    Float,
    /// Name and value of each constant, by value.
    Enum(Vec<(String, i64)>),
}

impl Scalar {
    pub fn unsigned(bytes: usize) -> Scalar {
        Scalar { class: Class::Unsigned, bytes }
    }

    /// How many bytes of the input a value takes, if nothing narrows it.
    pub fn input_bytes(&self) -> usize {
        match self.class {
            Class::Float => self.bytes.min(8),
            Class::Enum(_) if self.span().is_some() => 1,
            _ => self.bytes,
        }
    }

    /// Least value, and number of values up to the greatest, of an enumeration that one byte tells apart.
    pub fn span(&self) -> Option<(i64, i64)> {
        let Class::Enum(values) = &self.class else { return None };
        let (least, most) = (values.first()?.1, values.last()?.1);
        let count = most.checked_sub(least)?.checked_add(1)?;
        (count <= 256).then_some((least, count))
    }

    /// Are the bytes of the input the bytes of the value?
    pub fn is_plain(&self) -> bool {
        !matches!(self.class, Class::Bool | Class::Enum(_)) && self.bytes <= 8
    }

    /// C's name of a type of this class and size.
    pub fn spelling(&self) -> &'static str {
        match (&self.class, self.bytes) {
            (Class::Bool, _) => "_Bool",
            (Class::Char, _) => "char",
            (Class::Float, 4) => "float",
            (Class::Float, 8) => "double",
            (Class::Float, _) => "long double",
            (Class::Enum(values), 4) if values.iter().all(|(_, value)| *value >= 0) => "unsigned int",
            (Class::Signed, 1) => "signed char",
            (Class::Unsigned, 1) => "unsigned char",
            (Class::Signed | Class::Enum(_), 2) => "short",
            (Class::Unsigned, 2) => "unsigned short",
            (Class::Signed | Class::Enum(_), 4) => "int",
            (Class::Unsigned, 4) => "unsigned int",
            (Class::Signed | Class::Enum(_), 8) => "long",
            (Class::Unsigned, 8) => "unsigned long",
            (Class::Unsigned, _) => "unsigned __int128",
            _ => "__int128",
        }
    }

    /// How a helper of the driver is told about the class, as a C character.
    pub fn letter(&self) -> char {
        match self.class {
            Class::Signed | Class::Enum(_) => 'd',
            Class::Unsigned => 'u',
            Class::Bool => 'b',
            Class::Char => 'c',
            Class::Float => 'f',
        }
    }
}

/// What a type is, apart from its names.
#[derive(Clone, Debug)]
pub enum Kind<'p> {
    Void,
    Scalar(Scalar),
    /// `constant`: what it points to is not written through it.
    Pointer {
        to: Option<DebugTypeId>,
        constant: bool,
    },
    Struct {
        id: DebugTypeId,
        bytes: u64,
        union: bool,
        members: &'p [Member],
    },
    Array {
        element: DebugTypeId,
        count: u64,
    },
    Function,
    /// Declared only, or of a kind that C has and the driver does not; its name, if it has one.
    Unknown(Option<String>),
}

/// What a type is.
pub fn kind(program: &Program, ty: Option<DebugTypeId>) -> Kind<'_> {
    let Some(ty) = ty.map(|ty| program.underlying(ty)) else { return Kind::Void };
    match program.debug_type(ty) {
        DebugType::Base { name, bits } => base(name, *bits),
        DebugType::Enum { bits, values, .. } => {
            Kind::Scalar(Scalar { class: Class::Enum(enumerators(values)), bytes: (*bits / 8) as usize })
        }
        DebugType::Pointer { to } => Kind::Pointer { to: *to, constant: is_constant(program, *to) },
        DebugType::Struct { bytes: 0, name, .. } => Kind::Unknown(name.clone()),
        DebugType::Struct { bytes, union, members, .. } => {
            Kind::Struct { id: ty, bytes: *bytes, union: *union, members }
        }
        DebugType::Array { element: Some(element), bytes } => {
            let size = size(program, *element);
            Kind::Array { element: *element, count: bytes.checked_div(size).unwrap_or(0) }
        }
        DebugType::Func { .. } => Kind::Function,
        // A chain that ends in nothing: `void` by another name.
        DebugType::Typedef { to: None, .. } | DebugType::Qualified { to: None, .. } => Kind::Void,
        DebugType::Other { name } => Kind::Unknown(name.clone()),
        _ => Kind::Unknown(None),
    }
}

fn enumerators(values: &[Enumerator]) -> Vec<(String, i64)> {
    let mut list: Vec<_> = values.iter().map(|one| (one.name.clone(), one.value)).collect();
    list.sort_by_key(|(_, value)| *value);
    list
}

/// By its name in C: the debug information of a model has no encodings.
fn base(name: &str, bits: u64) -> Kind<'static> {
    let has = |word: &str| name.split_whitespace().any(|part| part == word);
    let class = if has("_Complex") || has("complex") {
        return Kind::Unknown(Some(name.to_owned()));
    } else if has("float") || has("double") {
        Class::Float
    } else if has("_Bool") || has("bool") {
        Class::Bool
    } else if name == "char" {
        Class::Char
    } else if has("unsigned") || name.starts_with("char1") || name.starts_with("char3") || name == "char8_t" {
        Class::Unsigned
    } else {
        Class::Signed
    };
    Kind::Scalar(Scalar { class, bytes: (bits / 8) as usize })
}

fn is_constant(program: &Program, to: Option<DebugTypeId>) -> bool {
    let mut at = to;
    // As many steps as there are types: damaged metadata may go in circles.
    for _ in 0..program.debug_types.len() {
        match at.map(|ty| program.debug_type(ty)) {
            Some(DebugType::Qualified { constant: true, .. }) => return true,
            Some(DebugType::Qualified { to, .. } | DebugType::Typedef { to, .. }) => at = *to,
            _ => return false,
        }
    }
    false
}

/// In bytes; 0 if it has none.
pub fn size(program: &Program, ty: DebugTypeId) -> u64 {
    match kind(program, Some(ty)) {
        Kind::Scalar(scalar) => scalar.bytes as u64,
        Kind::Pointer { .. } => 8,
        Kind::Struct { bytes, .. } => bytes,
        Kind::Array { element, count } => size(program, element) * count,
        _ => 0,
    }
}

/// As a person names it in a message.
pub fn described(program: &Program, ty: Option<DebugTypeId>) -> String {
    let Some(id) = ty else { return "void".to_owned() };
    match program.debug_type(id) {
        DebugType::Typedef { name, .. } | DebugType::Base { name, .. } => name.clone(),
        DebugType::Pointer { to } => {
            let text = described(program, *to);
            let star = if text.ends_with('*') { "*" } else { " *" };
            text + star
        }
        DebugType::Struct { name, union, .. } => {
            let keyword = if *union { "union" } else { "struct" };
            format!("{keyword} {}", name.as_deref().unwrap_or("without a name"))
        }
        DebugType::Enum { name, .. } => format!("enum {}", name.as_deref().unwrap_or("without a name")),
        DebugType::Qualified { constant: true, to } => format!("const {}", described(program, *to)),
        DebugType::Qualified { to, .. } => described(program, *to),
        DebugType::Array { element, .. } => described(program, *element) + "[]",
        DebugType::Func { .. } => "a function".to_owned(),
        DebugType::Other { name } => name.clone().unwrap_or_else(|| "an unknown type".to_owned()),
    }
}
