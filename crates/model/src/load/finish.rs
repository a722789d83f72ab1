//! What follows from the rest: names of parameters and registers, which functions have their address taken, structures of the source for
//! structures of the IR, constructors.

use super::Loader;
use crate::ir::*;
use std::collections::HashMap;

/// Lists that the compiler keeps for itself: what is in them is not used by the program.
const KEPT: [&str; 2] = ["llvm.used", "llvm.compiler.used"];

impl Loader<'_, '_> {
    pub(super) fn finish(self) -> Program {
        let mut program = self.program;
        name_registers(&mut program);
        name_params(&mut program);
        end_lines(&mut program);
        address_taken(&mut program);
        match_structures(&mut program);
        program.constructors = startup_list(&program, "llvm.global_ctors");
        program.destructors = startup_list(&program, "llvm.global_dtors");
        program
    }
}

fn name_registers(program: &mut Program) {
    let mut found: Vec<(InstId, VarId)> = Vec::new();
    for binding in program.bindings.iter().filter(|b| b.kind != BindingKind::Derived) {
        if let Operand::Inst(inst) = binding.value {
            found.push((inst, binding.var));
        }
    }
    // Of several variables with one value, the first that had it gives the name.
    found.sort_by_key(|f| f.0);
    found.dedup_by_key(|f| f.0);
    program.inst_vars = found;
}

fn name_params(program: &mut Program) {
    let mut found: HashMap<(FuncId, u32), VarId> = HashMap::new();
    for b in &program.bindings {
        if let (Operand::Arg { func, index }, true) = (b.value, b.kind != BindingKind::Derived) {
            found.entry((func, index)).or_insert(b.var);
        }
    }
    for id in program.inst_ids().filter(|i| matches!(program.inst(*i).op, Op::Store { .. })) {
        if let [Operand::Arg { func, index }, Operand::Inst(slot)] = program.operands(id) {
            if let Some(var) = program.variable_of(*slot) {
                found.entry((*func, *index)).or_insert(var);
            }
        }
    }
    for (v, variable) in program.variables.iter().enumerate() {
        let Some(index) = variable.arg else { continue };
        let function = program.func(variable.func);
        // Where structures are split over several arguments, numbers do not agree.
        let in_source = match function.debug.map(|d| program.debug_type(d)) {
            Some(DebugType::Func { types }) => types.len().saturating_sub(1),
            _ => continue,
        };
        if in_source == function.params.len() {
            found.entry((variable.func, index)).or_insert(VarId::from_index(v));
        }
    }
    for ((func, index), var) in found {
        let variable = &program.variables[var.index()];
        if let Some(param) = program.functions[func.index()].params.get_mut(index as usize) {
            (param.name, param.debug) = (Some(variable.name.clone()), variable.ty);
        }
    }
}

fn end_lines(program: &mut Program) {
    for id in program.defined_functions() {
        let function = program.func(id);
        let Some(file) = function.file else { continue };
        let locs = function.insts.iter().filter_map(|i| program.loc(i));
        let own = locs.filter(|l| l.file == file && l.inlined_at.is_none()).map(|l| l.line);
        let last = own.max().unwrap_or(function.line);
        program.functions[id.index()].end_line = last;
    }
}

fn address_taken(program: &mut Program) {
    let mut taken = vec![false; program.functions.len()];
    let mut seen = vec![false; program.consts.len()];
    let kept = |g: &&Global| !KEPT.contains(&g.name.as_str());
    let initialisers = program.globals.iter().filter(kept).filter_map(|g| g.initialiser);
    let mut pending: Vec<Operand> = initialisers.chain(program.operands.iter().copied()).collect();
    while let Some(operand) = pending.pop() {
        match operand {
            Operand::Func(f) => taken[f.index()] = true,
            Operand::Const(c) if !seen[c.index()] => {
                seen[c.index()] = true;
                pending.extend_from_slice(program.constant(c).kind.operands());
            }
            _ => {}
        }
    }
    for (function, taken) in program.functions.iter_mut().zip(taken) {
        function.address_taken = taken;
    }
}

/// The name that a structure has in the source: `struct.option.12` is `option`.
fn bare_name(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("struct.").or_else(|| name.strip_prefix("union."))?;
    Some(match rest.rsplit_once('.') {
        Some((bare, number)) if number.bytes().all(|b| b.is_ascii_digit()) => bare,
        _ => rest,
    })
}

fn match_structures(program: &mut Program) {
    let mut by_name: HashMap<(&str, u64), Vec<DebugTypeId>> = HashMap::new();
    for (i, ty) in program.debug_types.iter().enumerate() {
        match ty {
            DebugType::Struct { name: Some(name), bytes, .. } => {
                by_name.entry((name, *bytes)).or_default().push(DebugTypeId::from_index(i));
            }
            // `typedef struct { … } name`
            DebugType::Typedef { name, to: Some(to) } => {
                if let DebugType::Struct { name: None, bytes, .. } = program.debug_type(*to) {
                    by_name.entry((name, *bytes)).or_default().push(*to);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (i, ty) in program.types.iter().enumerate() {
        let TypeKind::Struct(s) = &ty.kind else { continue };
        let Some(name) = s.name.as_deref().and_then(bare_name) else { continue };
        let candidates = by_name.get(&(name, ty.size)).map_or(&[][..], Vec::as_slice);
        if let Some(fit) = candidates.iter().find(|c| fits(program, s, **c)) {
            found.push((i, *fit));
        }
    }
    for (i, debug) in found {
        if let TypeKind::Struct(s) = &mut program.types[i].kind {
            s.debug = Some(debug);
        }
    }
}

/// Does every member that is no bit-field begin where a field does?
fn fits(program: &Program, structure: &StructType, debug: DebugTypeId) -> bool {
    let DebugType::Struct { members, union, .. } = program.debug_type(debug) else { return false };
    let whole = |m: &&Member| m.offset_bits % 8 == 0 && m.bits % 8 == 0 && m.bits > 0;
    let at_field = |m: &Member| structure.fields.iter().any(|f| f.offset == m.offset_bits / 8);
    *union || members.iter().filter(whole).all(at_field)
}

/// Functions in `llvm.global_ctors` or `llvm.global_dtors`: an array of { priority, function, data }.
fn startup_list(program: &Program, name: &str) -> Vec<FuncId> {
    let list = program.global_named(name).and_then(|g| program.global(g).initialiser);
    let elements = |operand: Operand| match operand {
        Operand::Const(c) => program.constant(c).kind.operands().to_vec(),
        _ => Vec::new(),
    };
    let mut found: Vec<(u64, FuncId)> = Vec::new();
    for entry in list.map_or(Vec::new(), elements) {
        if let [Operand::Int { value, .. }, Operand::Func(f), ..] = elements(entry)[..] {
            found.push((value, f));
        }
    }
    found.sort_by_key(|e| e.0);
    found.into_iter().map(|e| e.1).collect()
}
