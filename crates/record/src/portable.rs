//! A test case that means the same in any directory.
//!
//! In: an [`Invocation`]. Out: a [`TestCase`] with the files that it met, and what the program did on it, both without the paths of the machine on which the suite ran.
//!
//! The directory of a run stands for the lowest directory that holds the working directory and everything else that was met in the same area: the tree, or
//! outside of it the directory of temporary files in which the suite works. What was met elsewhere lies in one directory of its own. Absolute paths become
//! relative to the working directory: in arguments and in the environment, and, if [`Extent::Everything`] is asked for, in all other input.
//!
//! Always holds: paths in what the program printed are changed as those in its input are.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use parallax_execute::{Layout, Link, TestCase};

use crate::environment::Variables;
use crate::invocation::{Ended, Invocation, Met, Source};
use crate::open::Identity;
use crate::rewrite::{relative, Rewriter};

/// Where in a test case things lie that were elsewhere.
const ELSEWHERE: &str = "elsewhere";
/// Modes that files and directories of a test case have unless it says otherwise.
const FILE_MODE: u32 = 0o644;
const DIRECTORY_MODE: u32 = 0o755;
/// Permission of the owner.
const OWNER: u32 = 0o700;

/// In which input absolute paths are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Arguments and environment.
    Words,
    /// Standard input and files, too.
    Everything,
}

/// An invocation without its place.
#[derive(Clone, Debug)]
pub struct Portable {
    pub test: TestCase,
    pub expected: Expected,
    /// Absolute paths occur in standard input or in files: [`Extent::Everything`] would give another test case.
    pub names_places: bool,
    /// Met, but nothing that a test case could hold.
    pub special: Vec<PathBuf>,
}

/// What the program did. What it printed to `/dev/null` nobody has seen, and programs print less there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expected {
    pub stdout: Option<Vec<u8>>,
    pub stderr: Option<Vec<u8>>,
    pub exit: Option<i32>,
    pub signal: Option<i32>,
}

/// Why there is no test case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPortable {
    #[error("its input is larger than --max-seed-size")]
    TooLarge,
    #[error("it printed more than --max-seed-size")]
    PrintedTooMuch,
    #[error("it was still running when the suite had ended")]
    Left,
    #[error("its working directory had been removed")]
    NoDirectory,
}

/// `env`: what of its environment is kept.
pub fn portable(
    invocation: &Invocation,
    tree: &Path,
    env: &Variables,
    extent: Extent,
) -> Result<Portable, NotPortable> {
    check(invocation)?;
    let place = Place::of(invocation, tree);
    let rewriter = place.rewriter();
    let words = |words: &[Vec<u8>]| words.iter().map(|word| rewriter.apply(word)).collect::<Vec<_>>();
    let content = |bytes: &[u8]| match extent {
        Extent::Words => bytes.to_vec(),
        Extent::Everything => rewriter.apply(bytes),
    };
    let mut contents = Contents::default();
    for (path, met) in &place.met {
        contents.add(&place, path, met);
    }
    let names_places = rewriter.concerns(&invocation.stdin.bytes)
        || contents.files.values().any(|bytes| rewriter.concerns(bytes));
    let test = TestCase {
        argv: words(&invocation.argv),
        stdin: content(&invocation.stdin.bytes),
        files: contents.files.iter().map(|(path, bytes)| (path.clone(), content(bytes))).collect(),
        env: env.iter().map(|(name, value)| (name.clone(), rewriter.apply(value))).collect(),
        layout: contents.layout(&place),
    };
    Ok(Portable { test, expected: expected(invocation, &rewriter), names_places, special: contents.special })
}

fn check(invocation: &Invocation) -> Result<(), NotPortable> {
    let large = |met: &Met| matches!(met, Met::Large { .. });
    match () {
        () if invocation.ended == Ended::Left => Err(NotPortable::Left),
        () if invocation.stdin.cut || invocation.met.values().any(large) => Err(NotPortable::TooLarge),
        () if invocation.stdout.cut || invocation.stderr.cut => Err(NotPortable::PrintedTooMuch),
        () if invocation.directory == Path::new("/") => Err(NotPortable::NoDirectory),
        () => Ok(()),
    }
}

/// Where in the directory of a run everything lies.
struct Place<'i> {
    /// The directory that the run's directory stands for.
    root: PathBuf,
    directory: &'i Path,
    elsewhere: PathBuf,
    /// What the test case holds, by absolute path.
    met: BTreeMap<&'i Path, &'i Met>,
    /// Directories outside of the root whose content is elsewhere.
    outside: BTreeSet<PathBuf>,
}

impl<'i> Place<'i> {
    fn of(invocation: &'i Invocation, tree: &Path) -> Place<'i> {
        let directory = invocation.directory.as_path();
        let area = if directory.starts_with(tree) { tree.to_owned() } else { first_two(directory) };
        let is_library = |path: &Path, met: &Met| {
            let name = path.file_name().map_or(&b""[..], |name| name.as_bytes());
            matches!(met, Met::File { bytes, .. } if bytes.starts_with(b"\x7fELF"))
                && name.windows(3).any(|part| part == b".so")
        };
        let met: BTreeMap<&Path, &Met> = invocation
            .met
            .iter()
            .map(|(path, met)| (path.as_path(), met))
            .filter(|(path, met)| !is_library(path, met))
            .collect();
        let inner: BTreeSet<&Path> = met.keys().filter_map(|path| path.parent()).collect();
        let leaves = met.iter().filter(|(path, _)| !inner.contains(*path));
        let (inside, outside): (Vec<_>, Vec<_>) = leaves.partition(|(path, _)| path.starts_with(&area));
        let mut root = directory.to_path_buf();
        for (path, met) in inside {
            // An absent file beside the suite's temporary ones says nothing.
            if **met != Met::Absent || area == tree {
                let holder =
                    if matches!(met, Met::Directory { .. }) { path } else { path.parent().unwrap_or(path) };
                while !holder.starts_with(&root) && root.pop() {}
            }
        }
        for climbed in invocation.climbed.iter().filter(|path| path.starts_with(&area)) {
            while !climbed.starts_with(&root) && root.pop() {}
        }
        // The mode of the run's own directory cannot be set.
        if matches!(met.get(root.as_path()), Some(Met::Directory { mode }) if mode & OWNER != OWNER) {
            root.pop();
        }
        let named = |path: &Path| {
            let bytes = path.as_os_str().as_bytes();
            let names = |word: &Vec<u8>| word.windows(bytes.len()).any(|part| part == bytes);
            invocation.argv.iter().any(names) || invocation.env.iter().any(|(_, value)| names(value))
        };
        let outside = outside
            .into_iter()
            .filter(|(path, met)| {
                !path.starts_with(&root) && !root.starts_with(path) && (***met != Met::Absent || named(path))
            })
            .filter_map(|(path, met)| match met {
                Met::Directory { .. } => Some(path.to_path_buf()),
                _ => path.parent().map(Path::to_path_buf),
            })
            .filter(|path| !directory.starts_with(path))
            .collect();
        let mut elsewhere = PathBuf::from(ELSEWHERE);
        while met.contains_key(root.join(&elsewhere).as_path()) {
            elsewhere.as_mut_os_string().push("_");
        }
        Place { root, directory, elsewhere, met, outside }
    }

    /// Where in the run's directory a path lies, if it is there at all.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return Some(inside.to_owned());
        }
        let counts = self.outside.iter().any(|directory| path.starts_with(directory));
        counts.then(|| self.elsewhere.join(path.strip_prefix("/").unwrap_or(path)))
    }

    /// Makes paths relative to the working directory.
    fn rewriter(&self) -> Rewriter {
        let up = |path: &Path| relative(self.directory, path);
        let above = self.directory.ancestors().take_while(|path| path.starts_with(&self.root));
        let own = above.map(|path| (path.to_path_buf(), up(path)));
        let outside = self.outside.iter().map(|path| {
            let place = self.root.join(&self.elsewhere).join(path.strip_prefix("/").unwrap_or(path));
            (path.clone(), up(&place))
        });
        Rewriter::new(own.chain(outside))
    }
}

/// The area of a suite's temporary directory.
fn first_two(path: &Path) -> PathBuf {
    path.components().take(3).map(Component::as_os_str).collect()
}

/// What lies in the run's directory.
#[derive(Default)]
struct Contents {
    files: BTreeMap<PathBuf, Vec<u8>>,
    directories: BTreeSet<PathBuf>,
    links: Vec<(PathBuf, Link)>,
    modes: Vec<(PathBuf, u32)>,
    special: Vec<PathBuf>,
    /// Files that have several names, by the first of them.
    several: BTreeMap<Identity, PathBuf>,
}

impl Contents {
    fn add(&mut self, place: &Place, path: &Path, met: &Met) {
        let Some(inside) = place.inside(path).filter(|inside| !inside.as_os_str().is_empty()) else { return };
        let mut mode = |usual: u32, mode: u32| {
            if mode != usual {
                self.modes.push((inside.clone(), mode));
            }
        };
        match met {
            Met::Absent | Met::Large { .. } => {}
            Met::Directory { mode: bits } => {
                mode(DIRECTORY_MODE, *bits);
                self.directories.insert(inside);
            }
            Met::File { bytes, mode: bits, several } => {
                let first = several.and_then(|identity| self.several.get(&identity).cloned());
                if let Some(first) = first {
                    self.links.push((inside, Link::Hard(first)));
                    return;
                }
                mode(FILE_MODE, *bits);
                several.map(|identity| self.several.insert(identity, inside.clone()));
                self.files.insert(inside, bytes.clone());
            }
            Met::Link(target) => self.links.push((inside, Link::Symbolic(link(place, path, target)))),
            Met::Special => self.special.push(path.to_owned()),
        }
    }

    /// Directories that are there because something lies in them need not be named.
    fn layout(&self, place: &Place) -> Layout {
        let working_directory = place.directory.strip_prefix(&place.root).unwrap_or(Path::new("")).to_owned();
        let below = self.files.keys().chain(self.links.iter().map(|(path, _)| path)).chain(&self.directories);
        let implied: BTreeSet<&Path> =
            below.flat_map(|path| path.ancestors().skip(1)).chain(working_directory.ancestors()).collect();
        let directories = self.directories.iter().filter(|path| !implied.contains(path.as_path()));
        Layout {
            directories: directories.cloned().collect(),
            links: self.links.clone(),
            modes: self.modes.clone(),
            working_directory,
        }
    }
}

/// The target of a link: an absolute one that is in the test case becomes relative to the link.
fn link(place: &Place, path: &Path, target: &Path) -> PathBuf {
    let inside = |path: &Path| place.inside(path).map(|inside| Path::new("/").join(inside));
    let (Some(to), Some(holder)) =
        (target.is_absolute().then(|| inside(target)).flatten(), path.parent().and_then(inside))
    else {
        return target.to_owned();
    };
    relative(&holder, &to)
}

fn expected(invocation: &Invocation, rewriter: &Rewriter) -> Expected {
    let argv0 = rewriter.apply(&invocation.argv0);
    let name = called(&invocation.argv0);
    let shown = |stream: &crate::invocation::Stream| {
        let text = rewriter.apply(&stream.bytes);
        let text = if argv0 == name { text } else { replaced(&text, &argv0, &name) };
        (stream.source != Source::Null).then_some(text)
    };
    let (exit, signal) = match invocation.ended {
        Ended::Exited(status) => (Some(status), None),
        Ended::Signaled(signal) => (None, Some(signal)),
        Ended::Left => (None, None),
    };
    Expected { stdout: shown(&invocation.stdout), stderr: shown(&invocation.stderr), exit, signal }
}

/// The name under which a program is run again.
pub fn called(argv0: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(std::ffi::OsString::from_vec(argv0.to_vec()));
    let name = path.file_name().map_or(argv0, |name| name.as_bytes());
    let relinked = path.parent().is_some_and(|directory| directory.ends_with(".libs"));
    name.strip_prefix(b"lt-").filter(|_| relinked).unwrap_or(name).to_vec()
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    if from.is_empty() {
        return text.to_vec();
    }
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        if text[at..].starts_with(from) {
            out.extend(to);
            at += from.len();
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}
