//! An invocation that is under way.
//!
//! In: a process that has just executed a program and is stopped; what it and its children do later. Out: the [`Invocation`].
//!
//! Always holds: no stream holds more bytes than the limit, and one that had more says so.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

use crate::invocation::{Ended, Invocation, Met, Oddity, Source, Stdin, Stream};
use crate::programs::Program;

/// Device and number of a file: the same for no two that exist at the same time.
pub type Identity = (u64, u64);

/// What the kernel appends to the name of a directory that has been removed.
const DELETED: &[u8] = b" (deleted)";

pub struct Open {
    pub invocation: Invocation,
    pub leader: Pid,
    /// The invocation whose process or child executed this one.
    pub parent: Option<u64>,
    /// Standard input, output and error, where they are open.
    streams: [Option<Identity>; 3],
    /// Pipes and sockets among the other descriptors that it was given.
    inherited: HashMap<Identity, i32>,
    /// Most bytes of a stream.
    most: u64,
}

impl Open {
    pub fn begin(pid: Pid, program: &Program, parent: Option<u64>, most: u64) -> Open {
        let words = |name: &str| zero_ended(&fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default());
        let mut argv = words("cmdline");
        let argv0 = if argv.is_empty() { Vec::new() } else { argv.remove(0) };
        let streams = [0, 1, 2].map(|number| descriptor(pid, number));
        let source = |number: usize| streams[number].map_or(Source::Closed, |(source, _)| source);
        let stream = |number: usize| Stream { source: source(number), ..Stream::default() };
        let mut oddities = BTreeSet::new();
        let invocation = Invocation {
            program: program.name.clone(),
            executable: program.executable.clone(),
            image: program.image.clone(),
            argv0,
            argv,
            env: words("environ").iter().filter_map(|entry| pair(entry)).collect(),
            directory: working_directory(pid).unwrap_or_else(|| {
                oddities.insert(Oddity::NoDirectory);
                PathBuf::from("/")
            }),
            stdin: stdin(pid, source(0), most),
            met: BTreeMap::new(),
            climbed: BTreeSet::new(),
            stdout: stream(1),
            stderr: stream(2),
            ended: Ended::Left,
            oddities,
        };
        let streams = streams.map(|stream| stream.map(|(_, identity)| identity));
        Open { invocation, leader: pid, parent, streams, inherited: inherited(pid), most }
    }

    /// Bytes came from a descriptor.
    pub fn read(&mut self, (source, identity): (Source, Identity), bytes: &[u8]) {
        let stdin = &mut self.invocation.stdin;
        if self.streams[0] == Some(identity) {
            if ![Source::File, Source::Null].contains(&source) {
                append(&mut stdin.bytes, &mut stdin.cut, bytes, self.most);
            }
        } else if let Some(number) = self.inherited.get(&identity) {
            self.invocation.oddities.insert(Oddity::Descriptor(*number));
        }
    }

    /// Bytes went to the descriptor `number`. Where both streams are the same, the number says which it is.
    pub fn wrote(&mut self, number: i32, (source, identity): (Source, Identity), bytes: &[u8]) {
        let is = |stream: usize| self.streams[stream] == Some(identity);
        // Other descriptors of this device are the program's own.
        if source == Source::Null && ![1, 2].contains(&number) {
            return;
        }
        let stream = match (is(1), is(2)) {
            (true, false) => &mut self.invocation.stdout,
            (false, true) => &mut self.invocation.stderr,
            (true, true) if number == 2 => &mut self.invocation.stderr,
            (true, true) => &mut self.invocation.stdout,
            (false, false) => return,
        };
        append(&mut stream.bytes, &mut stream.cut, bytes, self.most);
    }

    /// Is this one of the standard streams that have to be followed byte by byte?
    pub fn follows(&self, (source, identity): (Source, Identity)) -> bool {
        let at = self.streams.iter().position(|stream| *stream == Some(identity));
        at.is_some_and(|at| at > 0 || source != Source::File)
    }

    pub fn note(&mut self, path: &Path, met: Met) {
        self.invocation.met.entry(path.to_path_buf()).or_insert(met);
    }
}

fn append(stream: &mut Vec<u8>, cut: &mut bool, bytes: &[u8], most: u64) {
    let room = (most as usize).saturating_sub(stream.len());
    *cut |= bytes.len() > room;
    stream.extend(&bytes[..bytes.len().min(room)]);
}

/// What a descriptor of a process is, if it is open.
pub fn descriptor(pid: Pid, number: i32) -> Option<(Source, Identity)> {
    let metadata = fs::metadata(format!("/proc/{pid}/fd/{number}")).ok()?;
    let kind = metadata.file_type();
    let source = if kind.is_file() {
        Source::File
    } else if kind.is_fifo() {
        Source::Pipe
    } else if kind.is_socket() {
        Source::Socket
    } else if kind.is_char_device() {
        match (libc::major(metadata.rdev()), libc::minor(metadata.rdev())) {
            (1, 3) => Source::Null,
            (1, 7) => Source::Full,
            // Terminals (4, 5), and those of pseudo-terminals (136 to 143).
            (4 | 5 | 136..=143, _) => Source::Terminal,
            _ => Source::Other,
        }
    } else {
        Source::Other
    };
    Some((source, (metadata.dev(), metadata.ino())))
}

/// Of a file all from where it begins; what comes through anything else is noted as the program reads it.
fn stdin(pid: Pid, source: Source, most: u64) -> Stdin {
    let mut stdin = Stdin { source, ..Stdin::default() };
    if source == Source::File {
        let mut read = || {
            let mut file = File::open(format!("/proc/{pid}/fd/0")).ok()?;
            file.seek(SeekFrom::Start(offset(pid)?)).ok()?;
            file.take(most + 1).read_to_end(&mut stdin.bytes).ok()
        };
        stdin.cut = read().is_none_or(|count| count as u64 > most);
        stdin.bytes.truncate(most as usize);
    }
    stdin
}

/// How far standard input has been read.
fn offset(pid: Pid) -> Option<u64> {
    let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/0")).ok()?;
    info.lines().find_map(|line| line.strip_prefix("pos:"))?.trim().parse().ok()
}

fn inherited(pid: Pid) -> HashMap<Identity, i32> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let known = numbers.filter(|number| *number > 2).filter_map(|number| {
        let (source, identity) = descriptor(pid, number)?;
        [Source::Pipe, Source::Socket].contains(&source).then_some((identity, number))
    });
    known.collect()
}

fn working_directory(pid: Pid) -> Option<PathBuf> {
    let link = fs::read_link(format!("/proc/{pid}/cwd")).ok()?.into_os_string().into_vec();
    (!link.ends_with(DELETED)).then(|| PathBuf::from(std::ffi::OsString::from_vec(link)))
}

fn zero_ended(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|b| *b == 0).map(|word| word.strip_suffix(&[0]).unwrap_or(word).to_vec()).collect()
}

fn pair(entry: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let at = entry.iter().position(|b| *b == b'=').filter(|at| *at > 0)?;
    Some((entry[..at].to_vec(), entry[at + 1..].to_vec()))
}
