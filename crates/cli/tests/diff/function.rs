//! Single functions: drivers made from the debug information.

use super::*;
use std::fs;

/// Compares two texts in a directory of its own.
fn functions(old: &str, new: &str, args: &[&str]) -> Compared {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("old.c"), old).unwrap();
    fs::write(directory.path().join("new.c"), new).unwrap();
    let line = ["diff", "old.c", "new.c", "--format", "json", "--time", "20s", "--max-differences", "1"];
    let output = parallax(directory.path(), &[&line, args].concat()).output().unwrap();
    Compared { directory, output }
}

fn refused(old: &str, new: &str, args: &[&str], expected: &[&str]) {
    let compared = functions(old, new, args);
    let message = String::from_utf8_lossy(&compared.output.stderr).into_owned();
    assert_eq!(compared.output.status.code(), Some(2), "{message}");
    for part in expected {
        assert!(message.contains(part), "{part}: {message}");
    }
}

fn named<'v>(list: &'v Value, name: &str) -> &'v str {
    let one = list.as_array().unwrap().iter().find(|one| one["name"] == name);
    one.unwrap_or_else(|| panic!("{name}: {list}"))["value"].as_str().unwrap()
}

/// Static functions are linked as bitcode; the kept C file includes them.
#[test]
fn a_static_function_without_main_is_compared_and_its_kept_c_file_shows_the_difference() {
    let text = |bound: &str| {
        format!("static int f(int n, char c) {{ return n > {bound} ? n + c : n; }}\nint g(int n) {{ return f(n, 'x'); }}\n")
    };
    let compared = functions(&text("1000"), &text("1001"), &["--function", "f"]);
    let difference = compared.one("stdout");
    let call = &difference["call"];
    assert_eq!((&call["function"], named(&call["arguments"], "n")), (&"f".into(), "1001"));
    let kept = compared.path(difference["test"].as_str().unwrap()).join("call.c");
    let outputs = ["old.c", "new.c"].map(|version| {
        let program = compared.path("a.out");
        let source = format!("-DSOURCE=\"{}\"", compared.path(version).display());
        let source = source.replacen("=\"", "=\\\"", 1);
        let source = source.replace("\\\"", "\"");
        let mut cc = Command::new("clang-19");
        let status = cc.arg(source).arg("-w").arg(&kept).arg("-o").arg(&program).status().unwrap();
        assert!(status.success());
        String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap()
    });
    assert_ne!(outputs[0], outputs[1]);
    assert!(outputs[1].contains("return = 1001\n"), "{outputs:?}");
}

/// What a function leaves behind its parameters and in variables counts as what it returns.
#[test]
fn structures_out_parameters_and_variables_are_driven_and_compared() {
    let text = |step: &str| {
        format!(
            "struct point {{ short x, y; }};\nstruct shape {{ struct point at; struct shape *next; double w; }};\nstatic int calls;\n\
             void move(struct shape *s, int *moved) {{ for (*moved = 0; s; s = s->next) {{ calls++; {step}; ++*moved; }} }}\n"
        )
    };
    let compared = functions(
        &text("s->at.x += 2"),
        &text("s->at.x += s->next && s->at.y == 77 ? 3 : 2"),
        &["--function", "move", "--bound", "depth=2", "--assume", "s != 0"],
    );
    let difference = compared.one("stdout");
    let call = &difference["call"];
    assert!(named(&call["arguments"], "s").contains(".y = 77"), "{call}");
    assert_ne!(named(&call["old"], "shape.at.x"), named(&call["new"], "shape.at.x"), "{call}");
}

#[test]
fn what_cannot_be_driven_is_refused_with_what_to_give_instead() {
    let plain = "int f(int n) { return n; }\nint g(int n) { return n + 1; }\n";
    refused(plain, plain, &["--function", "ff"], &["no function of that name", "similar: f"]);
    refused(
        plain,
        "int g(int n) { return n; }\n",
        &["--function", "f"],
        &["the new version has no function"],
    );
    let variadic = "int f(int n, ...) { return n; }\n";
    refused(variadic, variadic, &["--function", "f"], &["variadic"]);
    let callback = "int f(int n, int (*by)(int)) { return by(n); }\n";
    refused(callback, callback, &["--function", "f"], &["parameter 2, `by`", "--argument 'by="]);
    let more = "int f(int n, int m) { return n + m; }\n";
    refused(plain, more, &["--function", "f"], &["parameter 2", "--argument 'm="]);
    refused(plain, plain, &["--function", "f", "--assume", "n >"], &["--assume", "error"]);
    refused(plain, plain, &["--function", "f", "--bound", "len=x"], &["must be a number"]);
    refused(plain, plain, &["--function", "f", "--bound", "k=3"], &["no such parameter"]);
}

#[test]
fn assumptions_that_contradict_one_another_are_refused() {
    let (old, new) = ("int f(int n) { return n; }\n", "int f(int n) { return n + 1; }\n");
    let args = ["--function", "f", "--assume", "n > 5", "--assume", "n < 3"];
    refused(old, new, &args, &["--assume", "contradict"]);
}

/// A function that ends the program is compared by how it does.
#[test]
fn a_function_may_call_exit_and_a_callback_may_be_given() {
    let text = |status: &str| {
        format!("#include <stdlib.h>\nint f(int n, int (*by)(int)) {{ if (by(n) == 9) exit({status}); return n; }}\n")
    };
    let directory = tempfile::tempdir().unwrap();
    let helpers = directory.path().join("helpers.c");
    fs::write(&helpers, "static int twice_and_one(int n) { return 2 * n + 1; }\n").unwrap();
    let args = ["--function", "f", "--argument", "by=twice_and_one", "--helpers", helpers.to_str().unwrap()];
    let compared = functions(&text("3"), &text("4"), &args);
    let difference = compared.one("exit");
    assert_eq!((&difference["old"]["exit"], &difference["new"]["exit"]), (&3.into(), &4.into()));
}

/// A tree whose build leaves an archive; a harness is given all of standard input.
#[test]
fn a_library_and_a_harness_for_fuzzers_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    for (version, byte) in [("old", "'!'"), ("new", "'?'")] {
        let tree = directory.path().join(version);
        fs::create_dir(&tree).unwrap();
        let text = format!(
            "#include <stdint.h>\n#include <stddef.h>\nint LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {{\n\
             return size > 2 && data[0] == 'O' && data[1] == 'K' && data[2] == {byte}; }}\n"
        );
        fs::write(tree.join("lib.c"), text).unwrap();
    }
    let build = "$CC -g -O2 -c lib.c -o lib.o && ar rcs libx.a lib.o";
    let line =
        ["diff", "old", "new", "--build", build, "--function", "LLVMFuzzerTestOneInput", "--time", "20s"];
    let output =
        parallax(directory.path(), &[&line[..], &["--format", "json", "--max-differences", "1"]].concat());
    let compared = Compared {
        directory,
        output: {
            let mut output = output;
            output.output().unwrap()
        },
    };
    let difference = compared.one("stdout");
    assert!(named(&difference["call"]["arguments"], "data").starts_with("\"OK"), "{difference}");
}
