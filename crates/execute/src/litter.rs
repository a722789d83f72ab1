//! Directories of the host that hold the files of a run where there are no namespaces, and what killed processes left of them.
//!
//! In: nothing. Out: a fresh directory, in memory if there is such a place.
//!
//! Always holds: the name says which process it belongs to, so that the next one removes what a killed one left, and nothing else.

use crate::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// On memory, because runs are many and short.
const IN_MEMORY: &str = "/dev/shm";

/// A directory that goes when the value does.
pub fn host_directory() -> Result<tempfile::TempDir, Error> {
    let world = world();
    let mut builder = tempfile::Builder::new();
    let prefix = format!("{world}{}-", std::process::id());
    builder.prefix(&prefix);
    for place in [PathBuf::from(IN_MEMORY), std::env::temp_dir()] {
        sweep(&place, &world);
        if let Ok(directory) = builder.tempdir_in(&place) {
            return Ok(directory);
        }
    }
    builder.tempdir().map_err(|source| Error::Scratch { action: "make", path: std::env::temp_dir(), source })
}

/// How names begin among processes that see each other: numbers of processes mean something only there.
fn world() -> String {
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let number: String = namespace.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    format!("parallax-{number}-")
}

/// Removes directories of processes that are no more.
fn sweep(place: &Path, world: &str) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(world).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            // Somebody else's, or being removed: then it is not for us.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_of_dead_processes_are_swept() {
        let place = tempfile::tempdir().unwrap();
        let world = world();
        // No process has a number beyond the kernel's highest.
        let names = [
            format!("{world}4999999-a"),
            format!("{world}{}-a", std::process::id()),
            "parallax-1-4999999-a".into(),
        ];
        for name in &names {
            fs::create_dir(place.path().join(name)).unwrap();
        }
        sweep(place.path(), &world);
        assert_eq!(names.map(|name| place.path().join(name).exists()), [false, true, true]);
    }
}
