//! The wrapper against the real compiler: whatever a build can observe is the same.

use std::fs;

use crate::support::{testdata, Sandbox};

#[test]
fn configure_gets_the_same_answers_as_from_the_real_compiler() {
    let answers = |compiler: &str| {
        let sandbox = Sandbox::new();
        let tree = sandbox.tree("configure");
        sandbox.run(&tree, &format!("{compiler} ./configure"));
        fs::read_to_string(tree.join("answers.txt")).unwrap()
    };
    let expected = answers("CC=clang-19");
    assert!(expected.contains("leaves devices alone"), "{expected}");
    assert_eq!(answers(""), expected);
}

#[test]
fn status_and_messages_are_those_of_the_native_compiler() {
    let sandbox = Sandbox::new();
    let tree = testdata("broken");
    for arguments in [
        "-c main.c -o /dev/null",
        "main.c -o /dev/null",
        "-c no-such.c",
        "no-such.o",
        "-fno-such-flag -c main.c",
        "",
        "-v",
    ] {
        let ours = sandbox.shell(&tree, &format!("$CC {arguments}"));
        let real = sandbox.shell(&tree, &format!("clang-19 {arguments}"));
        assert_eq!(ours.status.code(), real.status.code(), "{arguments}");
        assert_eq!(without_names(&ours.stderr), without_names(&real.stderr), "{arguments}");
    }
}

/// Messages with names of temporary objects left out.
fn without_names(message: &[u8]) -> String {
    let text = String::from_utf8_lossy(message).into_owned();
    text.split_inclusive(char::is_whitespace).filter(|word| !word.contains("/tmp/")).collect()
}

#[test]
fn a_makefile_sees_the_files_that_the_compiler_alone_would_leave() {
    let left = |compiler: &str| {
        let sandbox = Sandbox::new();
        let tree = sandbox.tree("several");
        let set = format!("CC={compiler}");
        sandbox.run(
            &tree,
            &format!(
                "{} $CC -MD -MP -c main.c eight.c; $CC -S eight.c; $CC -E eight.c >eight.i; $CC -c seven.S; \
                 $CC -M eight.c >eight.m; $CC main.o eight.o seven.o; cat main.d eight.d eight.m",
                if compiler.is_empty() { String::new() } else { format!("{set};") }
            ),
        );
        let mut names: Vec<_> = fs::read_dir(&tree)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        (names, fs::read(tree.join("main.d")).unwrap(), fs::read(tree.join("eight.s")).unwrap())
    };
    assert_eq!(left(""), left("clang-19"));
}

#[test]
fn the_program_differs_from_a_plain_one_only_in_sections_that_are_not_loaded() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    sandbox.run(&tree, "$CC -O2 -c main.c twice.c && $CC -O2 main.o twice.o -o ours -Wl,--build-id=none");
    sandbox
        .run(&tree, "clang-19 -O2 -c main.c twice.c && clang-19 main.o twice.o -o real -Wl,--build-id=none");
    let loaded = |program: &str| {
        sandbox.run(&tree, &format!("llvm-objcopy-19 --strip-all {program} {program}.loaded"));
        fs::read(tree.join(format!("{program}.loaded"))).unwrap()
    };
    assert!(loaded("ours") == loaded("real"));
}

#[test]
fn bitcode_that_cannot_be_made_does_not_fail_the_build() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    // gcc knows nested functions, clang does not.
    fs::write(tree.join("nested.c"), "int f(int x) { int g(void) { return x; } return g(); }\n").unwrap();
    sandbox.run(&tree, "PARALLAX_NATIVE_CC=gcc $CC -c nested.c");
    let record = sandbox.run(&tree, "readelf -p .parallax_bc nested.o");
    assert!(record.contains("function definition is not allowed here"), "{record}");
}

#[test]
fn a_full_or_unwritable_cache_does_not_fail_the_build() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    sandbox.run(&tree, "PARALLAX_CACHE=/proc/no-such; export PARALLAX_CACHE; $CC -c main.c twice.c && $CC main.o twice.o -o program && ./program");
}

#[test]
fn what_gcc_only_warns_about_has_bitcode_too() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    fs::write(
        tree.join("old.c"),
        "main() { char *p = 5; return later(p); }\nlater(p) char *p; { return p != 5; }\n",
    )
    .unwrap();
    sandbox.run(&tree, "PARALLAX_NATIVE_CC=gcc $CC -std=gnu11 -fipa-icf -fno-ivopts -c old.c");
    let record = sandbox.run(&tree, "readelf -p .parallax_bc old.o");
    assert!(record.contains("\"bitcode\""), "{record}");
}
