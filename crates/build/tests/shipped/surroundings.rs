//! Pairs whose programs are the same and meet something else at run time: data, helpers, plugins, libraries that the build made.

use super::Pair;

/// Prints the first line of a file beside it.
fn reader(name: &str) -> String {
    format!(
        "#include <stdio.h>\nint main(void) {{ char line[80] = \"\"; FILE *f = fopen(\"{name}\", \"r\"); \
         if (f) fgets(line, 80, f); puts(line); return 0; }}\n"
    )
}

const CALLS: &str =
    "#include <stdio.h>\nint value(void);\nint main(void) { printf(\"%d\\n\", value()); return 0; }\n";
const ONE: &str = "int value(void) { return 1; }\n";
const TWO: &str = "int value(void) { return 2; }\n";

fn data(name: &str, file: &'static str) -> Pair {
    let files = [("p.c", &*reader(file)), (file, "one\n")];
    Pair::changed(name, &files, "$CC p.c -o p", file, "two\n").shows()
}

pub fn pairs() -> Vec<Pair> {
    let mut pairs = of_data();
    pairs.extend(of_libraries());
    pairs.extend(of_helpers());
    pairs
}

fn of_data() -> Vec<Pair> {
    let table = reader("share/table.txt");
    let made = [("p.c", &*table), ("seed", "one\n")];
    let language = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char name[40], line[80] = \"\"; snprintf(name, 40, \"lang.%s\", \"en\"); FILE *f = fopen(name, \"r\"); if (f) fgets(line, 80, f); puts(line); return 0; }\n";
    let choice = [("p.c", &*reader("current")), ("a.txt", "one\n"), ("b.txt", "two\n")];
    let exists = "#include <stdio.h>\n#include <unistd.h>\nint main(void) { return access(\"spool\", F_OK) ? 1 : 0; }\n";
    let itself = "#include <stdio.h>\nint main(int argc, char **argv) { FILE *f = fopen(\"/proc/self/exe\", \"r\"); fseek(f, 0, SEEK_END); printf(\"%ld\\n\", ftell(f)); return 0; }\nstatic int NAME(void) { return 1; }\nint (*volatile user)(void) = NAME;\n";
    vec![
        data("data beside the program", "table.txt"),
        data("data in a directory", "share/words.dat"),
        data("data called like a source", "rules.c"),
        data("data called like a log", "last.log"),
        data("data called like a part of a build", "Makefile"),
        data("hidden data", ".settings"),
        Pair::changed(
            "data made by the build",
            &made,
            "mkdir share; cp seed share/table.txt; $CC p.c -o p",
            "seed",
            "two\n",
        )
        .shows(),
        Pair::built(
            "data that is missing",
            &made,
            "mkdir share; cp seed share/table.txt; $CC p.c -o p",
            "$CC p.c -o p",
        )
        .shows(),
        Pair::changed(
            "data whose name the program makes up",
            &[("p.c", language), ("lang.en", "one\n")],
            "$CC p.c -o p",
            "lang.en",
            "two\n",
        )
        .shows(),
        Pair::changed(
            "data called like a source whose name the program makes up",
            &[("p.c", &language.replace("lang.%s", "%s.c")), ("en.c", "one\n")],
            "$CC p.c -o p",
            "en.c",
            "two\n",
        )
        .shows(),
        Pair::built(
            "link to other data",
            &choice,
            "ln -s a.txt current; $CC p.c -o p",
            "ln -s b.txt current; $CC p.c -o p",
        )
        .shows(),
        Pair::built("empty directory", &[("p.c", exists)], "mkdir spool; $CC p.c -o p", "$CC p.c -o p")
            .shows(),
        Pair::changed(
            "program that reads itself",
            &[("p.c", itself)],
            "$CC p.c -o p",
            "p.c",
            &itself.replace("NAME", "a_much_longer_name"),
        )
        .shows(),
    ]
}

fn of_libraries() -> Vec<Pair> {
    let files = [("p.c", CALLS), ("v.c", ONE)];
    let library = "$CC -shared -fPIC v.c -o libv.so; $CC p.c -L. -lv -Wl,-rpath,$PWD -o p";
    let origin =
        "mkdir lib; $CC -shared -fPIC v.c -o lib/libv.so; $CC p.c lib/libv.so '-Wl,-rpath,$ORIGIN/lib' -o p";
    let middle = "int deep(void);\nint value(void) { return deep(); }\n";
    let ranks = [("p.c", CALLS), ("v.c", middle), ("d.c", "int deep(void) { return 1; }\n")];
    let second = "$CC -shared -fPIC d.c -o libd.so; $CC -shared -fPIC v.c -L. -ld -Wl,-rpath,$PWD -o libv.so; $CC p.c -L. -lv -Wl,-rpath,$PWD -o p";
    let foreign = second.replacen("$CC", "/usr/bin/gcc", 1);
    let char_value = "int value(void) { char c = (char)200; return c; }\n";
    let plugin = "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { void *h = dlopen(\"./plug.so\", RTLD_NOW); int (*f)(void) = h ? (int (*)(void))dlsym(h, \"value\") : 0; printf(\"%d\\n\", f ? f() : -1); return 0; }\n";
    let versions = "V1 { global: value; local: *; };\n";
    let symbolic = "int inner(void) { return 1; }\nint value(void) { return inner(); }\n";
    let inner = "#include <stdio.h>\nint value(void);\nint inner(void) { return 9; }\nint main(void) { printf(\"%d\\n\", value()); return 0; }\n";
    let first = "#include <stdio.h>\n__attribute__((constructor)) static void begin(void) { puts(\"begin\"); }\nint unused;\n";
    let loud = [("p.c", "int main(void) { return 0; }\n"), ("c.c", first)];
    let needed = |flag: &str| {
        format!("$CC -shared -fPIC c.c -o libc1.so; $CC p.c -L. -Wl,{flag} -lc1 -Wl,-rpath,$PWD -o p")
    };
    vec![
        Pair::changed("shared library", &files, library, "v.c", TWO).shows(),
        Pair::changed("shared library beside the program", &files, origin, "v.c", TWO).shows(),
        Pair::changed("shared library without bitcode", &files, &library.replacen("$CC", "/usr/bin/gcc", 1), "v.c", TWO).shows(),
        Pair::built("flags of a shared library", &[("p.c", CALLS), ("v.c", char_value)], library, &library.replace("-fPIC", "-fPIC -funsigned-char")).shows(),
        Pair::changed("shared library of the second rank", &ranks, second, "d.c", "int deep(void) { return 2; }\n").shows(),
        Pair::changed("shared library of the second rank without bitcode", &ranks, &foreign, "d.c", "int deep(void) { return 2; }\n").shows(),
        Pair::changed("plugin", &[("p.c", plugin), ("plug.c", ONE)], "$CC -shared -fPIC plug.c -o plug.so; $CC p.c -o p", "plug.c", TWO).shows(),
        Pair::changed("versions of symbols", &[("p.c", CALLS), ("v.c", ONE), ("v.map", versions)],
            "$CC -shared -fPIC v.c -Wl,--version-script=v.map -o libv.so; $CC p.c -L. -lv -Wl,-rpath,$PWD -o p", "v.map", &versions.replace("V1", "V2")),
        Pair::built("symbols bound within a library", &[("p.c", inner), ("v.c", symbolic)], library, &library.replace("-shared", "-shared -Wl,-Bsymbolic")).shows(),
        Pair::built("library that is needed for its start only", &loud, &needed("--as-needed"), &needed("--no-as-needed")).shows(),
        Pair::changed(
            "shared library that the build made above its tree",
            &files,
            "mkdir -p ../made; /usr/bin/gcc -shared -fPIC v.c -o ../made/libv.so; $CC p.c -L../made -lv -o p",
            "v.c",
            TWO,
        ),
        Pair::built("name of a library", &files, library, "$CC -shared -fPIC v.c -o libw.so; $CC p.c -L. -lw -Wl,-rpath,$PWD -o p"),
    ]
}

fn of_helpers() -> Vec<Pair> {
    let starts = "#include <stdlib.h>\nint main(void) { return system(\"./helper\") != 0; }\n";
    let helper = "#include <stdio.h>\nint main(void) { puts(\"one\"); return 0; }\n";
    let script = "#!/bin/sh\necho one\n";
    let both = "$CC helper.c -o helper; $CC p.c -o p";
    let copy = "cp script helper; chmod +x helper; $CC p.c -o p";
    vec![
        Pair::changed(
            "helper program",
            &[("p.c", starts), ("helper.c", helper)],
            both,
            "helper.c",
            &helper.replace("one", "two"),
        )
        .shows(),
        Pair::built(
            "flags of a helper program",
            &[
                ("p.c", starts),
                ("helper.c", &helper.replace("puts(\"one\")", "putchar('5' + ((char)200 < 0))")),
            ],
            both,
            &both.replacen("$CC", "$CC -funsigned-char", 1),
        )
        .shows(),
        Pair::changed(
            "helper script",
            &[("p.c", starts), ("script", script)],
            copy,
            "script",
            &script.replace("one", "two"),
        )
        .shows(),
        Pair::changed(
            "source that a helper script reads",
            &[("p.c", starts), ("script", "#!/bin/sh\ncat rules.c\n"), ("rules.c", "one\n")],
            copy,
            "rules.c",
            "two\n",
        )
        .shows(),
        Pair::changed(
            "source that is read by a script which a helper script starts",
            &[
                ("p.c", starts),
                ("script", "#!/bin/sh\nsh second\n"),
                ("second", "#!/bin/sh\ncat rules.c\n"),
                ("rules.c", "one\n"),
            ],
            copy,
            "rules.c",
            "two\n",
        )
        .shows(),
        Pair::built(
            "helper that may not be executed",
            &[("p.c", starts), ("script", script)],
            copy,
            "cp script helper; chmod -x helper; $CC p.c -o p",
        )
        .shows(),
    ]
}
