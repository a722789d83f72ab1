//! Dependence mode: the instrumented program.
//!
//! In: the cleaned-up module. Out: the same program with a record for every segment ([`crate::segments`]), stored
//! inline into the thread's chunk, and the tables of globals and functions that its runtime reads. No call is made
//! unless the chunk is full; no labels, no models of libc.

use crate::abi::PRESERVE_MOST;
use crate::cx::Result;
use crate::error::Error;
use crate::segments::{self, Segment, Word};
use crate::{clean, gaps, link, number, outside, passes, program, reserved, Options};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;
use inkwell::types::StructType;
use inkwell::values::*;
use inkwell::{AddressSpace, IntPredicate, ThreadLocalMode};
use parallax_build::Inputs;
use parallax_trace::dependence::{DependenceMap, EXTERNAL};
use parallax_trace::format::Mode;
use parallax_trace::sites::ProgramMap;
use std::path::Path;

/// Instruments `options.bitcode` into `directory`.
pub fn make(options: &Options, directory: &Path, name: &str) -> Result<(ProgramMap, Option<Inputs>)> {
    let context = Context::create();
    let module = clean::read(&context, &clean::clean_up(&options.bitcode, &options.cache)?)?;
    reserved::free_runtime_names(&module);
    let machine = passes::machine()?;
    let layout = machine.get_target_data();
    let numbers = number::number(&module, ProgramMap::default(), &options.watch);
    let mut plan = segments::plan(&module, &layout, &options.watch);
    let tables = tables(&module, &layout, &mut plan.map);
    program::rename_main(&module)?;
    module.strip_debug_info();
    program::forget_memory_effects(&module);
    program::counters(&context, &module, 0);
    program::global_table(&context, &module, &layout);
    program::staying(&context, &module);
    let emitter = Emitter::new(&context, &module)?;
    // In this order, so that the table has the addresses that the program uses.
    emitter.tables(&tables);
    outside::redirect(&module);
    for segment in &plan.segments {
        emitter.segment(segment)?;
    }
    reserved::free_libc_names(&module);
    module.verify().map_err(|e| Error::Invalid(e.to_string()))?;
    passes::optimise(&module, &machine)?;
    let object = directory.join("program.o");
    passes::write_object_with_own_slots(&module, &object)?;
    let inputs = link::link(&object, None, &directory.join(name), options)?;
    std::fs::remove_file(&object).map_err(Error::io(&object))?;
    let ProgramMap { functions, files, .. } = numbers.map;
    let mode = Some(Mode::Dependence);
    let map = ProgramMap { functions, files, mode, dependence: Some(plan.map), ..ProgramMap::default() };
    Ok((map, inputs))
}

/// Addresses to be told at the start of a run.
struct Tables<'c> {
    /// Address, bytes, number.
    globals: Vec<(PointerValue<'c>, u64, u64)>,
    /// Address, number.
    functions: Vec<(PointerValue<'c>, u64)>,
}

/// Must be made before functions are redirected, so that numbers are of what the program calls by that name.
fn tables<'c>(module: &Module<'c>, layout: &TargetData, map: &mut DependenceMap) -> Tables<'c> {
    let mut globals = Vec::new();
    for (g, number) in module.get_globals().zip(0..) {
        // Two constants at one address would be one object.
        g.set_unnamed_address(inkwell::values::UnnamedAddress::None);
        let llvm = g.get_name().to_bytes().starts_with(b"llvm.");
        let used = !g.is_declaration() || gaps::is_used(g.as_pointer_value());
        let size =
            inkwell::types::BasicTypeEnum::try_from(g.get_value_type()).map(|t| layout.get_abi_size(&t));
        if let (false, false, true, Ok(bytes @ 1..)) = (llvm, g.is_thread_local(), used, size) {
            globals.push((g.as_pointer_value(), bytes, number));
        }
    }
    let mut functions = Vec::new();
    let mut defined = 0;
    for f in module.get_functions() {
        let pointer = f.as_global_value().as_pointer_value();
        if f.count_basic_blocks() > 0 {
            functions.push((pointer, defined));
            defined += 1;
        } else if gaps::is_address_taken(f) {
            functions.push((pointer, external(map, f).into()));
        }
    }
    Tables { globals, functions }
}

fn external(map: &mut DependenceMap, f: FunctionValue) -> u32 {
    let name = f.get_name().to_string_lossy();
    let index = map.external.iter().position(|n| *n == name).unwrap_or_else(|| {
        map.external.push(name.into_owned());
        map.external.len() - 1
    });
    EXTERNAL | index as u32
}

struct Emitter<'a, 'c> {
    context: &'c Context,
    module: &'a Module<'c>,
    builder: Builder<'c>,
    reserve: FunctionValue<'c>,
}

impl<'a, 'c> Emitter<'a, 'c> {
    fn new(context: &'c Context, module: &'a Module<'c>) -> Result<Emitter<'a, 'c>> {
        let builder = context.create_builder();
        let reserve = reserve(context, module, &builder)?;
        Ok(Emitter { context, module, builder, reserve })
    }

    fn segment(&self, segment: &Segment<'c>) -> Result<()> {
        let word = self.context.i64_type();
        self.builder.position_before(&segment.start);
        let bytes = word.const_int(8 * (segment.words.len() as u64 + 1), false);
        let head = word.const_int(segment.number as u64 + 1, false);
        let call = self.builder.build_call(self.reserve, &[bytes.into(), head.into()], "record")?;
        // Declared to return a pointer.
        let record = call.try_as_basic_value().expect_basic("record").into_pointer_value();
        for (k, word) in segment.words.iter().enumerate() {
            self.word(record, k as u64 + 1, word)?;
        }
        Ok(())
    }

    fn word(&self, record: PointerValue<'c>, index: u64, word: &Word<'c>) -> Result<()> {
        let (b, ty) = (&self.builder, self.context.i64_type());
        b.position_before(&word.before);
        let value = match word.value {
            BasicValueEnum::PointerValue(p) => b.build_ptr_to_int(p, ty, "address")?,
            BasicValueEnum::IntValue(v) if v.get_type().get_bit_width() < 64 => {
                b.build_int_z_extend(v, ty, "n")?
            }
            BasicValueEnum::IntValue(v) => v,
            BasicValueEnum::FloatValue(v) => self.bits(v)?,
            _ => ty.const_zero(),
        };
        let value = match word.scale {
            1 => value,
            n => b.build_int_mul(value, ty.const_int(n, false), "bytes")?,
        };
        let value = match word.mask {
            0 => value,
            mask => b.build_xor(value, ty.const_int(mask, false), "masked")?,
        };
        let at = gaps::byte_offset(b, record, 8 * index, self.context)?;
        b.build_store(at, value)?;
        Ok(())
    }

    /// A number with a point as its bits.
    fn bits(&self, v: FloatValue<'c>) -> Result<IntValue<'c>> {
        let (b, word) = (&self.builder, self.context.i64_type());
        if v.get_type() == self.context.f64_type() {
            return Ok(b.build_bit_cast(v, word, "bits")?.into_int_value());
        }
        let half = b.build_bit_cast(v, self.context.i32_type(), "bits")?.into_int_value();
        Ok(b.build_int_z_extend(half, word, "n")?)
    }

    fn tables(&self, tables: &Tables<'c>) {
        let word = self.context.i64_type();
        let number = |n: u64| word.const_int(n, false).into();
        let globals: Vec<StructValue> = tables
            .globals
            .iter()
            .map(|(p, bytes, n)| self.context.const_struct(&[(*p).into(), number(*bytes), number(*n)], false))
            .collect();
        let functions: Vec<StructValue> = tables
            .functions
            .iter()
            .map(|(p, n)| self.context.const_struct(&[(*p).into(), number(*n)], false))
            .collect();
        let pointer = self.context.ptr_type(AddressSpace::default());
        let global = self.context.struct_type(&[pointer.into(), word.into(), word.into()], false);
        let function = self.context.struct_type(&[pointer.into(), word.into()], false);
        self.table("__plx_dep_globals", global, &globals);
        self.table("__plx_dep_functions", function, &functions);
    }

    fn table(&self, name: &str, entry: StructType<'c>, entries: &[StructValue<'c>]) {
        let table = self.module.add_global(entry.array_type(entries.len() as u32), None, name);
        table.set_initializer(&entry.const_array(entries));
        let word = self.context.i64_type();
        let len = self.module.add_global(word, None, &format!("{name}_len"));
        len.set_initializer(&word.const_int(entries.len() as u64, false));
    }
}

/// `reserve(bytes, head)`: room for a record in the thread's chunk, its first word written. Inlined everywhere.
fn reserve<'c>(context: &'c Context, module: &Module<'c>, b: &Builder<'c>) -> Result<FunctionValue<'c>> {
    let (word, pointer) = (context.i64_type(), context.ptr_type(AddressSpace::default()));
    let local = context.struct_type(&[pointer.into(), pointer.into()], false);
    let state = module.add_global(local, None, "__plx_dep");
    // The runtime is linked into the executable itself, never into a shared library.
    state.set_thread_local_mode(Some(ThreadLocalMode::LocalExecTLSModel));
    let more = module.add_function("__plx_dep_more", pointer.fn_type(&[word.into()], false), None);
    more.set_call_conventions(PRESERVE_MOST);
    let ty = pointer.fn_type(&[word.into(), word.into()], false);
    let f = module.add_function("__plx_dep_reserve", ty, Some(Linkage::Internal));
    for name in ["alwaysinline", "nounwind"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        f.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    let params = f.get_params();
    let (bytes, head) = (params[0].into_int_value(), params[1].into_int_value());
    let [entry, rare, join] = ["entry", "rare", "join"].map(|n| context.append_basic_block(f, n));
    b.position_at_end(entry);
    let next_at = b.build_struct_gep(local, state.as_pointer_value(), 0, "next")?;
    let end_at = b.build_struct_gep(local, state.as_pointer_value(), 1, "end")?;
    let next = b.build_load(pointer, next_at, "next")?.into_pointer_value();
    let end = b.build_load(pointer, end_at, "end")?.into_pointer_value();
    let (from, to) = (b.build_ptr_to_int(next, word, "from")?, b.build_ptr_to_int(end, word, "to")?);
    let room = b.build_int_sub(to, from, "room")?;
    let full = b.build_int_compare(IntPredicate::ULT, room, bytes, "full")?;
    let branch = b.build_conditional_branch(full, rare, join)?;
    let weights = crate::cx::Marks::new(context).unlikely();
    // Made by `Context::metadata_node`, so it is a node.
    let _ = branch.set_metadata(weights, context.get_kind_id("prof"));
    b.position_at_end(rare);
    let call = b.build_call(more, &[bytes.into()], "fresh")?;
    call.set_call_convention(PRESERVE_MOST);
    let fresh = call.try_as_basic_value().expect_basic("declared to return a pointer");
    b.build_unconditional_branch(join)?;
    b.position_at_end(join);
    let at = b.build_phi(pointer, "at")?;
    at.add_incoming(&[(&next, entry), (&fresh, rare)]);
    let at = at.as_basic_value().into_pointer_value();
    b.build_store(at, head)?;
    let new = b.build_int_add(b.build_ptr_to_int(at, word, "at")?, bytes, "new")?;
    let store = b.build_store(next_at, b.build_int_to_ptr(new, pointer, "new")?)?;
    // A signal handler must see it, so it may not be put off.
    store.set_volatile(true).map_err(|e| Error::Invalid(e.to_string()))?;
    b.build_return(Some(&at))?;
    Ok(f)
}
