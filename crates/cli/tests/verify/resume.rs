//! An interrupted verification goes on where it stopped.

use super::*;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "#include <unistd.h>
int main(void) {
    unsigned char in[3];
    int n = 0;
    for (int i = 0; i < 3 && read(0, in + i, 1) == 1; i++)
        n = in[i] > 'm' ? n * 2 + 1 : n * 2;
    return n;
}
";

/// The same, in a way that no compiler sees through.
const REWRITTEN: &str = "#include <unistd.h>
int main(void) {
    unsigned char in[3];
    int n = 0, i = 0;
    while (i < 3) {
        if (read(0, in + i, 1) != 1) break;
        int square = in[i] * in[i];
        n = 2 * n + (square > 109 * 109);
        i++;
    }
    return n;
}
";

#[test]
fn a_resume_of_another_version_is_refused_and_so_is_one_of_nothing() {
    let versions = Versions::new(PROGRAM, REWRITTEN);
    versions.verify(&["--resume"]).refused(&["--resume", "no verification to go on with"]);
    let first = versions.verify(&["--max-input", "1"]).json(0);
    assert_eq!(first["verdict"], "equivalent-within", "{first:#}");
    assert!(first["stats"]["queries"].as_u64().unwrap() > 0, "{first:#}");
    let again = versions.verify(&["--max-input", "1", "--resume"]).json(0);
    assert_eq!(again["resumed"], true);
    assert_eq!(again["partitions"].as_array().unwrap().len(), first["partitions"].as_array().unwrap().len());
    assert_eq!(again["stats"]["queries"], 0, "everything was known: {again:#}");
    versions.verify(&["--max-input", "2", "--resume"]).refused(&["options are others"]);
    fs::write(versions.path().join("new.c"), REWRITTEN.replace("109 *", "110 *")).unwrap();
    versions
        .verify(&["--max-input", "1", "--resume"])
        .refused(&["the new version has changed", "without --resume"]);
}

/// Lines of the journal.
fn entries(versions: &Versions) -> usize {
    let journal = versions.path().join("parallax-out/partitions/journal.jsonl");
    fs::read_to_string(journal).map_or(0, |text| text.lines().count())
}

/// Verifies until the journal has so many lines.
fn begin(versions: &Versions, options: &[&str], lines: usize) -> Child {
    let mut command = versions.command(options);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    while entries(versions) < lines && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn what_was_shown_before_an_interrupt_or_a_kill_is_not_lost() {
    let versions = Versions::new(PROGRAM, REWRITTEN);
    let options = ["--max-input", "3", "--partitions", "paths"];
    let child = begin(&versions, &options, 3);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let interrupted = Verified { output: child.wait_with_output().unwrap() }.json(130);
    assert_eq!((&interrupted["verdict"], &interrupted["ended"]), (&"partly".into(), &"interrupted".into()));
    let kept = entries(&versions);
    let resumed = [&options[..], &["--resume"]].concat();
    let mut child = begin(&versions, &resumed, kept + 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(entries(&versions) >= kept, "a kill lost what was there before it");
    let json = versions.verify(&resumed).json(0);
    // Neither version reads a fourth byte, or looks at anything else: what holds for three holds for all.
    assert_eq!((&json["verdict"], &json["shares"]["equal"]), (&"equivalent".into(), &1.0.into()));
    // A leaf for each way to go through up to three bytes, none twice.
    let found: Vec<usize> = (0..=3).map(|length| partitions(&json, length).len()).collect();
    assert_eq!(found, [1, 2, 4, 8], "{json:#}");
}
