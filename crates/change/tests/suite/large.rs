//! Large and strange programs: an answer in bounded time.

use crate::common::{model, pair};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A function of more than `blocks` blocks.
fn large(blocks: usize, constant: usize) -> String {
    let mut text = String::from("int out(int);\nint main(int c, char **v) {\n    int s = 0;\n");
    for n in 0..blocks / 2 {
        let _ = writeln!(
            text,
            "    if (c == {}) s += out({});",
            n * 3,
            n * 7 + if n == 500 { constant } else { 0 }
        );
    }
    text + "    return s;\n}\n"
}

#[test]
fn a_function_of_20000_blocks_is_compared_in_time() {
    let (old, new) = (model(&large(20_000, 0)), model(&large(20_000, 1)));
    assert!(new.blocks.len() >= 20_000);
    let start = Instant::now();
    let pair = crate::common::of(old, new);
    assert_eq!(pair.targets(), ["main:504"]);
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn a_function_of_20000_blocks_that_was_written_anew_is_compared_in_time() {
    let other = large(20_000, 0).replace("c ==", "c * 5 >").replace("s +=", "s ^= 3 +");
    let (old, new) = (model(&large(20_000, 0)), model(&other));
    let start = Instant::now();
    let pair = crate::common::of(old, new);
    assert!(pair.targets().len() > 5_000);
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn two_programs_that_share_nothing_are_all_deleted_and_all_added() {
    let pair = pair(
        "int a(int x) { return x * 3 + 1; }",
        "#include <stdio.h>\nvoid b(void) { puts(\"b\"); puts(\"c\"); }",
    );
    assert_eq!(pair.changes(), ["added b [] [2]", "deleted a [1] []"]);
}
