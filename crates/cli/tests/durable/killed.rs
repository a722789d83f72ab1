//! Kills at random moments of all phases: what was found is readable, the next run works, and nothing is left lying about or running.

use super::*;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Finds many differences, each with something to make smaller.
const MANY: &str = "#include <stdio.h>\n#include <string.h>\nint main(void) { char line[64] = \"\"; fgets(line, sizeof line, stdin);\n";

fn place_with_many() -> Place {
    let place = Place::new();
    for (version, message) in [("old", "one"), ("new", "two")] {
        let mut text = MANY.to_owned();
        for letter in 'a'..='p' {
            text += &format!(
                "if (strchr(line, '{letter}')) {{ printf(\"{letter} {message}\\n\"); return 0; }}\n"
            );
        }
        fs::write(place.path(version).join("main.c"), text + "return 0; }\n").unwrap();
    }
    place
}

/// Processes that have to do with this place: its cache is in their environment, or a program of it on their command line.
fn processes(place: &Place) -> Vec<String> {
    let variable = format!("PARALLAX_CACHE={}", place.cache().display());
    let path = place.directory.path().display().to_string();
    let read = |process: &Path, name: &str| {
        String::from_utf8_lossy(&fs::read(process.join(name)).unwrap_or_default()).replace('\0', " ")
    };
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let ours = all.filter(|process| {
        read(process, "environ").contains(&variable) || read(process, "cmdline").contains(&path)
    });
    ours.map(|process| read(&process, "cmdline")).collect()
}

/// Directories in memory that runs without namespaces have.
fn in_memory(pid: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    entries.map(|e| e.path()).filter(|p| p.to_string_lossy().contains(&format!("-{pid}-"))).collect()
}

/// `PARALLAX_TEST_KILLS=100` kills more often.
fn kills() -> u32 {
    std::env::var("PARALLAX_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(10)
}

/// How long an undisturbed run takes with everything to be built, and with everything in the cache.
fn durations(place: &Place, line: &[&str]) -> [Duration; 2] {
    [true, false].map(|fresh| {
        if fresh {
            let _ = fs::remove_dir_all(place.cache());
        }
        let before = Instant::now();
        // On a busy machine the time may not suffice to find anything.
        assert!(matches!(place.run(line).status.code(), Some(0 | 1 | 5)));
        before.elapsed()
    })
}

#[test]
fn a_kill_at_any_moment_loses_nothing_and_leaves_nothing() {
    let place = place_with_many();
    let build = "(setsid sleep 600 &) ; $CC -O1 main.c -o program";
    let line = ["diff", "old", "new", "--build", build, "--format", "json", "--time", "4s"];
    let durations = durations(&place, &line);
    let mut random = fastrand::Rng::with_seed(u64::from(kills()));
    let mut found = 0;
    for kill in 0..kills() {
        // Half of the runs have to build; the other half get to searching and reporting.
        let fresh = kill % 2 == 0;
        if fresh {
            // With the programs go the results that name them.
            for gone in [place.cache(), place.path("parallax-out"), place.path("parallax-out.old")] {
                let _ = fs::remove_dir_all(gone);
            }
        }
        let whole = durations[usize::from(!fresh)];
        // Every fourth comes near the end, where the last tests are made small and the report is written.
        let part = if kill % 4 == 3 { 0.85 + 0.2 * random.f64() } else { random.f64() };
        let moment = whole.mul_f64(part);
        let mut child = place.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment);
        // It may have ended already.
        let _ = child.kill();
        child.wait().unwrap();
        let about = format!("kill {kill} after {moment:?} of {whole:?}");
        found += what_was_found_is_readable(&place, &about);
        nothing_is_left(&place, child.id(), &about);
    }
    assert!(kills() < 50 || found > 0, "no kill came late enough");
    let patient = ["diff", "old", "new", "--build", build, "--time", "120s", "--max-differences", "1"];
    let output = place.run(&patient);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(fs::read_dir(place.cache().join("tmp")).unwrap().count(), 0, "the next run clears up");
}

/// Every difference in `verdicts.json` has its test; gives their number.
fn what_was_found_is_readable(place: &Place, about: &str) -> usize {
    let out = place.path("parallax-out");
    let Ok(text) = fs::read(out.join("verdicts.json")) else { return 0 };
    let verdicts: Value = serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{about}: {e}"));
    let differences = verdicts["differences"].as_array().unwrap();
    for difference in differences {
        let test = place.directory.path().join(difference["test"].as_str().unwrap());
        for file in ["cmd", "stdin", "run.sh", "old/stdout", "new/stdout"] {
            assert!(test.join(file).is_file(), "{about}: {} of {}", file, test.display());
        }
    }
    if !differences.is_empty() {
        let replayed = place.run(&["replay", "parallax-out/tests"]);
        assert!(matches!(replayed.status.code(), Some(0 | 1)), "{about}: {}", stderr(&replayed));
    }
    differences.len()
}

fn nothing_is_left(place: &Place, pid: u32, about: &str) {
    // The kernel ends them; that is a matter of moments, on a busy machine a few more.
    let patience = Instant::now() + Duration::from_secs(10);
    while !processes(place).is_empty() {
        assert!(Instant::now() < patience, "{about}: {:#?}", processes(place));
        std::thread::sleep(Duration::from_millis(10));
    }
    let left: Vec<_> = fs::read_dir(place.path("tmp")).unwrap().flatten().map(|e| e.path()).collect();
    assert!(left.is_empty(), "{about}: {left:?}");
    assert!(in_memory(pid).is_empty(), "{about}: {:?}", in_memory(pid));
}
