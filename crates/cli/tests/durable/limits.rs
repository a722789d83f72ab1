//! Limits that limit, and say so: Parallax's own memory, what is compared of a run, the time of a replay.

use super::*;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A place with one file in each version.
fn place_with(old: &str, new: &str) -> Place {
    let place = Place::new();
    fs::write(place.path("old.c"), old).unwrap();
    fs::write(place.path("new.c"), new).unwrap();
    place
}

/// The most memory that a process had, in bytes, looked at until it ends.
fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        most = most.max(kilobytes << 10);
        std::thread::sleep(Duration::from_millis(5));
    }
    most
}

/// Every byte of the input is part of many long conditions.
const LONG: &str = "#include <stdio.h>\nstatic unsigned char b[1 << 16];\nint main(void) { size_t n = fread(b, 1, sizeof b, stdin);\n\
    unsigned h = 1; for (size_t i = 0; i < n; i++) { h = h * 31 + b[i]; if ((h ^ i) & 1) h ^= b[i] << 7; if (b[i] == 'x') h++; }\n\
    printf(\"%u\\n\", h); return h % 11 == LAST; }\n";

#[test]
fn the_memory_of_parallax_itself_is_kept_whatever_the_traces_are() {
    const OWN: u64 = 192 << 20;
    /// Code of libraries.
    const FILES: u64 = 100 << 20;
    let place = place_with(&LONG.replace("LAST", "7"), &LONG.replace("LAST", "8"));
    fs::write(place.path("input"), b"abcdefgh".repeat(8 << 10)).unwrap();
    let line = ["diff", "old.c", "new.c", "--stdin", "input", "--time", "6s", "--format", "json"];
    // Building and instrumenting are not limited; now they are done.
    assert_eq!(place.run(&[&line[..], &["--runs", "1"]].concat()).status.code(), Some(0));
    let limited = [&line[..], &["--own-memory", "192M"]].concat();
    let mut child = place.command(&limited).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let most = peak(&mut child);
    assert!(most > OWN / 4 && most <= OWN + FILES, "{} MB", most >> 20);
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 1)));
    let verdicts = fs::read(place.path("parallax-out/verdicts.json")).unwrap();
    serde_json::from_slice::<Value>(&verdicts).unwrap();
    let refused = place.run(&[&line[..], &["--own-memory", "1M"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("give at least"), "{}", stderr(&refused));
}

#[test]
fn what_a_run_does_beyond_what_is_compared_is_said() {
    let source = "#include <stdio.h>\nint main(void) { for (int i = 0; i < 1000; i++) puts(\"line\");\n\
        for (int i = 0; i < 5; i++) { char name[8]; sprintf(name, \"f%d\", i); fclose(fopen(name, \"w\")); }\n\
        puts(\"LAST\"); return 0; }\n";
    let place = place_with(&source.replace("LAST", "one"), &source.replace("LAST", "two"));
    let warnings = |more: &[&str], code: i32| {
        let line = ["diff", "old.c", "new.c", "--time", "60s", "--runs", "3", "--format", "json"];
        let output = place.run(&[&line[..], more].concat());
        assert_eq!(output.status.code(), Some(code), "{more:?}: {}", stderr(&output));
        document(&output)["warnings"].to_string()
    };
    let whole = warnings(&[], 1);
    assert!(!whole.contains("--max-output") && !whole.contains("--max-changed"), "{whole}");
    let cut = warnings(&["--max-output", "1000"], 0);
    assert!(cut.contains("printed more than 1000 bytes") && cut.contains("--max-output"), "{cut}");
    let cut = warnings(&["--max-changed-files", "3"], 1);
    assert!(cut.contains("changed more than 3 files") && cut.contains("--max-changed-files"), "{cut}");
}

#[test]
fn a_replay_ends_when_its_time_is_up_and_is_not_green() {
    let source = "#include <unistd.h>\nint main(void) { sleep(100); return 0; }\n";
    let place = place_with(source, source);
    for test in ["a", "b", "c"] {
        fs::create_dir_all(place.path("tests").join(test)).unwrap();
        fs::write(place.path("tests").join(test).join("cmd"), test).unwrap();
    }
    let line =
        ["replay", "tests", "--old", "old.c", "--new", "new.c", "--run-time", "30s", "--format", "json"];
    // The builds do not count.
    assert_eq!(place.run(&[&line[..], &["--time", "1ms"]].concat()).status.code(), Some(5));
    let began = Instant::now();
    let output = place.run(&[&line[..], &["--time", "1s"]].concat());
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    let tests = document(&output)["tests"].as_array().unwrap().clone();
    assert_eq!(tests.len(), 3);
    for test in tests {
        assert!(test["reason"].as_str().unwrap().contains("--time"), "{test}");
    }
}
