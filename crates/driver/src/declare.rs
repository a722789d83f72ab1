//! C declarations of the types that a driver names, derived from the debug information.
//!
//! In: a program model and types. Out: the text of a declaration of something with a type; definitions of all structures that were named.
//!
//! Always holds: a structure is defined before it is used as a whole, and asserts its size. Qualifiers are left out, functions and types that are only declared become
//! `void`: the size and the way of being passed stay.

use crate::types::{kind, Class, Kind};
use parallax_model::{DebugType, DebugTypeId, Member, Program};
use std::collections::BTreeMap;
use std::fmt::Write;

pub struct Declarations<'p> {
    program: &'p Program,
    /// Definitions so far.
    text: String,
    /// How structures are called; none while the definition is being written.
    named: BTreeMap<DebugTypeId, String>,
    pending: Vec<(DebugTypeId, String)>,
    constants: BTreeMap<String, i64>,
}

impl<'p> Declarations<'p> {
    pub fn new(program: &'p Program) -> Declarations<'p> {
        Declarations {
            program,
            text: String::new(),
            named: BTreeMap::new(),
            pending: Vec::new(),
            constants: BTreeMap::new(),
        }
    }

    /// Definitions of everything that was named.
    pub fn definitions(&mut self) -> String {
        while let Some((id, name)) = self.pending.pop() {
            self.define(id, &name);
        }
        let constants = self.constants.iter().map(|(name, value)| format!("{name} = {value}"));
        let constants = constants.collect::<Vec<_>>().join(", ");
        let constants = match constants.is_empty() {
            true => String::new(),
            false => format!("enum {{ {constants} }};\n"),
        };
        constants + &self.text
    }

    /// Something with a type, as C declares it.
    pub fn declare(&mut self, ty: Option<DebugTypeId>, declarator: &str) -> String {
        let spaced = |name: &str| format!("{name} {declarator}").trim_end().to_owned();
        match kind(self.program, ty) {
            Kind::Scalar(scalar) => {
                if let Class::Enum(values) = &scalar.class {
                    self.constants.extend(values.iter().cloned());
                }
                spaced(scalar.spelling())
            }
            Kind::Pointer { to, .. } => match kind(self.program, to) {
                Kind::Void | Kind::Function | Kind::Unknown(_) => format!("void *{declarator}"),
                Kind::Array { .. } => self.declare(to, &format!("(*{declarator})")),
                Kind::Struct { id, .. } => format!("{} *{declarator}", self.structure(to, id, false)),
                _ => self.declare(to, &format!("*{declarator}")),
            },
            Kind::Array { element, count } => self.declare(Some(element), &format!("{declarator}[{count}]")),
            Kind::Struct { id, .. } => spaced(&self.structure(ty, id, true)),
            Kind::Void | Kind::Function | Kind::Unknown(_) => spaced("void"),
        }
    }

    /// The name of a structure. `whole`: it must be defined here already.
    fn structure(&mut self, ty: Option<DebugTypeId>, id: DebugTypeId, whole: bool) -> String {
        if let Some(name) = self.named.get(&id).cloned() {
            if let (true, Some(at)) = (whole, self.pending.iter().position(|(other, _)| *other == id)) {
                self.pending.remove(at);
                self.define(id, &name);
            }
            return name;
        }
        let (keyword, tag) = self.tag(id);
        let name = match (&tag, self.typedef(ty)) {
            (Some(tag), _) => format!("{keyword} {tag}"),
            (None, Some(typedef)) => typedef,
            (None, None) => format!("{keyword} parallax_unnamed_{}", self.named.len()),
        };
        self.named.insert(id, name.clone());
        match whole || tag.is_none() {
            true => self.define(id, &name),
            false => self.pending.push((id, name.clone())),
        }
        name
    }

    fn tag(&self, id: DebugTypeId) -> (&'static str, Option<String>) {
        match self.program.debug_type(id) {
            DebugType::Struct { name, union, .. } => {
                (if *union { "union" } else { "struct" }, name.clone().filter(|name| !name.is_empty()))
            }
            _ => ("struct", None),
        }
    }

    /// The last typedef on the way to a structure.
    fn typedef(&self, ty: Option<DebugTypeId>) -> Option<String> {
        let (mut at, mut found) = (ty?, None);
        for _ in 0..self.program.debug_types.len() {
            match self.program.debug_type(at) {
                DebugType::Typedef { name, to: Some(to) } => {
                    found = Some(name.clone());
                    at = *to;
                }
                DebugType::Qualified { to: Some(to), .. } => at = *to,
                _ => break,
            }
        }
        found
    }

    fn define(&mut self, id: DebugTypeId, name: &str) {
        let Kind::Struct { bytes, union, members, .. } = kind(self.program, Some(id)) else { return };
        let body = self.body(members, bytes, union);
        // A name that is no tag is a typedef's.
        match name.split_once(' ') {
            Some(_) => writeln!(self.text, "{name} {body};"),
            None => writeln!(self.text, "typedef {} {body} {name};", if union { "union" } else { "struct" }),
        }
        .and_then(|()| writeln!(self.text, "_Static_assert(sizeof({name}) == {bytes}, \"{name}\");"))
        // A string takes everything.
        .unwrap_or_default();
    }

    fn body(&mut self, members: &[Member], bytes: u64, union: bool) -> String {
        let mut body = String::from("{\n");
        let mut packed = false;
        for member in members {
            packed |= !union && self.is_off(member, bytes);
            let _ = writeln!(body, "    {};", self.member(member));
        }
        body.push('}');
        if packed {
            body.push_str(" __attribute__((packed))");
        }
        body
    }

    fn member(&mut self, member: &Member) -> String {
        let inner = kind(self.program, member.ty);
        if let (Kind::Struct { bytes, union, members, id }, None) = (&inner, self.typedef(member.ty)) {
            if self.tag(*id).1.is_none() {
                let body = self.body(members, *bytes, *union);
                let keyword = if *union { "union" } else { "struct" };
                return format!("{keyword} {body} {}", member.name).trim_end().to_owned();
            }
        }
        let declared = self.declare(member.ty, &member.name);
        match inner {
            Kind::Scalar(scalar) if member.bits < scalar.bytes as u64 * 8 => {
                format!("{declared} : {}", member.bits)
            }
            _ => declared,
        }
    }

    /// A member that stands where C would not put it by itself.
    fn is_off(&self, member: &Member, bytes: u64) -> bool {
        let align = align(self.program, member.ty, 0);
        let is_field = match kind(self.program, member.ty) {
            Kind::Scalar(scalar) => member.bits < scalar.bytes as u64 * 8,
            _ => false,
        };
        !is_field && (member.offset_bits / 8 % align != 0 || bytes % align != 0)
    }
}

fn align(program: &Program, ty: Option<DebugTypeId>, depth: usize) -> u64 {
    match kind(program, ty) {
        Kind::Scalar(scalar) => scalar.bytes.max(1) as u64,
        Kind::Pointer { .. } => 8,
        Kind::Array { element, .. } => align(program, Some(element), depth),
        // A structure may itself be packed; depth is for damaged metadata.
        Kind::Struct { members, bytes, .. } if depth < 16 => {
            let most = members.iter().map(|m| align(program, m.ty, depth + 1)).max().unwrap_or(1);
            if bytes % most == 0 {
                most
            } else {
                1
            }
        }
        _ => 1,
    }
}
