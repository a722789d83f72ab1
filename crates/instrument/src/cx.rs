//! What every emitting module needs: the builder, the runtime's declarations, and small idioms.

use crate::abi::*;
use crate::error::Error;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::{BasicTypeEnum, IntType};
use inkwell::values::*;
use inkwell::{AddressSpace, IntPredicate};
use parallax_trace::format::{EDGE_WORK, WORK_LEFT_OFFSET};

pub type Result<T> = std::result::Result<T, Error>;

/// Shared by all functions of the module.
pub struct Cx<'a, 'c> {
    pub context: &'c Context,
    pub module: &'a Module<'c>,
    pub builder: &'a Builder<'c>,
    pub abi: &'a Abi<'c>,
    pub layout: &'a TargetData,
    /// Page-aligned array of edge counters, mapped onto the arena by the runtime.
    /// None in the models, whose edges are not counted.
    pub counters: Option<GlobalValue<'c>>,
    pub symbolic: bool,
    pub marks: Marks<'c>,
}

/// Metadata for the optimiser.
pub struct Marks<'c> {
    /// Branch weights: the first successor is hardly ever taken.
    unlikely: MetadataValue<'c>,
    /// Accesses to counters, to the page table and to the thread-local block touch nothing of the program, and nothing of
    /// each other.
    counter: MetadataValue<'c>,
    work: MetadataValue<'c>,
    table: MetadataValue<'c>,
    tls: MetadataValue<'c>,
}

impl<'c> Marks<'c> {
    pub fn new(context: &'c Context) -> Marks<'c> {
        let weight = |w| context.i32_type().const_int(w, false).into();
        let zero = context.i64_type().const_zero().into();
        // Clang's own root: types below it, beside its `char`, alias with nothing in C code.
        let root = context.metadata_node(&[context.metadata_string("Simple C/C++ TBAA").into()]);
        let tag = |name| {
            let ty = context.metadata_node(&[context.metadata_string(name).into(), root.into(), zero]);
            context.metadata_node(&[ty.into(), ty.into(), zero])
        };
        Marks {
            unlikely: context.metadata_node(&[
                context.metadata_string("branch_weights").into(),
                weight(1),
                weight(2000),
            ]),
            counter: tag("parallax counter"),
            work: tag("parallax work"),
            table: tag("parallax page table"),
            tls: tag("parallax labels"),
        }
    }

    /// Branch weights: the first successor is hardly ever taken.
    pub fn unlikely(&self) -> MetadataValue<'c> {
        self.unlikely
    }
}

impl<'a, 'c> Cx<'a, 'c> {
    pub fn i32(&self) -> IntType<'c> {
        self.context.i32_type()
    }
    pub fn i64(&self) -> IntType<'c> {
        self.context.i64_type()
    }
    pub fn label(&self, n: u32) -> IntValue<'c> {
        self.i32().const_int(n as u64, false)
    }
    pub fn word(&self, n: u64) -> IntValue<'c> {
        self.i64().const_int(n, false)
    }
    pub fn zero(&self) -> IntValue<'c> {
        self.i32().const_zero()
    }

    /// Address of a field of the thread-local block.
    pub fn tls_field(&self, field: u32) -> Result<PointerValue<'c>> {
        Ok(self.builder.build_struct_gep(self.abi.tls_type, self.abi.tls.as_pointer_value(), field, "tls")?)
    }
    pub fn tls_load(&self, field: u32) -> Result<IntValue<'c>> {
        let at = self.tls_field(field)?;
        let load = self.builder.build_load(self.i32(), at, "t")?.into_int_value();
        self.mark(load.as_instruction(), "tbaa", self.marks.tls);
        Ok(load)
    }
    pub fn tls_store(&self, field: u32, value: IntValue<'c>) -> Result<()> {
        let store = self.builder.build_store(self.tls_field(field)?, value)?;
        self.mark(Some(store), "tbaa", self.marks.tls);
        Ok(())
    }

    fn mark(&self, instruction: Option<InstructionValue<'c>>, kind: &str, node: MetadataValue<'c>) {
        // The nodes of `Marks` were made by `Context::metadata_node`, so they are nodes.
        let _ = instruction.map(|i| i.set_metadata(node, self.context.get_kind_id(kind)));
    }

    /// Any first-class integer, pointer, `float` or `double` (as its bits) as a zero-extended 64-bit integer.
    pub fn as_word(&self, value: BasicValueEnum<'c>) -> Result<IntValue<'c>> {
        let b = self.builder;
        Ok(match value {
            BasicValueEnum::IntValue(v) if v.get_type().get_bit_width() < 64 => {
                b.build_int_z_extend(v, self.i64(), "w")?
            }
            BasicValueEnum::IntValue(v) if v.get_type().get_bit_width() > 64 => {
                b.build_int_truncate(v, self.i64(), "w")?
            }
            BasicValueEnum::IntValue(v) => v,
            BasicValueEnum::PointerValue(v) => b.build_ptr_to_int(v, self.i64(), "w")?,
            BasicValueEnum::FloatValue(v) if v.get_type() == self.context.f64_type() => {
                b.build_bit_cast(v, self.i64(), "w")?.into_int_value()
            }
            BasicValueEnum::FloatValue(v) if v.get_type() == self.context.f32_type() => {
                let bits = b.build_bit_cast(v, self.i32(), "w")?.into_int_value();
                b.build_int_z_extend(bits, self.i64(), "w")?
            }
            _ => self.word(0),
        })
    }

    pub fn call_label(
        &self,
        f: FunctionValue<'c>,
        args: &[BasicMetadataValueEnum<'c>],
    ) -> Result<IntValue<'c>> {
        let call = self.builder.build_call(f, args, "l")?;
        call.set_call_convention(PRESERVE_MOST);
        // All functions called this way are declared to return a label, or two in one word.
        Ok(call.try_as_basic_value().expect_basic("label").into_int_value())
    }
    pub fn call(&self, f: FunctionValue<'c>, args: &[BasicMetadataValueEnum<'c>]) -> Result<()> {
        self.builder.build_call(f, args, "")?.set_call_convention(PRESERVE_MOST);
        Ok(())
    }

    pub fn is_set(&self, v: IntValue<'c>) -> Result<IntValue<'c>> {
        Ok(self.builder.build_int_compare(IntPredicate::NE, v, v.get_type().const_zero(), "set")?)
    }

    /// `if condition` is hardly ever true.
    pub fn branch_unlikely(
        &self,
        condition: IntValue<'c>,
        rare: BasicBlock<'c>,
        usual: BasicBlock<'c>,
    ) -> Result<()> {
        let br = self.builder.build_conditional_branch(condition, rare, usual)?;
        self.mark(Some(br), "prof", self.marks.unlikely);
        Ok(())
    }

    /// A new block after the one being filled.
    pub fn new_block(&self, name: &str) -> BasicBlock<'c> {
        match self.builder.get_insert_block() {
            Some(here) => self.context.insert_basic_block_after(here, name),
            None => unreachable!("the builder always stands in a block"),
        }
    }

    /// Emit `rare` under a condition; continue in a fresh block.
    pub fn when(&self, condition: IntValue<'c>, rare: impl FnOnce() -> Result<()>) -> Result<()> {
        let then = self.new_block("rare");
        let join = self.context.insert_basic_block_after(then, "join");
        self.branch_unlikely(condition, then, join)?;
        self.builder.position_at_end(then);
        rare()?;
        self.builder.build_unconditional_branch(join)?;
        self.builder.position_at_end(join);
        Ok(())
    }

    /// `f(args)`, unless all of `labels` are known to be 0.
    pub fn label_of(
        &self,
        labels: &[IntValue<'c>],
        f: FunctionValue<'c>,
        args: impl FnOnce() -> Result<Vec<BasicMetadataValueEnum<'c>>>,
    ) -> Result<IntValue<'c>> {
        if labels.iter().all(|l| l.is_const()) {
            return Ok(self.zero());
        }
        self.call_label(f, &args()?)
    }

    /// Does the page of this address have shadow memory?
    pub fn has_shadow(&self, address: IntValue<'c>) -> Result<IntValue<'c>> {
        let b = self.builder;
        let page = b.build_right_shift(address, self.word(PAGE_BITS), false, "page")?;
        let offset = b.build_left_shift(page, self.word(3), "entry")?;
        let at = b.build_int_add(offset, self.word(SHADOW_TABLE), "entry")?;
        let at = b.build_int_to_ptr(at, self.context.ptr_type(AddressSpace::default()), "entry")?;
        let entry = b.build_load(self.i64(), at, "shadow")?.into_int_value();
        self.mark(entry.as_instruction(), "tbaa", self.marks.table);
        self.is_set(entry)
    }

    /// The bytes at `address` become concrete.
    pub fn clear(&self, address: IntValue<'c>, len: u64) -> Result<()> {
        let has = self.has_shadow(address)?;
        self.when(has, || self.call(self.abi.clear, &[address.into(), self.word(len).into()]))
    }

    /// Bump the counter of an edge, which stops at 255, and count it as work; in coverage mode, where speed is all, just set it (decision
    /// 0008). Goes on in another block.
    pub fn count_edge(&self, edge: u32) -> Result<()> {
        let Some(counters) = self.counters else { return Ok(()) };
        let base = counters.as_pointer_value();
        let ty = counters.get_value_type().into_array_type();
        let at = crate::gaps::array_element(ty, base, edge as u64, self.context);
        let one = self.context.i8_type().const_int(1, false);
        let mut new = one;
        if self.symbolic {
            let old = self.builder.build_load(self.context.i8_type(), at, "n")?.into_int_value();
            self.mark(old.as_instruction(), "tbaa", self.marks.counter);
            new = self.saturating_add(old, one)?;
        }
        let store = self.builder.build_store(at, new)?;
        self.mark(Some(store), "tbaa", self.marks.counter);
        if self.symbolic {
            self.count_work()?;
        }
        Ok(())
    }

    /// One edge less is left; where nothing is left the run ends (decision 0035).
    fn count_work(&self) -> Result<()> {
        let b = self.builder;
        let ty = self.abi.header.get_value_type().into_array_type();
        let at = crate::gaps::array_element(
            ty,
            self.abi.header.as_pointer_value(),
            WORK_LEFT_OFFSET as u64,
            self.context,
        );
        let left = b.build_load(self.i64(), at, "left")?.into_int_value();
        self.mark(left.as_instruction(), "tbaa", self.marks.work);
        let left = b.build_int_sub(left, self.word(EDGE_WORK as u64), "left")?;
        let store = |left| -> Result<()> {
            let store = b.build_store(at, left)?;
            self.mark(Some(store), "tbaa", self.marks.work);
            Ok(())
        };
        store(left)?;
        let is_over = b.build_int_compare(IntPredicate::SLT, left, self.word(0), "over")?;
        self.when(is_over, || {
            let call = b.build_call(self.abi.work_done, &[], "left")?;
            // Declared to return what is left.
            store(call.try_as_basic_value().expect_basic("work").into_int_value())
        })
    }

    /// An edge that is taken 256 times must not read as one that is never taken.
    fn saturating_add(&self, a: IntValue<'c>, b: IntValue<'c>) -> Result<IntValue<'c>> {
        let sum = self.builder.build_int_add(a, b, "n")?;
        let wrapped = self.builder.build_int_compare(IntPredicate::ULT, sum, a, "wrapped")?;
        let most = a.get_type().const_all_ones();
        Ok(self.builder.build_select(wrapped, most, sum, "n")?.into_int_value())
    }

    pub fn size_of(&self, ty: BasicTypeEnum<'c>) -> u64 {
        self.layout.get_store_size(&ty)
    }
}
