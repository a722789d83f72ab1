//! The environment of build commands.
//!
//! In: the environment of this process. Out: the part of it that a build may depend on, and what Parallax adds.
//!
//! What always holds: a variable that is not part of the key of a build is in one of the lists below.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use crate::{bitcode, build, cache, extra};

/// Variables that say where and how Parallax was started, not what is to be built. A name that ends in `*` stands for all that begin so.
const HARMLESS: &[&str] = &[
    "_",
    "COLORTERM",
    "COLUMNS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "DISPLAY",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "HISTCONTROL",
    "HISTFILE",
    "HISTSIZE",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LINES",
    "LS_COLORS",
    "OLDPWD",
    "PAGER",
    "PS1",
    "PS2",
    "PWD",
    "SHLVL",
    "SSH_*",
    "STY",
    "TERM",
    "TERM_PROGRAM*",
    "TMUX*",
    "VTE_VERSION",
    "WAYLAND_DISPLAY",
    "WINDOWID",
    "WINDOWPATH",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SEAT*",
    "XDG_SESSION_*",
    "XDG_VTNR",
];

/// Variables that a build does not see as they are here: Parallax sets them itself, or takes them away.
const REPLACED: &[&str] = &[
    "CC",
    "CXX",
    "TMPDIR",
    cache::ENV_CACHE,
    cache::ENV_TEMPORARY,
    build::ENV_WRAPPER,
    bitcode::ENV_SOURCE_ROOT,
    extra::ENV_EXTRA,
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
];

/// Should Parallax itself have been started by make.
const REMOVED: [&str; 3] = ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"];

/// Everything that a build may depend on, as bytes.
pub(crate) fn relevant() -> Vec<u8> {
    let mut bytes = Vec::new();
    let sorted: BTreeMap<OsString, OsString> =
        env::vars_os().filter(|(name, _)| is_relevant(name.as_bytes())).collect();
    for (name, value) in sorted {
        for part in [name, value] {
            bytes.extend(part.as_bytes());
            bytes.push(0);
        }
    }
    bytes
}

fn is_relevant(name: &[u8]) -> bool {
    let listed = |entry: &&str| match entry.strip_suffix('*') {
        Some(start) => name.starts_with(start.as_bytes()),
        None => name == entry.as_bytes(),
    };
    !HARMLESS.iter().chain(REPLACED).any(|entry| listed(&entry))
}

/// Prepares the environment of a build command, but for its compilers.
pub(crate) fn prepare(command: &mut Command) {
    for variable in REMOVED {
        command.env_remove(variable);
    }
    // The leak check of sanitized programs needs to trace, and a build is traced already: it would fail every program that the build runs.
    for variable in ["ASAN_OPTIONS", "LSAN_OPTIONS"] {
        let mut options = env::var_os(variable).filter(|value| !value.is_empty()).unwrap_or_default();
        if !options.is_empty() {
            options.push(":");
        }
        options.push("detect_leaks=0");
        command.env(variable, options);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_matter_is_left_out() {
        for name in [
            "CFLAGS",
            "PATH",
            "CPATH",
            "C_INCLUDE_PATH",
            "HOME",
            "LANG",
            "VERSION",
            "PARALLAX_NATIVE_CC",
            "PKG_CONFIG_PATH",
        ] {
            assert!(is_relevant(name.as_bytes()), "{name}");
        }
        for name in ["TERM", "SSH_CLIENT", "PWD", "CC", "TMPDIR"] {
            assert!(!is_relevant(name.as_bytes()), "{name}");
        }
    }
}
