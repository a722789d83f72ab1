//! What the tests share: small C programs, compiled when needed, and executors for them.
#![allow(dead_code, reason = "every test program uses a part of this")]

pub mod attack;

use parallax_execute::{Executor, Kind, Limits, Options, Run, TestCase};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A directory for a test's programs; readable by everyone.
pub fn directory() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("parallax-test-").tempdir().expect("temporary directory")
}

/// A directory that runs can see: they have places for temporary files, and one for shared memory, of their own.
pub fn visible_directory() -> tempfile::TempDir {
    let home = std::env::var("HOME").unwrap_or_default();
    let hidden = ["/tmp", "/var/tmp", "/dev/shm"];
    let visible = |place: &&str| hidden.iter().all(|h| !place.starts_with(h));
    let places = [env!("CARGO_TARGET_TMPDIR"), home.as_str(), "/var/lib"];
    let made = |place| tempfile::Builder::new().prefix("parallax-test-").tempdir_in(place).ok();
    let directory = places.into_iter().filter(visible).find_map(made);
    directory.expect("a directory that runs can see")
}

/// Compiles `body` as a C program with everything included that the tests need.
pub fn compile(directory: &Path, name: &str, body: &str) -> PathBuf {
    let source = directory.join(format!("{name}.c"));
    let program = directory.join(name);
    std::fs::write(&source, format!("{PRELUDE}\n{body}\n")).expect("write source");
    let output = Command::new("clang-19")
        .args(["-O1", "-fno-builtin", "-Wno-everything", "-o"])
        .arg(&program)
        .arg(&source)
        .args(["-lpthread"])
        .output()
        .expect("clang-19 is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
"#;

pub fn options() -> Options {
    Options { runner: Some(vec![env!("CARGO_BIN_EXE_parallax-runner").into()]), ..Options::default() }
}

/// An executor for the native program made of `body`, and the directory that holds it.
pub fn native(body: &str) -> (Executor, tempfile::TempDir) {
    native_with(body, options())
}

pub fn native_with(body: &str, options: Options) -> (Executor, tempfile::TempDir) {
    let directory = directory();
    let program = compile(directory.path(), "program", body);
    (Executor::new(&program, Kind::Native, options).expect("executor"), directory)
}

/// One run of the native program made of `body`, with default limits.
pub fn run(body: &str, args: &[&str]) -> Run {
    run_within(body, args, &Limits::default())
}

pub fn run_within(body: &str, args: &[&str], limits: &Limits) -> Run {
    let (mut executor, _directory) = native(body);
    executor.run(&TestCase::with_args(args), limits).expect("run")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn short() -> Limits {
    Limits { time: Duration::from_millis(300), ..Limits::default() }
}

/// Whether a process with this word in its command line exists.
pub fn process_with(word: &str) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else { return false };
    entries.flatten().any(|entry| {
        let me = entry.file_name().to_str() == Some(&std::process::id().to_string());
        !me && std::fs::read(entry.path().join("cmdline")).is_ok_and(|c| text(&c).contains(word))
    })
}

/// Waits until `done`, at most two seconds: for things the kernel does in its own time.
pub fn soon(mut done: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(2);
    while !done() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}
