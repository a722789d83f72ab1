//! Control-C keeps what was found and ends with a complete report, whenever it comes; nothing is left running or lying about.

use super::*;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A comparison under way, with a directory for temporary files of its own.
struct Started {
    child: Child,
    directory: TempDir,
}

impl Started {
    fn line(line: &[&str], prepare: impl Fn(&Path)) -> Started {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("tmp")).unwrap();
        prepare(directory.path());
        let mut command = parallax(directory.path(), line);
        command.env("TMPDIR", directory.path().join("tmp")).env("PARALLAX_TEST_MARK", directory.path());
        let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        Started { child, directory }
    }

    fn pair(pair: &str, args: &[&str], prepare: impl Fn(&Path)) -> Started {
        let [old, new] = sources(pair);
        Started::line(&[&["diff", &old, &new, "--format", "json", "--time", "100s"], args].concat(), prepare)
    }

    fn wait_for(&mut self, text: &str) {
        let mut lines = BufReader::new(self.child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line.contains(text))), "no {text:?}");
        // What follows is read too, lest Parallax should wait for it.
        std::thread::spawn(move || lines.for_each(drop));
    }

    /// Sends the signal; gives exit status and standard output.
    fn interrupt(mut self, within: Duration) -> (Option<i32>, String, TempDir) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let before = Instant::now();
        let mut document = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut document).unwrap();
        let status = self.child.wait().unwrap();
        assert!(before.elapsed() < within, "{:?}", before.elapsed());
        let left: Vec<_> = fs::read_dir(self.directory.path().join("tmp")).unwrap().flatten().collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        assert!(gone(self.directory.path()), "a process was left behind");
        (status.code(), document, self.directory)
    }
}

/// Whether soon no process is left that was started below a comparison.
fn gone(mark: &Path) -> bool {
    let mark = format!("PARALLAX_TEST_MARK={}", mark.display());
    let alive = || {
        fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|b| *b == 0).any(|variable| variable == mark.as_bytes())
        })
    };
    let until = Instant::now() + Duration::from_secs(5);
    while alive() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}

/// All files of a report that is complete.
#[track_caller]
fn complete(directory: &Path) -> Value {
    for name in ["run.json", "changes.json", "stats.sqlite", "report.html", "junit.xml", "report.sarif"] {
        assert!(directory.join("parallax-out").join(name).exists(), "{name}");
    }
    let verdicts = fs::read_to_string(directory.join("parallax-out/verdicts.json")).unwrap();
    let json: Value = serde_json::from_str(&verdicts).unwrap();
    assert_eq!(json["ended"], "interrupted");
    json
}

#[test]
fn what_was_found_is_reported_after_an_interrupt() {
    let mut started = Started::pair("many", &[], |_| ());
    started.wait_for("difference 1 after");
    let (status, document, directory) = started.interrupt(Duration::from_secs(10));
    let json: Value = serde_json::from_str(&document).unwrap();
    assert_eq!((status, &json["verdict"]), (Some(1), &"different".into()));
    assert_eq!(json, complete(directory.path()));
    assert!(directory.path().join("parallax-out/tests/1-stdout/run.sh").exists());
}

#[test]
fn an_interrupt_while_a_test_is_made_smaller_keeps_what_there_is() {
    let long = |directory: &Path| fs::write(directory.join("in"), "7 and more ".repeat(100)).unwrap();
    let mut started = Started::pair("slow", &["--stdin", "in", "--minimise-time", "90s"], long);
    started.wait_for("difference 1 after");
    std::thread::sleep(Duration::from_secs(2));
    let (status, _, directory) = started.interrupt(Duration::from_secs(10));
    assert_eq!(status, Some(1));
    let json = complete(directory.path());
    let test = directory.path().join(json["differences"][0]["test"].as_str().unwrap());
    assert_eq!(
        json["differences"][0]["stdin"].as_str().unwrap(),
        fs::read_to_string(test.join("stdin")).unwrap()
    );
}

#[test]
fn an_interrupt_ends_a_build_and_all_that_it_started() {
    let trees = |directory: &Path| {
        for name in ["a", "b"] {
            fs::create_dir(directory.join(name)).unwrap();
            fs::write(directory.join(name).join("x.c"), "int main(void) { return 0; }\n").unwrap();
        }
    };
    let started = Started::line(&["diff", "a", "b", "--build", "sh -c 'sleep 300; true'"], trees);
    std::thread::sleep(Duration::from_millis(1500));
    let (status, document, directory) = started.interrupt(Duration::from_secs(5));
    assert_eq!((status, document.as_str()), (Some(130), ""));
    assert!(!directory.path().join("parallax-out").exists());
}

#[test]
fn an_interrupt_at_any_moment_ends_parallax_soon_and_cleanly() {
    for delay in [100, 400, 800, 1500, 3000] {
        let mut started = Started::pair("many", &["--compare", "exit"], |_| ());
        started.wait_for("building");
        std::thread::sleep(Duration::from_millis(delay));
        // The programs are instrumented to the end; the search is over at once.
        let (status, document, directory) = started.interrupt(Duration::from_secs(60));
        match status {
            // Before there was anything to report on.
            Some(130) if document.is_empty() => assert!(!directory.path().join("parallax-out").exists()),
            Some(130) => assert_eq!(complete(directory.path())["verdict"], "none-found"),
            // Nothing was left to try.
            Some(0) => assert!(document.contains("none-found")),
            other => panic!("{delay}: {other:?} {document}"),
        }
    }
}
