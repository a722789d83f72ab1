//! Git: revisions out of a repository, patches onto a tree.
//!
//! In: a repository and the name of a revision; or a patch and a directory. Out: files.
//! What always holds: neither the repository nor its working tree nor its index is written.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::cache::Cache;
use crate::error::{AtPath, BuildError};
use crate::tools;
use crate::tree;

/// A revision that exists.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Root of the working tree.
    pub top: PathBuf,
    /// Where in the working tree the user stands; empty at the root.
    pub prefix: String,
    /// Hash of the tree: the content of the revision.
    pub tree: String,
    /// When it was committed.
    pub time: SystemTime,
}

fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).env("LC_ALL", "C");
    // Set inside hooks; they would win over -C.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command
}

fn ask(command: &mut Command) -> Result<String, BuildError> {
    let output = tools::run_checked(command)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_string())
}

/// Looks a revision up.
pub(crate) fn find(directory: &Path, revision: &str) -> Result<Found, BuildError> {
    let top = ask(git(directory).args(["rev-parse", "--show-toplevel"])).map_err(|error| match error {
        BuildError::ToolFailed { message, .. } if message.contains("not a git repository") => {
            BuildError::NotARepository { directory: directory.to_path_buf(), revision: revision.to_string() }
        }
        other => other,
    })?;
    let repository = PathBuf::from(&top);
    let resolve = |suffix: &str| {
        let name = format!("{revision}{suffix}");
        ask(git(directory).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &name]))
    };
    // The tree, too: in a partial clone the commit may be all there is.
    let (Ok(commit), Ok(tree)) = (resolve("^{commit}"), resolve("^{tree}")) else {
        let shallow = ask(git(directory).args(["rev-parse", "--is-shallow-repository"]))? == "true";
        let revision = revision.to_string();
        return Err(if shallow {
            BuildError::Shallow { repository, revision }
        } else {
            BuildError::NoSuchRevision { repository, revision }
        });
    };
    let prefix = ask(git(directory).args(["rev-parse", "--show-prefix"]))?;
    let seconds = ask(git(directory).args(["show", "-s", "--format=%ct", &commit]))?;
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.parse().unwrap_or(0));
    // rev-parse --quiet prints the hash last, after what it peeled.
    let tree = tree.lines().last().unwrap_or_default().to_string();
    Ok(Found { top: repository, prefix, tree, time })
}

/// The hash of the commit that a revision names.
pub fn commit(directory: &Path, revision: &str) -> Result<String, BuildError> {
    find(directory, revision)?;
    let name = format!("{revision}^{{commit}}");
    let printed = ask(git(directory).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &name]))?;
    // As in `find`.
    Ok(printed.lines().last().unwrap_or_default().to_string())
}

/// A commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub hash: String,
    /// The first parent; a commit without history has none.
    pub parent: Option<String>,
    /// When it was committed, as ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// The commits of a range `A..B`, oldest first.
pub fn commits(directory: &Path, range: &str) -> Result<Vec<Commit>, BuildError> {
    for end in range.split("..").filter(|end| !end.is_empty()) {
        find(directory, end.trim_start_matches('.'))?;
    }
    let format = "--format=%H%x1f%P%x1f%cI%x1f%s";
    let arguments =
        ["log", "--reverse", "--topo-order", "--no-show-signature", format, "--end-of-options", range, "--"];
    let printed = ask(git(directory).args(arguments))?;
    let commit = |line: &str| {
        let mut fields = line.split('\x1f');
        let hash = fields.next()?.to_owned();
        let parent = fields.next()?.split(' ').next().filter(|parent| !parent.is_empty()).map(str::to_owned);
        Some(Commit { hash, parent, date: fields.next()?.to_owned(), subject: fields.next()?.to_owned() })
    };
    Ok(printed.lines().filter_map(commit).collect())
}

/// Does the working tree around a directory hold what its commit does? Results of Parallax at `out` and its configuration do
/// not count; ignored files do not, either.
pub fn is_clean(directory: &Path, out: &Path) -> Result<bool, BuildError> {
    let top = PathBuf::from(ask(git(directory).args(["rev-parse", "--show-toplevel"]))?);
    let status = ask(git(directory).args(["status", "--porcelain", "-z", "--untracked-files=normal"]))?;
    let out = std::path::absolute(out).at(out)?;
    let old = out.with_file_name(format!("{}.old", out.file_name().unwrap_or_default().to_string_lossy()));
    let of_parallax = |entry: &str| {
        let Some(name) = entry.strip_prefix("?? ") else { return false };
        let path = top.join(name);
        path == out || path == old || path.ends_with("parallax.toml")
    };
    Ok(status.split('\0').filter(|entry| !entry.is_empty()).all(of_parallax))
}

/// Where a branch of work began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeBase {
    /// The commit, as a hash.
    pub revision: String,
    /// The branch that it is the merge base with.
    pub branch: String,
}

/// The merge base of the current commit and the default branch: that of the remote, or `main`, or `master`.
pub fn merge_base(directory: &Path) -> Result<MergeBase, BuildError> {
    let head = find(directory, "HEAD")?;
    let remote = ask(git(directory).args(["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]));
    let usual = ["origin/main", "origin/master", "main", "master"].map(str::to_owned);
    for branch in remote.into_iter().chain(usual) {
        if find(directory, &branch).is_err() {
            continue;
        }
        // No common ancestor: the history is shallow, or not the same.
        let revision = ask(git(directory).args(["merge-base", "HEAD", &branch]))
            .map_err(|_| BuildError::NoMergeBase { repository: head.top.clone(), branch: branch.clone() })?;
        return Ok(MergeBase { revision, branch });
    }
    Err(BuildError::NoDefaultBranch { repository: head.top })
}

/// Writes the files of a revision to a directory, through an index of our own.
pub(crate) fn check_out(found: &Found, to: &Path, cache: &Cache) -> Result<(), BuildError> {
    let scratch = cache.temporary_directory()?;
    let index = scratch.path().join("index");
    let with_index = || {
        let mut command = git(&found.top);
        command.env("GIT_INDEX_FILE", &index);
        command
    };
    ask(with_index().args(["read-tree", &found.tree]))?;
    let prefix = format!("--prefix={}/", to.display());
    ask(with_index().args(["checkout-index", "--all", "--quiet", &prefix]))?;
    check_out_submodules(found, to, cache)?;
    // One time for all: the order in which git writes files must not make generated ones look old.
    for entry in walkdir::WalkDir::new(to).into_iter().filter_map(Result::ok) {
        if entry.file_type().is_file() {
            tree::set_time(entry.path(), found.time)?;
        }
    }
    Ok(())
}

/// A submodule is checked out if the user's working tree has it with the commit that is asked for; otherwise
/// its directory stays empty, as after a plain clone.
fn check_out_submodules(found: &Found, to: &Path, cache: &Cache) -> Result<(), BuildError> {
    let listing = ask(git(&found.top).args(["ls-tree", "-r", "--full-tree", &found.tree]))?;
    for line in listing.lines() {
        // "160000 commit HASH\tPATH"
        let Some((what, path)) = line.split_once('\t') else { continue };
        let Some(commit) = what.strip_prefix("160000 commit ") else { continue };
        let checkout = found.top.join(path);
        if !checkout.join(".git").exists() {
            continue;
        }
        if let Ok(inner) = find(&checkout, commit) {
            check_out(&inner, &to.join(path), cache)?;
        }
    }
    Ok(())
}

/// How `git apply` is called on a directory that is in no repository.
fn apply_command(patch: &Path, directory: &Path, strip: &str, more: &[&str]) -> Command {
    let mut command = git(directory);
    // A repository that happens to hold the cache is none of our business.
    command.env("GIT_CEILING_DIRECTORIES", directory.parent().unwrap_or(directory));
    command.args(["apply", strip, "--whitespace=nowarn"]).args(more).arg(patch);
    command.stdin(std::process::Stdio::null());
    command
}

/// Leading directories of the names in a patch that are left out, by what `diff` and `git diff` write.
const STRIPS: [&str; 2] = ["-p1", "-p0"];

/// Does a patch apply to a directory? Nothing is written. `false` where that cannot be told.
pub(crate) fn applies(patch: &Path, directory: &Path) -> bool {
    let (Ok(patch), Ok(directory)) = (std::path::absolute(patch), std::path::absolute(directory)) else {
        return false;
    };
    let succeeds = |strip: &&str| {
        tools::run(&mut apply_command(&patch, &directory, strip, &["--check"]))
            .is_ok_and(|output| output.status.success())
    };
    STRIPS.iter().any(|strip| succeeds(strip))
}

/// Applies a patch to a directory that is in no repository, or says which hunk does not apply.
pub(crate) fn apply(patch: &Path, directory: &Path, tree_name: &str) -> Result<(), BuildError> {
    if !patch.is_file() {
        return Err(BuildError::NoSuchFile(patch.to_path_buf()));
    }
    let patch = std::path::absolute(patch).at(patch)?;
    let command = |strip: &str, more: &[&str]| apply_command(&patch, directory, strip, more);
    for strip in STRIPS {
        if tools::run(&mut command(strip, &["--check"]))?.status.success() {
            tools::run_checked(&mut command(strip, &[]))?;
            return Ok(());
        }
    }
    // Only `--reject` counts hunks; what it writes goes away with the copy.
    let output = tools::run(&mut command("-p1", &["--reject", "--verbose"]))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let relevant = |line: &&str| {
        line.starts_with("error")
            || line.starts_with("fatal")
            || line.contains("ejected")
            || line.contains("reject")
    };
    let mut message = text.lines().filter(relevant).collect::<Vec<_>>().join("\n");
    if message.contains("cannot apply binary patch") {
        message.push_str(
            "\nthe patch says that a binary file differs, but not how; make it with `git diff --binary`",
        );
    }
    Err(BuildError::Patch { patch, tree: tree_name.to_string(), message })
}
