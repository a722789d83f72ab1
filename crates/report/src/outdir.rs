//! The directory that holds the results of a comparison.
//!
//! In: a name. Out: a fresh directory; one of an earlier run becomes `NAME.old`.
//!
//! Always holds: only directories that Parallax made are moved or removed. A file of the directory is there with all its content
//! or as it was before.

use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What makes a directory one of ours.
const MARK: &str = "run.json";

#[derive(Debug, thiserror::Error)]
pub enum OutDirError {
    #[error("cannot write {path}: {source}", path = .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(
        "{path}: exists and holds no result of Parallax; name another directory with --out",
        path = .0.display()
    )]
    Foreign(PathBuf),
}

/// An output directory.
#[derive(Clone, Debug)]
pub struct OutDir {
    path: PathBuf,
}

impl OutDir {
    /// Makes room and makes the directory.
    pub fn create(path: &Path) -> Result<OutDir, OutDirError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| OutDirError::File { path, source }
        };
        if path.symlink_metadata().is_ok() && !is_empty_directory(path) {
            let old = with_suffix(path, ".old");
            for directory in [path, &old] {
                if directory.symlink_metadata().is_ok() && !directory.join(MARK).is_file() {
                    return Err(OutDirError::Foreign(directory.to_owned()));
                }
            }
            if old.symlink_metadata().is_ok() {
                fs::remove_dir_all(&old).map_err(failed(&old))?;
            }
            fs::rename(path, &old).map_err(failed(path))?;
        }
        let out = OutDir { path: path.to_owned() };
        // First of all, so that a run that is killed leaves a directory that is known as ours.
        fs::create_dir_all(path).map_err(failed(path))?;
        out.write(MARK, b"{}\n")?;
        for name in ["tests", "corpus", "logs"] {
            let directory = path.join(name);
            fs::create_dir_all(&directory).map_err(failed(&directory))?;
        }
        Ok(out)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces a file as a whole.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), OutDirError> {
        let path = self.path.join(name);
        let written = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            file.write_all(content)?;
            let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            fs::set_permissions(file.path(), readable)?;
            file.persist(&path).map_err(|error| error.error)?;
            Ok(())
        };
        written().map_err(|source| OutDirError::File { path: path.clone(), source })
    }

    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), OutDirError> {
        let text = serde_json::to_vec_pretty(value)
            .map_err(|error| OutDirError::File { path: self.path.join(name), source: error.into() })?;
        self.write(name, &[&text[..], b"\n"].concat())
    }

    /// Where a kept test goes.
    pub fn test(&self, id: &str) -> PathBuf {
        self.path.join("tests").join(id)
    }
}

fn is_empty_directory(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    // `out/` and `out` are the same.
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
