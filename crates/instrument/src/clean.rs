//! The cleaned-up bitcode of a program: the one module that every number speaks of (docs/internals.md, "Numbers").
//!
//! In: whole-program bitcode. Out: a file in the cache with the same program after the light clean-up, debug
//! information kept. Always holds: the same bitcode and the same Parallax give the same file, so that the
//! instrumenter and the program model, which both read it, count alike.

use crate::cx::Result;
use crate::error::Error;
use crate::{cache, gotos, passes, program};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use parallax_build::cache::hash_file;
use parallax_build::{sealed, Cache};
use std::path::{Path, PathBuf};

/// The cleaned-up module of `bitcode`: from below `cache`, or made and kept there.
pub fn clean_up(bitcode: &Path, cache: &Path) -> Result<PathBuf> {
    let bytes = std::fs::read(bitcode)
        .map_err(|e| Error::Bitcode { path: bitcode.into(), message: e.to_string() })?;
    let cache = Cache::at(cache);
    let key = cache::key(&[&bytes]);
    let place = cache.directory("cleaned")?.join(&key).with_extension("bc");
    let seal = place.with_extension("seal");
    let hash: Option<String> = sealed::read_json(&seal, &key);
    if hash.is_some_and(|hash| sealed::is_file_with(&place, &hash)) {
        cache.used(&place);
        cache.used(&seal);
        return Ok(place);
    }
    let context = Context::create();
    let mut module = read(&context, bitcode)?;
    if gotos::lower(&context, &module)? {
        // The addresses of labels, now unused, would still keep their blocks from being simplified.
        module = parsed(&context, &module.write_bitcode_to_memory(), bitcode)?;
    }
    program::adopt_inline_definitions(&module);
    passes::clean_up(&module, &passes::machine()?)?;
    let file = cache.temporary(".bc")?;
    std::fs::write(file.path(), module.write_bitcode_to_memory().as_slice()).map_err(Error::io(&place))?;
    let hash = hash_file(file.path())?;
    cache.keep(file, &place)?;
    sealed::write_json(&cache, &seal, &key, &hash)?;
    Ok(place)
}

pub fn read<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>> {
    let fail = |message: String| Error::Bitcode { path: path.into(), message };
    let buffer = MemoryBuffer::create_from_file(path).map_err(|e| fail(e.to_string()))?;
    parsed(context, &buffer, path)
}

fn parsed<'c>(context: &'c Context, bitcode: &MemoryBuffer, path: &Path) -> Result<Module<'c>> {
    let fail = |message: String| Error::Bitcode { path: path.into(), message };
    Module::parse_bitcode_from_buffer(bitcode, context).map_err(|e| fail(e.to_string()))
}
