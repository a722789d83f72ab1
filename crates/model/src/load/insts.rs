//! Bodies of functions: blocks and instructions.
//!
//! Always holds: every block has at least its terminator; debug intrinsics become bindings, not instructions.

use super::Loader;
use crate::gaps::{Opcode, RawFloatPredicate as Rf, RawIntPredicate as Ri, RawRmw, Val, ValueKind};
use crate::ir::*;

impl<'m> Loader<'_, 'm> {
    pub(super) fn body(&mut self, f: Val<'m>, id: FuncId) {
        self.number_locals(f, id);
        let (first_block, first_inst) = (self.program.blocks.len(), self.program.insts.len());
        for block in f.blocks() {
            let start = self.program.insts.len();
            let number = BlockId::from_index(self.program.blocks.len());
            let mut successors = (self.program.successors.len() as u32, 0);
            for i in block.instructions() {
                if i.is_debug_intrinsic() {
                    self.binding(i, id);
                    continue;
                }
                let inst = self.instruction(i, number);
                self.program.insts.push(inst);
                if inst.op.is_terminator() {
                    successors.1 = self.successors(i);
                }
            }
            let insts = IdRange::new(start, self.program.insts.len());
            let line = self.first_line(insts);
            self.program.blocks.push(Block { func: id, insts, successors, line });
        }
        let blocks = IdRange::new(first_block, self.program.blocks.len());
        let insts = IdRange::new(first_inst, self.program.insts.len());
        let function = &mut self.program.functions[id.index()];
        (function.blocks, function.insts) = (blocks, insts);
    }

    fn number_locals(&mut self, f: Val<'m>, id: FuncId) {
        self.locals.clear();
        for (index, p) in f.params().enumerate() {
            self.locals.insert(p, Operand::Arg { func: id, index: index as u32 });
        }
        let mut next = self.program.insts.len();
        for i in f.blocks().flat_map(|b| b.instructions()).filter(|i| !i.is_debug_intrinsic()) {
            self.locals.insert(i, Operand::Inst(InstId::from_index(next)));
            next += 1;
        }
    }

    fn first_line(&self, insts: IdRange<InstId>) -> u32 {
        let lines = insts.iter().filter_map(|i| self.program.loc(i)).map(|l| l.line);
        lines.into_iter().find(|l| *l > 0).unwrap_or(0)
    }

    fn successors(&mut self, terminator: Val<'m>) -> u32 {
        let mut count = 0;
        for block in terminator.successors() {
            self.program.successors.push(self.blocks[&block]);
            count += 1;
        }
        count
    }

    fn instruction(&mut self, i: Val<'m>, block: BlockId) -> Inst {
        let opcode = i.opcode();
        let mut operands = Vec::new();
        let op = match opcode {
            Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr => self.call(i, opcode, &mut operands),
            Opcode::LLVMPHI => self.phi(i, &mut operands),
            Opcode::LLVMSwitch | Opcode::LLVMBr | Opcode::LLVMIndirectBr => {
                let values = i.operands().filter(|o| o.kind() != ValueKind::LLVMBasicBlockValueKind);
                operands.extend(values.collect::<Vec<_>>().into_iter().map(|o| self.operand(o)));
                match opcode {
                    Opcode::LLVMSwitch => Op::Switch,
                    Opcode::LLVMIndirectBr => Op::IndirectBr,
                    _ if operands.is_empty() => Op::Br,
                    _ => Op::CondBr,
                }
            }
            _ => {
                let values = i.operands().filter(|o| o.kind() != ValueKind::LLVMBasicBlockValueKind);
                operands.extend(values.collect::<Vec<_>>().into_iter().map(|o| self.operand(o)));
                self.plain(i, opcode, &operands)
            }
        };
        let start = self.program.operands.len() as u32;
        self.program.operands.extend_from_slice(&operands);
        let ty = self.optional_type(i.ty());
        let loc = i.debug_location().and_then(|l| self.loc(l));
        Inst { op, ty, block, operands: (start, operands.len() as u32), loc }
    }

    fn call(&mut self, i: Val<'m>, opcode: Opcode, operands: &mut Vec<Operand>) -> Op {
        let arguments = i.operands().take(i.argument_count() as usize).collect::<Vec<_>>();
        operands.extend(arguments.into_iter().map(|o| self.operand(o)));
        let mut flags = CallFlags::default();
        (flags.noreturn, flags.returns_twice) = self.ir.call_flags(i);
        flags.must_tail = opcode == Opcode::LLVMCall && i.is_must_tail();
        let (called, ty) = i.called();
        let signature = self.optional_type(ty);
        let callee = match called.map(|c| self.operand(c)) {
            Some(Operand::Func(f)) => {
                let value = self.order[f.index()];
                let (noreturn, returns_twice) = self.ir.function_flags(value);
                flags.noreturn |= noreturn;
                flags.returns_twice |= returns_twice;
                if value.is_intrinsic() {
                    Callee::Intrinsic(f)
                } else {
                    Callee::Direct(f)
                }
            }
            Some(Operand::Asm(asm)) => Callee::Asm(asm),
            pointer => {
                operands.push(pointer.unwrap_or(Operand::Null));
                Callee::Indirect
            }
        };
        match opcode {
            Opcode::LLVMInvoke => Op::Invoke { callee, signature, flags },
            Opcode::LLVMCallBr => Op::CallBr { callee, signature, flags },
            _ => Op::Call { callee, signature, flags },
        }
    }

    fn phi(&mut self, i: Val<'m>, operands: &mut Vec<Operand>) -> Op {
        let incoming = self.program.incoming.len() as u32;
        for (value, block) in i.incoming() {
            operands.push(self.operand(value));
            self.program.incoming.push(self.blocks[&block]);
        }
        Op::Phi { incoming }
    }

    /// Instructions whose operands are just their operands.
    fn plain(&mut self, i: Val<'m>, opcode: Opcode, operands: &[Operand]) -> Op {
        if let Some(op) = binary(opcode) {
            return Op::Binary(op);
        }
        if let Some(op) = cast(opcode) {
            return Op::Cast(op);
        }
        match opcode {
            Opcode::LLVMFNeg => Op::FNeg,
            Opcode::LLVMICmp => Op::ICmp(int_predicate(i.int_predicate())),
            Opcode::LLVMFCmp => Op::FCmp(float_predicate(i.float_predicate())),
            Opcode::LLVMAlloca => Op::Alloca { allocated: self.optional_type(i.allocated_type()) },
            Opcode::LLVMLoad => Op::Load { volatile: i.is_volatile(), atomic: i.is_atomic() },
            Opcode::LLVMStore => Op::Store { volatile: i.is_volatile(), atomic: i.is_atomic() },
            Opcode::LLVMGetElementPtr => Op::Gep(self.gep(i, operands)),
            Opcode::LLVMSelect => Op::Select,
            Opcode::LLVMRet => Op::Ret,
            Opcode::LLVMExtractValue | Opcode::LLVMInsertValue => self.aggregate(i, opcode),
            Opcode::LLVMExtractElement => Op::ExtractElement,
            Opcode::LLVMInsertElement => Op::InsertElement,
            Opcode::LLVMShuffleVector => self.shuffle(i),
            Opcode::LLVMAtomicCmpXchg => Op::CmpXchg { volatile: i.is_volatile() },
            Opcode::LLVMAtomicRMW => Op::AtomicRmw { op: rmw(i.rmw()), volatile: i.is_volatile() },
            Opcode::LLVMFence => Op::Fence,
            Opcode::LLVMFreeze => Op::Freeze,
            Opcode::LLVMVAArg => Op::VaArg,
            Opcode::LLVMLandingPad => Op::LandingPad,
            Opcode::LLVMResume => Op::Resume,
            Opcode::LLVMCatchPad => Op::CatchPad,
            Opcode::LLVMCatchRet => Op::CatchRet,
            Opcode::LLVMCatchSwitch => Op::CatchSwitch,
            Opcode::LLVMCleanupPad => Op::CleanupPad,
            Opcode::LLVMCleanupRet => Op::CleanupRet,
            _ => Op::Unreachable,
        }
    }

    fn aggregate(&mut self, i: Val<'m>, opcode: Opcode) -> Op {
        let index = self.program.indices.len() as u32;
        let indices = i.indices();
        let depth = indices.len() as u32;
        self.program.indices.extend(indices);
        match opcode {
            Opcode::LLVMExtractValue => Op::ExtractValue { index, depth },
            _ => Op::InsertValue { index, depth },
        }
    }

    fn shuffle(&mut self, i: Val<'m>) -> Op {
        let index = self.program.indices.len() as u32;
        let lanes = i.lanes();
        let count = lanes.len() as u32;
        self.program.indices.extend(lanes.into_iter().map(|l| u32::try_from(l).unwrap_or(UNKNOWN_LANE)));
        Op::ShuffleVector { index, lanes: count }
    }
}

pub(super) fn binary(opcode: Opcode) -> Option<BinaryOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinaryOp::Add,
        Opcode::LLVMSub => BinaryOp::Sub,
        Opcode::LLVMMul => BinaryOp::Mul,
        Opcode::LLVMUDiv => BinaryOp::UDiv,
        Opcode::LLVMSDiv => BinaryOp::SDiv,
        Opcode::LLVMURem => BinaryOp::URem,
        Opcode::LLVMSRem => BinaryOp::SRem,
        Opcode::LLVMShl => BinaryOp::Shl,
        Opcode::LLVMLShr => BinaryOp::LShr,
        Opcode::LLVMAShr => BinaryOp::AShr,
        Opcode::LLVMAnd => BinaryOp::And,
        Opcode::LLVMOr => BinaryOp::Or,
        Opcode::LLVMXor => BinaryOp::Xor,
        Opcode::LLVMFAdd => BinaryOp::FAdd,
        Opcode::LLVMFSub => BinaryOp::FSub,
        Opcode::LLVMFMul => BinaryOp::FMul,
        Opcode::LLVMFDiv => BinaryOp::FDiv,
        Opcode::LLVMFRem => BinaryOp::FRem,
        _ => return None,
    })
}

pub(super) fn cast(opcode: Opcode) -> Option<CastOp> {
    Some(match opcode {
        Opcode::LLVMTrunc => CastOp::Trunc,
        Opcode::LLVMZExt => CastOp::ZExt,
        Opcode::LLVMSExt => CastOp::SExt,
        Opcode::LLVMFPToUI => CastOp::FpToUi,
        Opcode::LLVMFPToSI => CastOp::FpToSi,
        Opcode::LLVMUIToFP => CastOp::UiToFp,
        Opcode::LLVMSIToFP => CastOp::SiToFp,
        Opcode::LLVMFPTrunc => CastOp::FpTrunc,
        Opcode::LLVMFPExt => CastOp::FpExt,
        Opcode::LLVMPtrToInt => CastOp::PtrToInt,
        Opcode::LLVMIntToPtr => CastOp::IntToPtr,
        Opcode::LLVMBitCast => CastOp::BitCast,
        Opcode::LLVMAddrSpaceCast => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

fn int_predicate(raw: Ri) -> IntPredicate {
    match raw {
        Ri::LLVMIntEQ => IntPredicate::Eq,
        Ri::LLVMIntNE => IntPredicate::Ne,
        Ri::LLVMIntUGT => IntPredicate::Ugt,
        Ri::LLVMIntUGE => IntPredicate::Uge,
        Ri::LLVMIntULT => IntPredicate::Ult,
        Ri::LLVMIntULE => IntPredicate::Ule,
        Ri::LLVMIntSGT => IntPredicate::Sgt,
        Ri::LLVMIntSGE => IntPredicate::Sge,
        Ri::LLVMIntSLT => IntPredicate::Slt,
        Ri::LLVMIntSLE => IntPredicate::Sle,
    }
}

fn float_predicate(raw: Rf) -> FloatPredicate {
    match raw {
        Rf::LLVMRealPredicateFalse => FloatPredicate::False,
        Rf::LLVMRealOEQ => FloatPredicate::Oeq,
        Rf::LLVMRealOGT => FloatPredicate::Ogt,
        Rf::LLVMRealOGE => FloatPredicate::Oge,
        Rf::LLVMRealOLT => FloatPredicate::Olt,
        Rf::LLVMRealOLE => FloatPredicate::Ole,
        Rf::LLVMRealONE => FloatPredicate::One,
        Rf::LLVMRealORD => FloatPredicate::Ord,
        Rf::LLVMRealUNO => FloatPredicate::Uno,
        Rf::LLVMRealUEQ => FloatPredicate::Ueq,
        Rf::LLVMRealUGT => FloatPredicate::Ugt,
        Rf::LLVMRealUGE => FloatPredicate::Uge,
        Rf::LLVMRealULT => FloatPredicate::Ult,
        Rf::LLVMRealULE => FloatPredicate::Ule,
        Rf::LLVMRealUNE => FloatPredicate::Une,
        Rf::LLVMRealPredicateTrue => FloatPredicate::True,
    }
}

fn rmw(raw: RawRmw) -> RmwOp {
    match raw {
        RawRmw::LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
        RawRmw::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        RawRmw::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        RawRmw::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        RawRmw::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        RawRmw::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        RawRmw::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        RawRmw::LLVMAtomicRMWBinOpMax => RmwOp::Max,
        RawRmw::LLVMAtomicRMWBinOpMin => RmwOp::Min,
        RawRmw::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        RawRmw::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        _ => RmwOp::Other,
    }
}
