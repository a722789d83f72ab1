//! What is no change.

use crate::common::{models, of, pair, unchanged};

const PLAIN: &str = r#"
#include <stdio.h>
#include <string.h>
#include <assert.h>
struct point { int x, y; };
static int total;
static int length(const char *text, int limit) {
    int n = 0, seen = 0;
    char copy[16];
    int box = 3;
    scanf("%d", &box);
    strcpy(copy, text);
    while (copy[n] && n < limit) {
        static int calls;
        calls++;
        if (copy[n] == ' ') seen++;
        n++;
    }
    assert(n >= 0);
    total += n + box;
    return n - seen;
}
int main(int argc, char **argv) {
    struct point p = { argc, 2 };
    if (argc > 1 && argv[1][0]) printf("%d %d\n", length(argv[1], 10), p.x + p.y);
    else puts("nothing");
    return total > 5;
}
"#;

#[test]
fn a_program_and_itself() {
    unchanged(PLAIN, PLAIN);
}

#[test]
fn comments_white_space_and_moved_lines() {
    let new = PLAIN
        .replace("    int n = 0", "\n\n    /* how many\n       characters */ int n = 0")
        .replace("n++;", "n++ ; // next")
        .replace("assert(n >= 0)", "assert( n>=0 )")
        .replace("puts(\"nothing\")", "puts(\n\n\"nothing\"\n)");
    unchanged(PLAIN, &new);
}

#[test]
fn renamed_locals_parameters_and_static_locals() {
    let new = PLAIN
        .replace("seen", "blanks")
        .replace("copy", "buffer")
        .replace("limit", "most")
        .replace("box", "number")
        .replace("argc", "count");
    unchanged(PLAIN, &new);
    let renamed = pair(PLAIN, &PLAIN.replace("calls", "entered"));
    assert_eq!(renamed.changes(), ["renamed entered [14] [14]"]);
    assert_eq!(renamed.targets(), [""; 0]);
}

#[test]
fn reordered_declarations() {
    let new = PLAIN
        .replace("int n = 0, seen = 0;", "int seen = 0, n = 0;")
        .replace("    char copy[16];\n    int box = 3;\n", "    int box = 3;\n    char copy[16];\n");
    unchanged(PLAIN, &new);
    let two = "void g(int *); int main(void) { int a = 1; int b = 2; g(&a); g(&b); return a - b; }";
    unchanged(two, &two.replace("int a = 1; int b = 2;", "int b = 2; int a = 1;"));
    let arrays = "void g(char *); int main(void) { char a[8]; char b[8]; g(a); g(b); return a[0] - b[0]; }";
    unchanged(arrays, &arrays.replace("char a[8]; char b[8];", "char b[8]; char a[8];"));
}

#[test]
fn reordered_functions_and_globals() {
    let old = "static int a = 1; static int b = 2; int f(void) { return a; } int g(void) { return b; } int main(void) { return f() + g(); }";
    let new = "static int b = 2; static int a = 1; int g(void) { return b; } int f(void) { return a; } int main(void) { return f() + g(); }";
    unchanged(old, new);
}

#[test]
fn renamed_types_members_and_enumerators() {
    let old = "enum k { A, B }; struct s { int m; enum k n; }; int f(struct s *s) { return s->n == B ? s->m : A; } int main(void) { struct s s = { 1, B }; return f(&s); }";
    let new = "enum q { C, D }; struct t { int u; enum q v; }; int f(struct t *s) { return s->v == D ? s->u : C; } int main(void) { struct t s = { 1, D }; return f(&s); }";
    unchanged(old, new);
}

#[test]
fn a_renamed_function_is_no_target() {
    let new = PLAIN.replace("length", "measured");
    let pair = pair(PLAIN, &new);
    assert_eq!(pair.changes(), ["renamed measured [7] [7]"]);
    assert_eq!(pair.targets(), [""; 0]);
}

#[test]
fn renamed_functions_that_call_each_other_are_no_target() {
    let old = "int one(int x) { return x + 1; } int two(int x) { return one(x) * 2; } int main(int c, char **v) { return two(c); }";
    let new = old.replace("one", "uno").replace("two", "due");
    let pair = pair(old, &new);
    assert_eq!(pair.changes(), ["renamed uno [1] [1]", "renamed due [1] [1]"]);
    assert_eq!(pair.targets(), [""; 0]);
}

#[test]
fn a_function_in_another_file_moved() {
    let twice = "int twice(int x) { for (int i = 0; i < 3; i++) x += i; return x * 2; }\n";
    let half = "int twice(int); int half(int c) { return twice(c) / 4; }\n";
    let main = "int twice(int); int half(int); int main(int c, char **v) { return half(c); }\n";
    let old = models(&[("a.c", &format!("{twice}{half}")), ("main.c", main)]);
    let new = models(&[("a.c", half), ("main.c", &format!("{main}{twice}"))]);
    let pair = of(old, new);
    assert_eq!(pair.changes(), ["moved twice [1] [2]"]);
    assert_eq!(pair.targets(), [""; 0]);
}

#[test]
fn a_renamed_file_is_no_change_of_its_functions() {
    let text = "static int f(int c) { return c * 3; } int main(int c, char **v) { return f(c); }";
    let pair = of(models(&[("a.c", text)]), models(&[("b.c", text)]));
    assert_eq!(pair.changes(), [""; 0]);
}

#[test]
fn a_macro_that_says_the_same_otherwise() {
    let old = "#define MORE(x) ((x) + 3)\nint main(int c, char **v) { return MORE(c); }";
    let new = "#define THREE 3\n#define MORE(y) ((y) + THREE)\nint main(int c, char **v) { return MORE(c); }";
    unchanged(old, new);
}
