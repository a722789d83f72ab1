//! LLVM's own passes: the light clean-up before instrumentation, the optimiser and code generation after.

use crate::cx::Result;
use crate::error::Error;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::OptimizationLevel;
use parallax_build::{observe, BuildError};
use std::path::Path;
use std::process::Command;

/// Promote memory to registers and simplify, without moving code between blocks: no speculation, no merging of
/// `&&` into arithmetic, no lookup tables, so that blocks and branches still are the source's.
const CLEAN_UP: &str = "function(sroa<preserve-cfg>,early-cse,instsimplify,\
    simplifycfg<bonus-inst-threshold=0;no-forward-switch-cond;no-switch-range-to-icmp;no-switch-to-lookup;\
    keep-loops;no-hoist-common-insts;no-sink-common-insts;no-speculate-blocks;no-simplify-cond-branch>,\
    early-cse,adce)";

const CLANG: &str = "clang-19";

/// After instrumentation; in the end, several updates of a counter in a row become one. (Combining that has not reached its
/// fixpoint is no reason to give up, which LLVM would do by default.)
const OPTIMISE: &str = "default<O1>,function(early-cse<memssa>,instcombine<no-verify-fixpoint>,dse)";

pub fn machine() -> Result<TargetMachine> {
    Target::initialize_x86(&InitializationConfig::default());
    let triple = TargetMachine::get_default_triple();
    let target = Target::from_triple(&triple).map_err(|e| Error::Codegen(e.to_string()))?;
    target
        .create_target_machine(
            &triple,
            "x86-64",
            "",
            OptimizationLevel::Default,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| Error::Codegen(format!("no target machine for {triple}")))
}

fn run(module: &Module, machine: &TargetMachine, pipeline: &str) -> Result<()> {
    module
        .run_passes(pipeline, machine, PassBuilderOptions::create())
        .map_err(|e| Error::Passes { pipeline: pipeline.into(), message: e.to_string() })
}

pub fn clean_up(module: &Module, machine: &TargetMachine) -> Result<()> {
    run(module, machine, CLEAN_UP)
}

pub fn optimise(module: &Module, machine: &TargetMachine) -> Result<()> {
    run(module, machine, OPTIMISE)
}

/// Code generation, by clang: LLVM's own interface cannot be told to use `.init_array`, and what it writes
/// instead (`.ctors`) no loader runs.
pub fn write_object(module: &Module, path: &Path) -> Result<()> {
    generate(module, path, &[])
}

/// The same, where each variable on the stack has an address of its own: otherwise two of them that are never alive together share one, and a
/// trace cannot say which of them was touched.
pub fn write_object_with_own_slots(module: &Module, path: &Path) -> Result<()> {
    generate(module, path, &["-mllvm", "-no-stack-coloring"])
}

fn generate(module: &Module, path: &Path, options: &[&str]) -> Result<()> {
    let bitcode = path.with_extension("bc");
    // Not by LLVM, which ends the whole process when the disk is full.
    std::fs::write(&bitcode, module.write_bitcode_to_memory().as_slice()).map_err(Error::io(&bitcode))?;
    let mut command = Command::new(CLANG);
    command.args(["-c", "-O2", "-fPIC", "-Xclang", "-disable-llvm-passes", "-Wno-override-module", "-o"]);
    command.arg(path).args(options).arg(&bitcode);
    let output = observe::dies_with_us(&mut command).output();
    let output = output.map_err(|e| Error::Tool { tool: CLANG.into(), message: e.to_string() })?;
    if !output.status.success() {
        let detail = String::from_utf8_lossy(&output.stderr).into_owned();
        if detail.contains("No space left on device") {
            return Err(BuildError::NoRoom { path: path.into(), detail }.into());
        }
        return Err(Error::Codegen(detail));
    }
    std::fs::remove_file(&bitcode).map_err(Error::io(&bitcode))
}
