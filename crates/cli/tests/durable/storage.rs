//! `parallax cache`, and `--rebuild`.

use super::*;

fn contents(place: &Place, args: &[&str]) -> Value {
    let output = place.run(&[&["cache", "--format", "json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    document(&output)
}

#[test]
fn the_cache_says_what_it_holds_and_what_for_and_can_be_cleaned() {
    let place = Place::new();
    let empty = contents(&place, &[]);
    assert_eq!((&empty["size"], &empty["limit"]), (&Value::from(0), &Value::from(10u64 << 30)));
    place.finds_the_difference("at first");
    let full = contents(&place, &[]);
    let builds = full["builds"].as_array().unwrap();
    let mut sources: Vec<_> = builds.iter().map(|build| build["source"].as_str().unwrap()).collect();
    sources.sort_unstable();
    assert_eq!(sources.len(), 2);
    assert!(sources[0].ends_with("new") && sources[1].ends_with("old"), "{sources:?}");
    assert!(builds.iter().all(|build| build["command"] == BUILD && build["size"].as_u64() > Some(0)));
    // To search with, and to follow both versions with.
    assert!(full["kinds"]["instrumented"]["count"].as_u64() == Some(4), "{full:#}");
    let shown = place.run(&["cache"]);
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.contains("of at most 10.0 GB") && text.contains("build of"), "{text}");
    let cleaned = contents(&place, &["clean"]);
    assert_eq!((&cleaned["size"], &cleaned["builds"]), (&Value::from(0), &Value::Array(vec![])));
    assert_eq!(cleaned["removed"], full["size"]);
    place.finds_the_difference("after cleaning");
}

#[test]
fn a_limit_is_kept_after_every_build() {
    let place = Place::new();
    assert_eq!(contents(&place, &["--limit", "1"])["limit"], 1);
    place.finds_the_difference("what a run needs itself may be larger than the limit");
    let builds = |contents: &Value| contents["builds"].as_array().unwrap().len();
    assert_eq!(builds(&contents(&place, &[])), 2);
    // The next run that builds something makes room.
    fs::write(place.path("one.c"), "int main(int n, char **a) { return n; }\n").unwrap();
    let output = place.run(&["trace", "one.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let after = contents(&place, &[]);
    assert_eq!(builds(&after), 1, "{after:#}");
    assert_eq!(contents(&place, &["--limit", "1G"])["limit"], 1 << 30);
}

#[test]
fn a_build_is_made_again_if_that_is_asked_for() {
    let place = Place::new();
    let log = place.path("log");
    let build = format!("echo x >> {}; $CC main.c part.c -o program", log.display());
    let times = |more: &[&str]| {
        let _ = fs::remove_file(&log);
        let output = place.run(&[&["trace", "old", "--build", &build, "--format", "json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        fs::read_to_string(&log).unwrap_or_default().lines().count()
    };
    assert_eq!([times(&[]), times(&[]), times(&["--rebuild"]), times(&[])], [1, 0, 1, 0]);
    let line = ["diff", "old", "new", "--build", &build, "--rebuild", "--time", "30s", "--format", "json"];
    let _ = fs::remove_file(&log);
    assert_eq!(place.run(&[&line[..], &["--max-differences", "1"]].concat()).status.code(), Some(1));
    assert_eq!(fs::read_to_string(&log).unwrap(), "x\nx\n");
}
