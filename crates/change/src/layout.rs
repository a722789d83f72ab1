//! Structures whose members lie elsewhere now.
//!
//! In: a pair of instructions or types that differ. Out: is it only where the members lie?
//!
//! Always holds: "only layout" needs debug information that names the same members of the same structure on both sides.
//! An access that moved with its member is a change of kind `layout`: it matters to code that sees bytes (casts, copies,
//! files), and to nothing else, so targets that are nothing but that can be left for last.

use parallax_model::*;

/// Do two aligned instructions differ in nothing but where members of a structure lie?
pub fn only(old: &Program, i: InstId, new: &Program, j: InstId) -> bool {
    match (old.inst(i).op, new.inst(j).op) {
        (Op::Gep(a), Op::Gep(b)) => {
            let (a, b) = (path(old, old.gep(a)), path(new, new.gep(b)));
            a.is_some() && a == b
        }
        (Op::Alloca { allocated: a }, Op::Alloca { allocated: b }) => same_structure(old, a, new, b),
        _ => false,
    }
}

/// Structures (or arrays of them) of one name.
pub fn same_structure(old: &Program, a: TypeId, new: &Program, b: TypeId) -> bool {
    let (a, b) = (name(old, a), name(new, b));
    a.is_some() && a == b
}

fn name(program: &Program, ty: TypeId) -> Option<(String, u64)> {
    match &program.ty(ty).kind {
        TypeKind::Struct(s) => Some((s.name.clone()?, 0)),
        TypeKind::Array { element, len } => name(program, *element).map(|(n, _)| (n, *len)),
        _ => None,
    }
}

/// A step of an access by name.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Index(Option<i64>),
}

/// The access as the source has it: a structure's name, then members and indices.
fn path(program: &Program, gep: &Gep) -> Option<(String, Vec<Step>)> {
    let start = name(program, gep.source)?.0;
    let mut ty = gep.source;
    let mut steps = Vec::new();
    for (n, step) in gep.path.iter().enumerate() {
        match (step, &program.ty(ty).kind) {
            // The first index steps over whole structures.
            (PathStep::Index(at), _) if n == 0 => steps.push(Step::Index(*at)),
            (PathStep::Field(field), TypeKind::Struct(s)) => {
                let at = s.fields.get(*field as usize)?;
                steps.push(Step::Member(program.member_name(s.debug?, at.offset)?));
                ty = at.ty;
            }
            (PathStep::Index(at), TypeKind::Array { element, .. }) => {
                steps.push(Step::Index(*at));
                ty = *element;
            }
            _ => return None,
        }
    }
    Some((start, steps))
}
