//! What cannot be verified has a clear outcome, and never `equivalent`.

use super::*;

const COPY: &str = "#include <unistd.h>
int main(void) {
    char c;
    if (read(0, &c, 1) == 1 && c > 'k') write(1, &c, 1);
    return 0;
}
";

#[test]
fn bounds_that_leave_nothing_are_refused() {
    let versions = Versions::new(COPY, &COPY.replace("c > 'k'", "c >= 'l'"));
    versions.verify(&["--min-input", "3", "--max-input", "2"]).refused(&["--min-input 3", "--max-input 2"]);
    versions.verify(&["--max-shapes", "0"]).refused(&["--max-shapes"]);
}

#[test]
fn a_rewritten_condition_is_equivalent_on_every_input() {
    let rewritten = COPY.replace("c > 'k'", "(c & 128) == 0 && (c & 127) * 3 > 'k' * 3");
    let versions = Versions::new(COPY, &rewritten);
    let json = versions.verify(&["--max-input", "2"]).json(0);
    assert_eq!(
        json["verdict"], "equivalent",
        "only one byte is read, and nothing else is looked at: {json:#}"
    );
    assert_eq!(json["shares"]["equal"], 1.0);
    assert!(json["stats"]["confirmed"].as_u64().unwrap() > 0, "shown by exploring: {json:#}");
}

#[test]
fn a_program_that_loops_on_some_inputs_is_not_equivalent_to_anything() {
    let looping = "#include <unistd.h>
int main(void) {
    char c = 0;
    if (read(0, &c, 1) == 1)
        while (c == 'x') ;
    return c;
}
";
    let versions = Versions::new(
        looping,
        &looping
            .replace("return c;", "if (c < 0) { c = c + 1; c--; } return c;")
            .replace("c == 'x'", "(c ^ 'x') == 0"),
    );
    let json = versions.verify(&["--max-input", "1", "--run-time", "300ms"]).json(0);
    assert_eq!(json["verdict"], "partly", "{json:#}");
    let found = partitions(&json, 1);
    let weak = with_status(&found, "weak");
    assert_eq!((weak.len(), &weak[0]["count"], &weak[0]["stdin"]), (1, &1.into(), &"x".into()), "{json:#}");
    assert!(weak[0]["weakened"][0].as_str().unwrap().contains("time"), "{json:#}");
    assert_eq!(with_status(&found, "equal").len(), found.len() - 1);
}

#[test]
fn output_that_varies_by_itself_is_left_out_and_never_equivalent() {
    let clock = "#include <stdio.h>
#include <time.h>
int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int c = getchar();
    printf(\"%ld\\n\", now.tv_nsec);
    return c == 'x';
}
";
    let versions = Versions::new(clock, &clock.replace("c == 'x'", "c * c == 14400 && c > 0"));
    let json = versions.verify(&["--max-input", "1"]).json(0);
    assert_eq!(json["verdict"], "partly", "{json:#}");
    assert_eq!(json["unstable"][0]["aspect"], "stdout", "{json:#}");
}

#[test]
fn a_formula_beyond_its_limit_leaves_its_inputs_unexplored() {
    let versions = Versions::new(COPY, &COPY.replace("c > 'k'", "c * c * c > 'k' * 'k' * 'k'"));
    let json = versions.verify(&["--max-input", "1", "--max-formula", "3"]).json(0);
    assert_eq!(json["verdict"], "partly", "{json:#}");
    let reasons = json["undecided"].to_string() + &json["partitions"].to_string();
    assert!(reasons.contains("--max-formula 3"), "{json:#}");
    assert_ne!(json["shares"]["equal"], 1.0, "{json:#}");
}
