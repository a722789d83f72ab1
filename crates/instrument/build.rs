//! Builds what goes into every instrumented program: the runtime as a static library and the models of
//! libc functions as bitcode. Both end up inside the `parallax` binary.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command, what: &str) {
    let output = command.output().unwrap_or_else(|e| panic!("{what}: {command:?} could not be started: {e}"));
    if !output.status.success() {
        panic!("{what}: {command:?} failed\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The runtime crate, with its own profile and target directory (the outer cargo holds the lock of the usual one).
fn runtime(root: &Path, out: &Path) {
    let target = out.join("runtime");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["rustc", "-p", "parallax-runtime", "--lib", "--crate-type", "staticlib"]);
    command.args(["--features", "program", "--profile", "runtime", "--target-dir"]).arg(&target);
    // The outer build's flags (coverage, sanitizers, a tool in between) are not for code inside C programs.
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
        command.env_remove(name);
    }
    run(&mut command, "the runtime library");
    let built = target.join("runtime/libparallax_runtime.a");
    let library = out.join("libparallax_runtime.a");
    std::fs::copy(&built, &library).unwrap_or_else(|e| panic!("{}: {e}", built.display()));
    for name in ["tls", "stubs", "stage", "dependence", "dependence_libc", "dependence_format"] {
        let object = out.join(name).with_extension("o");
        let source = root.join("crates/runtime/src").join(name).with_extension("c");
        // What calls a libc function means the function, not what the compiler knows of it.
        let flags = ["-O2", "-fPIC", "-fno-builtin", "-U_FORTIFY_SOURCE", "-c"];
        run(Command::new("clang-19").args(flags).arg(source).arg("-o").arg(&object), name);
        run(Command::new("llvm-ar-19").arg("r").arg(&library).arg(&object), "the runtime library");
    }
}

/// Allocation is the same for the runtime and the program around it.
const ALLOCATION: [&str; 8] = [
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
];

/// The names of libc functions that the runtime uses, one in a line, into the file `needed`.
fn needed(out: &Path) {
    let symbols = |which: &str| {
        let mut command = Command::new("llvm-nm-19");
        command.args(["--format=just-symbols", which]).arg(out.join("libparallax_runtime.a"));
        let output = command.output().unwrap_or_else(|e| panic!("{command:?} could not be started: {e}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let defined = symbols("--defined-only");
    let mut names = symbols("--undefined-only");
    names.retain(|name| !defined.contains(name) && !ALLOCATION.contains(&name.as_str()));
    names.retain(|name| !name.is_empty() && !name.starts_with("__plx_") && !name.ends_with(':'));
    assert!(names.contains("kill") && names.contains("fork"), "the runtime's own names could not be read");
    let list: Vec<String> = names.into_iter().collect();
    std::fs::write(out.join("needed"), list.join("\n")).unwrap_or_else(|e| panic!("{}: {e}", out.display()));
}

fn c_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

fn models(directory: &Path, out: &Path) {
    let mut parts = Vec::new();
    for file in c_files(directory) {
        let part = out.join(file.file_name().unwrap_or_default()).with_extension("bc");
        let mut command = Command::new("clang-19");
        command.args(["-O1", "-g1", "-fPIC", "-fno-builtin", "-std=gnu11", "-emit-llvm", "-c"]);
        command.args(["-Xclang", "-disable-llvm-passes", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0"]);
        // A call of a libc function in a model is a call of the real one, not of what headers inline for it.
        command.arg("-D__NO_INLINE__");
        run(command.arg("-I").arg(directory).arg(&file).arg("-o").arg(&part), "a model of libc");
        parts.push(part);
    }
    run(Command::new("llvm-link-19").args(&parts).arg("-o").arg(out.join("models.bc")), "the models of libc");
}

/// Cached programs of another version of this crate must not be found again.
fn fingerprint(root: &Path) -> String {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root.join("crates/instrument/src"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    files.sort();
    let mut hash = blake3::Hasher::new();
    for file in files {
        hash.update(&std::fs::read(&file).unwrap_or_default());
    }
    hash.finalize().to_hex()[..16].to_string()
}

fn main() {
    let manifest = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("set by cargo"));
    let root = manifest.join("../..");
    for path in ["crates/runtime/src", "crates/runtime/libc", "crates/trace/src", "crates/instrument/src"] {
        println!("cargo:rerun-if-changed={}", root.join(path).display());
    }
    runtime(&root, &out);
    needed(&out);
    models(&root.join("crates/runtime/libc"), &out);
    println!("cargo:rustc-env=PARALLAX_INSTRUMENTER={}", fingerprint(&root));
}
