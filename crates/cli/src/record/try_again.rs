//! Does a recorded invocation do the same again?
//!
//! In: a test case made of an invocation, and what the program did in the suite. Out: the run, and where it differs, in words.
//!
//! The program runs confined, as everywhere in Parallax, from the copy that was made when the suite executed it, with the libraries that it had there.

use crate::error::CliError;
use crate::natives::Setting;
use parallax_execute::{
    default_environment, Error, Executor, Home, Interrupt, Limits, Outcome, Run, TestCase,
};
use parallax_record::{called, Expected, Invocation, Oddity, Source};
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Servers that stay for the next invocation under the same name.
const SERVERS: usize = 8;

/// Servers of the recorded programs.
pub struct TryAgain {
    servers: HashMap<(PathBuf, Vec<u8>), Executor>,
    limits: Limits,
    unconfined: bool,
    interrupt: Interrupt,
    /// The tree and its private copy.
    moved: Option<[PathBuf; 2]>,
}

/// How it went.
pub enum Tried {
    /// Perhaps with a run that did something else.
    Differs(String, Option<Run>),
    Same(Run),
}

impl TryAgain {
    pub fn new(
        limits: Limits,
        unconfined: bool,
        interrupt: &Interrupt,
        moved: Option<[PathBuf; 2]>,
    ) -> TryAgain {
        TryAgain { servers: HashMap::new(), limits, unconfined, interrupt: interrupt.clone(), moved }
    }

    /// Only what makes every run impossible is an error.
    pub fn run(
        &mut self,
        invocation: &Invocation,
        test: &TestCase,
        expected: &Expected,
    ) -> Result<Tried, CliError> {
        let (server, limits) = match self.server(invocation) {
            Ok(both) => both,
            Err(CliError::Execute(error @ Error::NoConfinement { .. })) => return Err(error.into()),
            Err(error) => return Ok(Tried::Differs(format!("it cannot be run: {error}"), None)),
        };
        let first = match server.run(test, &limits) {
            Ok(run) => run,
            Err(error) => return Ok(Tried::Differs(format!("it cannot be run: {error}"), None)),
        };
        let Some(differs) = difference(expected, &first) else { return Ok(Tried::Same(first)) };
        let again = server.run(test, &limits);
        let steady = again.is_ok_and(|again| {
            (&again.outcome, &again.stdout, &again.stderr) == (&first.outcome, &first.stdout, &first.stderr)
        });
        let reason = match (known(invocation), steady) {
            (Some(reason), _) => reason,
            (None, false) => "it does not do the same twice".to_owned(),
            (None, true) => differs,
        };
        Ok(Tried::Differs(reason, Some(first)))
    }

    fn server(&mut self, invocation: &Invocation) -> Result<(&mut Executor, Limits), CliError> {
        let name = called(&invocation.argv0);
        let key = (invocation.image.clone(), name.clone());
        if !self.servers.contains_key(&key) {
            if self.servers.len() >= SERVERS {
                self.servers.clear();
            }
            let setting = Setting {
                argv0: name,
                homes: vec![self.home(invocation)],
                unconfined: self.unconfined,
                interrupt: self.interrupt.clone(),
            };
            let server = setting.native(&invocation.image)?;
            self.servers.insert(key.clone(), server);
        }
        // It has just been put there, if it was not before.
        let server = self.servers.get_mut(&key).ok_or(Error::Interrupted)?;
        Ok((server, self.limits))
    }

    /// The libraries and helpers that it had in the suite, in the private copy.
    fn home(&self, invocation: &Invocation) -> Home {
        let there = |path: &Path| match &self.moved {
            Some([tree, copy]) => path.strip_prefix(tree).map_or(path.to_owned(), |below| copy.join(below)),
            None => path.to_owned(),
        };
        let beside = |path: &Path| path.parent().map(there);
        let usual =
            default_environment().into_iter().find(|(name, _)| name == b"PATH").map(|(_, value)| value);
        let mut path: Vec<PathBuf> =
            [&invocation.program, &invocation.executable].into_iter().filter_map(|p| beside(p)).collect();
        path.dedup();
        path.extend(split(&usual.unwrap_or_default()));
        let mut env = vec![(b"PATH".to_vec(), joined(&path))];
        if let Some((name, value)) = invocation.env.iter().find(|(name, _)| name == b"LD_LIBRARY_PATH") {
            let places: Vec<PathBuf> = split(value).iter().map(|path| there(path)).collect();
            env.push((name.clone(), joined(&places)));
        }
        Home { program: invocation.image.clone(), place: None, env }
    }
}

fn split(list: &[u8]) -> Vec<PathBuf> {
    list.split(|byte| *byte == b':').map(|part| PathBuf::from(OsString::from_vec(part.to_vec()))).collect()
}

fn joined(list: &[PathBuf]) -> Vec<u8> {
    list.iter().map(|path| path.as_os_str().as_bytes()).collect::<Vec<_>>().join(&b':')
}

/// The first thing in which a run is not as expected.
fn difference(expected: &Expected, run: &Run) -> Option<String> {
    let (exit, signal) = match run.outcome {
        Outcome::Exited(status) => (Some(status), None),
        Outcome::Signaled(signal) => (None, Some(signal)),
        Outcome::TimedOut => return Some("it takes longer than --run-time".to_owned()),
        _ => return Some("it goes beyond the limits of a run".to_owned()),
    };
    let ending = |exit: Option<i32>, signal: Option<i32>| match (exit, signal) {
        (Some(status), _) => format!("exit status {status}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    };
    if (exit, signal) != (expected.exit, expected.signal) {
        return Some(format!(
            "{} instead of {}",
            ending(exit, signal),
            ending(expected.exit, expected.signal)
        ));
    }
    let streams = [("output", &expected.stdout, &run.stdout), ("error", &expected.stderr, &run.stderr)];
    let differs = |expected: &Option<Vec<u8>>, bytes: &[u8]| expected.as_ref().is_some_and(|e| e != bytes);
    let (name, ..) = streams.into_iter().find(|(_, expected, out)| differs(expected, &out.bytes))?;
    Some(format!("standard {name} differs"))
}

/// What of an invocation no test case can show again.
fn known(invocation: &Invocation) -> Option<String> {
    let oddity = invocation.oddities.iter().next().map(|oddity| match oddity {
        Oddity::Descriptor(number) => format!("it read from descriptor {number}, which the suite gave it"),
        Oddity::NoDirectory => "its working directory had been removed".to_owned(),
        Oddity::Unseen(what) => format!("not all that it did could be seen: {what}"),
    });
    let signal = match invocation.ended {
        parallax_record::Ended::Signaled(libc_signal::PIPE) => {
            Some("it was ended by SIGPIPE: nobody read its output any more".to_owned())
        }
        parallax_record::Ended::Signaled(number) if libc_signal::FROM_OUTSIDE.contains(&number) => {
            Some(format!("it was ended by signal {number}, which somebody sent it"))
        }
        _ => None,
    };
    let stream = |name: &str, source: Source| match source {
        Source::Closed => Some(format!("standard {name} was closed")),
        Source::Full => Some(format!("standard {name} was /dev/full")),
        Source::Terminal => Some(format!("standard {name} was a terminal")),
        _ => None,
    };
    oddity
        .or(signal)
        .or_else(|| stream("input", invocation.stdin.source))
        .or_else(|| stream("output", invocation.stdout.source))
        .or_else(|| stream("error", invocation.stderr.source))
}

/// Numbers of signals, which are the same on every Linux that Parallax runs on.
mod libc_signal {
    pub const PIPE: i32 = 13;
    /// SIGHUP, SIGINT, SIGKILL, SIGALRM, SIGTERM.
    pub const FROM_OUTSIDE: [i32; 5] = [1, 2, 9, 14, 15];
}
