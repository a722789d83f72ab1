//! Control-C keeps what was found and ends with a complete report, whenever it comes.

use super::*;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn start(pair: &str, directory: &Path, args: &[&str]) -> Child {
    let [old, new] = sources(pair);
    let line = [&["diff", &old, &new, "--format", "json", "--time", "100s"], args].concat();
    parallax(directory, &line).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn what_was_found_is_reported_after_an_interrupt() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start("many", directory.path(), &[]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let found = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("difference 1 after")));
    assert!(found.is_some());
    let before = Instant::now();
    interrupt(&child);
    let mut document = String::new();
    child.stdout.take().unwrap().read_to_string(&mut document).unwrap();
    let status = child.wait().unwrap();
    assert!(before.elapsed() < Duration::from_secs(10));
    let json: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(status.code(), Some(1));
    assert_eq!(json["verdict"], "different");
    assert!(directory.path().join("parallax-out/tests/1-stdout/run.sh").exists());
    assert!(directory.path().join("parallax-out/junit.xml").exists());
}

#[test]
fn an_interrupt_at_any_moment_ends_parallax_soon_and_cleanly() {
    for delay in [20, 200, 700, 1500, 3000, 5000] {
        let directory = tempfile::tempdir().unwrap();
        let child = start("many", directory.path(), &["--compare", "exit"]);
        std::thread::sleep(Duration::from_millis(delay));
        interrupt(&child);
        let before = Instant::now();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        // A build that has begun is finished first; the search is over at once. 0: nothing was left to try before.
        assert!(before.elapsed() < Duration::from_secs(60), "{delay}");
        match output.status.code() {
            Some(0 | 130) => {}
            // Before there was a handler.
            None => assert!(delay <= 200, "{delay}: {stderr}"),
            other => panic!("{delay}: {other:?} {stderr}"),
        }
        if !output.stdout.is_empty() {
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(json["verdict"], "none-found");
        }
    }
}
