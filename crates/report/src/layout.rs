//! Directories, links, modes and the working directory of a test case, as lines of text and as commands of a shell.
//!
//! In: a layout, or the lines of one. Out: the lines, the layout, or the part of `run.sh` that makes it.
//!
//! Always holds: what is written and read back is the same layout; every line is one line, whatever the names are.

use crate::kept::{escape, unescape};
use crate::script::Word;
use crate::text::Text;
use parallax_execute::{Layout, Link};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Between the fields of a line; what it means inside a field is escaped.
const BETWEEN: char = '\t';

/// One entry a line: `in DIRECTORY`, `directory PATH`, `link PATH TARGET`, `same PATH FILE`, `mode PATH OCTAL`, with tabs between.
pub(crate) fn text(layout: &Layout) -> String {
    let path = |path: &Path| escape(path.as_os_str().as_bytes());
    let mut all: Vec<Vec<String>> = Vec::new();
    if !layout.working_directory.as_os_str().is_empty() {
        all.push(vec!["in".into(), path(&layout.working_directory)]);
    }
    all.extend(layout.directories.iter().map(|place| vec!["directory".into(), path(place)]));
    all.extend(layout.links.iter().map(|(place, link)| match link {
        Link::Symbolic(target) => vec!["link".into(), path(place), path(target)],
        Link::Hard(file) => vec!["same".into(), path(place), path(file)],
    }));
    all.extend(
        layout.modes.iter().map(|(place, mode)| vec!["mode".into(), path(place), format!("{mode:o}")]),
    );
    all.iter().map(|fields| fields.join(&BETWEEN.to_string()) + "\n").collect()
}

/// The same lines, for views.
pub(crate) fn lines(layout: &Layout) -> Vec<Text> {
    text(layout).lines().map(|line| Text(line.replace(BETWEEN, " ").into_bytes())).collect()
}

/// Adds what a line says.
pub(crate) fn read_line(line: &[u8], layout: &mut Layout) -> Result<(), &'static str> {
    let fields = line.split(|byte| *byte == BETWEEN as u8).map(unescape).collect::<Result<Vec<_>, _>>()?;
    let path = |bytes: &Vec<u8>| PathBuf::from(OsString::from_vec(bytes.clone()));
    match fields.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
        [b"in", _] => layout.working_directory = path(&fields[1]),
        [b"directory", _] => layout.directories.push(path(&fields[1])),
        [b"link", _, _] => layout.links.push((path(&fields[1]), Link::Symbolic(path(&fields[2])))),
        [b"same", _, _] => layout.links.push((path(&fields[1]), Link::Hard(path(&fields[2])))),
        [b"mode", _, digits] => {
            let mode = std::str::from_utf8(digits).ok().and_then(|text| u32::from_str_radix(text, 8).ok());
            layout.modes.push((path(&fields[1]), mode.ok_or("the mode is not an octal number")?));
        }
        _ => {
            return Err(
                "not one of `in`, `directory`, `link`, `same` and `mode`, with tabs between the fields",
            )
        }
    }
    Ok(())
}

/// Commands that make the layout in the current directory. Modes come last, those of deep places first, as in a run of Parallax.
pub(crate) fn commands(layout: &Layout) -> String {
    let mut script = String::new();
    for place in layout.directories.iter().chain([&layout.working_directory]) {
        if !place.as_os_str().is_empty() {
            script.push_str(&word("place", &here(place)));
            script.push_str("mkdir -p \"$place\" || exit 2\n");
        }
    }
    for (place, link) in &layout.links {
        script.push_str(&word("place", &here(place)));
        script.push_str("mkdir -p \"$(dirname \"$place\")\" || exit 2\n");
        let (target, command) = match link {
            Link::Symbolic(target) => (target.as_os_str().as_bytes().to_vec(), "ln -s --"),
            Link::Hard(file) => (here(file), "ln --"),
        };
        script.push_str(&word("target", &target));
        script.push_str(&format!("{command} \"$target\" \"$place\" || exit 2\n"));
    }
    let mut modes: Vec<_> = layout.modes.iter().collect();
    modes.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
    for (place, mode) in modes {
        script.push_str(&word("place", &here(place)));
        script.push_str(&format!("chmod {mode:04o} \"$place\" || exit 2\n"));
    }
    script
}

/// The command that goes to the working directory.
pub(crate) fn enter(layout: &Layout) -> String {
    match layout.working_directory.as_os_str().is_empty() {
        true => String::new(),
        false => word("place", &here(&layout.working_directory)) + "cd \"$place\" || exit 2\n",
    }
}

fn here(path: &Path) -> Vec<u8> {
    [b"./", path.as_os_str().as_bytes()].concat()
}

fn word(name: &str, bytes: &[u8]) -> String {
    Word::of(bytes).define(name)
}
