//! The slow copy as a function of its own (docs/decisions/0007-slow-copies-apart.md).
//!
//! In: the places where the fast copy leaves. Out: a function that takes the parameters, a block of memory with the
//! live values, and the number of the place; it goes on from there and returns what the original would.
//!
//! Always holds: the frame of the fast copy lives on while the slow one runs, so addresses of its variables
//! stay valid; that is why functions that move the stack pointer, or ask for their own frame or variable arguments,
//! keep both copies together ([`can_be_apart`]).

use crate::abi::*;
use crate::cx::Result;
use crate::emit::Emitter;
use crate::fast::result_value;
use crate::gaps::{called, Called};
use crate::types;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::module::Linkage;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum};
use inkwell::values::{InstructionOpcode as Op, *};
use std::collections::HashMap;

/// Live values are kept at multiples of this.
const SLOT: u64 = 8;
/// Intrinsics that speak of the frame of the function they are in.
const FRAME_INTRINSICS: &[&str] =
    &["llvm.va_", "llvm.stack", "llvm.frameaddress", "llvm.returnaddress", "llvm.local", "llvm.eh."];

pub struct Apart<'c> {
    pub function: FunctionValue<'c>,
    /// Where live values are put: the fast copy's name for it, and the slow one's.
    room: PointerValue<'c>,
    room_there: PointerValue<'c>,
    /// The one place of the fast function that calls the slow one.
    call: BasicBlock<'c>,
    /// The fast function's variables, as the slow one knows them.
    variables: HashMap<InstructionValue<'c>, PointerValue<'c>>,
    /// Where the fast copy leaves: the block that does, and where it goes on.
    entries: Vec<Entry<'c>>,
}

#[derive(Clone, Copy)]
struct Entry<'c> {
    from: BasicBlock<'c>,
    /// Number of the splitting instruction; none for the entry of the function.
    split: Option<usize>,
    to: BasicBlock<'c>,
}

/// Can the slow copy be a function of its own?
pub fn can_be_apart(e: &Emitter<'_, '_>) -> bool {
    let frame = |name: &[u8]| FRAME_INTRINSICS.iter().any(|p| name.starts_with(p.as_bytes()));
    !e.function.get_type().is_var_arg()
        && e.body.insts.iter().all(|inst| match inst.op {
            Op::Alloca => false,
            Op::Call => match called(inst.value) {
                Called::Function(f) => !frame(f.get_name().to_bytes()),
                _ => true,
            },
            _ => true,
        })
}

impl<'c> Emitter<'_, 'c> {
    /// Declare the slow function; gives a builder for its entry block.
    pub fn start_apart(&mut self, entry_builder: &Builder<'c>) -> Result<Builder<'c>> {
        let cx = self.cx;
        let function = self.declare_apart();
        let entry = cx.context.append_basic_block(function, "enter");
        let builder = cx.context.create_builder();
        builder.position_at_end(entry);
        let ty = cx.context.i8_type().array_type(self.room_bytes() as u32);
        let room = entry_builder.build_alloca(ty, "room")?;
        // Declared with these parameters after the original ones.
        let extra = self.function.count_params();
        let room_there = function.get_nth_param(extra).map(|p| p.into_pointer_value()).unwrap_or(room);
        let mut variables = HashMap::new();
        for (k, alloca) in self.body.allocas.iter().enumerate() {
            let at = place(self, &builder, room_there, k as u64 * SLOT)?;
            let pointer = builder.build_load(cx.context.ptr_type(Default::default()), at, "variable")?;
            variables.insert(*alloca, pointer.into_pointer_value());
        }
        let call = cx.context.append_basic_block(self.function, "go.slow");
        self.apart = Some(Apart { function, room, room_there, call, variables, entries: vec![] });
        Ok(builder)
    }

    fn declare_apart(&self) -> FunctionValue<'c> {
        let (cx, ty) = (self.cx, self.function.get_type());
        let mut parameters = ty.get_param_types();
        let word: BasicMetadataTypeEnum = cx.i32().into();
        parameters.extend([cx.context.ptr_type(Default::default()).into(), word, word]);
        let ty = match ty.get_return_type() {
            Some(result) => result.fn_type(&parameters, false),
            None => cx.context.void_type().fn_type(&parameters, false),
        };
        let name = format!("{}.slow", self.function.get_name().to_string_lossy());
        let function = cx.module.add_function(&name, ty, Some(Linkage::Internal));
        for name in ["noinline", "cold", "nounwind"] {
            let kind = Attribute::get_named_enum_kind_id(name);
            function.add_attribute(AttributeLoc::Function, cx.context.create_enum_attribute(kind, 0));
        }
        for attribute in self.function.attributes(AttributeLoc::Function) {
            if attribute.is_string() {
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        }
        function
    }

    /// Bytes for the variables' addresses and the most that is live at any split.
    fn room_bytes(&self) -> u64 {
        let size = |i: &usize| self.type_of(*i).map_or(0, |ty| self.padded(ty));
        let live = self.live.iter().map(|(i, live)| live.iter().map(size).sum::<u64>() + size(i) + SLOT);
        self.body.allocas.len() as u64 * SLOT + live.max().unwrap_or(0)
    }

    fn padded(&self, ty: BasicTypeEnum<'c>) -> u64 {
        self.cx.layout.get_abi_size(&ty).next_multiple_of(SLOT)
    }

    /// What travels from split `i` to the slow function: live values, then the result of the split itself.
    fn travellers(&self, i: usize) -> Vec<usize> {
        let mut list = self.live.get(&i).cloned().unwrap_or_default();
        list.push(i);
        list.retain(|j| self.type_of(*j).is_some());
        list
    }

    /// In the block that leaves the fast copy after split `i`: put away what is live, and go.
    pub fn leave_apart(&mut self, i: usize, to: BasicBlock<'c>) -> Result<()> {
        let (cx, Some(apart)) = (self.cx, &self.apart) else { return Ok(()) };
        let mut offset = self.body.allocas.len() as u64 * SLOT;
        for traveller in self.travellers(i) {
            let Some(value) = result_value(self.current(traveller)) else { continue };
            let at = place(self, cx.builder, apart.room, offset)?;
            aligned(cx.builder.build_store(at, value)?);
            offset += self.padded(value.get_type());
        }
        if let Some(pointer) = crate::memory::loaded_from(self.body.insts[i].value) {
            let at = place(self, cx.builder, apart.room, offset)?;
            aligned(cx.builder.build_store(at, pointer)?);
        }
        self.go_apart(Some(i), to)
    }

    /// End the block being filled with a jump to the slow function.
    pub fn go_apart(&mut self, split: Option<usize>, to: BasicBlock<'c>) -> Result<()> {
        let cx = self.cx;
        if let (Some(apart), Some(from)) = (&mut self.apart, cx.builder.get_insert_block()) {
            apart.entries.push(Entry { from, split, to });
            cx.builder.build_unconditional_branch(apart.call)?;
        }
        Ok(())
    }

    /// In the fast function: the call of the slow one.
    pub fn call_apart(&mut self, context: IntValue<'c>) -> Result<()> {
        let (cx, Some(apart)) = (self.cx, &self.apart) else { return Ok(()) };
        let b = cx.builder;
        b.position_at_end(apart.call);
        let number = b.build_phi(cx.i32(), "place")?;
        for (k, entry) in apart.entries.iter().enumerate() {
            number.add_incoming(&[(&cx.label(k as u32), entry.from)]);
        }
        for (k, alloca) in self.body.allocas.iter().enumerate() {
            let at = place(self, b, apart.room, k as u64 * SLOT)?;
            if let Some(address) = result_value(*alloca) {
                b.build_store(at, address)?;
            }
        }
        let mut arguments: Vec<BasicMetadataValueEnum> =
            self.function.get_param_iter().map(|p| p.into()).collect();
        let more: [BasicMetadataValueEnum; 3] =
            [apart.room.into(), number.as_basic_value().into(), context.into()];
        arguments.extend(more);
        let result = b.build_call(apart.function, &arguments, "")?;
        match result.try_as_basic_value().basic() {
            Some(value) => b.build_return(Some(&value))?,
            None => b.build_return(None)?,
        };
        Ok(())
    }

    /// In the slow function: for every place where the fast copy leaves, take over what was put away.
    pub fn enter_apart(&mut self) -> Result<()> {
        let Some(apart) = &self.apart else { return Ok(()) };
        let (function, room, entries) = (apart.function, apart.room_there, apart.entries.clone());
        let cx = self.cx;
        let mut cases = Vec::new();
        for (k, entry) in entries.iter().enumerate() {
            let block = cx.context.append_basic_block(function, "entered");
            cases.push((cx.label(k as u32), block));
            cx.builder.position_at_end(block);
            match entry.split {
                None => self.take_arguments()?,
                Some(i) => self.take_over(i, room)?,
            }
            cx.builder.build_unconditional_branch(entry.to)?;
        }
        let Some(entry) = function.get_first_basic_block() else { return Ok(()) };
        cx.builder.position_at_end(entry);
        self.zero_parameter_labels()?;
        let never = cx.context.append_basic_block(function, "never");
        let number = function.get_nth_param(self.function.count_params() + 1);
        // Declared with this parameter.
        let number = number.map_or(cx.zero(), |p| p.into_int_value());
        cx.builder.build_switch(number, never, &cases)?;
        cx.builder.position_at_end(never);
        cx.builder.build_unreachable()?;
        Ok(())
    }

    fn take_over(&mut self, i: usize, room: PointerValue<'c>) -> Result<()> {
        let cx = self.cx;
        let mut offset = self.body.allocas.len() as u64 * SLOT;
        let mut own = None;
        for traveller in self.travellers(i) {
            let Some(ty) = self.type_of(traveller) else { continue };
            let at = place(self, cx.builder, room, offset)?;
            let value = cx.builder.build_load(ty, at, "v")?;
            // A load is an instruction.
            value.as_instruction_value().map(aligned);
            offset += self.padded(ty);
            if traveller == i {
                own = Some(value);
            } else {
                let zeros = vec![cx.zero(); self.body.insts[traveller].leaves.len()];
                self.spill(traveller, value, &zeros)?;
            }
        }
        let at = place(self, cx.builder, room, offset)?;
        let pointer = match self.body.insts[i].op {
            Op::Load => Some(cx.builder.build_load(cx.context.ptr_type(Default::default()), at, "at")?),
            _ => None,
        };
        let labels = self.entering_labels(i, pointer, own)?;
        match own {
            Some(value) if self.body.insts[i].needs_slot => self.spill(i, value, &labels),
            _ => Ok(()),
        }
    }

    /// The calling context, as the slow function knows it.
    pub fn context_apart(&self) -> Option<IntValue<'c>> {
        let apart = self.apart.as_ref()?;
        Some(apart.function.get_nth_param(self.function.count_params() + 2)?.into_int_value())
    }

    /// A parameter or variable of the function, where the slow copy is; everything else as it is.
    pub fn here(&self, value: BasicValueEnum<'c>) -> BasicValueEnum<'c> {
        let Some(apart) = &self.apart else { return value };
        let variable = value.as_instruction_value().and_then(|v| apart.variables.get(&v));
        if let Some(pointer) = variable {
            return (*pointer).into();
        }
        let parameter = self.parameter_number(value).and_then(|k| apart.function.get_nth_param(k as u32));
        parameter.unwrap_or(value)
    }

    /// Labels of the parameters, from where the caller left them.
    pub fn take_arguments(&mut self) -> Result<()> {
        let cx = self.cx;
        let mut index = 0;
        for (parameter, slots) in self.function.get_param_iter().zip(&self.parameters) {
            for (leaf, at) in types::leaves(parameter.get_type()).iter().zip(slots) {
                let label =
                    cx.call_label(cx.abi.argument, &[cx.label(index).into(), cx.label(leaf.width).into()])?;
                cx.builder.build_store(*at, label)?;
                index += 1;
            }
        }
        cx.tls_store(TLS_ARGS, cx.zero())
    }
}

/// The room is aligned to slots, whatever the type.
fn aligned(access: InstructionValue) {
    // A load or store, and a power of two.
    let _ = access.set_alignment(1);
}

fn place<'c>(
    e: &Emitter<'_, 'c>,
    builder: &Builder<'c>,
    room: PointerValue<'c>,
    offset: u64,
) -> Result<PointerValue<'c>> {
    Ok(crate::gaps::byte_offset(builder, room, offset, e.cx.context)?)
}
