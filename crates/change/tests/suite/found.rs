//! What is a change, of what kind, and on which lines.

use crate::common::{models, of, pair};

#[track_caller]
fn check(old: &str, new: &str, changes: &[&str], targets: &[&str]) {
    let pair = pair(old, new);
    assert_eq!(pair.changes(), changes);
    assert_eq!(pair.targets(), targets);
}

const LOOP: &str = "\
#include <stdio.h>
#define LIMIT 10
int work(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i > LIMIT)
            puts(\"big\");
        sum += i * 2;
    }
    return sum;
}
int main(int argc, char **argv) {
    printf(\"%d\\n\", work(argc));
    return 0;
}
";

#[test]
fn a_changed_operator_is_a_change_of_its_line() {
    check(LOOP, &LOOP.replace("i * 2", "i * 3"), &["modified work [8] [8]"], &["work:8"]);
    check(LOOP, &LOOP.replace("i < n", "i <= n"), &["modified work [5] [5]"], &["work:5"]);
}

#[test]
fn a_changed_macro_is_a_change_of_the_line_that_uses_it() {
    check(LOOP, &LOOP.replace("LIMIT 10", "LIMIT 11"), &["modified work [6] [6]"], &["work:6"]);
}

#[test]
fn a_changed_string_is_a_change() {
    check(LOOP, &LOOP.replace("big", "large"), &["modified work [7] [7]"], &["work:7"]);
}

#[test]
fn an_added_statement_is_added_and_a_deleted_one_has_a_place() {
    let new = LOOP.replace("    return sum;\n", "    puts(\"done\");\n    return sum;\n");
    check(LOOP, &new, &["added work [] [10]"], &["work:10"]);
    // Where it was: before the return.
    check(&new, LOOP, &["deleted work [10] []"], &["work:10"]);
}

#[test]
fn an_added_condition_has_targets_inside_and_around() {
    let new = LOOP.replace("        sum += i * 2;\n", "        if (i != 5)\n            sum += i * 2;\n");
    let pair = pair(LOOP, &new);
    assert_eq!(pair.changes(), ["added work [] [8]"]);
    assert_eq!(pair.targets(), ["work:8"]);
}

#[test]
fn a_changed_constant_belongs_to_the_edge_that_carries_it() {
    let old = "\
int f(int);
int main(int argc, char **argv) {
    if (f(argc))
        return 1;
    f(2);
    return 0;
}
";
    let pair = pair(old, &old.replace("return 1", "return 3"));
    // There is no code on line 4: the branch on line 3 goes to the common return.
    assert_eq!(pair.changes(), ["modified main [3] [3]"]);
    let targets = parallax_change::targets(&pair.new, &pair.comparison);
    let entry = pair.new.func(targets[0].func).entry().unwrap();
    assert_eq!((targets.len(), targets[0].block), (1, entry));
    assert_eq!(targets[0].edges, [pair.new.successors(entry)[0]]);
}

#[test]
fn a_changed_constant_that_no_line_is_left_of_has_the_line_of_the_branch_before_it() {
    let old = "\
int f(int);
int main(int argc, char **argv) {
    int width;
    if (argc > 3)
        width = 4;
    else
        width = 5;
    f(2);
    return f(width);
}
";
    check(old, &old.replace("width = 5", "width = 6"), &["modified main [4] [4]"], &["main:4"]);
}

#[test]
fn an_initialiser_is_a_change_of_the_variable_and_of_its_users() {
    let old = "\
static int table[] = { 1, 2, 3 };
int other(int i) {
    return i;
}
int main(int argc, char **argv) {
    if (argc < 3)
        return table[argc];
    return other(argc);
}
";
    let pair = pair(old, &old.replace("1, 2, 3", "1, 2, 4"));
    assert_eq!(pair.changes(), ["initialiser main [7] [7]", "initialiser table [1] [1]"]);
    assert_eq!(pair.targets(), ["main:7"]);
}

#[test]
fn a_first_value_behind_a_pointer_counts_too() {
    let old = "\
static int numbers[] = { 1, 2, 3 };
static int *pointer = numbers;
int main(int argc, char **argv) {
    return pointer[argc];
}
";
    let pair = pair(old, &old.replace("1, 2, 3", "1, 2, 4"));
    assert_eq!(pair.targets(), ["main:4"]);
}

#[test]
fn a_changed_header_is_a_change_of_every_function_that_it_alters() {
    let a = "#include \"limits_of_ours.h\"\nint a(int x) {\n    return x > MOST;\n}\n";
    let b = "#include \"limits_of_ours.h\"\nint b(int x) {\n    return x + MOST;\n}\nint c(int x) {\n    return x;\n}\n";
    let main = "int a(int); int b(int); int c(int); int main(int n, char **v) { return a(n) + b(n) + c(n); }";
    let of_value = |value: &str| {
        let header = format!("#define MOST {value}\n");
        models(&[("limits_of_ours.h", &header), ("a.c", a), ("b.c", b), ("main.c", main)])
    };
    let pair = of(of_value("4"), of_value("5"));
    assert_eq!(pair.changes(), ["modified a [3] [3]", "modified b [3] [3]"]);
}

#[test]
fn a_changed_type_is_a_change_where_it_matters() {
    let old = "int f(long x) {\n    int y = x;\n    return y / 2 > 7;\n}\nint main(int c, char **v) {\n    return f(c);\n}\n";
    let pair = pair(old, &old.replace("int y", "unsigned y"));
    assert_eq!(pair.targets(), ["f:3"]);
}

#[test]
fn a_moved_member_is_a_layout_change_of_the_functions_that_use_it() {
    let old = "\
#include <stdlib.h>
struct s { int a; int b; };
int first(struct s *s) {
    return s->a;
}
int second(struct s *s) {
    return s->b;
}
int main(int argc, char **argv) {
    return argc > 9 ? first((void *)argv) : second((void *)argv);
}
";
    let pair = pair(old, &old.replace("int a; int b;", "int a; int more; int b;"));
    assert_eq!(pair.changes(), ["layout second [7] [7]"]);
    assert_eq!(pair.targets(), ["second:7"]);
    let targets = parallax_change::targets(&pair.new, &pair.comparison);
    assert!(targets[0].layout_only);
}

#[test]
fn a_larger_buffer_is_a_change_of_its_users() {
    let old = "\
void fill(char *);
int main(int argc, char **argv) {
    char buffer[10];
    if (argc > 1)
        fill(buffer);
    return 0;
}
";
    check(old, &old.replace("[10]", "[20]"), &["modified main [5] [5]"], &["main:5"]);
}

#[test]
fn added_and_deleted_functions_and_variables_are_changes() {
    let new =
        LOOP.replace("int main", "int spare = 3;\nint extra(int x) {\n    return x - spare;\n}\nint main");
    check(LOOP, &new, &["added extra [] [14]", "added spare [] [12]"], &["extra:14"]);
    check(&new, LOOP, &["deleted extra [14] []", "deleted spare [12] []"], &[]);
}

#[test]
fn a_changed_signature_is_said_and_its_callers_are_changed() {
    let new = LOOP
        .replace("int work(int n)", "int work(int n, int from)")
        .replace("work(argc)", "work(argc, 1)")
        .replace("int sum = 0", "int sum = from");
    let pair = pair(LOOP, &new);
    assert_eq!(pair.changes()[0], "signature work [3] [3]");
    assert!(pair.targets().contains(&"main:13".to_owned()), "{:?}", pair.targets());
}

#[test]
fn a_renamed_and_changed_function_is_renamed_and_changed() {
    let new = LOOP.replace("work", "labour").replace("i * 2", "i * 3");
    check(LOOP, &new, &["renamed labour [3] [3]", "modified labour [8] [8]"], &["labour:8"]);
}

#[test]
fn a_function_cut_out_of_another_is_split_and_put_back_is_merged() {
    let old = "\
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    char line[80];
    if (argc < 2)
        return 1;
    strcpy(line, argv[1]);
    strcat(line, \" is \");
    strcat(line, argv[0]);
    for (int i = 0; line[i]; i++)
        if (line[i] == 'x')
            line[i] = 'y';
    puts(line);
    return strlen(line);
}
";
    let new = "\
#include <stdio.h>
#include <string.h>
static void make(char *line, char **argv) {
    strcpy(line, argv[1]);
    strcat(line, \" is \");
    strcat(line, argv[0]);
    for (int i = 0; line[i]; i++)
        if (line[i] == 'x')
            line[i] = 'y';
}
int main(int argc, char **argv) {
    char line[80];
    if (argc < 2)
        return 1;
    make(line, argv);
    puts(line);
    return strlen(line);
}
";
    let kinds = |pair: &crate::common::Pair| -> Vec<String> {
        pair.changes().iter().map(|c| c.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    assert!(kinds(&pair(old, new)).contains(&"split make".to_owned()), "{:?}", kinds(&pair(old, new)));
    assert!(kinds(&pair(new, old)).contains(&"merged make".to_owned()), "{:?}", kinds(&pair(new, old)));
}

#[test]
fn exchanged_branches_are_a_change() {
    let old = "\
void a(void);
void b(void);
int main(int argc, char **argv) {
    if (argc > 2)
        a();
    else
        b();
    return 0;
}
";
    let new = old.replace("a();", "x();").replace("b();", "a();").replace("x();", "b();");
    assert!(!pair(old, &new).targets().is_empty());
}

#[test]
fn exchanged_calls_are_a_change() {
    let old = "void a(void); void b(void);\nint main(void) {\n    a();\n    b();\n    return 0;\n}\n";
    let new = "void a(void); void b(void);\nint main(void) {\n    b();\n    a();\n    return 0;\n}\n";
    let pair = pair(old, new);
    assert_eq!(pair.targets().len(), 1);
    assert!(pair.changes()[0].starts_with("moved main"), "{:?}", pair.changes());
}

#[test]
fn exchanged_arguments_are_a_change() {
    check(
        "int f(int, int);\nint main(int c, char **v) {\n    return f(c, v[1][0]);\n}\n",
        "int f(int, int);\nint main(int c, char **v) {\n    return f(v[1][0], c);\n}\n",
        &["modified main [3] [3]"],
        &["main:3"],
    );
}
