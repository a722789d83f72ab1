//! A build comes from the cache only if it would read the same again, wherever it reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parallax_build::{build, Request, Source, Version};

use crate::support::{output_of, request_for, wrapper, Sandbox};

/// A tree, and a directory outside it that its build reads.
struct Outside {
    sandbox: Sandbox,
}

impl Outside {
    /// A program that prints the macro `VALUE`, which is to come from somewhere.
    fn new() -> Outside {
        let sandbox = Sandbox::new();
        for directory in ["tree", "out side"] {
            fs::create_dir(sandbox.path().join(directory)).unwrap();
        }
        let outside = Outside { sandbox };
        outside.write(
            "tree/main.c",
            "#include <stdio.h>\n#include \"value.h\"\nint main(void) { printf(\"%d\\n\", VALUE); }\n",
        );
        outside
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.path().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// `OUT` in the command is the directory outside.
    fn build(&self, command: &str) -> Version {
        // What changed in the last moment before a build is not trusted.
        std::thread::sleep(Duration::from_millis(50));
        let command = command.replace("OUT", &self.path("out side").display().to_string());
        let request = Request { command: Some(command), ..request_for(Source::Tree(self.path("tree"))) };
        build(&request, &self.sandbox.cache()).unwrap()
    }

    /// The build prints 1; again, from the cache; after the change it prints 2, and that is cached, too.
    #[track_caller]
    fn check(&self, command: &str, change: impl FnOnce(&Outside)) {
        let first = self.build(command);
        assert_eq!(output_of(&first.native), "1\n", "{command}");
        assert_eq!(self.build(command).native, first.native, "nothing changed: {command}");
        change(self);
        let second = self.build(command);
        assert_eq!(output_of(&second.native), "2\n", "stale: {command}");
        assert_eq!(self.build(command).native, second.native, "nothing changed: {command}");
    }
}

fn value(number: u32) -> String {
    format!("#define VALUE {number}\n")
}

#[test]
fn headers_outside_the_tree_count_however_they_are_found() {
    for command in [
        "$CC '-IOUT' main.c -o program",
        "$CC -isystem 'OUT' main.c -o program",
        "$CC -I'OUT/none' -idirafter 'OUT' main.c -o program",
        "touch value.h; $CC -include 'OUT/value.h' main.c -o program",
        "C_INCLUDE_PATH='OUT' $CC main.c -o program",
        "CPATH='OUT' $CC main.c -o program",
        "ln -s 'OUT/value.h' . && $CC main.c -o program",
        "gcc '-IOUT' -c main.c && gcc main.o -o program",
    ] {
        let outside = Outside::new();
        outside.write("out side/value.h", &value(1));
        outside.check(command, |outside| outside.write("out side/value.h", &value(2)));
    }
}

#[test]
fn a_header_that_appears_before_another_counts() {
    let outside = Outside::new();
    outside.write("out side/late/value.h", &value(1));
    fs::create_dir(outside.path("out side/early")).unwrap();
    let command = "$CC '-IOUT/early' '-IOUT/late' main.c -o program";
    outside.check(command, |outside| outside.write("out side/early/value.h", &value(2)));
}

#[test]
fn whatever_the_commands_of_a_build_read_counts() {
    let number = |outside: &Outside, number: &str| outside.write("out side/data", number);
    for command in [
        "echo \"#define VALUE $(cat 'OUT/data')\" > value.h; $CC main.c -o program",
        "sed 's/^/#define VALUE /' < 'OUT/data' > value.h; $CC main.c -o program",
        "cp 'OUT/data' n; $CC -DVALUE=$(cat n) main.c -o program",
        "awk '{print \"#define VALUE \" $1}' 'OUT/data' > value.h; $CC main.c -o program",
    ] {
        let outside = Outside::new();
        outside.write("tree/value.h", "");
        number(&outside, "1\n");
        outside.check(command, |outside| number(outside, "2\n"));
    }
}

#[test]
fn scripts_tools_and_response_files_outside_count() {
    let outside = Outside::new();
    outside.write("out side/generate", "#!/bin/sh\necho '#define VALUE 1'\n");
    make_executable(&outside.path("out side/generate"));
    let by_path = "PATH=\"OUT:$PATH\" generate > value.h; $CC main.c -o program";
    outside.check(by_path, |outside| {
        outside.write("out side/generate", "#!/bin/sh\necho '#define VALUE 2'\n");
        make_executable(&outside.path("out side/generate"));
    });

    let outside = Outside::new();
    outside.write("tree/value.h", "");
    outside.write("out side/flags", "-DVALUE=1\n");
    outside.check("$CC '@OUT/flags' main.c -o program", |outside| {
        outside.write("out side/flags", "-DVALUE=2\n")
    });

    let outside = Outside::new();
    outside.write(
        "tree/Makefile",
        "include $(PLACE)/config.mk\nprogram: main.c\n\t$(CC) -DVALUE=$(VALUE) main.c -o program\n",
    );
    outside.write("tree/value.h", "");
    outside.write("outside/config.mk", "VALUE = 1\n");
    let command = format!("make PLACE={}", outside.path("outside").display());
    outside.check(&command, |outside| outside.write("outside/config.mk", "VALUE = 2\n"));
}

#[test]
fn whether_a_file_is_there_and_what_a_directory_holds_counts() {
    let outside = Outside::new();
    let command =
        "n=1; test -e 'OUT/flag' && n=2; echo \"#define VALUE $n\" > value.h; $CC main.c -o program";
    outside.check(command, |outside| outside.write("out side/flag", ""));

    let outside = Outside::new();
    outside.write("out side/parts/a", "");
    let command = "echo \"#define VALUE $(ls 'OUT/parts' | wc -l)\" > value.h; $CC main.c -o program";
    outside.check(command, |outside| outside.write("out side/parts/b", ""));
}

#[test]
fn libraries_and_assembled_files_outside_count() {
    let library = |outside: &Outside, number: u32| {
        outside.write("library/value.c", &format!("int value(void) {{ return {number}; }}\n"));
        let make = "cc -c value.c -o value.o && rm -f libvalue.a && ar rcs libvalue.a value.o";
        outside.sandbox.run(&outside.path("library"), make);
    };
    let outside = Outside::new();
    outside.write("tree/value.h", "int value(void);\n#define VALUE value()\n");
    library(&outside, 1);
    let command = format!("$CC main.c -o program -L{} -lvalue", outside.path("library").display());
    outside.check(&command, |outside| library(outside, 2));

    let outside = Outside::new();
    outside.write(
        "tree/value.h",
        "extern const unsigned char first;\n#define VALUE (first - '0')\n__asm__(\".section .rodata\\n.globl first\\nfirst: .incbin \\\"DATA\\\"\\n.text\");\n",
    );
    outside.write("data", "1");
    let command =
        format!("sed -i 's|DATA|{}|' value.h; $CC main.c -o program", outside.path("data").display());
    outside.check(&command, |outside| outside.write("data", "2"));
}

#[test]
fn a_file_is_built_again_when_a_header_that_it_includes_changes() {
    let outside = Outside::new();
    outside.write("tree/value.h", &value(1));
    let make = || {
        std::thread::sleep(Duration::from_millis(50));
        build(&request_for(Source::File(outside.path("tree/main.c"))), &outside.sandbox.cache())
            .unwrap()
            .native
    };
    let first = make();
    assert_eq!(output_of(&first), "1\n");
    assert_eq!(make(), first);
    outside.write("tree/value.h", &value(2));
    assert_eq!(output_of(&make()), "2\n");
    // What was built before is still there for whoever uses it, and is found again.
    assert_eq!(output_of(&first), "1\n");
    outside.write("tree/value.h", &value(1));
    assert_eq!(make(), first);
}

#[test]
fn a_build_that_changes_what_it_reads_is_made_every_time() {
    let outside = Outside::new();
    outside.write("counter", "0\n");
    let file = outside.path("counter").display().to_string();
    let command = format!("n=$(($(cat {file}) + 1)); echo $n > {file}; echo \"#define VALUE $n\" > value.h; $CC main.c -o program");
    for expected in ["1\n", "2\n", "3\n"] {
        assert_eq!(output_of(&outside.build(&command).native), expected);
    }
}

#[test]
fn a_sanitized_program_can_run_during_a_build() {
    let outside = Outside::new();
    outside.write("tree/value.h", &value(1));
    outside.write("tree/leak.c", "#include <stdlib.h>\nint main(void) { return malloc(7) == 0; }\n");
    let command = "clang-19 -fsanitize=address leak.c -o leak && ./leak && $CC main.c -o program";
    assert_eq!(output_of(&outside.build(command).native), "1\n");
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_wrapper_alone_leaves_nothing_unfinished() {
    let outside = Outside::new();
    outside.write("tree/value.h", &value(1));
    outside.sandbox.run(&outside.path("tree"), &format!("{} main.c -o program", wrapper().display()));
    let unfinished = outside.sandbox.cache().root().join("tmp");
    assert_eq!(fs::read_dir(unfinished).unwrap().count(), 0);
}
