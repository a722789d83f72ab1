//! What keeps a run from touching anything but its scratch directory.
//!
//! In: a fresh, single-threaded process. Out: the same process, confined for good.
//!
//! Always holds: nothing is weakened silently. Every step either works or is an error, except
//! where a comment says that another step covers the same ground.

use crate::filter;
use crate::scratch;
use crate::sys;
use landlock::{
    Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, ABI,
};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Oldest Landlock that can be made safe with the help of the system-call filter.
pub const LANDLOCK_MINIMUM: u32 = 1;
/// First Landlock that keeps signals inside.
pub const LANDLOCK_SIGNALS: u32 = 6;
/// First Landlock that knows truncation.
const LANDLOCK_TRUNCATE: u32 = 3;
/// Where the scratch directory may appear: directories that exist everywhere and that no program
/// under test needs.
const MOUNT_POINTS: [&str; 5] = ["/dev/shm", "/mnt", "/media", "/srv", "/opt"];
/// Where programs put temporary files without asking `TMPDIR` (`tmpfile` of libc does).
const TEMPORARY_PLACES: [&str; 2] = ["/tmp", "/var/tmp"];
/// Devices that can be written without harm.
const HARMLESS_DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];
const RANDOM_DEVICES: [&str; 2] = ["/dev/random", "/dev/urandom"];
/// Where a run that sees the host's own files may read none.
const CLOSED_PLACES: [&str; 2] = ["/dev", "/run"];
/// `CAP_CHECKPOINT_RESTORE`: choosing the process number of the next child.
const CAP_CHECKPOINT_RESTORE: u64 = 40;
const LAST_CAPABILITY: u64 = 63;

/// Enters new namespaces; the *next* child is the first process of the PID namespace.
pub fn enter_namespaces() -> io::Result<()> {
    let spaces = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    // Root needs no user namespace, and without one file owners keep their names.
    if sys::unshare(spaces).is_ok() {
        return Ok(());
    }
    let (uid, gid) = sys::ids();
    sys::unshare(spaces | libc::CLONE_NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
    // Best effort: programs gain nothing from a further user namespace, but need none either.
    let _ = fs::write("/proc/sys/user/max_user_namespaces", "0");
    Ok(())
}

/// Where a scratch file system for runs of a program appears in their namespace. The same for all
/// versions of a program, unless it would hide one of them.
pub fn mount_point(programs: &[&Path]) -> Option<PathBuf> {
    let mut places = MOUNT_POINTS.iter().map(PathBuf::from);
    places.find(|place| place.is_dir() && !programs.iter().any(|program| program.starts_with(place)))
}

/// Where programs appear in the namespace of their runs: not where the scratch file system is.
pub fn program_mount(programs: &[&Path]) -> Option<PathBuf> {
    let mut places = MOUNT_POINTS.iter().map(PathBuf::from);
    let scratch = mount_point(programs);
    let hides = |place: &Path| programs.iter().any(|program| program.starts_with(place));
    places.rfind(|place| place.is_dir() && !hides(place) && scratch.as_ref() != Some(place))
}

/// Shows the scratch file system's directory for temporary files where programs expect one, and says where. The program under
/// test and its place stay visible if they lie there, with what lies beside them.
pub fn mount_temporary(scratch: &Path, programs: &[&Path]) -> io::Result<Vec<PathBuf>> {
    let source = sys::c_path(&scratch::make_temporary(scratch)?)?;
    let mut shown = Vec::new();
    for place in TEMPORARY_PLACES.map(PathBuf::from) {
        // A link to the other place is there already, in effect.
        let real = place.canonicalize().is_ok_and(|real| real == place && real.is_dir());
        if !real || scratch.starts_with(&place) {
            continue;
        }
        let beside: BTreeSet<PathBuf> =
            programs.iter().filter_map(|p| first_below(&place, p)).map(|name| place.join(name)).collect();
        let hidden: Vec<OwnedFd> =
            beside.iter().map(|path| sys::open_path(path)).collect::<io::Result<_>>()?;
        sys::mount(&source, &place, c"", libc::MS_BIND, None)?;
        for (hidden, path) in hidden.iter().zip(&beside) {
            mount_again(hidden, path)?;
        }
        shown.push(place);
    }
    Ok(shown)
}

/// Shows a program at the place of another, read-only as both are.
pub fn mount_program(program: &Path, place: &Path) -> io::Result<()> {
    sys::mount(&sys::c_path(program)?, place, c"", libc::MS_BIND, None)
}

/// Makes what was opened before it was hidden visible again, read-only as it was.
fn mount_again(hidden: &OwnedFd, path: &Path) -> io::Result<()> {
    let hidden = PathBuf::from(format!("/proc/self/fd/{}", hidden.as_raw_fd()));
    if fs::metadata(&hidden)?.is_dir() {
        fs::create_dir(path)?;
    } else {
        fs::File::create_new(path)?;
    }
    sys::mount(&sys::c_path(&hidden)?, path, c"", libc::MS_BIND | libc::MS_REC, None)
}

/// What [`mount_temporary`] puts into the directory for temporary files: it has to stay there.
pub fn names_kept(programs: &[&Path]) -> Vec<OsString> {
    let below = |place| programs.iter().filter_map(move |program| first_below(Path::new(place), program));
    let names: BTreeSet<OsString> = TEMPORARY_PLACES.into_iter().flat_map(below).collect();
    names.into_iter().collect()
}

fn first_below(place: &Path, program: &Path) -> Option<OsString> {
    let below = program.strip_prefix(place).ok()?;
    below.components().next().map(|name| name.as_os_str().to_owned())
}

/// Writes only below `writable`, no network; signals stay inside where the kernel can do that. `readable`: files can be read there
/// and nowhere else; if there is none, everywhere.
pub fn landlock(writable: &[PathBuf], readable: &[PathBuf]) -> Result<(), landlock::RulesetError> {
    let abi = ABI::V6;
    let mut handled = AccessFs::from_write(abi);
    if !readable.is_empty() {
        handled |= AccessFs::ReadFile;
    }
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(handled)?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    let devices = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let below = HARMLESS_DEVICES.iter().map(|d| (Path::new(d), devices));
    let whole = writable.iter().map(|place| (place.as_path(), AccessFs::from_write(abi)));
    let read = readable.iter().map(|place| (place.as_path(), AccessFs::ReadFile.into()));
    for (path, access) in below.chain(whole).chain(read) {
        // What cannot be opened cannot be written: the error would come from the run itself.
        if let Ok(fd) = PathFd::new(path) {
            ruleset = ruleset.add_rule(PathBeneath::new(fd, access))?;
        }
    }
    let status = ruleset.restrict_self()?;
    // The caller has looked at the kernel's version; a kernel that changes its mind is broken.
    assert!(status.ruleset != RulesetStatus::NotEnforced, "Landlock was promised and is not in force");
    Ok(())
}

/// Where runs without namespaces may read files: everywhere but where terminals, and most of the pipes and sockets of the host, are;
/// of these places the harmless devices, the scratch directory and the program's own directory.
pub fn readable_places(scratch: &Path, program: &Path) -> io::Result<Vec<PathBuf>> {
    let mut places: Vec<PathBuf> =
        HARMLESS_DEVICES.iter().chain(&RANDOM_DEVICES).map(PathBuf::from).collect();
    places.push(scratch.to_path_buf());
    places.extend(program.parent().map(Path::to_path_buf));
    for entry in fs::read_dir("/")? {
        let path = entry?.path();
        if !CLOSED_PLACES.iter().any(|closed| path == Path::new(closed)) {
            places.push(path);
        }
    }
    Ok(places)
}

/// Drops capabilities, except, where the server can use it, the one to choose process numbers (the
/// server drops that in every child).
pub fn drop_capabilities(keep_pid_choice: bool) -> io::Result<()> {
    // Without CAP_SETPCAP the next two fail, and then there is nothing to regain by exec either
    // unless this is root, for whom no_new_privs does not help: so for root they must work.
    let root = sys::ids().0 == 0;
    let noroot = (libc::SECBIT_NOROOT | libc::SECBIT_NOROOT_LOCKED) as u64;
    let regain = sys::prctl(libc::PR_SET_SECUREBITS, noroot, 0);
    for capability in 0..=LAST_CAPABILITY {
        if !(keep_pid_choice && capability == CAP_CHECKPOINT_RESTORE) {
            // Fails for numbers the kernel does not know.
            let _ = sys::prctl(libc::PR_CAPBSET_DROP, capability, 0);
        }
    }
    let bounded = sys::prctl(libc::PR_CAPBSET_READ, 0, 0).is_ok_and(|held| held == 0);
    if root && regain.is_err() && !bounded {
        return Err(io::Error::other("root without CAP_SETPCAP cannot give up its capabilities"));
    }
    sys::set_capabilities(if keep_pid_choice { 1 << CAP_CHECKPOINT_RESTORE } else { 0 })?;
    if keep_pid_choice {
        sys::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE as u64, CAP_CHECKPOINT_RESTORE)?;
    }
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0).map(drop)
}

/// Nothing more is passed on: the last step, after the greeting.
pub fn forbid_passing() -> Result<(), seccompiler::Error> {
    seccompiler::apply_filter(&filter::no_passing()?)
}

/// The system-call filters. `namespaces`: see [`filter::Strength`].
pub fn filter(namespaces: bool) -> Result<(), seccompiler::Error> {
    let strength = filter::Strength {
        shared: !namespaces,
        truncation: !namespaces && sys::landlock_version() < LANDLOCK_TRUNCATE,
    };
    filter::programs(strength)?.iter().try_for_each(|program| seccompiler::apply_filter(program))
}
