//! The shell script that replays a kept test with no Parallax installed.
//!
//! In: a test case and the name under which the program runs. Out: a script for any POSIX shell.
//!
//! Always holds: every argument and environment variable arrives byte by byte as it is in the test case, newlines and bytes
//! that are not text included; environment, directory and `argv[0]` are as in the runs of Parallax.

use crate::layout;
use parallax_execute::{default_environment, Home, TestCase};
use std::os::unix::ffi::OsStrExt;

const HEAD: &str = r#"#!/bin/sh
# Replays this test: sh run.sh BINARY [DIRECTORY]
# Standard output and standard error are those of the program. How it ended and which files it made come last, on standard
# error. DIRECTORY, which must not exist, receives the files that it leaves.
LC_ALL=C; export LC_ALL
[ $# -ge 1 ] || { echo "usage: $0 BINARY [DIRECTORY]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd) || exit 2
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$binary" ] || { echo "$1: not a program" >&2; exit 2; }
keep=${2-}
case $keep in ''|/*) ;; *) keep=$(pwd)/$keep ;; esac
work=${TMPDIR:-/tmp}/parallax-test.$$
(umask 077 && mkdir "$work") || exit 2
trap 'chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' 0
trap 'exit 130' 1 2 15
mkdir "$work/bin" "$work/run" "$work/tmp" || exit 2
[ ! -d "$here/files" ] || cp -R "$here/files/." "$work/run" || exit 2
"#;

const TAIL: &str = r#"# A version that hangs is ended.
if command -v timeout >/dev/null 2>&1; then set -- timeout -s KILL "${TIME_LIMIT:-10}" "$@"; fi
"$@" <"$here/stdin"
status=$?
cd "$work/run" || exit 2
if [ $status -gt 128 ]; then
    echo "exit status: $status (signal $((status - 128)))" >&2
else
    echo "exit status: $status" >&2
fi
find . -type f | sort | while IFS= read -r file; do
    if [ ! -f "$here/files/$file" ]; then
        echo "created: $file ($(cksum <"$file"))" >&2
    elif ! cmp -s "$file" "$here/files/$file"; then
        echo "changed: $file ($(cksum <"$file"))" >&2
    fi
done
[ -z "$keep" ] || cp -R "$work/run" "$keep"
exit $status
"#;

/// How a program is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    pub argv0: Vec<u8>,
    /// Programs that need more of their build than their own file.
    pub homes: Vec<Home>,
}

impl<T: AsRef<[u8]>> From<T> for Launch {
    fn from(argv0: T) -> Launch {
        Launch { argv0: argv0.as_ref().to_vec(), homes: Vec::new() }
    }
}

impl From<&Launch> for Launch {
    fn from(launch: &Launch) -> Launch {
        launch.clone()
    }
}

/// The whole script.
pub(crate) fn run_script(test: &TestCase, launch: &Launch) -> Vec<u8> {
    let mut script = HEAD.to_owned();
    let name = Word::of(&launch.argv0);
    script.push_str(&name.define("name"));
    script.push_str("ln -s \"$binary\" \"$work/bin/$name\" || exit 2\n");
    script.push_str(&libraries(&launch.homes));
    script.push_str("set -- env -i\n[ -z \"$libraries\" ] || set -- \"$@\" \"LD_LIBRARY_PATH=$libraries\"\n");
    script.push_str("set -- \"$@\" \"HOME=$work/run\" \"TMPDIR=$work/tmp\"\n");
    for (name, value) in default_environment().iter().chain(&test.env) {
        script.push_str(&variable(name, value));
    }
    script.push_str("set -- \"$@\" \"$name\"\n");
    for argument in &test.argv {
        script.push_str(&Word::of(argument).append());
    }
    script.push_str("cd \"$work/run\" || exit 2\n");
    script.push_str(&layout::commands(&test.layout));
    script.push_str(&layout::enter(&test.layout));
    script.push_str(TAIL);
    script.into_bytes()
}

/// Where the loader looks for libraries: for the versions that were compared where their builds left them, for any other program where the caller says.
fn libraries(homes: &[Home]) -> String {
    let mut script =
        "# Libraries of the build that the program belongs to.\nlibraries=${LD_LIBRARY_PATH-}\n".to_owned();
    for home in homes {
        let library_path = home.env.iter().find(|(name, _)| name == b"LD_LIBRARY_PATH");
        let Some((_, directories)) = library_path else { continue };
        script.push_str(&Word::of(home.program.as_os_str().as_bytes()).define("known"));
        script.push_str("if [ \"$binary\" = \"$known\" ]; then\n");
        script.push_str(&Word::of(directories).define("libraries"));
        script.push_str("fi\n");
    }
    script
}

/// The program is found through `PATH`, because only then it is free what `argv[0]` is. What lies beside it comes next.
pub(crate) fn variable(name: &[u8], value: &[u8]) -> String {
    let word = Word::of(&[name, value].join(&b'='));
    if name != b"PATH" {
        return word.append();
    }
    let rest = Word::of(value);
    format!("{}set -- \"$@\" \"PATH=$work/bin:${{binary%/*}}:$path\"\n", rest.define("path"))
}

/// Bytes as a format of printf, in single quotes. A dash at the beginning would be an option.
pub(crate) fn format_of(bytes: &[u8]) -> String {
    let octal = |(at, b): (usize, &u8)| match b {
        b'%' => "%%".to_owned(),
        b'\\' | b'\'' => format!("\\{b:03o}"),
        b'-' if at == 0 => format!("\\{b:03o}"),
        b' '..=b'~' => (*b as char).to_string(),
        _ => format!("\\{b:03o}"),
    };
    format!("'{}'", bytes.iter().enumerate().map(octal).collect::<String>())
}

/// Bytes as a word of the shell.
pub(crate) enum Word {
    /// In single quotes.
    Quoted(String),
    /// As a format of printf.
    Format(String),
}

impl Word {
    pub fn of(bytes: &[u8]) -> Word {
        if bytes.iter().all(|b| (b' '..=b'~').contains(b)) {
            let text = String::from_utf8_lossy(bytes).replace('\'', "'\\''");
            return Word::Quoted(format!("'{text}'"));
        }
        Word::Format(format_of(bytes))
    }

    pub fn define(&self, name: &str) -> String {
        match self {
            Word::Quoted(text) => format!("{name}={text}\n"),
            // The dot keeps newlines at the end from being cut off.
            Word::Format(text) => format!("{name}=$(printf {text}; echo .); {name}=${{{name}%.}}\n"),
        }
    }

    pub fn append(&self) -> String {
        match self {
            Word::Quoted(text) => format!("set -- \"$@\" {text}\n"),
            Word::Format(_) => format!("{}set -- \"$@\" \"$word\"\n", self.define("word")),
        }
    }
}
