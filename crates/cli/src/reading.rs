//! Reads what becomes an input, within limits.
//!
//! In: a path, and the limits of the command line. Out: bytes, or a message that names the limit.
//!
//! Always holds: no more than one byte over the limit is held, and what is no file is waited for no longer than the limits say.

use crate::error::CliError;
use crate::units;
use clap::Args;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long somebody is waited for who writes to a named pipe.
const WRITER_TIME: Duration = Duration::from_secs(1);
/// How often it is looked whether there is more.
const POLL: Duration = Duration::from_millis(5);
const CHUNK: usize = 64 << 10;

/// How much may be read as input.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits of what is read")]
pub struct ReadLimits {
    /// Bytes of one input: standard input, or a file
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = units::size)]
    pub max_seed_size: u64,
    /// How long the end of an input is waited for that is no file
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    pub pipe_time: Duration,
    /// Files of a directory that an argument names; every run begins with writing them all
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_directory_files: usize,
    /// Bytes of these files, together
    #[arg(long, value_name = "SIZE", default_value = "4M", value_parser = units::size)]
    pub max_directory_size: u64,
}

/// The whole content of a file, pipe or device; `what` says where its name comes from.
pub fn read(path: &Path, what: &'static str, limits: &ReadLimits) -> Result<Vec<u8>, CliError> {
    let failed = |source| CliError::Read { what, path: path.to_owned(), source };
    let metadata = fs::metadata(path).map_err(failed)?;
    let most = limits.max_seed_size;
    if metadata.len() > most {
        return Err(too_large(path, what, most));
    }
    let bytes = if metadata.is_file() {
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(failed)?;
        bytes
    } else {
        match stream(path, limits).map_err(failed)? {
            Stream::Ended(bytes) => bytes,
            Stream::Waiting(time) => return Err(endless(path, what, time)),
            Stream::NoWriter => return Err(unwritten(path, what)),
        }
    };
    match bytes.len() as u64 > most {
        true => Err(too_large(path, what, most)),
        false => Ok(bytes),
    }
}

fn too_large(path: &Path, what: &str, most: u64) -> CliError {
    CliError::usage(format!(
        "{what}: {} has more than {}; give a smaller input, or set --max-seed-size",
        path.display(),
        units::shown(most)
    ))
}

fn endless(path: &Path, what: &str, time: Duration) -> CliError {
    CliError::usage(format!(
        "{what}: {} did not end in {:.0} s; write it to a file first and name that, or set --pipe-time",
        path.display(),
        time.as_secs_f64()
    ))
}

fn unwritten(path: &Path, what: &str) -> CliError {
    CliError::usage(format!("{what}: {} is a pipe, and nobody writes to it", path.display()))
}

/// What came of reading something that is no file.
enum Stream {
    /// All of it, or one chunk more than the limit.
    Ended(Vec<u8>),
    Waiting(Duration),
    NoWriter,
}

fn stream(path: &Path, limits: &ReadLimits) -> io::Result<Stream> {
    // Without this, opening a named pipe that nobody writes to would never end.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let mut source = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    // One without a name was made by somebody who writes to it, or has done so.
    let named = source.metadata()?.file_type().is_fifo() && path.canonicalize().is_ok();
    let began = Instant::now();
    let (mut bytes, mut has_writer) = (Vec::new(), !named);
    let mut chunk = vec![0; CHUNK];
    loop {
        match source.read(&mut chunk) {
            Ok(0) if has_writer => return Ok(Stream::Ended(bytes)),
            Ok(0) if began.elapsed() >= WRITER_TIME => return Ok(Stream::NoWriter),
            Ok(0) => std::thread::sleep(POLL),
            Ok(count) => {
                has_writer = true;
                bytes.extend_from_slice(&chunk[..count]);
                if bytes.len() as u64 > limits.max_seed_size {
                    return Ok(Stream::Ended(bytes));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                has_writer = true;
                std::thread::sleep(POLL);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if began.elapsed() >= limits.pipe_time {
            return Ok(Stream::Waiting(limits.pipe_time));
        }
    }
}

#[cfg(test)]
impl Default for ReadLimits {
    fn default() -> ReadLimits {
        use clap::FromArgMatches;
        let matches = ReadLimits::augment_args(clap::Command::new("limits")).get_matches_from(["limits"]);
        ReadLimits::from_arg_matches(&matches).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn refused(path: &Path, limits: &ReadLimits) -> String {
        let error = read(path, "--stdin", limits).unwrap_err();
        assert_eq!(error.exit_code().number(), 2);
        error.to_string()
    }

    #[test]
    fn what_is_too_large_is_refused_with_the_limit_and_how_to_set_it() {
        let directory = tempfile::tempdir().unwrap();
        let sparse = directory.path().join("sparse");
        File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
        for path in [&*sparse, Path::new("/dev/zero")] {
            let error = refused(path, &ReadLimits::default());
            assert!(error.contains("has more than 64 MB") && error.contains("--max-seed-size"), "{error}");
        }
        let small = directory.path().join("small");
        fs::write(&small, "four").unwrap();
        let limits = |most| ReadLimits { max_seed_size: most, ..ReadLimits::default() };
        assert_eq!(read(&small, "--stdin", &limits(4)).unwrap(), b"four");
        assert!(refused(&small, &limits(3)).contains("has more than 3 bytes"));
    }

    #[test]
    fn a_pipe_is_read_to_its_end_if_somebody_writes_and_not_waited_for_if_nobody_does() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let limits = ReadLimits { pipe_time: Duration::from_secs(4), ..ReadLimits::default() };
        assert!(refused(&pipe, &limits).contains("nobody writes to it"));
        let write =
            |script: &str| Command::new("sh").args(["-c", script]).arg(&pipe).arg(&pipe).spawn().unwrap();
        let mut slow = write("(echo one; sleep 0.3; echo two) > \"$1\"");
        assert_eq!(read(&pipe, "--stdin", &limits).unwrap(), b"one\ntwo\n");
        slow.wait().unwrap();
        let mut silent = write("exec sleep 100 > \"$1\"");
        assert!(refused(&pipe, &limits).contains("did not end in 4 s"));
        silent.kill().unwrap();
        silent.wait().unwrap();
    }
}
