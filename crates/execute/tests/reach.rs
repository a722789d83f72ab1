//! What belongs to the host and is out of a run's reach: pipes, terminals, locks, shared memory, attributes of files. Every test sets
//! up its own victim and looks at it afterwards; each goes through both kinds of confinement that the kernel may offer.

mod common;
use common::attack::*;
use common::*;
use parallax_execute::*;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

#[test]
fn a_named_pipe_of_the_host_is_neither_written_nor_read() {
    let directory = visible_directory();
    let path = directory.path().join("pipe");
    let c_path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the path is NUL-terminated.
    assert_eq!(unsafe { libc::mkfifo(c_path.as_ptr(), 0o666) }, 0);
    let mut open = fs::OpenOptions::new();
    let ours = open.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&path).unwrap();
    let mut content = [0u8; 100];
    let body = r#"
        int main(int c, char **v) {
            int modes[] = {O_WRONLY, O_RDWR, O_RDONLY};
            for (int i = 0; i < 3; i++) {
                int f = open(v[1], modes[i] | O_NONBLOCK);
                char bytes[100];
                if (f >= 0) { TRY(write(f, "forged", 6)); if (read(f, bytes, 100) > 0) printf("read "); }
            }
            return 0;
        }"#;
    twice_under_each(body, &[path.to_str().unwrap()], &Limits::default(), |level, run| {
        std::io::Write::write_all(&mut &ours, b"secret").unwrap();
        if level == Confinement::Namespaces {
            nothing_worked(&run);
        }
        let got = std::io::Read::read(&mut &ours, &mut content).unwrap();
        assert!(content[..got].ends_with(b"secret") && !content[..got].contains(&b'f'));
    });
    // What is in the pipe stays there. Without namespaces that is not promised.
    std::io::Write::write_all(&mut &ours, b"secret").unwrap();
    let (mut executor, _directory) = native(&format!("{TRY}{body}"));
    if executor.confinement() == Some(Confinement::Namespaces) {
        let test = TestCase::with_args([path.to_str().unwrap()]);
        nothing_worked(&executor.run(&test, &Limits::default()).unwrap());
        assert_eq!(std::io::Read::read(&mut &ours, &mut content).unwrap(), 6);
    }
}

/// A terminal of the test's own: both ends, and the path of the one that programs open.
fn terminal() -> Option<(fs::File, fs::File, String)> {
    let master = fs::OpenOptions::new().read(true).write(true).open("/dev/ptmx").ok()?;
    let mut name = [0u8; 64];
    // SAFETY: the descriptor is open; at most the buffer is written.
    let ok = unsafe {
        libc::grantpt(master.as_raw_fd());
        libc::unlockpt(master.as_raw_fd()) == 0
            && libc::ptsname_r(master.as_raw_fd(), name.as_mut_ptr().cast(), name.len()) == 0
    };
    let name = std::ffi::CStr::from_bytes_until_nul(&name).ok()?.to_str().ok()?.to_string();
    let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
    let slave = fs::OpenOptions::new().read(true).write(true).custom_flags(flags).open(&name).ok()?;
    ok.then_some((master, slave, name))
}

#[test]
fn terminals_of_the_host_are_out_of_reach() {
    let Some((_master, slave, name)) = terminal() else {
        eprintln!("skipped: no terminal can be made here");
        return;
    };
    let body = r#"
        int main(int c, char **v) {
            const char *paths[] = {v[1], "/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/ptmx", "/dev/tty0", "/dev/kmsg"};
            int modes[] = {O_RDONLY, O_WRONLY, O_RDWR};
            for (int i = 0; i < 7; i++)
                for (int k = 0; k < 3; k++) {
                    int f = open(paths[i], modes[k] | O_NOCTTY | O_NONBLOCK);
                    if (f < 0) continue;
                    printf("%s ", paths[i]);
                    ioctl(f, TIOCSTI, "x");
                    write(f, "x", 1);
                }
            return 0;
        }"#;
    twice_under_each(body, &[&name], &Limits::default(), |_, run| nothing_worked(&run));
    let mut byte = [0u8; 1];
    assert!(std::io::Read::read(&mut &slave, &mut byte).is_err(), "something was typed");
}

#[test]
fn locks_and_leases_on_files_of_the_host_hinder_nobody() {
    let directory = visible_directory();
    let path = directory.path().join("database");
    fs::write(&path, "rows").unwrap();
    let body = r#"
        int main(int c, char **v) {
            int f = open(v[1], O_RDONLY);
            if (f < 0) return 1;
            flock(f, LOCK_EX | LOCK_NB);
            struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
            fcntl(f, F_SETLK, &all);
            struct flock own = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
            fcntl(f, F_OFD_SETLK, &own);
            fcntl(f, F_SETLEASE, F_RDLCK);
            for (;;) pause();
        }"#;
    for namespaces in [true, false] {
        let source = format!("{TRY}{body}");
        let (mut executor, _directory) = native_with(&source, Options { namespaces, ..options() });
        let limits = Limits { time: Duration::from_secs(1), ..Limits::default() };
        let test = TestCase::with_args([path.to_str().unwrap()]);
        std::thread::scope(|scope| {
            let run = scope.spawn(|| executor.run(&test, &limits).unwrap());
            let mut refused = 0;
            while !run.is_finished() {
                let mut options = fs::OpenOptions::new();
                let options = options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
                let file = options.open(&path).expect("nobody has a lease");
                let mut whole = libc::flock {
                    l_type: libc::F_WRLCK as i16,
                    l_whence: libc::SEEK_SET as i16,
                    l_start: 0,
                    l_len: 0,
                    l_pid: 0,
                };
                // SAFETY: the descriptor is open and the structure lives through the call.
                let is_free = unsafe {
                    libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0
                        && libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &mut whole) == 0
                };
                // Another test's child has this one's descriptors, and with them the last lock, until it executes.
                refused = if is_free { 0 } else { refused + 1 };
                assert!(refused < 10, "locked, namespaces: {namespaces}");
                std::thread::sleep(Duration::from_millis(20));
            }
            assert_eq!(run.join().unwrap().outcome, Outcome::TimedOut);
        });
    }
}

#[test]
fn a_program_can_lock_its_own_files() {
    let body = r#"
        int main() {
            int f = open("mine", O_CREAT | O_RDWR, 0600);
            struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
            return flock(f, LOCK_EX) || fcntl(f, F_SETLK, &all);
        }"#;
    twice_under_each(body, &[], &Limits::default(), |_, run| assert_eq!(run.outcome, Outcome::Exited(0)));
}

/// A segment of shared memory that a run must not remove.
struct Segment(i32);

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: the test's own segment.
        unsafe { libc::shmctl(self.0, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

#[test]
fn shared_memory_of_the_host_is_out_of_reach() {
    // SAFETY: a new segment of the test's own.
    let segment = Segment(unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, 0o666) });
    assert!(segment.0 >= 0);
    let body = r#"
        int main(int c, char **v) {
            int id = atoi(v[1]);
            TRY(shmctl(id, IPC_RMID, 0));
            TRY(shmat(id, 0, 0));
            TRY(shmget(IPC_PRIVATE, 4096, 0600));
            TRY(syscall(SYS_mq_unlink, "anything"));
            return 0;
        }"#;
    twice_under_each(body, &[&segment.0.to_string()], &Limits::default(), |_, run| nothing_worked(&run));
    // SAFETY: `status` is filled by the call.
    unsafe {
        let mut status: libc::shmid_ds = std::mem::zeroed();
        assert_eq!(libc::shmctl(segment.0, libc::IPC_STAT, &mut status), 0, "the segment is gone");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn other_tables_of_system_calls_are_closed() {
    let body = r#"
        int main(int c, char **v) {
            for (int call = 0; call < 600; call++) {
                long result;
                if (call == SYS_exit || call == SYS_exit_group || call == SYS_pause || call == SYS_fork || call == SYS_vfork) continue;
                __asm__ volatile("syscall" : "=a"(result) : "a"(0x40000000 + call), "D"(-1), "S"(0), "d"(0) : "rcx", "r11", "memory");
                if (result != -ENOSYS) printf("%d ", call);
            }
            fflush(stdout);
            long result = 20;
            __asm__ volatile("int $0x80" : "+a"(result) :: "memory");
            printf("32 bits: %ld", result);
            return 1;
        }"#;
    twice_under_each(body, &[], &Limits::default(), |_, run| {
        assert_eq!(text(&run.stdout.bytes), "");
        assert_eq!(run.outcome, Outcome::Signaled(libc::SIGSYS));
    });
}

#[test]
fn attributes_of_files_that_can_be_read_stay() {
    let victim = Victim::new();
    let body = r#"
        int main(int c, char **v) {
            chdir(v[1]);
            int f = open("one", O_RDONLY);
            int d = open(".", O_RDONLY);
            long flags = 0; char extended[64] = {0}; struct { int version, alg, block, salt; long x[30]; } verity = {1, 1, 4096};
            TRY(ioctl(f, 0x40086602, &flags));
            TRY(ioctl(d, 0x40086602, &flags));
            TRY(ioctl(f, 0x401c5820, extended));
            TRY(ioctl(f, 0x40806685, &verity));
            TRY(fcntl(f, F_SETLEASE, F_RDLCK));
            TRY(fcntl(d, F_NOTIFY, DN_CREATE));
            TRY(fcntl(f, F_SETSIG, SIGCONT));
            TRY(syscall(452, AT_FDCWD, "one", 0777, 0));
            return f < 0;
        }"#;
    twice_under_each(body, &[victim.path()], &Limits::default(), |_, run| nothing_worked(&run));
    victim.is_untouched();
}

#[test]
fn files_of_the_host_can_be_read_as_ever() {
    let directory = visible_directory();
    fs::write(directory.path().join("data"), "rows").unwrap();
    let body = r#"
        int main(int c, char **v) {
            const char *paths[] = {v[1], "/etc/passwd", "/proc/self/maps", "/proc/cpuinfo", "/dev/null", "/dev/urandom", "/dev/zero"};
            for (int i = 0; i < 7; i++) { int f = open(paths[i], O_RDONLY); char b; if (f < 0 || read(f, &b, 1) < 0) return i + 1; }
            if (!opendir("/") || !opendir("/usr") || !opendir("/dev") || !opendir("/proc/self/fd")) return 8;
            int out = open("/dev/stdout", O_WRONLY | O_APPEND);
            if (out < 0 || write(out, "ok", 2) != 2) return 9;
            if (system("test -r /etc/passwd && cat < /dev/stdin > /dev/null && echo x > /dev/null")) return 10;
            struct stat s;
            return lstat("/bin/sh", &s) || access("/tmp", W_OK) ? 11 : 0;
        }"#;
    let data = directory.path().join("data");
    twice_under_each(body, &[data.to_str().unwrap()], &Limits::default(), |_, run| {
        assert_eq!((run.outcome, text(&run.stdout.bytes).as_str()), (Outcome::Exited(0), "ok"), "{run:?}");
    });
}
