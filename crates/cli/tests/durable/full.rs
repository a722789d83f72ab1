//! A full disk, for results and for the cache: a clear message, status 2, nothing damaged.

use super::*;

/// Runs Parallax with a file system of `size` bytes at `small` in the place, then once more outside with all the room there is. Nothing, if this machine
/// does not permit that.
fn with_small_disk(place: &Place, size: &str, line: &[&str], small_cache: bool) -> Option<Output> {
    fs::create_dir_all(place.path("small")).unwrap();
    let script = format!("mount -t tmpfs -o size={size} tmpfs small && exec \"$@\"");
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_parallax")).args(line).current_dir(place.directory.path());
    let cache = if small_cache { place.path("small/cache") } else { place.cache() };
    command.env("PARALLAX_CACHE", cache).env("TMPDIR", place.path("tmp"));
    let probe = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "small"])
        .current_dir(place.directory.path())
        .output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        eprintln!("skipped: no file system of a given size can be made here");
        return None;
    }
    Some(command.output().unwrap())
}

#[test]
fn a_full_disk_for_the_cache_is_said_and_harms_nothing() {
    for size in ["64k", "300k", "1m", "3m"] {
        let place = Place::new();
        let Some(output) = with_small_disk(&place, size, &place.diff_line(&[]), true) else { return };
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{size}: {message}");
        assert!(message.contains("No space left") || message.contains("no room"), "{size}: {message}");
        assert!(message.contains("parallax cache clean"), "{size}: {message}");
        assert!(message.contains("small"), "{size}: {message}");
        place.finds_the_difference("with room again");
    }
}

#[test]
fn a_full_disk_for_results_is_said_and_harms_nothing() {
    let place = Place::new();
    place.finds_the_difference("at first");
    for size in ["4k", "16k", "40k"] {
        let line = place.diff_line(&["--out", "small/out"]);
        let Some(output) = with_small_disk(&place, size, &line, false) else { return };
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{size}: {message}");
        assert!(message.contains("small/out"), "{size}: {message}");
    }
    place.finds_the_difference("afterwards");
}
