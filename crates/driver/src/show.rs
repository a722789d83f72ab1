//! C statements that write down what a function left.
//!
//! In: types of values, in both versions. Out: statements that call the helpers of `prelude.c` and `objects.c`, or of `kept.c`; functions for structures that pointers lead
//! to, each of which is shown once.
//!
//! Always holds: both versions write the same lines for the same values. A number that has two widths is shown in the wider one; a member that only
//! one version has is not shown.

use crate::declare::Declarations;
use crate::layout::Types;
use crate::set::member;
use crate::types::{kind, size, Class, Kind, Scalar};
use parallax_model::{DebugTypeId, Program};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Elements of an array of structures that are shown.
const MOST_ELEMENTS: u64 = 64;

pub struct Shower<'p, 'd> {
    programs: [&'p Program; 2],
    /// The version that the text is for.
    version: usize,
    declarations: &'d mut Declarations<'p>,
    pub text: String,
    /// Of the structures that pointers lead to.
    pub functions: String,
    pub prototypes: String,
    known: BTreeMap<DebugTypeId, usize>,
}

impl<'p, 'd> Shower<'p, 'd> {
    pub fn new(programs: [&'p Program; 2], version: usize, declarations: &'d mut Declarations<'p>) -> Self {
        let (text, functions, prototypes) = Default::default();
        Shower { programs, version, declarations, text, functions, prototypes, known: BTreeMap::new() }
    }

    fn line(&mut self, line: &str) {
        // A string takes everything.
        let _ = writeln!(self.text, "    {line}");
    }

    pub fn show(&mut self, types: Types, expression: &str, label: &str) {
        let [old, new] = [0, 1].map(|i| kind(self.programs[i], Some(types[i])));
        match (old, new) {
            (Kind::Scalar(old), Kind::Scalar(new)) => {
                let scalar = wider(old, new);
                let (spelling, letter, bytes) = shown(&scalar);
                self.line(&format!(
                    "{{ {spelling} value = {expression}; parallax_scalar(\"{label}\", &value, {bytes}, '{letter}'); }}"
                ));
            }
            (Kind::Pointer { to: old, .. }, Kind::Pointer { to: new, .. }) => {
                self.pointer([old, new], expression, label)
            }
            (
                Kind::Struct { members, union: false, .. },
                Kind::Struct { members: others, union: false, .. },
            ) => {
                for one in members {
                    let Some(other) = others.iter().find(|other| other.name == one.name) else { continue };
                    if let (Some(old), Some(new)) = (one.ty, other.ty) {
                        self.show([old, new], &member(expression, &one.name), &member(label, &one.name));
                    }
                }
            }
            (Kind::Array { element, count }, Kind::Array { element: other, count: also }) => {
                self.array([element, other], count.min(also), expression, label)
            }
            // A union holds what its last writer left; which member that is nobody says.
            _ => {}
        }
    }

    fn array(&mut self, types: Types, count: u64, expression: &str, label: &str) {
        let [old, new] = [0, 1].map(|i| kind(self.programs[i], Some(types[i])));
        match (old, new) {
            (Kind::Scalar(old), Kind::Scalar(new)) if old.bytes == new.bytes && old.bytes <= 8 => {
                let letter = old.letter();
                let bytes = old.bytes;
                self.line(&format!(
                    "parallax_block(\"{label}\", {expression}, {bytes}, {count}, '{letter}');"
                ));
            }
            _ => {
                for i in 0..count.min(MOST_ELEMENTS) {
                    self.show(types, &format!("{expression}[{i}]"), &format!("{label}[{i}]"));
                }
            }
        }
    }

    fn pointer(&mut self, to: [Option<DebugTypeId>; 2], expression: &str, label: &str) {
        let kinds = [0, 1].map(|i| kind(self.programs[i], to[i]));
        match (&kinds, to) {
            ([Kind::Scalar(Scalar { class: Class::Char, .. }), _], _) => {
                self.line(&format!("parallax_string(\"{label}\", {expression});"));
            }
            ([Kind::Struct { .. }, Kind::Struct { .. }], [Some(old), Some(new)]) => {
                let number = self.function([old, new]);
                self.line(&format!(
                    "if (parallax_pointer(\"{label}\", {expression})) parallax_show_{number}({expression});"
                ));
            }
            _ => self.line(&format!("parallax_pointer(\"{label}\", {expression});")),
        }
    }

    /// The function that shows a structure, by number.
    pub fn function(&mut self, types: Types) -> usize {
        let id = self.programs[0].underlying(types[0]);
        if let Some(number) = self.known.get(&id) {
            return *number;
        }
        let number = self.known.len();
        self.known.insert(id, number);
        let own = types[self.version];
        let parameter = self.declarations.declare(Some(own), "*it");
        let name = self.declarations.declare(Some(own), "").trim_start_matches("struct ").trim().to_owned();
        let outside = std::mem::take(&mut self.text);
        self.show(types, "(*it)", &name);
        let body = std::mem::replace(&mut self.text, outside);
        let _ = writeln!(self.prototypes, "static void parallax_show_{number}({parameter});");
        let _ = write!(self.functions, "static void parallax_show_{number}({parameter}) {{\n{body}}}\n");
        number
    }

    /// Is anything behind a pointer that a dump of the buffers does not show?
    pub fn is_structure(&self, to: Option<DebugTypeId>) -> bool {
        matches!(kind(self.programs[self.version], to), Kind::Struct { .. })
    }
}

fn wider(old: Scalar, new: Scalar) -> Scalar {
    if new.bytes > old.bytes {
        new
    } else {
        old
    }
}

/// Spelling of the type that a number is shown as, its letter and its bytes.
fn shown(scalar: &Scalar) -> (&'static str, char, usize) {
    match scalar.class {
        // Its padding has no value.
        Class::Float if scalar.bytes > 8 => ("double", 'f', 8),
        _ => (scalar.spelling(), scalar.letter(), scalar.bytes),
    }
}

/// Bytes of an element behind a pointer.
pub fn step(program: &Program, to: Option<DebugTypeId>) -> u64 {
    to.map_or(1, |to| size(program, to)).max(1)
}
