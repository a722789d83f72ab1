//! Names that went from one thing to another: what is no target, and what is one although only names differ.

use crate::common::{models, of, pair, Pair};

/// Functions of one shape, functions that call themselves and each other, variables of one type and content, a table of functions.
const PROGRAM: &str = r#"
#include <stdio.h>
enum colour { RED = 1, GREEN = 2 };
typedef struct box { int width, height; enum colour paint; } Box;
static int count;
static int depth;
int shared = 3;
int other = 3;
static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }
static int third(int x) { static int calls; return x * 3 + calls++; }
static int odd(int n);
static int even(int n) { depth++; return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { count++; return n == 0 ? 0 : even(n - 1); }
int down(int n) { return n > 0 ? down(n - 1) + first(n) : shared; }
int up(int n) { return n > 0 ? up(n - 1) + second(n) : other; }
static int (*const table[])(int) = { first, second, third, down };
static const char *const names[] = { "first", "second", "third", "down" };
static int area(const Box *b) { if (!b) goto none; return b->paint == GREEN ? b->width * b->height : RED; none: return 0; }
int main(int argc, char **argv) {
    Box b = { argc, 2, GREEN };
    for (int i = 0; i < 4; i++) printf("%s %d\n", names[i], table[i](argc));
    printf("%d %d %d %d\n", even(argc), up(argc), down(argc), area(&b));
    return count - depth + shared - other;
}
"#;

/// Every whole word gets the name that stands beside it, all at once.
fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if quoted || word == 0 {
            quoted ^= c == '"';
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let new = names.iter().find(|(old, _)| *old == &rest[..word]).map_or(&rest[..word], |(_, new)| *new);
        out.push_str(new);
        rest = &rest[word..];
    }
    out
}

#[track_caller]
fn no_target(names: &[(&str, &str)]) -> Pair {
    let new = renamed(PROGRAM, names);
    assert_ne!(new, PROGRAM);
    let pair = pair(PROGRAM, &new);
    assert_eq!(pair.targets(), [""; 0], "{:?}", pair.changes());
    assert!(pair.changes().iter().all(|c| c.starts_with("renamed ")), "{:?}", pair.changes());
    assert!(pair.comparison.alignment.insts.iter().all(Option::is_some));
    pair
}

#[test]
fn fresh_names_for_everything_are_no_target() {
    let all = "colour RED GREEN box Box width height paint count depth shared other first second third calls odd even down up \
               table names area none b i x n argc argv";
    let fresh: Vec<(String, String)> =
        all.split_whitespace().map(|name| (name.to_owned(), format!("{name}_renamed"))).collect();
    let fresh: Vec<(&str, &str)> = fresh.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let pair = no_target(&fresh);
    // Of functions and variables it is said that they have another name; eight functions, seven variables.
    assert_eq!(pair.changes().len(), 15, "{:?}", pair.changes());
    for kind in all.split_whitespace() {
        no_target(&[(kind, "another_name")]);
    }
}

#[test]
fn exchanged_names_are_no_target_if_everything_that_uses_them_goes_along() {
    for (a, b) in [
        ("first", "second"),
        ("even", "odd"),
        ("up", "down"),
        ("up", "first"),
        ("count", "depth"),
        ("shared", "other"),
        ("count", "shared"),
        ("RED", "GREEN"),
        ("width", "height"),
    ] {
        no_target(&[(a, b), (b, a)]);
    }
    // A ring, along the calls: down gets its callee's name, and so on.
    no_target(&[("down", "first"), ("first", "second"), ("second", "up"), ("up", "down")]);
    // A name goes on, and its last bearer gets a new one.
    no_target(&[("first", "second"), ("second", "second_of_old")]);
    no_target(&[("even", "odd"), ("odd", "third"), ("third", "fresh")]);
}

/// The change, and what is left of the program, by line.
#[track_caller]
fn changed(old: &str, new: &str) -> Vec<String> {
    assert_ne!(old, new);
    let pair = pair(old, new);
    assert!(!pair.targets().is_empty(), "no target: {:?}", pair.changes());
    pair.targets()
}

#[test]
fn exchanged_names_are_a_change_if_the_callers_stay() {
    let old = "int f(int x) { return x + 1; }\nint g(int x) { return x + 2; }\nint main(int c, char **v) { return f(c) * 10 + g(c); }";
    let new = "int g(int x) { return x + 1; }\nint f(int x) { return x + 2; }\nint main(int c, char **v) { return f(c) * 10 + g(c); }";
    assert_eq!(changed(old, new), ["g:1", "f:2"]);
    // Seen from the callers it is the same.
    let exchanged = old.replace("f(c) * 10 + g(c)", "g(c) * 10 + f(c)");
    assert_eq!(changed(old, &exchanged), ["main:3"]);
    let variables = "int a = 1, b = 2; int main(int c, char **v) { return a * 10 + b + c; }";
    changed(variables, &variables.replace("a = 1, b = 2", "b = 1, a = 2"));
    changed(variables, &variables.replace("a * 10 + b", "b * 10 + a"));
}

#[test]
fn functions_that_look_alike_are_told_apart_by_what_they_call() {
    let old = "int add(int x) { return x + 1; }\nint sub(int x) { return x - 1; }\n\
               int one(int x) { return add(x); }\nint two(int x) { return sub(x); }\n\
               int main(int c, char **v) { return one(c) * 10 + two(c); }";
    // Renamed, but one caller stays with the name.
    let stays =
        renamed(old, &[("add", "sub"), ("sub", "add")]).replace("sub(x); }\nint two", "add(x); }\nint two");
    assert!(stays.contains("int one(int x) { return add(x); }"));
    changed(old, &stays);
    changed(old, &old.replace("one(c) * 10 + two(c)", "two(c) * 10 + one(c)"));
    let all = renamed(old, &[("one", "two"), ("two", "one"), ("add", "sub"), ("sub", "add")]);
    assert_eq!(pair(old, &all).targets(), [""; 0]);
    let recursive =
        "int f(int n) { return n ? f(n - 1) + 1 : 0; }\nint g(int n) { return n ? g(n - 1) + 1 : 0; }\n\
                     int main(int c, char **v) { return f(c) + g(c + 1); }";
    assert_eq!(pair(recursive, &renamed(recursive, &[("f", "g"), ("g", "f")])).targets(), [""; 0]);
    // f no longer calls itself: the same words, and another program.
    assert_eq!(changed(recursive, &recursive.replace("f(n - 1)", "g(n - 1)")), ["f:1"]);
}

#[test]
fn a_renaming_does_not_hide_a_change_beside_it() {
    let exchanged = [("first", "second"), ("second", "first")];
    let new = renamed(PROGRAM, &exchanged).replace("x * 3", "x * 4");
    let found = pair(PROGRAM, &new);
    assert_eq!(found.targets(), ["third:11"], "{:?}", found.changes());
    // In one of the renamed functions itself.
    let found = changed(PROGRAM, &renamed(PROGRAM, &exchanged).replace("x + 2", "x + 5"));
    assert!(found.contains(&"first:10".to_owned()), "{found:?}");
}

#[test]
fn static_functions_of_one_name_in_two_files_are_renamed_each_for_itself() {
    let a = "static int help(int x) { return x + 1; } int a(int x) { return help(x); }";
    let b = "static int help(int x) { return x + 2; } int b(int x) { return help(x); }";
    let main = "int a(int), b(int); int main(int c, char **v) { return a(c) * 10 + b(c); }";
    let old = models(&[("a.c", a), ("b.c", b), ("main.c", main)]);
    let new =
        models(&[("a.c", &a.replace("help", "aid")), ("b.c", &b.replace("help", "aid")), ("main.c", main)]);
    let found = of(old, new);
    assert_eq!(found.targets(), [""; 0]);
    assert_eq!(found.changes(), ["renamed aid [1] [1]", "renamed aid [1] [1]"]);
}
