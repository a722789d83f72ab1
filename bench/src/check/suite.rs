//! A package's own tests as runs to check: the tests run the dependence build, which records into files.
//!
//! In: a built tree, the program in it, a test command. Out: the tally of everything that the program did in the tests.
//!
//! Always holds: the tree itself is not touched (a copy is used); a trace is removed as soon as it is checked.

use super::program::check_trace;
use super::{with_checker, Checked, CheckedError, Tally};
use parallax_trace::reader::read_header;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Set in the environment of an instrumented program: the directory to record into.
const RECORD_INTO: &str = "PARALLAX_DEPENDENCE";
/// How often the directory is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// How much of what the tests said is shown if they never ran the program.
const LAST_WORDS: usize = 2000;

/// Runs `command` in a copy of `tree` in which `program` (a path in it) is the dependence build. Of the runs, every `every`th is checked.
pub fn suite(
    checked: &Checked,
    tree: &Path,
    program: &Path,
    command: &str,
    every: usize,
) -> Result<Tally, CheckedError> {
    let scratch = tempfile::tempdir().map_err(|source| CheckedError::Read { path: "/tmp".into(), source })?;
    let (copy, queue) = (scratch.path().join("tree"), scratch.path().join("traces"));
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| CheckedError::Read { path, source }
    };
    std::fs::create_dir(&queue).map_err(failed(&queue))?;
    Command::new("cp").arg("-a").arg(tree).arg(&copy).status().map_err(failed(tree))?;
    redirect(&copy, tree).map_err(failed(&copy))?;
    let place = copy.join(program);
    std::fs::remove_file(&place).map_err(failed(&place))?;
    std::fs::copy(&checked.program, &place).map_err(failed(&place))?;
    let mut tests = Command::new("sh");
    tests.args(["-c", command]).current_dir(&copy).env(RECORD_INTO, &queue).stdin(Stdio::null());
    let log = std::fs::File::create(scratch.path().join("log")).map_err(failed(scratch.path()))?;
    tests.stdout(log.try_clone().map_err(failed(scratch.path()))?).stderr(log);
    let mut tests = tests.spawn().map_err(failed(&copy))?;
    let tally = drain(checked, &queue, &mut tests, every)?;
    if tally.runs == 0 {
        let log = std::fs::read(scratch.path().join("log")).unwrap_or_default();
        let said = String::from_utf8_lossy(&log[log.len().saturating_sub(LAST_WORDS)..]).into_owned();
        return Err(CheckedError::NoRuns { command: command.to_owned(), said });
    }
    Ok(tally)
}

/// Makefiles name the tree that was configured: in the copy they are to name the copy, or the tests would run the other program.
fn redirect(copy: &Path, tree: &Path) -> std::io::Result<()> {
    let (old, new) = (tree.canonicalize()?, copy.canonicalize()?);
    let mut pending = vec![copy.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
            } else if entry.file_name() == "Makefile" {
                let text = String::from_utf8_lossy(&std::fs::read(entry.path())?).into_owned();
                std::fs::write(entry.path(), text.replace(&*old.to_string_lossy(), &new.to_string_lossy()))?;
            }
        }
    }
    Ok(())
}

fn drain(checked: &Checked, queue: &Path, tests: &mut Child, every: usize) -> Result<Tally, CheckedError> {
    let mut seen = 0;
    with_checker(&checked.model, &checked.map, None, |checker| loop {
        let over = matches!(tests.try_wait(), Ok(Some(_)) | Err(_));
        for path in finished(queue, over) {
            seen += 1;
            let wanted = seen % every.max(1) == 0;
            if let (true, Ok(words)) = (wanted, read_words(&path)) {
                let bytes: &[u8] = bytemuck::cast_slice(&words);
                // A process that was killed before it could write its header left nothing.
                if let Ok(header) = read_header(bytes) {
                    check_trace(bytes, &header, &checked.map, checker)?;
                }
            }
            let _ = std::fs::remove_file(&path);
        }
        if over {
            return Ok(std::mem::take(&mut checker.tally));
        }
        std::thread::sleep(PAUSE);
    })
}

/// Traces of processes that are gone; all, when the tests are over. A trace is named after its process.
fn finished(queue: &Path, over: bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(queue).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let process = name.split('-').next().unwrap_or_default();
        over || !Path::new("/proc").join(process).exists()
    });
    paths.sort();
    paths
}

/// A file in memory that is aligned as an arena is.
fn read_words(path: &Path) -> std::io::Result<Vec<u64>> {
    let mut file = std::fs::File::open(path)?;
    let len = file.metadata()?.len() as usize;
    let mut words = vec![0u64; len / 8];
    file.read_exact(bytemuck::cast_slice_mut(&mut words))?;
    Ok(words)
}
