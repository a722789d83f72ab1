//! Programs that are more than one file: what they load, start and read at run time is what their own build made, not what is installed.

use crate::{parallax, Compared};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Prints what zlib says its version is. The tests bring a library of that name of their own; the system's is installed wherever LLVM is.
const ASKS_ZLIB: &str = "#include <stdio.h>\nconst char *zlibVersion(void);\n\
                         int main(void) { puts(zlibVersion()); return 0; }\n";

fn zlib(version: u32) -> String {
    format!("const char *zlibVersion(void) {{ return \"mine {version}\"; }}\n")
}

/// Two trees, `old` and `new`, of the same files; `VERSION` in them is 1 and 2.
fn trees(files: &[(&str, String)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (tree, version) in [("old", "1"), ("new", "2")] {
        for (path, content) in files {
            let path = directory.path().join(tree).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content.replace("VERSION", version)).unwrap();
        }
    }
    directory
}

fn zlib_trees() -> tempfile::TempDir {
    let library = zlib(0).replace("mine 0", "mine VERSION");
    trees(&[("main.c", ASKS_ZLIB.to_owned()), ("z.c", library)])
}

fn run(directory: &Path, args: &[&str]) -> Output {
    parallax(directory, args).output().unwrap()
}

fn diff(directory: tempfile::TempDir, build: &str, more: &[&str]) -> Compared {
    let line = [
        "diff",
        "old",
        "new",
        "--format",
        "json",
        "--time",
        "20s",
        "--max-differences",
        "1",
        "--build",
        build,
    ];
    let output = run(directory.path(), &[&line, more].concat());
    Compared { directory, output }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

/// The versions print what their own libraries say, when they are compared, replayed, and started by the shell.
#[track_caller]
fn loads_its_own(compared: &Compared, program: &str) {
    let difference = compared.one("stdout");
    assert_eq!([&difference["old"]["stdout"], &difference["new"]["stdout"]], ["mine 1\n", "mine 2\n"]);
    let json = compared.json(1);
    let versions = &json["versions"];
    assert_eq!([&versions["old_program"], &versions["new_program"]], [program, program]);
    for loaded in [&versions["old_loaded"], &versions["new_loaded"]] {
        let found = loaded.as_array().unwrap().iter().map(text).find(|path| path.contains("libz.so"));
        assert!(found.unwrap().contains("/builds/"), "{loaded}");
    }
    let test = text(&difference["test"]);
    let replayed = run(compared.directory.path(), &["replay", test]);
    let shown = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(shown.contains(": different") && shown.contains(program), "{shown}");
    let by_hand = std::process::Command::new("sh")
        .args([&format!("{test}/run.sh"), text(&versions["new_binary"])])
        .current_dir(compared.directory.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&by_hand.stdout), "mine 2\n");
}

#[test]
fn a_program_without_run_path_loads_the_library_of_its_build_and_not_the_installed_one() {
    let build =
        "$CC -shared -fPIC -Wl,-soname,libz.so.1 z.c -o libz.so.1.0 && ln -sf libz.so.1.0 libz.so && \
                 $CC main.c -L. -lz -o p";
    loads_its_own(&diff(zlib_trees(), build, &[]), "p");
}

#[test]
fn a_program_behind_a_script_of_libtool_loads_the_library_of_its_build() {
    let build = "libtool --tag=CC --mode=compile $CC -c z.c -o z.lo && \
                 libtool --tag=CC --mode=link $CC z.lo -rpath /usr/lib -version-info 1:0:0 -o libz.la && \
                 libtool --tag=CC --mode=compile $CC -c main.c -o main.lo && \
                 libtool --tag=CC --mode=link $CC main.lo libz.la -o p";
    loads_its_own(&diff(zlib_trees(), build, &[]), "p");
}

#[test]
fn a_program_that_insists_on_the_installed_library_is_not_compared() {
    let build = "$CC -shared -fPIC -Wl,-soname,libz.so.1 z.c -o libz.so.1 && \
                 $CC main.c libz.so.1 -Wl,--disable-new-dtags \
                 -Wl,-rpath,\"$(dirname \"$(gcc -print-file-name=libz.so.1)\")\" -o p";
    let compared = diff(zlib_trees(), build, &[]);
    assert_eq!(compared.output.status.code(), Some(3), "{}", compared.stderr());
    let message = compared.stderr();
    for part in ["the old version (old) loads", "libz.so.1, not", "of its own build", "-rpath"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// A library by `$ORIGIN`, a plugin and data beside the executable, a helper program in `PATH`, a plugin by its bare name.
const MANY_PARTS: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
const char *part(void);
static void call(const char *path) {
    void *plugin = dlopen(path, RTLD_NOW);
    const char *(*name)(void) = plugin ? (const char *(*)(void))dlsym(plugin, "name") : 0;
    printf("%s\n", name ? name() : "no plugin");
}
int main(void) {
    char exe[4096] = "", path[4200], line[100] = "";
    readlink("/proc/self/exe", exe, sizeof exe - 1);
    *strrchr(exe, '/') = 0;
    puts(part());
    snprintf(path, sizeof path, "%s/plugin.so", exe);
    call(path);
    call("bare.so");
    snprintf(path, sizeof path, "%s/../share/data", exe);
    FILE *data = fopen(path, "r");
    puts(data && fgets(line, sizeof line, data) ? line : "no data");
    FILE *helper = popen("parallax-test-helper", "r");
    puts(helper && fgets(line, sizeof line, helper) ? line : "no helper");
    return 0;
}
"#;

#[test]
fn libraries_plugins_helpers_and_data_are_those_of_the_build_for_native_and_instrumented_programs() {
    let helper = "#include <stdio.h>\nint main(void) { puts(\"helper VERSION\"); return 0; }\n";
    let named = |what: &str| format!("const char *name(void) {{ return \"{what} VERSION\"; }}\n");
    let directory = trees(&[
        ("main.c", MANY_PARTS.to_owned()),
        ("part.c", "const char *part(void) { return \"part VERSION\"; }\n".to_owned()),
        ("plugin.c", named("plugin")),
        ("bare.c", named("bare")),
        ("helper.c", helper.to_owned()),
        ("share/data", "data VERSION".to_owned()),
    ]);
    let build = "mkdir bin lib plugins && $CC -shared -fPIC part.c -o lib/libpart.so && \
                 $CC -shared -fPIC plugin.c -o bin/plugin.so && $CC -shared -fPIC bare.c -o plugins/bare.so && \
                 $CC helper.c -o bin/parallax-test-helper && \
                 $CC main.c -Llib -lpart -Wl,-rpath,'$ORIGIN/../lib' -ldl -o bin/p";
    let said = |version: u32| {
        ["part", "plugin", "bare", "data", "helper"].map(|what| format!("{what} {version}\n")).concat()
    };
    let printed = |text: &Value| text.as_str().unwrap().replace("\n\n", "\n");
    let compared = diff(directory, build, &["--program", "bin/p"]);
    let difference = compared.one("stdout");
    assert_eq!(printed(&difference["old"]["stdout"]), said(1));
    assert_eq!(printed(&difference["new"]["stdout"]), said(2));
    // The instrumented program does as the native one does.
    let line = ["trace", "new", "--build", build, "--program", "bin/p", "--format", "json"];
    let traced: Value = serde_json::from_slice(&run(compared.directory.path(), &line).stdout).unwrap();
    assert_eq!(printed(&traced["stdout"]), said(2), "{traced:#}");
}

#[test]
fn a_plugin_that_is_loaded_from_elsewhere_is_said_and_weakens_the_verdict() {
    let main = "#include <dlfcn.h>\nint main(void) { return !dlopen(INSTALLED, RTLD_NOW); }\n";
    let directory = trees(&[("main.c", main.to_owned()), ("z.c", zlib(1))]);
    let build = "$CC -shared -fPIC -Wl,-soname,libz.so.1 z.c -o libz.so.1 && \
                 $CC main.c -DINSTALLED=\"\\\"$(gcc -print-file-name=libz.so.1)\\\"\" -ldl -o p";
    let compared = diff(directory, build, &[]);
    let json: Value = serde_json::from_slice(&compared.output.stdout).unwrap();
    for list in [&json["warnings"], &json["weakened"]] {
        let said = list.as_array().unwrap().iter().any(|line| text(line).contains("of its own build"));
        assert!(said, "{json:#}");
    }
}

#[test]
fn a_library_is_not_compared_as_if_it_were_a_program() {
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_library(z SHARED z.c)\n";
    let lists = lists.replace("VERSION", "\u{56}ERSION");
    let directory = zlib_trees();
    for tree in ["old", "new"] {
        std::fs::write(directory.path().join(tree).join("CMakeLists.txt"), &lists).unwrap();
    }
    let compared = diff(directory, "cmake -B b && cmake --build b", &[]);
    assert_eq!(compared.output.status.code(), Some(3), "{}", compared.stderr());
    let message = compared.stderr();
    for part in ["both versions (old and new)", "a library", "b/libz.so", "driver.c"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// The path that follows some words in a message.
fn path_after(message: &str, words: &str) -> PathBuf {
    let rest = message.split(words).nth(1).unwrap_or_else(|| panic!("{words}: {message}"));
    PathBuf::from(rest.split(['\n', ',']).next().unwrap())
}

#[test]
fn a_failing_build_names_its_version_and_keeps_tree_and_log() {
    let directory = zlib_trees();
    std::fs::write(directory.path().join("new/z.c"), "int broken = missing;\n").unwrap();
    let compared = diff(directory, "$CC main.c z.c -o p", &[]);
    assert_eq!(compared.output.status.code(), Some(3), "{}", compared.stderr());
    let message = compared.stderr();
    assert!(message.contains("the new version (new): the build failed"), "{message}");
    assert!(!message.contains("the old version"), "{message}");
    assert!(path_after(&message, "\nin ").join("z.c").is_file(), "{message}");
    let log = std::fs::read_to_string(path_after(&message, "the whole log is ")).unwrap();
    assert!(log.contains("undeclared identifier"), "{log}");
}

#[test]
fn a_long_build_shows_that_it_lives_and_all_of_it_if_asked_to() {
    // Not found in the cache that an earlier test run left.
    let unique = format!("echo {:?} >now", std::time::SystemTime::now());
    let build = format!("{unique}; echo half way; sleep 4; $CC main.c z.c -o p").replace(['{', '}'], "");
    let compared = diff(zlib_trees(), &build, &["--runs", "1"]);
    let message = compared.stderr();
    assert!(message.contains("building new (new): 3 s: half way"), "{message}");
    let build = build.replace("half way; sleep 4", "step one");
    let compared = diff(zlib_trees(), &build, &["--runs", "1", "--verbose"]);
    assert!(compared.stderr().contains("(old): step one\n"), "{}", compared.stderr());
}

#[test]
fn a_change_that_is_not_in_the_program_is_said_to_be_elsewhere() {
    let main = "int main(void) { return 0; }\n".to_owned();
    let directory = trees(&[("gen.c", main), ("z.c", zlib(0).replace("mine 0", "mine VERSION"))]);
    let build = "$CC gen.c -o gen && ./gen && $CC -c z.c && ar rcs libz.a z.o";
    let json = diff(directory, build, &[]).json(0);
    for list in [&json["warnings"], &json["weakened"]] {
        let said =
            |line: &Value| text(line).contains("nothing of what changed (z.c) is part of the program gen");
        assert!(list.as_array().unwrap().iter().any(said), "{json:#}");
    }
}
