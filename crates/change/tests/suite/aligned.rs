//! The alignment of instructions and blocks.

use crate::common::{model, of, pair};

const TEXT: &str = r#"
#include <stdio.h>
int f(int x) { int s = 0; for (int i = 0; i < x; i++) { if (i & 1) s += i; else puts("even"); } return s; }
int main(int argc, char **argv) { int a[4] = {0}; a[argc & 3] = f(argc); return a[0] + a[1]; }
"#;

#[test]
fn a_version_is_aligned_with_itself_completely() {
    let pair = pair(TEXT, TEXT);
    let alignment = &pair.comparison.alignment;
    assert!(alignment.insts.iter().enumerate().all(|(i, j)| j.is_some_and(|j| j.index() == i)));
    assert!(alignment.blocks.iter().enumerate().all(|(i, j)| j.is_some_and(|j| j.index() == i)));
}

#[test]
fn code_around_an_insertion_stays_aligned() {
    let new = TEXT.replace("return s;", "if (s > 100) puts(\"many\"); return s;");
    let pair = pair(TEXT, &new);
    let alignment = &pair.comparison.alignment;
    assert!(alignment.insts.iter().all(Option::is_some), "all old code is still there");
    let added = alignment.insts_back.iter().filter(|i| i.is_none()).count();
    // Comparison, branch, call, branch.
    assert_eq!(added, 4);
}

#[test]
fn an_alignment_is_one_to_one_and_keeps_kinds() {
    let old = model(TEXT);
    let new = model(&TEXT.replace("i & 1", "(i & 3) == 2").replace("s += i", "s -= i * 7"));
    let pair = of(old, new);
    for (i, j) in pair.comparison.alignment.insts.iter().enumerate() {
        let Some(j) = j else { continue };
        assert_eq!(pair.comparison.alignment.insts_back[j.index()].map(|i| i.index()), Some(i));
    }
}
