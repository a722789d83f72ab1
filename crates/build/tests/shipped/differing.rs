//! Pairs that differ in how they are compiled or assembled.

use super::Pair;

/// A program on which many flags tell.
pub const PROGRAM: &str = r#"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef MODE
#define MODE 1
#endif
enum small { ONE, TWO };
struct mixed { char letter; int number; };
static int hooks;
#define UNSEEN __attribute__((no_instrument_function))
UNSEEN void __cyg_profile_func_enter(void *a, void *b) { hooks++; }
UNSEEN void __cyg_profile_func_exit(void *a, void *b) { hooks++; }
static int larger(int x) { return x + 1 > x; }
static int aliased(int *i, float *f) { *i = 1; *f = 2; return *i; }
static int through(int *p) { int x = *p; return p ? x : -1; }
static double sum(const double *v, int n)
{
    double all = 0;
    for (int i = 0; i < n; i++)
        all += v[i] * 1.1;
    return all;
}
int main(int argc, char **argv)
{
    char buffer[16], letter = (char)200;
    volatile double tiny = 1e-310;
    double values[] = { 1e300, -1e300, 1, argc, argc * 3, 4, 5, 6, argc / 7.0 };
    int number = argc;
    strcpy(buffer, argc > 1 ? argv[1] : "none");
    assert(argc < 100);
    printf("%d %d %zu %zu %g %g %d %d %s\n", letter < 0, larger(argc + 2147483646), sizeof(enum small),
           sizeof(struct mixed), sum(values, 9), tiny / 2, hooks, MODE, buffer);
    printf("%d %d %g\n", aliased(&number, (float *)&number), through(&number), sqrt(argc - 2.0));
    return 0;
}
"#;

fn flags(name: &str, old: &str, new: &str) -> Pair {
    let line = |flags: &str| format!("$CC {flags} p.c -o p -lm");
    Pair::built(name, &[("p.c", PROGRAM)], &line(old), &line(new))
}

/// The same with a compiler by its name.
fn named(name: &str, old: &str, new: &str) -> Pair {
    let line = |command: &str| format!("{command} p.c -o p -lm");
    Pair::built(name, &[("p.c", PROGRAM)], &line(old), &line(new))
}

const PRINTS: &str =
    "#include <stdio.h>\nextern const char word[];\nint main(void) { puts(word); return 0; }\n";

pub fn pairs() -> Vec<Pair> {
    let mut pairs = of_flags();
    pairs.extend(of_compilers());
    pairs.extend(of_headers());
    pairs.extend(of_assembler());
    pairs
}

fn of_flags() -> Vec<Pair> {
    vec![
        flags("no optimisation", "-O2", "-O0").shows(),
        flags("less optimisation", "-O2", "-O1"),
        flags("optimisation for size", "-O2", "-Os"),
        flags("fortified", "-O2", "-O2 -D_FORTIFY_SOURCE=2"),
        flags("fortified through the preprocessor", "-O2", "-O2 -Wp,-D_FORTIFY_SOURCE=3"),
        flags("macro through the preprocessor", "-O1", "-O1 -Wp,-DMODE=2").shows(),
        flags("stack protector", "-O1", "-O1 -fstack-protector-all"),
        flags("address sanitizer", "-O1", "-O1 -fsanitize=address"),
        flags("undefined behaviour traps", "-O1", "-O1 -fsanitize=undefined -fsanitize-trap=all").shows(),
        flags("overflow traps", "-O0", "-O0 -ftrapv"),
        flags("profile", "-O1", "-O1 -pg"),
        flags("coverage", "-O1", "-O1 --coverage"),
        flags("hooks at functions", "-O1", "-O1 -finstrument-functions").shows(),
        flags("variables begin as zero", "-O0", "-O0 -ftrivial-auto-var-init=zero"),
        flags(
            "variables begin with a pattern",
            "-O0 -ftrivial-auto-var-init=zero",
            "-O0 -ftrivial-auto-var-init=pattern",
        ),
        flags("no assertions", "-O1", "-O1 -DNDEBUG"),
        flags("unsigned characters", "-O1", "-O1 -funsigned-char").shows(),
        flags("overflow wraps", "-O2", "-O2 -fwrapv").shows(),
        flags("no strict aliasing", "-O2", "-O2 -fno-strict-aliasing"),
        flags("short enumerations", "-O1", "-O1 -fshort-enums").shows(),
        flags("packed structures", "-O1", "-O1 -fpack-struct=1").shows(),
        flags("fast arithmetic", "-O2", "-O2 -ffast-math").shows(),
        flags("finite numbers only", "-O2", "-O2 -ffinite-math-only"),
        flags("no error number of arithmetic", "-O2", "-O2 -fno-math-errno"),
        flags("frame pointers", "-O2 -fomit-frame-pointer", "-O2 -fno-omit-frame-pointer"),
        flags("fixed addresses", "-O1 -fPIE -pie", "-O1 -fno-PIE -no-pie"),
        flags("other instructions", "-O2", "-O2 -mavx2 -mfma"),
        flags("no knowledge of the C library", "-O2", "-O2 -fno-builtin"),
        flags("registers are cleared", "-O1", "-O1 -fzero-call-used-regs=all"),
        flags("room for patches", "-O1", "-O1 -fpatchable-function-entry=8"),
        flags("protected jumps", "-O1 -fcf-protection=none", "-O1 -fcf-protection=full"),
        flags("a macro", "-O1", "-O1 -DMODE=7").shows(),
        flags("exported names", "-O1", "-O1 -rdynamic"),
        flags("no debug information", "-O1 -g", "-O1"),
        flags("command line in the program", "-O1", "-O1 -frecord-command-line"),
    ]
}

fn of_compilers() -> Vec<Pair> {
    vec![
        named("gcc and clang", "$CC -O1", "gcc -O1"),
        named("gcc and clang, no optimisation", "gcc -O0", "$CC -O0"),
        named(
            "gcc, fast arithmetic at the link only",
            "gcc -O0 -c p.c -o p.o; gcc p.o",
            "gcc -O0 -c p.c -o p.o; gcc -ffast-math p.o",
        )
        .with_objects()
        .shows(),
        named("gcc, numbers are stored", "gcc -O2", "gcc -O2 -ffloat-store"),
        named(
            "gcc, returns through thunks",
            "gcc -O1",
            "gcc -O1 -mfunction-return=thunk -fcf-protection=none",
        ),
        named(
            "gcc, parameters of the compiler",
            "gcc -O2",
            "gcc -O2 --param=max-unroll-times=0 -fno-tree-vectorize",
        ),
        named("gcc, stack probes", "gcc -O0", "gcc -O0 -fstack-clash-protection -fstack-protector-strong"),
    ]
}

impl Pair {
    /// `named` puts the source at the end; these commands have linked an object already.
    fn with_objects(mut self) -> Pair {
        self.build = self.build.map(|line| line.replace(" p.c -o p -lm", " -o p -lm"));
        self
    }
}

fn of_headers() -> Vec<Pair> {
    let main =
        "#include <stdio.h>\n#include <value.h>\nint main(void) { printf(\"%d\\n\", VALUE); return 0; }\n";
    let files = [
        ("p.c", main),
        ("one/value.h", "#ifndef VALUE\n#define VALUE 1\n#endif\n"),
        ("two dirs/value.h", "#ifndef VALUE\n#define VALUE 2\n#endif\n"),
    ];
    let standard =
        "#include <stdio.h>\nint main(void) { int x = 4 //**/2\n;\n printf(\"%d\\n\", x); return 0; }\n";
    let when = "#include <stdio.h>\nint main(void) { puts(__TIMESTAMP__); return 0; }\n";
    let generated = "#include <stdio.h>\n#include \"made.h\"\nint main(void) { puts(MADE); return 0; }\n";
    let make = "echo \"#define MADE \\\"$(cat word)\\\"\" > made.h; $CC p.c -o p";
    let variable = ". ./settings; $CC -DMODE=${MODE:-1} p.c -o p -lm";
    vec![
        Pair::built(
            "order of include paths",
            &files,
            "$CC -Ione '-Itwo dirs' p.c -o p",
            "$CC '-Itwo dirs' -Ione p.c -o p",
        )
        .shows(),
        Pair::built(
            "include path in a variable",
            &files,
            "C_INCLUDE_PATH=one $CC p.c -o p",
            "C_INCLUDE_PATH='two dirs' $CC p.c -o p",
        )
        .shows(),
        Pair::built(
            "file included by the command line",
            &files,
            "$CC -Ione p.c -o p",
            "$CC -Ione -include 'two dirs/value.h' p.c -o p",
        )
        .shows(),
        Pair::built(
            "standard of the language",
            &[("p.c", standard)],
            "$CC -std=c89 p.c -o p",
            "$CC -std=c99 p.c -o p",
        )
        .shows(),
        Pair::built(
            "time of the source",
            &[("p.c", when)],
            "touch -d 2001-01-01 p.c; $CC p.c -o p",
            "touch -d 2002-02-02 p.c; $CC p.c -o p",
        )
        .shows(),
        Pair::changed(
            "header made by the build",
            &[("p.c", generated), ("word", "one")],
            make,
            "word",
            "two",
        )
        .shows(),
        Pair::changed(
            "variable that the build reads",
            &[("p.c", PROGRAM), ("settings", "MODE=1\n")],
            variable,
            "settings",
            "MODE=2\n",
        )
        .shows(),
        Pair::built(
            "day of the build",
            &[("p.c", PROGRAM)],
            "$CC -DMODE=20260101 p.c -o p -lm",
            "$CC -DMODE=20260102 p.c -o p -lm",
        )
        .shows(),
    ]
}

fn of_assembler() -> Vec<Pair> {
    let source =
        ".section .rodata\n.globl word\nword: .asciz \"one\"\n.section .note.GNU-stack,\"\",@progbits\n";
    let macros =
        ".section .rodata\n.globl word\nword: .asciz WORD\n.section .note.GNU-stack,\"\",@progbits\n";
    let binary = ".section .rodata\n.globl word\nword: .incbin \"data\"\n.byte 0\n.section .note.GNU-stack,\"\",@progbits\n";
    let include =
        ".section .rodata\n.globl word\nword: .include \"data\"\n.section .note.GNU-stack,\"\",@progbits\n";
    let inline = "#include <stdio.h>\n__asm__(\".section .rodata\\n.globl word\\nword: .incbin \\\"\" HERE \"/data\\\"\\n.byte 0\\n.text\\n\");\nextern const char word[];\nint main(void) { puts(word); return 0; }\n";
    let symbol = "#include <stdio.h>\n__asm__(\".data\\n.globl limit\\nlimit: .long LIMIT\\n.text\\n\");\nextern int limit;\nint main(void) { printf(\"%d\\n\", limit); return 0; }\n";
    let all = "$CC p.c w.s -o p";
    let apart = "$CC -c p.c -o p.o; $CC -c w.s -o w.o; $CC p.o w.o -o p";
    let file = |name: &str, source: &str, command: &str, old: &str, new: &str| {
        Pair::changed(name, &[("p.c", PRINTS), ("w.s", source), ("data", old)], command, "data", new).shows()
    };
    vec![
        Pair::changed(
            "assembler source",
            &[("p.c", PRINTS), ("w.s", source)],
            all,
            "w.s",
            &source.replace("one", "two"),
        )
        .shows(),
        Pair::changed(
            "assembler source, compiled apart",
            &[("p.c", PRINTS), ("w.s", source)],
            apart,
            "w.s",
            &source.replace("one", "two"),
        )
        .shows(),
        Pair::built(
            "macro of an assembler source",
            &[("p.c", PRINTS), ("w.S", macros)],
            "$CC '-DWORD=\"a\"' p.c w.S -o p",
            "$CC '-DWORD=\"b\"' p.c w.S -o p",
        )
        .shows(),
        file("file included as bytes by assembler", binary, all, "one", "two"),
        file("file included by assembler", include, apart, ".asciz \"one\"\n", ".asciz \"two\"\n"),
        Pair::changed(
            "file included as bytes by C",
            &[("p.c", inline), ("data", "one")],
            "$CC \"-DHERE=\\\"$PWD\\\"\" p.c -o p",
            "data",
            "two",
        )
        .shows(),
        Pair::built(
            "symbol of the assembler",
            &[("p.c", symbol)],
            "gcc -Wa,--defsym,LIMIT=3 p.c -o p",
            "gcc -Wa,--defsym,LIMIT=4 p.c -o p",
        )
        .shows(),
    ]
}
