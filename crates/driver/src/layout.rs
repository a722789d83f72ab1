//! How the bytes of an input become the arguments of a function.
//!
//! In: the types of a parameter in both versions. Out: a [`Value`]: which bytes, at fixed places, make which part of it.
//!
//! Always holds: the layout is one for both versions, made of what their types have in common; every byte belongs to one part at most; the same
//! types and bounds give the same layout. Fixed places are what keeps the input a plain sequence of symbolic bytes: no byte says how others are to be read, except that a
//! pointer may be null and a buffer may be shorter than it could be.

use crate::options::{Bounds, MOST_INPUT};
use crate::sizes;
use crate::types::{described, kind, Class, Kind, Scalar};
use parallax_model::{DebugTypeId, Member, Program};

/// A type as each version has it.
pub type Types = [DebugTypeId; 2];

/// What becomes of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// So many bytes of the input; of a bit-field, the lowest bits.
    Scalar {
        at: usize,
        scalar: Scalar,
        bits: Option<u64>,
    },
    /// One byte of the input: how many elements a buffer has, from 0 to `most`.
    Size {
        at: usize,
        most: usize,
        scalar: Scalar,
    },
    /// Numbers one after the other.
    Block {
        at: usize,
        scalar: Scalar,
        count: usize,
    },
    /// Characters up to the first zero, or all of them.
    Text {
        at: usize,
        length: usize,
    },
    /// Bytes of a union.
    Raw {
        at: usize,
        bytes: usize,
    },
    Struct {
        members: Vec<(String, Value)>,
    },
    Array {
        elements: Vec<Value>,
    },
    Pointer {
        null: Option<usize>,
        object: Box<Object>,
    },
    /// The user's C expression.
    Given(String),
    /// Zero, whatever the input.
    Zero,
}

/// What a pointer leads to: memory of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Elements that there is room for; those without input are zero.
    pub capacity: usize,
    pub content: Value,
    /// Its elements, if they are numbers.
    pub scalar: Option<Scalar>,
    /// Nothing is written there.
    pub constant: bool,
}

/// Bytes behind the end of a string or buffer that a function may write to.
const SLACK: usize = 32;
/// Structures that one input may hold.
const MOST_OBJECTS: usize = 200;

/// Makes the layout of one function.
pub struct Builder<'p> {
    pub programs: [&'p Program; 2],
    pub bounds: Bounds,
    /// Bytes used so far.
    pub next: usize,
    /// What the user should know.
    pub notes: Vec<String>,
    objects: usize,
}

/// Where in the types a value is.
#[derive(Clone, Copy)]
struct At {
    /// Pointers to structures on the way.
    depth: usize,
    length: usize,
    /// The number of elements is another value.
    sized: bool,
    /// A parameter, not a part of one.
    top: bool,
}

impl<'p> Builder<'p> {
    pub fn new(programs: [&'p Program; 2], bounds: Bounds) -> Builder<'p> {
        Builder { programs, bounds, next: 0, notes: Vec::new(), objects: 0 }
    }

    fn take(&mut self, bytes: usize) -> usize {
        let at = self.next;
        self.next += bytes;
        at
    }

    /// A parameter; or why it cannot be driven. `sized`: another parameter says how many elements it has.
    pub fn parameter(&mut self, name: &str, types: Types, sized: bool) -> Result<Value, String> {
        let at = At { depth: 0, length: self.bounds.length_of(name), sized, top: true };
        self.value(types, at)
    }

    /// How many elements a buffer has.
    pub fn size(&mut self, most: usize, types: Types) -> Value {
        let at = self.take(1);
        let scalar = match kind(self.programs[0], Some(types[0])) {
            Kind::Scalar(scalar) => scalar,
            _ => Scalar::unsigned(8),
        };
        Value::Size { at, most, scalar }
    }

    /// A variable of the program that the function may read.
    pub fn global(&mut self, types: Types) -> Result<Value, String> {
        let at = At { depth: self.bounds.depth, length: self.bounds.length, sized: false, top: false };
        self.value(types, at)
    }

    /// A byte that says yes or no.
    pub fn flag(&mut self) -> usize {
        self.take(1)
    }

    fn value(&mut self, types: Types, at: At) -> Result<Value, String> {
        if self.next > MOST_INPUT || self.objects > MOST_OBJECTS {
            return Ok(Value::Zero);
        }
        let [old, new] = [0, 1].map(|i| kind(self.programs[i], Some(types[i])));
        match (old, new) {
            (Kind::Scalar(old), Kind::Scalar(new)) => {
                let scalar = common(old, new).ok_or("a number in one version and a fraction in the other")?;
                Ok(Value::Scalar { at: self.take(scalar.input_bytes()), scalar, bits: None })
            }
            (Kind::Pointer { to: old, constant }, Kind::Pointer { to: new, constant: other }) => {
                self.pointer([old, new], constant && other, at)
            }
            (
                Kind::Struct { members, union: false, .. },
                Kind::Struct { members: other, union: false, .. },
            ) => self.structure(members, other, at),
            (Kind::Struct { id, bytes, union: true, .. }, Kind::Struct { union: true, .. }) => {
                let plain = !holds_pointer(self.programs[0], id, 0);
                match plain {
                    true => Ok(Value::Raw { at: self.take(bytes as usize), bytes: bytes as usize }),
                    false if at.top => Err("a union that holds a pointer".to_owned()),
                    false => Ok(Value::Zero),
                }
            }
            (Kind::Array { element, count }, Kind::Array { element: other, count: also }) => {
                self.array([element, other], count.min(also) as usize, at)
            }
            _ if !at.top => Ok(Value::Zero),
            _ => Err("its type has nothing in common in the two versions, or is only declared".to_owned()),
        }
    }

    fn array(&mut self, types: Types, count: usize, at: At) -> Result<Value, String> {
        if let Some(scalar) = self.number(types) {
            // The last character of an array ends a string.
            let ends = scalar.class == Class::Char && count > 1;
            return Ok(self.block(scalar, count - usize::from(ends)));
        }
        let inner = At { top: false, ..at };
        let elements = (0..count).map(|_| self.value(types, inner)).collect::<Result<_, _>>()?;
        Ok(Value::Array { elements })
    }

    /// The scalar that a type is in both versions, of which several can be copied at once.
    fn number(&self, types: Types) -> Option<Scalar> {
        let one = |i: usize| match kind(self.programs[i], Some(types[i])) {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        let (old, new) = (one(0)?, one(1)?);
        (old.bytes == new.bytes).then(|| common(old, new)).flatten().filter(Scalar::is_plain)
    }

    fn block(&mut self, scalar: Scalar, count: usize) -> Value {
        Value::Block { at: self.take(scalar.bytes * count), scalar, count }
    }

    fn structure(&mut self, members: &[Member], others: &[Member], at: At) -> Result<Value, String> {
        let common: Vec<(&Member, Types)> = members
            .iter()
            .enumerate()
            .filter_map(|(i, member)| {
                let same = |other: &&Member| other.name == member.name;
                let other = match member.name.is_empty() {
                    true => others.get(i).filter(same),
                    false => others.iter().find(same),
                }?;
                Some((member, [member.ty?, other.ty?]))
            })
            .collect();
        let names: Vec<_> = common.iter().map(|(member, types)| (&*member.name, types[0])).collect();
        let sizes = sizes::of(self.programs[0], &names);
        let mut values = Vec::new();
        for (i, (member, types)) in common.iter().enumerate() {
            let value = match sizes.most(i, |_| self.bounds.length) {
                Some(most) => self.size(most, *types),
                None => self.value(*types, At { top: false, sized: sizes.is_sized(i), ..at })?,
            };
            values.push((member.name.clone(), narrowed(value, member.bits)));
        }
        Ok(Value::Struct { members: values })
    }

    fn pointer(&mut self, to: [Option<DebugTypeId>; 2], constant: bool, at: At) -> Result<Value, String> {
        let kinds = [0, 1].map(|i| kind(self.programs[i], to[i]));
        let [Some(old), Some(new)] = to else { return self.bytes(constant, at) };
        let types = [old, new];
        match kinds {
            [Kind::Scalar(scalar), Kind::Scalar(_)] => {
                let Some(scalar) = self.number(types).or_else(|| scalar.is_plain().then_some(scalar)) else {
                    return self.several(types, constant, at);
                };
                Ok(self.buffer(scalar, constant, at))
            }
            [Kind::Struct { .. }, Kind::Struct { .. }] => self.to_structure(types, constant, at),
            [Kind::Pointer { .. }, Kind::Pointer { .. }] | [Kind::Array { .. }, Kind::Array { .. }] => {
                self.several(types, constant, at)
            }
            [Kind::Void, _] => self.bytes(constant, at),
            _ if !at.top => Ok(Value::Zero),
            [Kind::Function, _] => Err("a function, which no input can be".to_owned()),
            [Kind::Unknown(name), _] | [_, Kind::Unknown(name)] => {
                let name = name.unwrap_or_default();
                Err(format!("a pointer to a type that is only declared here{}", quoted(&name)))
            }
            _ => Err("its type has nothing in common in the two versions".to_owned()),
        }
    }

    /// `void *`: bytes, if something says how many.
    fn bytes(&mut self, constant: bool, at: At) -> Result<Value, String> {
        match (at.sized, at.top) {
            (true, _) => Ok(self.buffer(Scalar::unsigned(1), constant, at)),
            (false, false) => Ok(Value::Zero),
            (false, true) => {
                Err("nothing says what a pointer to void leads to, or how much of it there is".to_owned())
            }
        }
    }

    /// A string, or numbers.
    fn buffer(&mut self, scalar: Scalar, constant: bool, at: At) -> Value {
        let slack = if constant { 0 } else { SLACK.max(at.length * 2) / scalar.bytes };
        let text = scalar.class == Class::Char && !at.sized;
        let content = match text {
            true => Value::Text { at: self.take(at.length), length: at.length },
            false => self.block(scalar.clone(), at.length),
        };
        // Room for the zero that ends a string.
        let capacity = at.length + slack + usize::from(scalar.bytes == 1);
        let object = Object { capacity, content, scalar: Some(scalar), constant };
        Value::Pointer { null: None, object: Box::new(object) }
    }

    /// An array of pointers or of arrays.
    fn several(&mut self, types: Types, constant: bool, at: At) -> Result<Value, String> {
        let count = if at.sized { at.length } else { 1 };
        let inner = At { sized: false, top: false, ..at };
        let elements = (0..count).map(|_| self.value(types, inner)).collect::<Result<_, _>>()?;
        // A list of pointers ends with one that is null.
        let object =
            Object { capacity: count + 1, content: Value::Array { elements }, scalar: None, constant };
        Ok(Value::Pointer { null: None, object: Box::new(object) })
    }

    /// One structure, or as many as a buffer has elements. What leads to more of its own kind ends with null pointers.
    fn to_structure(&mut self, types: Types, constant: bool, at: At) -> Result<Value, String> {
        let linked = reaches(self.programs[0], types[0], types[0]);
        if at.depth >= self.bounds.depth {
            return Ok(Value::Zero);
        }
        self.objects += 1;
        let null = linked.then(|| self.flag());
        let inner = At { depth: at.depth + 1, sized: false, top: false, length: self.bounds.length };
        let count = if at.sized && !linked { at.length } else { 1 };
        let content = match count {
            1 => self.value(types, inner)?,
            _ => Value::Array {
                elements: (0..count).map(|_| self.value(types, inner)).collect::<Result<_, _>>()?,
            },
        };
        let object = Object { capacity: count, content, scalar: None, constant };
        Ok(Value::Pointer { null, object: Box::new(object) })
    }
}

fn quoted(name: &str) -> String {
    if name.is_empty() {
        String::new()
    } else {
        format!(", `{name}`")
    }
}

fn narrowed(value: Value, width: u64) -> Value {
    match value {
        Value::Scalar { at, scalar, .. } if width < scalar.bytes as u64 * 8 => {
            Value::Scalar { at, scalar, bits: Some(width) }
        }
        value => value,
    }
}

/// The narrower of two types of numbers: what both versions can be given.
fn common(old: Scalar, new: Scalar) -> Option<Scalar> {
    let is_float = |scalar: &Scalar| scalar.class == Class::Float;
    (is_float(&old) == is_float(&new)).then_some(if new.bytes < old.bytes { new } else { old })
}

/// Does a type hold a pointer, at any depth?
fn holds_pointer(program: &Program, ty: DebugTypeId, depth: usize) -> bool {
    match kind(program, Some(ty)) {
        Kind::Pointer { .. } | Kind::Function | Kind::Unknown(_) => true,
        Kind::Struct { members, .. } => {
            // Structures nest only so deep; the bound is for damaged metadata.
            depth > 16 || members.iter().any(|m| m.ty.is_none_or(|ty| holds_pointer(program, ty, depth + 1)))
        }
        Kind::Array { element, .. } => holds_pointer(program, element, depth + 1),
        _ => false,
    }
}

/// Do pointers lead from one structure to another, or back to itself?
pub fn reaches(program: &Program, from: DebugTypeId, wanted: DebugTypeId) -> bool {
    let wanted = program.underlying(wanted);
    let mut seen = vec![program.underlying(from)];
    let mut pending = seen.clone();
    while let Some(ty) = pending.pop() {
        let next: Vec<DebugTypeId> = match kind(program, Some(ty)) {
            Kind::Struct { members, .. } => members.iter().filter_map(|member| member.ty).collect(),
            Kind::Pointer { to, .. } => to.into_iter().collect(),
            Kind::Array { element, .. } => vec![element],
            _ => Vec::new(),
        };
        for ty in next.into_iter().map(|ty| program.underlying(ty)) {
            if ty == wanted {
                return true;
            }
            if !seen.contains(&ty) {
                seen.push(ty);
                pending.push(ty);
            }
        }
    }
    false
}

/// A type as a message names it.
pub fn name_of(program: &Program, ty: DebugTypeId) -> String {
    described(program, Some(ty))
}
