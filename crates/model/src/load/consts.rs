//! Operands, constants and address computations.
//!
//! Always holds: one constant of the module has one id. Constants refer to globals by id, so trees of constants are finite.

use super::Loader;
use crate::gaps::{Opcode, Ty, Val, ValueKind};
use crate::ir::*;

impl<'m> Loader<'_, 'm> {
    pub(super) fn operand(&mut self, value: Val<'m>) -> Operand {
        match value.kind() {
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                // Verified bitcode uses only locals of the function at hand, all of which are known.
                self.locals.get(&value).copied().unwrap_or(Operand::Metadata)
            }
            ValueKind::LLVMFunctionValueKind => Operand::Func(self.functions[&value]),
            ValueKind::LLVMGlobalVariableValueKind => Operand::Global(self.globals[&value]),
            ValueKind::LLVMGlobalAliasValueKind => match value.aliasee() {
                Some(aliasee) => self.operand(aliasee),
                None => Operand::Null,
            },
            ValueKind::LLVMConstantPointerNullValueKind => Operand::Null,
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => {
                Operand::Undef(self.optional_type(value.ty()))
            }
            ValueKind::LLVMConstantIntValueKind => self.integer(value),
            ValueKind::LLVMInlineAsmValueKind => Operand::Asm(self.assembly(value)),
            ValueKind::LLVMMetadataAsValueValueKind => Operand::Metadata,
            _ => Operand::Const(self.constant(value)),
        }
    }

    fn integer(&mut self, value: Val<'m>) -> Operand {
        let bits = value.ty().map_or(0, Ty::int_bits);
        if bits <= u64::BITS {
            return Operand::Int { bits, value: value.int_value() };
        }
        Operand::Const(self.constant(value))
    }

    fn assembly(&mut self, value: Val<'m>) -> AsmId {
        if let Some(id) = self.asms.get(&value) {
            return *id;
        }
        let (text, constraints, side_effects) = value.assembly();
        let id = AsmId::from_index(self.program.asms.len());
        self.program.asms.push(Asm { text, constraints, side_effects });
        self.asms.insert(value, id);
        id
    }

    fn constant(&mut self, value: Val<'m>) -> ConstId {
        if let Some(id) = self.consts.get(&value) {
            return *id;
        }
        let ty = self.optional_type(value.ty());
        let kind = self.constant_kind(value, ty);
        let id = ConstId::from_index(self.program.consts.len());
        self.program.consts.push(Const { ty, kind });
        self.consts.insert(value, id);
        id
    }

    fn constant_kind(&mut self, value: Val<'m>, ty: TypeId) -> ConstKind {
        match value.kind() {
            ValueKind::LLVMConstantIntValueKind => ConstKind::Wide(wide(&value.printed())),
            ValueKind::LLVMConstantFPValueKind => match self.program.ty(ty).kind {
                TypeKind::Float(kind) => {
                    let (number, exact) = value.float_value();
                    ConstKind::Float { kind, bits: number.to_bits(), exact }
                }
                _ => ConstKind::Other(Vec::new()),
            },
            ValueKind::LLVMConstantAggregateZeroValueKind => ConstKind::Zero,
            ValueKind::LLVMConstantDataArrayValueKind | ValueKind::LLVMConstantDataVectorValueKind => {
                self.data(value, ty)
            }
            ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantVectorValueKind => ConstKind::Aggregate(self.all_operands(value)),
            ValueKind::LLVMConstantExprValueKind => self.expression(value),
            ValueKind::LLVMBlockAddressValueKind => {
                match value.address_of_block().and_then(|b| self.blocks.get(&b)) {
                    Some(block) => ConstKind::BlockAddress(*block),
                    None => ConstKind::Other(Vec::new()),
                }
            }
            ValueKind::LLVMGlobalIFuncValueKind => ConstKind::Symbol(value.name()),
            _ => ConstKind::Other(Vec::new()),
        }
    }

    fn all_operands(&mut self, value: Val<'m>) -> Vec<Operand> {
        value.operands().map(|o| self.operand(o)).collect()
    }

    fn data(&mut self, value: Val<'m>, ty: TypeId) -> ConstKind {
        let len = match self.program.ty(ty).kind {
            TypeKind::Array { len, .. } => {
                if let Some(bytes) = value.byte_string() {
                    return ConstKind::Bytes(bytes);
                }
                len as u32
            }
            TypeKind::Vector { len, .. } => len,
            _ => 0,
        };
        ConstKind::Aggregate((0..len).filter_map(|i| value.element(i)).map(|e| self.operand(e)).collect())
    }

    fn expression(&mut self, value: Val<'m>) -> ConstKind {
        let operands = self.all_operands(value);
        let opcode = value.expression_opcode();
        if opcode == Opcode::LLVMGetElementPtr {
            return ConstKind::Gep { gep: self.gep(value, &operands), operands };
        }
        match (super::insts::cast(opcode), super::insts::binary(opcode), operands.as_slice()) {
            (Some(op), _, [operand]) => ConstKind::Cast { op, operand: *operand },
            (_, Some(op), [a, b]) => ConstKind::Binary { op, operands: [*a, *b] },
            _ => ConstKind::Other(operands),
        }
    }

    /// An address computation with these operands (base, indices).
    pub(super) fn gep(&mut self, value: Val<'m>, operands: &[Operand]) -> GepId {
        let (source, inbounds) = value.gep();
        let source = self.optional_type(source);
        let mut gep =
            Gep { source, result: source, inbounds, offset: 0, terms: Vec::new(), path: Vec::new() };
        for (i, index) in operands.iter().enumerate().skip(1) {
            self.gep_step(&mut gep, i, *index);
        }
        let id = GepId::from_index(self.program.geps.len());
        self.program.geps.push(gep);
        id
    }

    fn gep_step(&mut self, gep: &mut Gep, number: usize, index: Operand) {
        let constant = match index {
            Operand::Int { bits, value } => Some(signed(bits, value)),
            _ => None,
        };
        let inner = &self.program.ty(gep.result).kind;
        if let (true, TypeKind::Struct(structure), Some(field)) = (number > 1, inner, constant) {
            if let Some(f) = structure.fields.get(field as usize) {
                gep.offset = gep.offset.wrapping_add(f.offset as i64);
                gep.path.push(PathStep::Field(field as u32));
                gep.result = f.ty;
                return;
            }
        }
        match inner {
            TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } if number > 1 => {
                gep.result = *element
            }
            _ => {}
        }
        let scale = self.program.ty(gep.result).size;
        match constant {
            Some(k) => gep.offset = gep.offset.wrapping_add(k.wrapping_mul(scale as i64)),
            None => gep.terms.push(GepTerm { operand: number as u32, scale }),
        }
        gep.path.push(PathStep::Index(constant));
    }
}

/// The signed number that `bits` (at most 64) bits are.
fn signed(bits: u32, value: u64) -> i64 {
    let unused = u64::BITS - bits.clamp(1, u64::BITS);
    ((value << unused) as i64) >> unused
}

/// The number in `i128 -5`, as a two's complement of 128 bits.
fn wide(printed: &str) -> u128 {
    let digits = printed.rsplit(' ').next().unwrap_or_default();
    digits.parse::<u128>().or_else(|_| digits.parse::<i128>().map(|n| n as u128)).unwrap_or(u128::MAX)
}
