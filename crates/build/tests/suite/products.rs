//! Which file of a finished build is the program, with the build systems that compile probes before they build.

use std::fs;
use std::path::PathBuf;

use parallax_build::{build, BuildError, Request, Source, Version};

use crate::support::{output_of, request_for, Sandbox};

const MAIN: &str =
    "#include <stdio.h>\nint twice(int x);\nint main(void) { printf(\"%d\\n\", twice(21)); return 0; }\n";
const TWICE: &str = "int twice(int x) { return 2 * x; }\n";
/// Compiles a question to the compiler and leaves both, as scripts written by hand do.
const HAND_WRITTEN_CONFIGURE: &str =
    "echo 'int main(void) { return 0; }' >endian.c && $CC endian.c -o endian && ./endian";

/// Writes a tree and builds it; the program is not named.
fn build_tree(sandbox: &Sandbox, files: &[(&str, &str)], command: &str) -> Result<Version, BuildError> {
    build(&request(write_tree(sandbox, files), command), &sandbox.cache())
}

fn request(tree: PathBuf, command: &str) -> Request {
    Request { command: Some(command.into()), ..request_for(Source::Tree(tree)) }
}

fn write_tree(sandbox: &Sandbox, files: &[(&str, &str)]) -> PathBuf {
    let tree = sandbox.path().join("tree");
    for (path, content) in files {
        let path = tree.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    tree
}

#[track_caller]
fn is_program(version: Result<Version, BuildError>, program: &str) {
    let version = version.unwrap();
    assert_eq!(version.program, program);
    assert_eq!(output_of(&version.native), "42\n");
}

/// The message names the library and what to do.
#[track_caller]
fn is_library(version: Result<Version, BuildError>, library: &str) {
    let error = version.unwrap_err();
    assert!(matches!(error, BuildError::Library { .. }), "{error}");
    let message = error.to_string();
    for part in [library, "a library", "driver.c", "--program"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn cmakes_compiler_probe_is_not_the_program() {
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\ninclude(CheckFunctionExists)\n\
                 check_function_exists(snprintf HAVE)\nadd_executable(p main.c twice.c)\n";
    let files = [("CMakeLists.txt", lists), ("main.c", MAIN), ("twice.c", TWICE)];
    is_program(build_tree(&Sandbox::new(), &files, "cmake -B b && cmake --build b"), "b/p");
}

#[test]
fn a_library_built_by_cmake_is_called_one() {
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_library(twice SHARED twice.c)\n";
    let files = [("CMakeLists.txt", lists), ("twice.c", TWICE)];
    is_library(build_tree(&Sandbox::new(), &files, "cmake -B b && cmake --build b"), "b/libtwice.so");
}

#[test]
fn mesons_compiler_probe_is_not_the_program() {
    let file = "project('p', 'c')\nmeson.get_compiler('c').run('int main(void) { return 0; }')\n\
                executable('p', 'main.c', 'twice.c')\n";
    let files = [("meson.build", file), ("main.c", MAIN), ("twice.c", TWICE)];
    is_program(build_tree(&Sandbox::new(), &files, "meson setup b && ninja -C b"), "b/p");
}

#[test]
fn a_library_built_by_meson_is_called_one() {
    let file = "project('p', 'c')\nstatic_library('twice', 'twice.c')\n";
    let files = [("meson.build", file), ("twice.c", TWICE)];
    is_library(build_tree(&Sandbox::new(), &files, "meson setup b && ninja -C b"), "b/libtwice.a");
}

#[test]
fn the_probe_of_a_configure_script_written_by_hand_is_not_the_program() {
    let files = [("main.c", MAIN), ("twice.c", TWICE)];
    let command = format!("{HAND_WRITTEN_CONFIGURE} && $CC main.c twice.c -o p");
    is_program(build_tree(&Sandbox::new(), &files, &command), "p");
    let library = format!("{HAND_WRITTEN_CONFIGURE} && $CC -c twice.c && ar rcs libtwice.a twice.o");
    is_library(build_tree(&Sandbox::new(), &files, &library), "libtwice.a");
}

#[test]
fn a_program_of_generated_sources_only_is_a_program() {
    let command = format!("cp main.in main.c && cp twice.in twice.c && $CC main.c twice.c -o p");
    let files = [("main.in", MAIN), ("twice.in", TWICE)];
    is_program(build_tree(&Sandbox::new(), &files, &command), "p");
}

#[test]
fn the_program_that_libtool_hides_is_named_as_the_user_calls_it() {
    let makefile = "p: main.c twice.c\n\
        \tlibtool --tag=CC --mode=compile $(CC) -c twice.c -o twice.lo\n\
        \tlibtool --tag=CC --mode=link $(CC) twice.lo -rpath /usr/local/lib -o libtwice.la\n\
        \tlibtool --tag=CC --mode=compile $(CC) -c main.c -o main.lo\n\
        \tlibtool --tag=CC --mode=link $(CC) main.lo libtwice.la -o p\n\
        \t./p\n";
    let files = [("Makefile", makefile), ("main.c", MAIN), ("twice.c", TWICE)];
    let version = build_tree(&Sandbox::new(), &files, "make").unwrap();
    assert_eq!(version.program, "p");
    assert!(version.native.ends_with(".libs/p"), "{}", version.native.display());
}

#[test]
fn a_library_named_as_the_program_is_answered_with_the_way_out() {
    let sandbox = Sandbox::new();
    let command = "$CC -shared -fPIC twice.c -o libtwice.so && $CC main.c twice.c -o p";
    let mut request = request(write_tree(&sandbox, &[("main.c", MAIN), ("twice.c", TWICE)]), command);
    request.program = Some("libtwice.so".into());
    is_library(build(&request, &sandbox.cache()), "libtwice.so");
}

/// Directories for the loader, relative to the tree.
fn library_path(version: &Version) -> Vec<String> {
    let root = version.source_root.canonicalize().unwrap();
    let relative = |path: &PathBuf| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    version.home.library_path.iter().map(relative).collect()
}

#[test]
fn a_program_whose_run_path_leads_to_its_libraries_is_left_alone() {
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_library(twice SHARED twice.c)\n\
                 add_executable(p main.c)\ntarget_link_libraries(p twice)\n";
    let files = [("CMakeLists.txt", lists), ("main.c", MAIN), ("twice.c", TWICE)];
    let sandbox = Sandbox::new();
    let version = build_tree(&sandbox, &files, "cmake -B b && cmake --build b").unwrap();
    assert_eq!(version.home.library_path, Vec::<PathBuf>::new());
    assert_eq!(output_of(&version.native), "42\n");
    let shared = &version.home.shared[..];
    assert!(shared.len() == 1 && shared[0].name == "libtwice.so" && shared[0].needed, "{shared:?}");
}

#[test]
fn libraries_of_libraries_are_found_and_of_two_with_one_name_the_one_that_was_linked() {
    let outer = "int inner(int x);\nint twice(int x) { return inner(x); }\n";
    let files = [("main.c", MAIN), ("outer.c", outer), ("twice.c", TWICE)];
    let command = "mkdir -p a wrong second/rank && $CC -Dtwice=inner -shared -fPIC twice.c -o second/rank/libinner.so && \
                   $CC -shared -fPIC outer.c -Lsecond/rank -linner -o libtwice.so && cp libtwice.so a/libtwice.so && \
                   mv libtwice.so wrong && $CC main.c -La -ltwice -Lsecond/rank -linner -o p";
    let sandbox = Sandbox::new();
    let version = build_tree(&sandbox, &files, command).unwrap();
    let found = library_path(&version);
    assert_eq!(found[0], "a", "{found:?}");
    assert!(found.contains(&"second/rank".to_owned()), "{found:?}");
}
