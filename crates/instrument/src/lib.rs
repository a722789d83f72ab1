//! Whole-program bitcode in, instrumented program out (docs/internals.md).
//!
//! In: bitcode, the arguments that its native link had, a [`Mode`]. Out: an executable with the
//! runtime inside, and the [`ProgramMap`] that turns its site numbers back into source. The work is
//! cached by content: the same bitcode, mode and Parallax give the same files at once.
//!
//! Always holds: numbers depend on the bitcode only; no LLVM type leaves this crate.

mod abi;
mod address;
mod body;
mod cache;
mod calls;
mod cx;
mod emit;
mod error;
mod fast;
mod gaps;
mod intrinsics;
mod link;
mod memory;
mod models;
mod number;
mod opaque;
mod passes;
mod phi;
mod program;
mod slow;
mod types;

pub use error::Error;
pub use number::Watch;
pub use parallax_trace::format::Mode;
pub use parallax_trace::sites::ProgramMap;

use cx::Cx;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionValue};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What to instrument, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whole-program bitcode.
    pub bitcode: PathBuf,
    /// Libraries, flags and objects without bitcode, in the order of the native link.
    pub link_arguments: Vec<String>,
    /// Link with the C++ driver.
    pub cxx: bool,
    pub mode: Mode,
    /// Instructions whose labels and values are recorded whenever they execute.
    pub watch: Watch,
    /// Where instrumented programs are kept.
    pub cache: PathBuf,
}

/// An instrumented program.
#[derive(Clone, Debug)]
pub struct Instrumented {
    pub program: PathBuf,
    pub map: ProgramMap,
}

/// Instrument, or find in the cache.
pub fn instrument(options: &Options) -> Result<Instrumented, Error> {
    cache::get_or_make(options, |directory| make(options, directory))
}

fn make(options: &Options, directory: &Path) -> Result<ProgramMap, Error> {
    let context = Context::create();
    let module = read(&context, &options.bitcode)?;
    let map = transform(&context, &module, options)?;
    let machine = passes::machine()?;
    passes::optimise(&module, &machine)?;
    let object = directory.join("program.o");
    passes::write_object(&module, &machine, &object)?;
    link::link(&object, &directory.join("program"), options)?;
    std::fs::remove_file(&object).map_err(Error::io(&object))?;
    Ok(map)
}

fn read<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, Error> {
    let fail = |message: String| Error::Bitcode { path: path.into(), message };
    let buffer = MemoryBuffer::create_from_file(path).map_err(|e| fail(e.to_string()))?;
    Module::parse_bitcode_from_buffer(&buffer, context).map_err(|e| fail(e.to_string()))
}

/// The pipeline of docs/internals.md up to the optimiser.
fn transform<'c>(context: &'c Context, module: &Module<'c>, options: &Options) -> Result<ProgramMap, Error> {
    let machine = passes::machine()?;
    let layout = machine.get_target_data();
    program::rename_main(module)?;
    program::adopt_inline_definitions(module);
    let symbolic = options.mode != Mode::Coverage;
    if symbolic {
        models::link(context, module, link::MODELS)?;
        passes::drop_unused(module, &machine)?;
    }
    passes::clean_up(module, &machine)?;
    let mut numbers = number::number(module, &models::is_model, &options.watch);
    numbers.map.mode = Some(options.mode);
    module.strip_debug_info();
    program::global_table(context, module, &layout);
    let builder = context.create_builder();
    let unlikely = [1u64, 2000].map(|w| context.i32_type().const_int(w, false).into());
    let weights = [context.metadata_string("branch_weights").into(), unlikely[0], unlikely[1]];
    let abi = abi::Abi::declare(context, module);
    let cx = Cx {
        context,
        module,
        builder: &builder,
        abi: &abi,
        layout: &layout,
        counters: program::counters(context, module, numbers.map.edges.len()),
        symbolic,
        unlikely: context.metadata_node(&weights),
    };
    rewrite(&cx, &mut numbers, options)?;
    module.verify().map_err(|e| Error::Invalid(e.to_string()))?;
    Ok(numbers.map)
}

/// Rewrite every function of the module.
fn rewrite<'c>(cx: &Cx<'_, 'c>, numbers: &mut number::Numbers<'c>, options: &Options) -> Result<(), Error> {
    let defined: Vec<FunctionValue<'c>> =
        cx.module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect();
    let mut opaque = HashSet::new();
    for function in &defined {
        if let Some(reason) = opaque::reason(*function) {
            opaque.insert(*function);
            let name = function.get_name().to_string_lossy().into_owned();
            numbers.map.opaque.push((name, reason.into()));
        }
    }
    let watched = watched_instructions(&defined, &options.watch);
    for function in defined {
        if opaque.contains(&function) {
            if cx.symbolic {
                opaque::isolate(cx, function)?;
            }
            continue;
        }
        let model = models::is_model(&function.get_name().to_string_lossy());
        emit::Emitter::new(cx, numbers, function, &opaque, &watched, model).run()?;
    }
    Ok(())
}

fn watched_instructions<'c>(functions: &[FunctionValue<'c>], watch: &Watch) -> HashSet<InstructionValue<'c>> {
    let mut found = HashSet::new();
    for function in functions {
        let name = function.get_name().to_string_lossy().into_owned();
        let all = function.get_basic_block_iter().flat_map(|b| b.get_instructions());
        for (index, instruction) in all.enumerate() {
            if watch.contains(&(name.clone(), index as u32)) {
                found.insert(instruction);
            }
        }
    }
    found
}
