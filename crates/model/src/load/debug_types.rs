//! Types of the source language.
//!
//! Always holds: types may be recursive, so a type gets its id first and is converted later; nothing here recurses.

use super::debug::printed_number;
use super::Loader;
use crate::gaps::{Meta, MetaKind, Val};
use crate::ir::*;

const BASE_TYPE: usize = 3;
const ELEMENTS: usize = 4;
const FUNCTION_TYPES: usize = 3;
const ENUMERATOR_NAME: usize = 0;

// Tags of DWARF.
const ARRAY: u16 = 0x01;
const ENUMERATION: u16 = 0x04;
const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
const STRUCTURE: u16 = 0x13;
const TYPEDEF: u16 = 0x16;
const UNION: u16 = 0x17;
const CONST: u16 = 0x26;
const VOLATILE: u16 = 0x35;
const RESTRICT: u16 = 0x37;
const ATOMIC: u16 = 0x47;

impl<'m> Loader<'_, 'm> {
    pub(super) fn debug_type(&mut self, node: Meta<'m>) -> DebugTypeId {
        if let Some(id) = self.debug_types.get(&node) {
            return *id;
        }
        let id = DebugTypeId::from_index(self.program.debug_types.len());
        self.program.debug_types.push(DebugType::Other { name: None });
        self.debug_types.insert(node, id);
        self.pending_types.push((node, id));
        id
    }

    pub(super) fn convert_pending_types(&mut self) {
        while let Some((node, id)) = self.pending_types.pop() {
            self.program.debug_types[id.index()] = self.convert(node);
        }
    }

    fn convert(&mut self, node: Meta<'m>) -> DebugType {
        match node.kind() {
            MetaKind::LLVMDIBasicTypeMetadataKind => {
                DebugType::Base { name: node.type_name().unwrap_or_default(), bits: node.type_extent().0 }
            }
            MetaKind::LLVMDIDerivedTypeMetadataKind => self.derived(node),
            MetaKind::LLVMDICompositeTypeMetadataKind => self.composite(node),
            MetaKind::LLVMDISubroutineTypeMetadataKind => {
                let list = self.node_operand(node, FUNCTION_TYPES).and_then(Val::as_meta);
                let nodes = list.map_or(Vec::new(), |l| self.ir.node_operands(l));
                let one = |t: Option<Val<'m>>| t.and_then(Val::as_meta).map(|t| self.debug_type(t));
                DebugType::Func { types: nodes.into_iter().map(one).collect() }
            }
            _ => DebugType::Other { name: None },
        }
    }

    fn derived(&mut self, node: Meta<'m>) -> DebugType {
        let to = self.node_type(node, BASE_TYPE);
        match node.tag() {
            POINTER => DebugType::Pointer { to },
            TYPEDEF => DebugType::Typedef { name: node.type_name().unwrap_or_default(), to },
            tag @ (CONST | VOLATILE | RESTRICT | ATOMIC) => {
                DebugType::Qualified { constant: tag == CONST, to }
            }
            _ => DebugType::Other { name: node.type_name() },
        }
    }

    fn composite(&mut self, node: Meta<'m>) -> DebugType {
        let name = node.type_name();
        let bits = node.type_extent().0;
        match node.tag() {
            tag @ (STRUCTURE | UNION) => {
                let members = self.members(node);
                DebugType::Struct { name, bytes: bits / 8, union: tag == UNION, members }
            }
            ARRAY => DebugType::Array { element: self.node_type(node, BASE_TYPE), bytes: bits / 8 },
            ENUMERATION => DebugType::Enum { name, bits, values: self.enumerators(node) },
            _ => DebugType::Other { name },
        }
    }

    fn elements(&self, node: Meta<'m>) -> Vec<Meta<'m>> {
        let list = self.node_operand(node, ELEMENTS).and_then(Val::as_meta);
        let nodes = list.map_or(Vec::new(), |l| self.ir.node_operands(l));
        nodes.into_iter().flatten().filter_map(Val::as_meta).collect()
    }

    fn members(&mut self, node: Meta<'m>) -> Vec<Member> {
        let mut members = Vec::new();
        for m in self.elements(node) {
            let derived = matches!(m.kind(), MetaKind::LLVMDIDerivedTypeMetadataKind);
            if derived && m.tag() == MEMBER {
                let (bits, offset_bits) = m.type_extent();
                let name = m.type_name().unwrap_or_default();
                members.push(Member { name, ty: self.node_type(m, BASE_TYPE), offset_bits, bits });
            }
        }
        members
    }

    fn enumerators(&self, node: Meta<'m>) -> Vec<Enumerator> {
        let values = self.elements(node).into_iter().filter_map(|e| {
            let name = self.node_string(e, ENUMERATOR_NAME)?;
            Some(Enumerator { name, value: printed_number(&self.ir.printed(e), "value: ")? })
        });
        values.collect()
    }
}
