//! Pairs whose programs are the same.

use super::Pair;

const PROGRAM: &str = "\
#include <stdio.h>
#include <stdlib.h>
#define SCALE 4
enum mode { plain = 1, fancy = 2 };
typedef struct shape { int sides, size; enum mode how; struct shape *next; } Shape;
static int total;
static int add(int x) { total += x; return x + 1; }
int twice(int x) { return x > 9 ? x : twice(add(x)) + SCALE; }
static int area(const Shape *s) {
    int sum = 0;
again:
    if (!s) return sum;
    sum += s->how == fancy ? s->sides * s->size : plain;
    s = s->next;
    goto again;
}
int main(int argc, char **argv)
{
    Shape s = { argc, argc > 1 ? atoi(argv[1]) : 3, fancy, NULL };
    printf(\"%d %d\\n\", twice(s.size), area(&s));
    return total;
}
";

const LIBRARY: &str = "int value(void) { return 1; }\n";
const CALLS: &str =
    "#include <stdio.h>\n#include \"v.h\"\nint main(void) { printf(\"%d\\n\", value()); return 0; }\n";
const HEADER: &str = "int value(void);\n";

/// A replaced piece of the program.
fn edit(name: &str, from: &str, to: &str) -> Pair {
    edit_with(name, "$CC -O1 -g p.c -o p", from, to)
}

fn edit_with(name: &str, command: &str, from: &str, to: &str) -> Pair {
    assert!(PROGRAM.contains(from), "{from}");
    Pair::changed(name, &[("p.c", PROGRAM)], command, "p.c", &PROGRAM.replace(from, to))
}

pub fn pairs() -> Vec<Pair> {
    let mut pairs = of_sources();
    pairs.extend(of_builds());
    pairs.extend(of_trees());
    pairs
}

fn of_sources() -> Vec<Pair> {
    vec![
        edit("comment", "static int total;", "/* all of them,\n   so far */\nstatic int total; // here"),
        edit("white space", "    ", "\t\t"),
        edit("moved lines", "int main(", "\n\n\nint main("),
        edit("local", "sum", "result"),
        edit(
            "parameter",
            "int twice(int x) { return x > 9 ? x : twice(add(x)) + SCALE; }",
            "int twice(int n) { return n > 9 ? n : twice(add(n)) + SCALE; }",
        ),
        edit("static variable", "total", "counted"),
        edit("static function", "area", "surface"),
        edit("function", "twice", "repeated"),
        edit("structure", "struct shape", "struct form"),
        edit("name of a type", "Shape", "Form"),
        edit("member", "sides", "edges"),
        edit("enumerator", "fancy", "rich"),
        edit("label", "again", "once_more"),
        edit("macro", "SCALE", "FACTOR"),
        edit("another way to write a number", "SCALE 4", "SCALE 0x4"),
        edit("computed constant", "SCALE 4", "SCALE (2 + 2)"),
        edit("parentheses", "return x + 1;", "return (x + 1);"),
        edit("declaration before", "static int total;", "static int total;\nstatic int add(int);"),
        edit(
            "order of headers",
            "#include <stdio.h>\n#include <stdlib.h>",
            "#include <stdlib.h>\n#include <stdio.h>",
        ),
        edit("braces", "if (!s) return sum;", "if (!s) { return sum; }"),
    ]
}

fn of_builds() -> Vec<Pair> {
    let comment = |name: &str, command: &str| {
        edit_with(name, command, "static int total;", "/* all of them */\n\nstatic int total;")
    };
    let all = [("p.c", PROGRAM)];
    vec![
        comment("comment, optimised", "$CC -O2 p.c -o p"),
        comment("comment, not optimised", "$CC -O0 -g3 p.c -o p"),
        comment("comment, gcc with debug information", "gcc -O2 -g p.c -o p"),
        comment("comment, static", "$CC -O1 -g -static p.c -o p"),
        comment("comment, stripped", "$CC -O1 -g -s p.c -o p"),
        comment("comment, profile", "$CC -O1 -pg p.c -o p"),
        comment(
            "comment, protected stack and fortified",
            "$CC -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong p.c -o p",
        ),
        comment(
            "comment, compiled apart and collected",
            "$CC -O1 -g -ffunction-sections -c p.c; $CC p.o -Wl,--gc-sections -o p",
        ),
        comment("comment, another linker", "$CC -O1 -g p.c -fuse-ld=lld -o p"),
        comment("comment, build-id", "$CC -O1 -g p.c -Wl,--build-id=sha1 -o p"),
        Pair::built("macro that nobody reads", &all, "$CC p.c -o p", "$CC -DUNREAD p.c -o p"),
        Pair::built("warnings", &all, "$CC p.c -o p", "$CC -Wall -Wextra p.c -o p 2> warnings.log"),
        Pair::built("comment in the script of the build", &all, "$CC p.c -o p", "# as before\n$CC p.c -o p"),
        Pair::built("order of flags", &all, "$CC -O1 -g p.c -o p", "$CC -g -O1 p.c -o p"),
    ]
}

const GENERATOR: &str =
    "#include <stdio.h>\nint main(void) { return fclose(fopen(\"made.c\", \"w\")) + !printf(\"%s.c\\n\", \"made\"); }\n";
const DEPENDENCIES: &str = "#!/bin/sh\nfor f in *.c *.o; do echo $f: Makefile; done > /dev/null\n";

fn of_trees() -> Vec<Pair> {
    let files = [("p.c", CALLS), ("v.c", LIBRARY), ("v.h", HEADER), ("share/table.txt", "1\n")];
    let library = "$CC -g -shared -fPIC v.c -o libv.so; $CC -g p.c -L. -lv -Wl,-rpath,$PWD -o p";
    let archive = "for f in p v; do $CC -g -c $f.c; done; ar rcs libv.a v.o; $CC p.o -L. -lv -o p";
    let assembler = ".globl value\nvalue: mov $1, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n";
    let mixed = [("p.c", CALLS), ("v.s", assembler), ("v.h", HEADER)];
    let comment = |text: &str| format!("/* a remark */\n\n{text}");
    vec![
        Pair::changed("comment in a library", &files, library, "v.c", &comment(LIBRARY)),
        Pair::changed("comment in the user of a library", &files, library, "p.c", &comment(CALLS)),
        Pair::changed("comment in a header", &files, library, "v.h", &comment(HEADER)),
        Pair::changed("comment in an archive", &files, archive, "v.c", &comment(LIBRARY)),
        // As packages have them: a script of the maintainers, a generator, and what configure leaves.
        Pair::changed(
            "comment, beside scripts and programs that only the build starts",
            &[("p.c", CALLS), ("v.c", LIBRARY), ("v.h", HEADER), ("make-table.c", GENERATOR), ("deps.sh", DEPENDENCIES)],
            "echo \"# $PWD\" > Makefile; $CC make-table.c -o make-table; ./make-table; sh deps.sh; for f in p v; do $CC -g -c $f.c; done; $CC p.o v.o -o p",
            "v.c",
            &comment(LIBRARY),
        ),
        Pair::changed(
            "comment in assembler",
            &mixed,
            "$CC -g p.c v.s -o p",
            "v.s",
            &format!("# a remark\n{assembler}"),
        ),
    ]
}
