//! What a node says to somebody who reads the sources.
//!
//! In: a graph, the pairing. Out: places, "`n` is 4 instead of 3", what became of a difference.

use crate::graph::{Graph, Kind, Node, NodeId};
use crate::pairing::Pairing;
use crate::{NEW, OLD};
use parallax_model::*;
use rustc_hash::FxHashMap;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: u32,
    /// Of the old version: the new one has no such code.
    pub is_old: bool,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}:{}{}", self.file, self.line, if self.is_old { " (old)" } else { "" })
    }
}

/// Where instructions stand: in the new version, if there is something.
pub fn place(pairing: &Pairing, insts: [Option<InstId>; 2]) -> Option<Place> {
    let of = |side: usize| {
        let program = pairing.programs[side];
        let inst = insts[side]?;
        let loc = program.loc(inst).filter(|loc| loc.line > 0).map(|loc| (loc.file, loc.line));
        // A phi has no line: the first one of its block has.
        let (file, line) = loc.or_else(|| {
            let block = program.block(program.inst(inst).block);
            let line = Some(block.line).filter(|line| *line > 0)?;
            Some((program.func(block.func).file?, line))
        })?;
        let file = program.file(file);
        Some(Place { file: file.strip_prefix("./").unwrap_or(file).to_owned(), line, is_old: side == OLD })
    };
    of(NEW).or_else(|| of(OLD))
}

/// What is not the same.
pub fn what(pairing: &Pairing, node: &Node) -> String {
    let name = name(pairing, node);
    match node.kind {
        Kind::Branch => return "the versions go different ways".to_owned(),
        Kind::Only(side) if node.values.iter().any(Option::is_none) => {
            return format!("{name} is there in the {} version only", ["old", "new"][side]);
        }
        _ => {}
    }
    let values = [OLD, NEW].map(|side| Some(shown(pairing, side, node)?));
    match values {
        [Some(old), Some(new)] if old != new => format!("{name} is {new} instead of {old}"),
        _ => format!("{name} is not the same"),
    }
}

fn name(pairing: &Pairing, node: &Node) -> String {
    let of = |side: usize| {
        let (program, inst) = (pairing.programs[side], node.insts[side]?);
        let quoted = |name: &str| Some(format!("`{name}`"));
        match program.inst(inst).op {
            Op::Store { .. } => quoted(&address(program, *program.operands(inst).get(1)?)?),
            _ if node.kind == Kind::Argument => Some(format!("what `{}` is given", callee(program, inst)?)),
            Op::Ret => quoted(program.func(program.func_of(inst)).display_name())
                .map(|name| format!("the result of {name}")),
            op => {
                let variable = program.variable_of(inst).filter(|_| !matches!(op, Op::Alloca { .. }));
                if let Some(variable) = variable {
                    return quoted(&program.variable(variable).name);
                }
                match op {
                    Op::Load { .. } => quoted(&address(program, *program.operands(inst).first()?)?),
                    _ if op.call().is_some() => Some(format!("the result of `{}`", callee(program, inst)?)),
                    _ => None,
                }
            }
        }
    };
    of(NEW).or_else(|| of(OLD)).unwrap_or_else(|| match node.kind {
        Kind::Memory => "memory".to_owned(),
        Kind::Only(_) => "this code".to_owned(),
        _ => "a value".to_owned(),
    })
}

fn callee(program: &Program, call: InstId) -> Option<String> {
    match program.inst(call).op.call()?.0 {
        Callee::Direct(f) | Callee::Intrinsic(f) => Some(program.func(f).display_name().to_owned()),
        _ => None,
    }
}

/// The variable or member that an address belongs to.
fn address(program: &Program, operand: Operand) -> Option<String> {
    match operand {
        Operand::Global(global) => {
            let global = program.global(global);
            global.source_name.clone().or_else(|| Some(global.name.clone())).filter(|n| !n.starts_with('.'))
        }
        Operand::Arg { func, index } => {
            Some(format!("*{}", program.func(func).params.get(index as usize)?.name.as_ref()?))
        }
        Operand::Inst(inst) => match program.inst(inst).op {
            Op::Alloca { .. } => Some(program.variable(program.variable_of(inst)?).name.clone()),
            Op::Gep(gep) => {
                let base = address(program, *program.operands(inst).first()?)?;
                let base = base.strip_prefix('*').map_or(base.clone(), str::to_owned);
                let field = member(program, program.gep(gep));
                Some(match field {
                    Some(field) => format!("{base}->{field}"),
                    None => format!("{base}[…]"),
                })
            }
            Op::Cast(_) => address(program, *program.operands(inst).first()?),
            Op::Load { .. } => address(program, *program.operands(inst).first()?),
            _ => Some(format!("*{}", program.variable(program.variable_of(inst)?).name)),
        },
        Operand::Const(constant) => match &program.constant(constant).kind {
            ConstKind::Gep { gep, operands } => {
                let base = address(program, *operands.first()?)?;
                let field = member(program, program.gep(*gep));
                Some(field.map_or(base.clone(), |field| format!("{base}.{field}")))
            }
            _ => None,
        },
        _ => None,
    }
}

fn member(program: &Program, gep: &Gep) -> Option<String> {
    let TypeKind::Struct(structure) = &program.ty(gep.source).kind else { return None };
    program.member_name(structure.debug?, u64::try_from(gep.offset).ok()?)
}

/// A value as the source would write it.
fn shown(pairing: &Pairing, side: usize, node: &Node) -> Option<String> {
    let program = pairing.programs[side];
    let value = node.values[side]?;
    // What was written, given or returned is an operand; the types of both sides are the same.
    let ty = node.insts[side].or(node.insts[1 - side].filter(|_| false)).and_then(|inst| {
        let operands = program.operands(inst);
        match node.kind {
            Kind::Memory | Kind::Return => operand_type(program, *operands.first()?),
            Kind::Argument => None,
            _ if matches!(program.inst(inst).op, Op::Store { .. }) => {
                operand_type(program, *operands.first()?)
            }
            _ => Some(program.inst(inst).ty),
        }
    });
    let kind = ty.map(|ty| &program.ty(ty).kind);
    Some(match kind {
        Some(TypeKind::Ptr) if value == 0 => "a null pointer".to_owned(),
        Some(TypeKind::Ptr) => "an address".to_owned(),
        Some(TypeKind::Float(FloatKind::Double)) => f64::from_bits(value).to_string(),
        Some(TypeKind::Float(FloatKind::Float)) => f32::from_bits(value as u32).to_string(),
        Some(TypeKind::Int { bits }) if (2..=64).contains(bits) => {
            let unused = 64 - bits;
            match is_unsigned(program, node.insts[side]) {
                true => value.to_string(),
                false => ((value << unused) as i64 >> unused).to_string(),
            }
        }
        None if node.kind == Kind::Argument && value > u64::from(u32::MAX) => "an address".to_owned(),
        None if node.kind == Kind::Argument => (value as i32).to_string(),
        _ => value.to_string(),
    })
}

fn operand_type(program: &Program, operand: Operand) -> Option<TypeId> {
    match operand {
        Operand::Inst(inst) => Some(program.inst(inst).ty),
        Operand::Arg { func, index } => Some(program.func(func).params.get(index as usize)?.ty),
        Operand::Const(constant) => Some(program.constant(constant).ty),
        _ => None,
    }
}

fn is_unsigned(program: &Program, inst: Option<InstId>) -> bool {
    let ty = inst.and_then(|inst| program.variable(program.variable_of(inst)?).ty);
    let name = ty.map(|ty| program.debug_type(program.underlying(ty)));
    matches!(name, Some(DebugType::Base { name, .. }) if name.starts_with("unsigned"))
}

/// What became of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fate {
    Unused,
    Overwritten(Option<Place>),
    SameResult(Option<Place>),
    SameWay(Option<Place>),
    /// It left the program.
    Output(Option<Place>, String),
    /// It was used, and nothing more is known.
    Used,
}

impl std::fmt::Display for Fate {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let at = |place: &Option<Place>| place.as_ref().map_or(String::new(), |place| format!(" at {place}"));
        match self {
            Fate::Unused => write!(f, "never used"),
            Fate::Overwritten(place) => write!(f, "overwritten{}", at(place)),
            Fate::SameResult(place) => write!(f, "used without effect{}", at(place)),
            Fate::SameWay(place) => write!(f, "the branch{} goes the same way", at(place)),
            Fate::Output(place, name) => write!(f, "given to `{name}`{}", at(place)),
            Fate::Used => write!(f, "lost in what follows"),
        }
    }
}

/// What became of a change's effect, on most instances; and how many other ends there are.
pub fn fate(graph: &Graph, pairing: &Pairing, change: u32) -> Option<(Fate, usize)> {
    let mut has_child = vec![false; graph.len() + 1];
    for id in graph.ids() {
        for parent in graph.node(id).map_or(&[][..], |node| &node.parents) {
            has_child[*parent as usize] = true;
        }
    }
    let mut ends: FxHashMap<Fate, u64> = FxHashMap::default();
    let leaves = graph.ids().filter(|id| !has_child[*id as usize] && graph.origins(*id).contains(&change));
    for node in leaves.filter_map(|id: NodeId| graph.node(id)) {
        if !matches!((node.kind, node.uses), (Kind::Only(_) | Kind::Branch, 0)) {
            *ends.entry(end(pairing, node)).or_default() += node.count;
        }
    }
    let others = ends.len().saturating_sub(1);
    let most = ends.into_iter().max_by(|(a, m), (b, n)| m.cmp(n).then_with(|| b.cmp(a)))?;
    Some((most.0, others))
}

fn end(pairing: &Pairing, node: &Node) -> Fate {
    let program = pairing.programs[NEW];
    let at = |inst: InstId| place(pairing, [None, Some(inst)]);
    if let Some(call) = node.output {
        let side = if node.insts[NEW].is_some() { NEW } else { OLD };
        let name = callee(pairing.programs[side], call).unwrap_or_else(|| "main's caller".to_owned());
        return Fate::Output(place(pairing, node.insts), name);
    }
    if let Some(inst) = node.overwritten {
        return Fate::Overwritten(at(inst));
    }
    match node.masked {
        Some(inst) if decides(program, inst) => Fate::SameWay(at(inst)),
        Some(inst) => Fate::SameResult(at(inst)),
        None if node.uses == 0 => Fate::Unused,
        None => Fate::Used,
    }
}

/// Is it a comparison that a branch goes by, or the branch?
fn decides(program: &Program, inst: InstId) -> bool {
    let op = program.inst(inst).op;
    let end = program.terminator(program.inst(inst).block);
    inst == end
        || (matches!(op, Op::ICmp(_) | Op::FCmp(_))
            && program.operands(end).first() == Some(&Operand::Inst(inst)))
}
