//! The native program of a version, and where it is at home.
//!
//! In: a built version, or any program. Out: what its runs are given so that they meet what its build made.
//!
//! Always holds: variables that name places of the build have the same length for all versions, because their length moves the stack.

use parallax_build::{Home, Version};
use parallax_execute::default_environment;
use parallax_report::diff_view::VersionsView;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A program as it is run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Native {
    /// The native binary.
    pub binary: PathBuf,
    /// As the user calls it: relative to the directory of its build.
    pub program: String,
    #[serde(default)]
    pub home: Home,
}

impl Native {
    pub fn of(version: &Version) -> Native {
        let (binary, home) = (version.native.clone(), version.home.clone());
        Native { binary, program: version.program.clone(), home }
    }

    /// Any program, whoever built it.
    pub fn any(path: &Path) -> Result<Native, parallax_build::BuildError> {
        let home = Home::of_program(path)?;
        let binary = parallax_build::see_through(path)?;
        Ok(Native { binary, program: path.display().to_string(), home })
    }
}

/// The homes of versions that are compared with one another.
pub fn homes(versions: &[&Native]) -> Vec<parallax_execute::Home> {
    let path = default_environment().into_iter().find(|(name, _)| name == b"PATH");
    let path = path.map(|(_, value)| value).unwrap_or_default();
    let environments: Vec<_> = versions.iter().map(|version| version.home.environment(&path)).collect();
    let longest = |name: &[u8]| {
        let same = environments.iter().flatten().filter(|(other, _)| other == name);
        same.map(|(_, value)| value.len()).max().unwrap_or(0)
    };
    let home = |(version, env): (&&Native, &Vec<(Vec<u8>, Vec<u8>)>)| parallax_execute::Home {
        program: version.binary.clone(),
        place: None,
        env: env.iter().map(|(name, value)| (name.clone(), padded(value, longest(name)))).collect(),
    };
    versions.iter().zip(&environments).map(home).collect()
}

/// The name of the entry of the cache that a binary is in: part of every path of its build, and nothing that a program says by itself.
pub fn entry_name(binary: &Path) -> Option<&str> {
    let mut above = binary.ancestors();
    let tree = above.find(|path| path.file_name() == Some("tree".as_ref()) && is_in_cache(path))?;
    tree.parent()?.file_name()?.to_str()
}

/// Whether this is a tree of the cache: `builds/HASH/tree`.
fn is_in_cache(tree: &Path) -> bool {
    let entry = tree.parent();
    let builds = entry.and_then(Path::parent).and_then(Path::file_name) == Some("builds".as_ref());
    let is_hash = |name: &str| name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit());
    builds && entry.and_then(Path::file_name).and_then(|name| name.to_str()).is_some_and(is_hash)
}

/// A list of directories of this length: it may begin with any number of slashes.
fn padded(list: &[u8], length: usize) -> Vec<u8> {
    [&b"/".repeat(length.saturating_sub(list.len())), list].concat()
}

/// The home of an instrumented program: that of the native one, whose place it takes.
pub fn instrumented(
    program: &Path,
    version: &Version,
    natives: &[parallax_execute::Home],
) -> parallax_execute::Home {
    let own = natives.iter().find(|home| home.program == version.native).cloned().unwrap_or_default();
    parallax_execute::Home { program: program.to_owned(), place: Some(version.native.clone()), ..own }
}

/// The versions as the report names them.
pub fn view(
    names: [&str; 2],
    natives: &[Native; 2],
    golden: Option<(&OsString, &Native)>,
    loaded: &[Vec<PathBuf>],
) -> VersionsView {
    let shown = |path: &Path| path.display().to_string();
    let loaded = |i: usize| loaded.get(i).into_iter().flatten().map(|path| shown(path)).collect();
    VersionsView {
        old: names[0].to_owned(),
        new: names[1].to_owned(),
        golden: golden.map(|(name, _)| name.to_string_lossy().into_owned()),
        old_program: natives[0].program.clone(),
        new_program: natives[1].program.clone(),
        golden_program: golden.map(|(_, native)| native.program.clone()),
        old_binary: shown(&natives[0].binary),
        new_binary: shown(&natives[1].binary),
        golden_binary: golden.map(|(_, native)| shown(&native.binary)),
        old_loaded: loaded(0),
        new_loaded: loaded(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_of_the_cache_is_told_from_other_directories() {
        let hash = "0123456789abcdef0123456789abcdef";
        let binary = format!("/c/builds/{hash}/tree/a/tree/p");
        assert_eq!(entry_name(Path::new(&binary)), Some(hash));
        assert_eq!(entry_name(Path::new("/home/me/builds/mine/tree/p")), None);
    }

    #[test]
    fn variables_of_both_versions_have_the_same_length_and_lead_to_the_same_places() {
        let native = |directory: &str| Native {
            binary: Path::new(directory).join("p"),
            program: "p".into(),
            home: Home { path: vec![directory.into()], library_path: vec![directory.into()], shared: vec![] },
        };
        let homes = homes(&[&native("/a"), &native("/longer")]);
        assert_eq!(homes[0].env[1], (b"LD_LIBRARY_PATH".to_vec(), b"//////a".to_vec()));
        assert_eq!(homes[1].env[1].1, b"/longer");
        assert_eq!(homes[0].env[0].1.len(), homes[1].env[0].1.len());
    }
}
