//! Places, files, variables, and where variables are.
//!
//! Always holds: one file has one id, whatever nodes name it; so has one place.

use super::Loader;
use crate::gaps::{Meta, MetaKind, Val};
use crate::ir::*;

// Operands of nodes of debug information, by number (LLVM's DebugInfoMetadata.h).
pub(super) const VARIABLE_NAME: usize = 1;
pub(super) const VARIABLE_TYPE: usize = 3;
pub(super) const SUBPROGRAM_NAME: usize = 2;
pub(super) const SUBPROGRAM_TYPE: usize = 4;
const UNIT_ENUMS: usize = 4;
const UNIT_RETAINED: usize = 5;

impl<'m> Loader<'_, 'm> {
    pub(super) fn node_operand(&self, node: Meta<'m>, index: usize) -> Option<Val<'m>> {
        self.ir.node_operands(node).get(index).copied().flatten()
    }

    pub(super) fn node_string(&self, node: Meta<'m>, index: usize) -> Option<String> {
        self.node_operand(node, index)?.metadata_string()
    }

    pub(super) fn node_type(&mut self, node: Meta<'m>, index: usize) -> Option<DebugTypeId> {
        let ty = self.node_operand(node, index)?.as_meta()?;
        Some(self.debug_type(ty))
    }

    /// Types that no variable has but the compiler kept, and everything that types refer to.
    pub(super) fn debug_info(&mut self) {
        self.program.has_debug_info = self.order.iter().any(|f| f.subprogram().is_some());
        for unit in self.ir.compile_units() {
            for list in [UNIT_ENUMS, UNIT_RETAINED] {
                let Some(nodes) = self.node_operand(unit, list).and_then(Val::as_meta) else { continue };
                for ty in self.ir.node_operands(nodes).into_iter().flatten().filter_map(Val::as_meta) {
                    // Functions may be retained, too.
                    if !matches!(ty.kind(), MetaKind::LLVMDISubprogramMetadataKind) {
                        self.debug_type(ty);
                    }
                }
            }
        }
        self.convert_pending_types();
    }

    pub(super) fn file(&mut self, node: Meta<'m>) -> FileId {
        if let Some(id) = self.file_nodes.get(&node) {
            return *id;
        }
        let (directory, name) = node.file();
        let absolute = name.starts_with('/') || directory.is_empty();
        let path = if absolute { name } else { format!("{directory}/{name}") };
        let next = FileId::from_index(self.program.files.len());
        let id = *self.files.entry(path.clone()).or_insert(next);
        if id == next {
            self.program.files.push(path);
        }
        self.file_nodes.insert(node, id);
        id
    }

    /// The place that a location is. Inlined code: the places of its calls, too, outermost first.
    pub(super) fn loc(&mut self, node: Meta<'m>) -> Option<LocId> {
        let mut chain = vec![node];
        while let Some(outer) = chain.last().and_then(|l| l.location().3) {
            chain.push(outer);
        }
        let mut inlined_at = None;
        for node in chain.into_iter().rev() {
            inlined_at = self.one_loc(node, inlined_at);
        }
        inlined_at
    }

    fn one_loc(&mut self, node: Meta<'m>, inlined_at: Option<LocId>) -> Option<LocId> {
        if let Some(id) = self.loc_nodes.get(&node) {
            return Some(*id);
        }
        let (line, col, scope, _) = node.location();
        let file = self.file(scope?.file_of_scope()?);
        let loc = Loc { file, line, col, inlined_at };
        let next = LocId::from_index(self.program.locs.len());
        let id = *self.locs.entry(loc).or_insert(next);
        if id == next {
            self.program.locs.push(loc);
        }
        self.loc_nodes.insert(node, id);
        Some(id)
    }

    /// A debug intrinsic that tells where a variable is from here on.
    pub(super) fn binding(&mut self, intrinsic: Val<'m>, func: FuncId) {
        let Some(is_address) = intrinsic.debug_variable() else { return };
        let operand = |i| intrinsic.operand(i);
        let Some(variable) = operand(1).and_then(Val::as_meta) else { return };
        let var = self.variable(variable, func);
        // A value that was optimised away, or one computed from several, is no binding.
        let Some(value) = operand(0).and_then(Val::value_in_metadata) else { return };
        let value = self.operand(value);
        if matches!(value, Operand::Undef(_)) {
            return;
        }
        let plain = operand(2).and_then(Val::as_meta).is_none_or(|e| self.is_plain(e));
        let kind = match (plain, is_address) {
            (false, _) => BindingKind::Derived,
            (true, true) => BindingKind::Address,
            (true, false) => BindingKind::Value,
        };
        let at = InstId::from_index(self.program.insts.len());
        self.program.bindings.push(Binding { var, value, kind, at });
    }

    fn is_plain(&mut self, expression: Meta<'m>) -> bool {
        let ir = self.ir;
        let plain = || ir.printed(expression).contains("!DIExpression()");
        *self.plain_expressions.entry(expression).or_insert_with(plain)
    }

    fn variable(&mut self, node: Meta<'m>, func: FuncId) -> VarId {
        if let Some(id) = self.variables.get(&(node, func)) {
            return *id;
        }
        let variable = Variable {
            name: self.node_string(node, VARIABLE_NAME).unwrap_or_default(),
            ty: self.node_type(node, VARIABLE_TYPE),
            func,
            arg: printed_number(&self.ir.printed(node), "arg: ").map(|n| n as u32 - 1),
            file: node.file_of_variable().map(|f| self.file(f)),
            line: node.line_of_variable(),
        };
        let id = VarId::from_index(self.program.variables.len());
        self.program.variables.push(variable);
        self.variables.insert((node, func), id);
        id
    }
}

/// The number after `field` in a printed node.
pub(super) fn printed_number(printed: &str, field: &str) -> Option<i64> {
    // Names come before numbers and are quoted: a name that looks like a field is not taken for one.
    let outside: String = printed.split('"').step_by(2).collect();
    let rest = &outside[outside.find(field)? + field.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok().or_else(|| rest[..end].parse::<u64>().ok().map(|n| n as i64))
}
