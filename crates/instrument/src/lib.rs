//! Whole-program bitcode in, instrumented program out (docs/internals.md).
//!
//! In: bitcode, the arguments that its native link had, a [`Mode`]. Out: an executable with the
//! runtime inside, and the [`ProgramMap`] that turns its site numbers back into source. The work is
//! cached by content: the same bitcode, mode and Parallax give the same files at once.
//!
//! Always holds: numbers depend on the bitcode only; no LLVM type leaves this crate.

mod abi;
mod address;
mod apart;
mod body;
mod cache;
mod calls;
mod clean;
mod cx;
mod dependence;
mod emit;
mod equivalent;
mod error;
mod fast;
mod float;
mod gaps;
mod gotos;
mod intrinsics;
mod link;
mod memory;
mod merge;
mod models;
mod number;
mod opaque;
mod outside;
mod passes;
mod phi;
mod program;
mod reserved;
mod same;
mod segments;
mod slow;
mod types;
mod wide;

pub use clean::clean_up;
pub use equivalent::{sameness, Sameness};
pub use error::Error;
pub use number::Watch;
pub use parallax_trace::format::Mode;
pub use parallax_trace::sites::ProgramMap;

use cx::Cx;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionValue};
use parallax_build::{Cache, Inputs};
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
    let bitcode = std::fs::read(&options.bitcode)
        .map_err(|e| Error::Bitcode { path: options.bitcode.clone(), message: e.to_string() })?;
    let rest = format!("{:?} {} {:?} {:?}", options.link_arguments, options.cxx, options.mode, options.watch);
    let key = cache::key(&[&bitcode, link::MODELS, link::RUNTIME, rest.as_bytes()]);
    let home = Cache::at(&options.cache);
    let (place, map) = cache::get_or_make(&home, "instrumented", &key, |directory| make(options, directory))?;
    Ok(Instrumented { program: place.join(PROGRAM), map })
}

const PROGRAM: &str = "program";
const MODELS_OBJECT: &str = "models.o";

fn make(options: &Options, directory: &Path) -> Result<(ProgramMap, Option<Inputs>), Error> {
    if options.mode == Mode::Dependence {
        return dependence::make(options, directory, PROGRAM);
    }
    let models = match options.mode {
        Mode::Coverage | Mode::Dependence => None,
        Mode::Symbolic => Some(models_library(&options.cache)?),
    };
    let context = Context::create();
    let module = clean::read(&context, &clean_up(&options.bitcode, &options.cache)?)?;
    reserved::free_runtime_names(&module);
    program::rename_main(&module)?;
    let before = models.as_ref().map(|m| m.1.clone()).unwrap_or_default();
    models::redirect_all(&module, &before);
    let object = directory.join("program.o");
    let job = Job { symbolic: models.is_some(), before, watch: &options.watch, is_program: true };
    let mut map = job.compile(&context, &module, &object)?;
    map.mode = Some(options.mode);
    let models = models.map(|m| m.0.join(MODELS_OBJECT));
    let inputs = link::link(&object, models.as_deref(), &directory.join(PROGRAM), options)?;
    std::fs::remove_file(&object).map_err(Error::io(&object))?;
    Ok((map, inputs))
}

/// The models, instrumented: the directory of the object, and their map. Made once for every Parallax.
fn models_library(cache: &Path) -> Result<(PathBuf, ProgramMap), Error> {
    cache::get_or_make(&Cache::at(cache), "models", &cache::key(&[link::MODELS]), |directory| {
        let context = Context::create();
        let module = models::module(&context, link::MODELS)?;
        program::adopt_inline_definitions(&module);
        passes::clean_up(&module, &passes::machine()?)?;
        let watch = Watch::new();
        let job = Job { symbolic: true, before: ProgramMap::default(), watch: &watch, is_program: false };
        let map = job.compile(&context, &module, &directory.join(MODELS_OBJECT))?;
        // All that goes into it is a part of Parallax.
        Ok((map, Some(Inputs::default())))
    })
}

/// One module on its way through the pipeline of docs/internals.md.
struct Job<'a> {
    symbolic: bool,
    /// Numbers go on where this map ends.
    before: ProgramMap,
    watch: &'a Watch,
    /// The program itself, as opposed to the models.
    is_program: bool,
}

impl Job<'_> {
    fn compile<'c>(
        self,
        context: &'c Context,
        module: &Module<'c>,
        object: &Path,
    ) -> Result<ProgramMap, Error> {
        let machine = passes::machine()?;
        let layout = machine.get_target_data();
        let mut numbers = number::number(module, self.before, self.watch);
        module.strip_debug_info();
        if self.symbolic {
            program::forget_memory_effects(module);
        }
        let builder = context.create_builder();
        let mut counters = None;
        if self.is_program {
            program::global_table(context, module, &layout);
            program::staying(context, module);
            counters = Some(program::counters(context, module, numbers.map.edges.len()));
        }
        let abi = abi::Abi::declare(context, module);
        let cx = Cx {
            context,
            module,
            builder: &builder,
            abi: &abi,
            layout: &layout,
            counters,
            symbolic: self.symbolic,
            marks: cx::Marks::new(context),
        };
        rewrite(&cx, &mut numbers, self.watch)?;
        if self.is_program {
            reserved::free_libc_names(module);
        }
        module.verify().map_err(|e| Error::Invalid(e.to_string()))?;
        passes::optimise(module, &machine)?;
        passes::write_object(module, object)?;
        if !self.is_program {
            numbers.map.edges.clear();
        }
        Ok(numbers.map)
    }
}

/// Rewrite every function of the module.
fn rewrite<'c>(cx: &Cx<'_, 'c>, numbers: &mut number::Numbers<'c>, watch: &Watch) -> Result<(), Error> {
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
    let watched = watched_instructions(&defined, watch);
    for function in defined {
        if opaque.contains(&function) {
            if cx.symbolic {
                opaque::isolate(cx, function)?;
            }
            continue;
        }
        let model = models::is_model(&function.get_name().to_string_lossy());
        if cx.symbolic {
            merge::diamonds(cx, numbers, function, &watched)?;
        }
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
