//! Helpers of the tests: copies of `testdata`, builds of them, and programs made from collected bitcode.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use parallax_build::{build, BuildError, Cache, Request, Source, Version};

/// A cache and a directory of their own for one test.
pub struct Sandbox {
    directory: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox { directory: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn cache(&self) -> Cache {
        Cache::at(self.path().join("cache"))
    }

    /// A copy of a tree of `testdata`.
    pub fn tree(&self, name: &str) -> PathBuf {
        let from = testdata(name);
        let to = self.path().join(name);
        fs::create_dir(&to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        to
    }

    /// Runs a shell command in a directory with `CC` set to the wrapper.
    pub fn shell(&self, directory: &Path, command: &str) -> Output {
        Command::new("/bin/sh")
            .args(["-ec", command])
            .current_dir(directory)
            .env("CC", wrapper())
            .env("PARALLAX_CACHE", self.cache().root())
            .output()
            .unwrap()
    }

    /// The same, for commands that must succeed.
    pub fn run(&self, directory: &Path, command: &str) -> String {
        let output = self.shell(directory, command);
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Builds a tree of `testdata` through the library.
    pub fn build(&self, name: &str, command: &str, program: &str) -> Result<Version, BuildError> {
        let mut request = request_for(Source::Tree(testdata(name)));
        request.command = Some(command.to_string());
        request.program = Some(program.to_string());
        build(&request, &self.cache())
    }
}

/// A build with the wrapper of these tests.
pub fn request_for(source: Source) -> Request {
    Request { wrapper: Some(wrapper()), ..Request::new(source) }
}

pub fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

/// Cargo builds the examples of this crate before its tests, beside them.
pub fn wrapper() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples/parallax-cc")
}

/// What a program prints.
pub fn output_of(program: &Path) -> String {
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{} {:?}", program.display(), output);
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a program from the collected bitcode and the link line, and compares what it prints with
/// the native program: nothing is missing, nothing is there twice.
pub fn check_relinked(version: &Version) -> String {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("relinked");
    let output = Command::new(if version.link.cxx { "clang++-19" } else { "clang-19" })
        .args(["-O0", "-Wno-override-module", "-x", "ir"])
        .arg(&version.bitcode)
        .args(["-x", "none"])
        .args(version.link.arguments())
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = output_of(&program);
    assert_eq!(printed, output_of(&version.native));
    printed
}

/// Names of functions that a module calls but does not define.
pub fn undefined_symbols(bitcode: &Path) -> Vec<String> {
    let output =
        Command::new("llvm-nm-19").args(["--undefined-only", "--just-symbol-name"]).arg(bitcode).output();
    String::from_utf8(output.unwrap().stdout).unwrap().lines().map(str::to_string).collect()
}
