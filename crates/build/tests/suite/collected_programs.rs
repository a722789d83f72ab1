//! Programs built in every way that hides objects: the module made from their bitcode, linked with
//! the collected link line, is the same program.

use std::fs;

use crate::support::{check_relinked, output_of, request_for, testdata, undefined_symbols, Sandbox};
use parallax_build::{build, collect, BuildError, Source};

#[test]
fn bitcode_is_found_through_an_archive_and_a_renamed_program() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("archive", "make", "program").unwrap();
    assert_eq!(check_relinked(&version), "42\n");
    assert_eq!(version.without_bitcode, []);
}

#[test]
fn a_partial_link_keeps_bitcode_and_assembled_objects() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("partial", "make", "program").unwrap();
    assert_eq!(check_relinked(&version), "15\n");
    let [missing] = &version.without_bitcode[..] else { panic!("{:?}", version.without_bitcode) };
    assert_eq!((missing.source.as_deref(), missing.reason.as_str()), (Some("seven.S"), "assembler source"));
    assert_eq!(version.link.extra_objects().len(), 1);
}

#[test]
fn a_libtool_script_is_seen_through_and_its_library_is_part_of_the_program() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("libtool", "sh build.sh", "program").unwrap();
    assert!(version.native.ends_with(".libs/program"));
    assert!(!undefined_symbols(&version.bitcode).contains(&"twice".to_string()));
    assert_eq!(check_relinked(&version), "42\n");
}

#[test]
fn several_sources_compiled_and_linked_in_one_call_are_all_recorded() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("several", "$CC -O1 main.c eight.c seven.S -o program", "program").unwrap();
    assert_eq!(check_relinked(&version), "15\n");
    assert_eq!(version.without_bitcode.len(), 1);
}

#[test]
fn a_response_file_is_read() {
    let sandbox = Sandbox::new();
    let command = "echo 'main.c \"eight.c\" -o program' >all.rsp; $CC -c seven.S && $CC @all.rsp seven.o";
    let version = sandbox.build("several", command, "program").unwrap();
    assert_eq!(check_relinked(&version), "15\n");
}

#[test]
fn a_makefile_that_names_gcc_gets_gcc_and_bitcode() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("options", "make", "program").unwrap();
    assert_eq!(check_relinked(&version), "hello\n");
    assert_eq!(version.without_bitcode, []);
    let comment =
        std::process::Command::new("readelf").args(["-p", ".comment"]).arg(&version.native).output();
    assert!(String::from_utf8_lossy(&comment.unwrap().stdout).contains("GCC:"));
    assert!(version.source_root.join("deps.d").is_file());
}

#[test]
fn hardening_profiling_and_sanitizers_stay_out_of_the_bitcode() {
    let sandbox = Sandbox::new();
    let flags = "-Werror -Wno-unused-variable -flto -fstack-protector-all -fsanitize=address -fprofile-arcs -D_FORTIFY_SOURCE=2 -O2";
    let command = format!("$CC {flags} '-DMESSAGE=\"hi\"' main.c -o program");
    let version = sandbox.build("options", &command, "program").unwrap();
    let foreign = |name: &String| {
        name.contains("asan") || name.contains("stack_chk") || name.ends_with("_chk") || name.contains("gcov")
    };
    let undefined = undefined_symbols(&version.bitcode);
    assert!(undefined.contains(&"printf".to_string()), "{undefined:?}");
    assert!(!undefined.iter().any(foreign), "{undefined:?}");
}

#[test]
fn equal_names_in_different_files_do_not_clash() {
    let sandbox = Sandbox::new();
    let command = "$CC -fcommon -c main.c other.c && $CC main.o other.o -o program";
    let version = sandbox.build("statics", command, "program").unwrap();
    assert_eq!(check_relinked(&version), "1 42 42\n");
}

#[test]
fn an_inline_function_without_a_definition_outside_is_kept() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("inline99", "$CC -std=c99 -O2 main.c -o program", "program").unwrap();
    assert_eq!(check_relinked(&version), "8\n");
    // What the C library's headers offer for inlining stays a call.
    assert!(undefined_symbols(&version.bitcode).contains(&"atoi".to_string()));
    assert_eq!(version.unresolved, Vec::<String>::new());
}

#[test]
fn wrapped_symbols_are_wrapped_in_the_module_too() {
    let sandbox = Sandbox::new();
    let command = "$CC -fno-builtin -c main.c number.c wraps.c && \
                   $CC main.o number.o wraps.o -Wl,--wrap=number -Wl,--wrap -Wl,atoi -o program";
    let version = sandbox.build("wrap", command, "program").unwrap();
    assert_eq!(check_relinked(&version), "11 107\n");
}

#[test]
fn fortification_switched_on_by_the_source_is_off_in_the_bitcode() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("fortify", "$CC -O2 main.c -o program", "program").unwrap();
    let undefined = undefined_symbols(&version.bitcode);
    assert!(undefined.contains(&"strcpy".to_string()), "{undefined:?}");
    assert_eq!(check_relinked(&version), "none\n");
}

#[test]
fn objects_that_no_wrapper_has_seen_are_listed_and_linked() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("prebuilt", "make", "program").unwrap();
    assert_eq!(check_relinked(&version), "24\n");
    let objects: Vec<_> =
        version.without_bitcode.iter().map(|m| m.object.rsplit('/').next().unwrap()).collect();
    assert_eq!(objects, ["seven.o", "libeight.a(eight.o)", "libnine.a"]);
}

#[test]
fn unused_sections_removed_by_the_linker_take_no_record_along() {
    let sandbox = Sandbox::new();
    let command = "$CC -ffunction-sections -c main.c twice.c thrice.c && \
                   $CC main.o twice.o thrice.o -Wl,--gc-sections -s -o program";
    let version = sandbox.build("archive", command, "program").unwrap();
    assert_eq!(check_relinked(&version), "42\n");
}

#[test]
fn static_and_position_dependent_programs_are_collected() {
    for link in ["-static", "-no-pie -fno-pie", "-static-pie"] {
        let sandbox = Sandbox::new();
        let command = format!("$CC {link} main.c twice.c -o program");
        let version = sandbox.build("archive", &command, "program").unwrap();
        assert_eq!(check_relinked(&version), "42\n", "{link}");
    }
}

#[test]
fn a_stripped_and_installed_program_is_still_collected() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    sandbox.run(&tree, "make && install -s program ../installed");
    let version = collect(&sandbox.path().join("installed"), &sandbox.cache()).unwrap();
    assert_eq!(check_relinked(&version), "42\n");
}

#[test]
fn libraries_and_linker_flags_are_kept() {
    let sandbox = Sandbox::new();
    let command = "$CC main.c twice.c -o program -pthread -rdynamic -lm -Wl,--as-needed";
    let version = sandbox.build("archive", command, "program").unwrap();
    assert_eq!(version.link.libraries(), ["m"]);
    assert_eq!(version.link.arguments(), ["-pthread", "-rdynamic", "-lm", "-Wl,--as-needed"]);
}

#[test]
fn files_named_in_linker_flags_are_found_from_anywhere() {
    let sandbox = Sandbox::new();
    let command = "echo '{ twice; };' >list && $CC main.c twice.c -Wl,--dynamic-list=list -o program";
    let version = sandbox.build("archive", command, "program").unwrap();
    assert_eq!(check_relinked(&version), "42\n");
}

#[test]
fn a_tree_of_c_and_cxx_is_one_program() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("mixed", "make", "program").unwrap();
    assert!(version.link.cxx);
    assert_eq!(version.without_bitcode, []);
    assert_eq!(check_relinked(&version), "15\n");
}

#[test]
fn a_program_without_records_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    sandbox.run(
        &tree,
        "clang-19 main.c twice.c -o plain; $CC main.c twice.c -o bare; llvm-strip-19 bare; $CC -c main.c",
    );
    let refused = |name: &str| collect(&tree.join(name), &sandbox.cache()).unwrap_err();
    assert!(matches!(refused("plain"), BuildError::NotInstrumented(_)));
    assert!(matches!(refused("bare"), BuildError::NotInstrumented(_)));
    assert!(matches!(refused("main.o"), BuildError::NotLinked(_)));
    assert!(matches!(refused("main.c"), BuildError::NotElf(_)));
    assert!(matches!(refused("missing"), BuildError::NoSuchFile(_)));
    fs::write(tree.join("script"), "#!/bin/sh\nexec program\n").unwrap();
    assert!(matches!(refused("script"), BuildError::Script { .. }));
}

#[test]
fn bitcode_that_left_the_cache_is_reported_and_its_object_used() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    sandbox.run(&tree, "$CC -c main.c && $CC -c twice.c");
    let stored = sandbox.run(&tree, "readelf -p .parallax_bc twice.o | grep -o '[^\"]*\\.bc'");
    sandbox.run(&tree, "$CC main.o twice.o -o program");
    fs::remove_file(stored.trim()).unwrap();
    let version = collect(&tree.join("program"), &sandbox.cache()).unwrap();
    assert_eq!(version.without_bitcode.len(), 1);
    assert!(version.without_bitcode[0].reason.contains("no longer in the cache"));
    assert_eq!(check_relinked(&version), "42\n");
}

#[test]
fn two_copies_of_a_tree_give_programs_with_the_same_messages() {
    let sandbox = Sandbox::new();
    // Absolute names of sources, as CMake gives them.
    let command = "$CC -g '-DMESSAGE=__FILE__' $PWD/main.c -o program";
    let first = sandbox.build("options", command, "program").unwrap();
    let mut request = request_for(Source::Tree(testdata("options")));
    request.command = Some(format!("{command} "));
    let second = build(&request, &sandbox.cache()).unwrap();
    assert_ne!(first.native, second.native);
    assert!(matches!(output_of(&first.native).as_str(), "main.c\n" | "./main.c\n"));
    assert_eq!(output_of(&first.native), output_of(&second.native));
}

#[test]
fn two_copies_of_a_tree_give_the_same_module() {
    let sandbox = Sandbox::new();
    let command = "$CC '-DMESSAGE=__FILE__' main.c -o program";
    let first = sandbox.build("options", command, "program").unwrap();
    let second = sandbox.build("options", &format!("{command} "), "program").unwrap();
    assert_ne!(first.native, second.native);
    assert_eq!(first.bitcode, second.bitcode);
}

#[test]
fn a_member_that_only_unoptimised_code_needs_is_taken_from_its_archive() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("unneeded", "make", "program").unwrap();
    assert_eq!(version.unresolved, Vec::<String>::new());
    assert_eq!(check_relinked(&version), "0\n");
    let native = std::process::Command::new("nm").arg(&version.native).output().unwrap();
    assert!(!String::from_utf8_lossy(&native.stdout).contains("never"), "the native program does without");
}
