//! Every file of the cache, damaged in every way: the next run gives the right result.

use super::*;
use std::os::unix::fs::{symlink, PermissionsExt};

/// Ways to damage a file. `other` is another file of the cache.
const WAYS: [(&str, fn(&Path, &Path)); 8] = [
    ("emptied", |file, _| fs::write(file, b"").unwrap()),
    ("cut in half", |file, _| {
        let content = fs::read(file).unwrap();
        fs::write(file, &content[..content.len() / 2]).unwrap();
    }),
    ("filled with garbage", |file, _| fs::write(file, b"\x7fELF garbage {}\n").unwrap()),
    ("changed in one byte", |file, _| {
        let mut content = fs::read(file).unwrap();
        let middle = content.len() / 2;
        content.get_mut(middle).map(|byte| *byte ^= 0x10);
        fs::write(file, content).unwrap();
    }),
    ("exchanged with another", |file, other| {
        let (one, two) = (fs::read(file).unwrap(), fs::read(other).unwrap());
        fs::write(file, two).unwrap();
        fs::write(other, one).unwrap();
    }),
    ("replaced by a link", |file, other| {
        fs::remove_file(file).unwrap();
        symlink(other, file).unwrap();
    }),
    ("replaced by a directory", |file, _| {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
        fs::write(file.join("inside"), b"").unwrap();
    }),
    ("made unreadable and not executable", |file, _| {
        fs::set_permissions(file, fs::Permissions::from_mode(0o000)).unwrap();
    }),
];

/// What a damaged file is exchanged with: one of the same kind, as far as there is one.
fn partner(files: &[PathBuf], file: &Path) -> PathBuf {
    let alike = |other: &&PathBuf| *other != file && other.extension() == file.extension();
    let same_name = |other: &&PathBuf| alike(other) && other.file_name() == file.file_name();
    let found = files.iter().find(same_name).or_else(|| files.iter().find(alike));
    found.or_else(|| files.iter().find(|other| *other != file)).unwrap().clone()
}

fn is_damageable(file: &Path) -> bool {
    // Locks are empty, and the log of a build is for people.
    file.extension().is_none_or(|extension| extension != "lock") && !file.ends_with("build.log")
}

#[test]
fn whatever_is_damaged_in_the_cache_the_next_run_is_right() {
    let place = Place::new();
    place.finds_the_difference("at first");
    let files = || -> Vec<PathBuf> {
        files_in(&place.cache()).into_iter().filter(|file| is_damageable(file)).collect()
    };
    let known = files();
    assert!(known.len() >= 25, "{known:#?}");
    // Many at once, each run in another way: a run has to heal whatever it meets.
    for (round, (way, damage)) in WAYS.iter().enumerate() {
        let now = files();
        for file in now.iter().skip(round % 2).step_by(2).filter(|file| file.is_file()) {
            damage(file, &partner(&now, file));
        }
        place.finds_the_difference(way);
    }
    place.finds_the_difference("with everything healed");
}

#[test]
fn a_single_damaged_file_is_found_out_whatever_it_is() {
    let place = Place::new();
    place.finds_the_difference("at first");
    let line = ["inspect", "old", "new", "--build", BUILD, "--format", "json"];
    let right = place.run(&line);
    assert_eq!(right.status.code(), Some(0), "{}", stderr(&right));
    let files: Vec<PathBuf> =
        files_in(&place.cache()).into_iter().filter(|file| is_damageable(file)).collect();
    let mut random = fastrand::Rng::with_seed(13);
    for turn in 0..rounds() {
        let now: Vec<PathBuf> = files.iter().filter(|file| file.is_file()).cloned().collect();
        let file = &now[random.usize(..now.len())];
        let (way, damage) = WAYS[random.usize(..WAYS.len())];
        damage(file, &partner(&now, file));
        let about = format!("{turn}: {} {way}", file.display());
        // What `inspect` and `diff` keep is not the same.
        if turn % 2 == 0 {
            let output = place.run(&line);
            assert_eq!(output.status.code(), Some(0), "{about}: {}", stderr(&output));
            assert_eq!(document(&output), document(&right), "{about}");
        } else {
            place.finds_the_difference(&about);
        }
    }
}

/// `PARALLAX_TEST_DAMAGES=100` tries more.
fn rounds() -> usize {
    std::env::var("PARALLAX_TEST_DAMAGES").ok().and_then(|n| n.parse().ok()).unwrap_or(8)
}

#[test]
fn an_exchanged_module_is_not_believed() {
    let place = Place::new();
    place.finds_the_difference("at first");
    let modules: Vec<PathBuf> = files_in(&place.cache().join("modules"));
    let [one, two] =
        modules.iter().filter(|file| file.extension().is_some_and(|e| e == "bc")).collect::<Vec<_>>()[..]
    else {
        panic!("two modules: {modules:?}")
    };
    // Both the same, then: nothing would be different any more.
    fs::copy(one, two).unwrap();
    for shelf in ["instrumented", "cleaned", "models-of-programs", "answers"] {
        let _ = fs::remove_dir_all(place.cache().join(shelf));
    }
    place.finds_the_difference("with one module for both versions");
}

#[test]
fn files_where_directories_were_and_a_cache_of_nothing_else_are_replaced() {
    let place = Place::new();
    fs::create_dir(place.cache()).unwrap();
    for shelf in
        ["builds", "bitcode", "modules", "cleaned", "instrumented", "models", "tmp", "models-of-programs"]
    {
        fs::write(place.cache().join(shelf), b"a file").unwrap();
    }
    place.finds_the_difference("from files");
    for shelf in fs::read_dir(place.cache()).unwrap().flatten() {
        fs::remove_dir_all(shelf.path()).ok();
        symlink("nowhere", shelf.path()).ok();
    }
    place.finds_the_difference("from links that lead nowhere");
}
