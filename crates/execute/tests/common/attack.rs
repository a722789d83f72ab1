//! What tests of programs that try to get out share.
#![allow(dead_code, reason = "every test program uses a part of this")]

use super::*;
use parallax_execute::{Confinement, Outcome};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// Names every call that worked and should not have.
pub const TRY: &str = r#"
    #include <sched.h>
    #include <sys/ioctl.h>
    #include <sys/ipc.h>
    #include <sys/shm.h>
    #include <sys/syscall.h>
    #include <sys/file.h>
    #define TRY(call) do { errno = 0; if ((long)(call) >= 0) printf("%s ", #call); } while (0)
"#;

/// Two runs of `body` under each kind of confinement: the second shows what the first has left.
pub fn twice_under_each(body: &str, args: &[&str], limits: &Limits, mut check: impl FnMut(Confinement, Run)) {
    let directory = directory();
    let program = compile(directory.path(), "program", &format!("{TRY}\n{body}"));
    for namespaces in [true, false] {
        let options = Options { namespaces, ..options() };
        let mut executor = Executor::new(&program, Kind::Native, options).expect("executor");
        for _ in 0..2 {
            let run = executor.run(&TestCase::with_args(args), limits).expect("run");
            let level = if namespaces { Confinement::Namespaces } else { Confinement::Landlock };
            check(level, run);
        }
    }
}

/// Every call failed, and the program ended as it should.
#[track_caller]
pub fn nothing_worked(run: &Run) {
    assert_eq!((run.outcome, text(&run.stdout.bytes).as_str()), (Outcome::Exited(0), ""), "{run:?}");
}

/// A directory of the host with files in it, and what they were.
pub struct Victim {
    directory: tempfile::TempDir,
    before: Vec<(PathBuf, u32, Vec<u8>)>,
}

impl Victim {
    pub fn new() -> Victim {
        let directory = visible_directory();
        fs::create_dir_all(directory.path().join("sub/deep")).unwrap();
        for (name, mode) in [("one", 0o640), ("sub/two", 0o600), ("sub/deep/three", 0o444)] {
            fs::write(directory.path().join(name), name).unwrap();
            fs::set_permissions(directory.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(directory.path().join("sub"), fs::Permissions::from_mode(0o711)).unwrap();
        let before = listing(directory.path());
        Victim { directory, before }
    }

    pub fn path(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    #[track_caller]
    pub fn is_untouched(&self) {
        assert_eq!(listing(self.directory.path()), self.before);
    }
}

/// Everything below a directory: path, mode, content.
pub fn listing(directory: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        found.push((path.clone(), metadata.mode(), content));
        if metadata.is_dir() {
            found.extend(listing(&path));
        }
    }
    found.sort();
    found
}
