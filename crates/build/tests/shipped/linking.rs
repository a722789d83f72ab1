//! Pairs that differ in how they are linked, in objects that have no bitcode, or in what was done to objects and programs afterwards.

use super::differing::PROGRAM;
use super::Pair;

/// A compiler that the wrapper does not stand in for.
const PLAIN: &str = "/usr/bin/gcc";

const CALLS: &str =
    "#include <stdio.h>\nint value(void);\nint main(void) { printf(\"%d\\n\", value()); return 0; }\n";

fn value(number: u32) -> String {
    format!("int value(void) {{ return {number}; }}\n")
}

/// Prints a word before or after `main`.
fn constructor(word: &str) -> String {
    format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void begin(void) {{ puts(\"{word}\"); }}\n"
    )
}

fn flags(name: &str, old: &str, new: &str) -> Pair {
    let line = |flags: &str| format!("$CC -O1 p.c {flags} -o p -lm");
    Pair::built(name, &[("p.c", PROGRAM)], &line(old), &line(new))
}

/// Two sources whose order or choice matters.
fn several(name: &str, old: &str, new: &str) -> Pair {
    let (one, two) = (value(1), value(2));
    let (first, second) = (constructor("first"), constructor("second"));
    let weak = |text: &str| text.replace("int value", "__attribute__((weak)) int value");
    let files = [
        ("p.c", CALLS),
        ("one.c", &one),
        ("two.c", &two),
        ("weak1.c", &weak(&one)),
        ("weak2.c", &weak(&two)),
        ("first.c", &first),
        ("second.c", &second),
        ("empty.c", "int nothing;\n"),
    ];
    let compile = "for f in *.c; do $CC -O1 -fPIC -c $f; done\n";
    Pair::built(name, &files, &format!("{compile}{old}"), &format!("{compile}{new}"))
}

pub fn pairs() -> Vec<Pair> {
    let mut pairs = of_flags();
    pairs.extend(of_order());
    pairs.extend(of_symbols());
    pairs.extend(of_foreign_objects());
    pairs.extend(of_what_is_done_afterwards());
    pairs
}

fn of_flags() -> Vec<Pair> {
    vec![
        flags("static", "", "-static"),
        flags("static and position-independent", "", "-static-pie"),
        flags("bound at once", "-Wl,-z,lazy", "-Wl,-z,now"),
        flags("stack that can be executed", "", "-Wl,-z,execstack"),
        flags("no protection of relocations", "", "-Wl,-z,norelro"),
        flags("code and data in one segment", "", "-Wl,-z,noseparate-code"),
        flags("size of the stack", "", "-Wl,-z,stack-size=1048576"),
        flags("kind of the symbol table", "-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv"),
        flags(
            "chosen build-id",
            "-Wl,--build-id=0x1234567812345678123456781234567812345678",
            "-Wl,--build-id=0x2234567812345678123456781234567812345678",
        ),
        flags("linker of LLVM", "-fuse-ld=bfd", "-fuse-ld=lld"),
        flags("linker gold", "-fuse-ld=bfd", "-fuse-ld=gold"),
        flags("path of libraries", "-Wl,-rpath,/nowhere/a", "-Wl,-rpath,/nowhere/b"),
        flags(
            "kind of the path of libraries",
            "-Wl,-rpath,/nowhere,--enable-new-dtags",
            "-Wl,-rpath,/nowhere,--disable-new-dtags",
        ),
        flags("loader", "", "-Wl,--dynamic-linker=/lib64/../lib64/ld-linux-x86-64.so.2"),
        flags("address of the program", "-no-pie", "-no-pie -Wl,-Ttext-segment=0x600000"),
        flags("names removed", "", "-s"),
        flags("audit library", "", "-Wl,--audit,/nowhere/audit.so"),
    ]
}

fn of_order() -> Vec<Pair> {
    let archives = "ar rcs libone.a one.o; ar rcs libtwo.a two.o\n";
    let line = |old: &str| format!("{archives}$CC p.o {old} -o p");
    vec![
        several(
            "order of constructors",
            "$CC p.o one.o first.o second.o -o p",
            "$CC p.o one.o second.o first.o -o p",
        )
        .shows(),
        several("a constructor more", "$CC p.o one.o -o p", "$CC p.o one.o first.o -o p").shows(),
        several("order of archives", &line("libone.a libtwo.a"), &line("libtwo.a libone.a")).shows(),
        several("order of weak definitions", "$CC p.o weak1.o weak2.o -o p", "$CC p.o weak2.o weak1.o -o p")
            .shows(),
        several("weak and strong definition", "$CC p.o weak1.o -o p", "$CC p.o weak1.o two.o -o p").shows(),
        several(
            "first of two definitions",
            "$CC -Wl,-z,muldefs p.o one.o two.o -o p",
            "$CC -Wl,-z,muldefs p.o two.o one.o -o p",
        )
        .shows(),
        several(
            "whole archive",
            "ar rcs libx.a one.o first.o; $CC p.o libx.a -o p",
            "ar rcs libx.a one.o first.o; $CC p.o -Wl,--whole-archive libx.a -Wl,--no-whole-archive -o p",
        )
        .shows(),
        several(
            "order within an archive",
            "ar rcs libx.a weak1.o weak2.o; $CC p.o libx.a -o p",
            "ar rcs libx.a weak2.o weak1.o; $CC p.o libx.a -o p",
        )
        .shows(),
        several("object that does nothing", "$CC p.o one.o -o p", "$CC p.o one.o empty.o -o p"),
    ]
}

fn of_symbols() -> Vec<Pair> {
    let limit = "#include <stdio.h>\nextern char limit[];\nint main(void) { printf(\"%d\\n\", (int)(long)limit); return 0; }\n";
    let sets = "#include <stdio.h>\n#define ITEM(n) static const int item##n __attribute__((section(\"items\"), used)) = n\nITEM(1); ITEM(2);\nextern const int __start_items[] __attribute__((weak)), __stop_items[] __attribute__((weak));\nint main(void) { printf(\"%d\\n\", (int)(__stop_items - __start_items)); return 0; }\n";
    let script = "SECTIONS { .extra : { extra = .; LONG(1) } } INSERT AFTER .data;\n";
    let extra =
        "#include <stdio.h>\nextern int extra;\nint main(void) { printf(\"%d\\n\", extra); return 0; }\n";
    let wrapped = "#include <stdio.h>\nint value(void);\nint __wrap_value(void) { return 7; }\nint main(void) { printf(\"%d\\n\", value()); return 0; }\n";
    let start = "#include <stdio.h>\n#include <stdlib.h>\nvoid before(void) { puts(\"before\"); }\nint main(void) { puts(\"main\"); return 0; }\n";
    vec![
        Pair::built(
            "value of a symbol",
            &[("p.c", limit)],
            "$CC -no-pie p.c -Wl,--defsym,limit=3 -o p",
            "$CC -no-pie p.c -Wl,--defsym,limit=4 -o p",
        )
        .shows(),
        Pair::built(
            "sections that nobody refers to",
            &[("p.c", sets)],
            "$CC p.c -Wl,-z,nostart-stop-gc -o p",
            "$CC -fuse-ld=lld p.c -Wl,--gc-sections,-z,start-stop-gc -o p",
        ),
        Pair::built(
            "sections that are collected",
            &[("p.c", PROGRAM)],
            "$CC -ffunction-sections p.c -o p -lm",
            "$CC -ffunction-sections p.c -Wl,--gc-sections -o p -lm",
        ),
        Pair::changed(
            "script of the linker",
            &[("p.c", extra), ("x.ld", script)],
            "$CC p.c -Wl,-T,x.ld -o p",
            "x.ld",
            &script.replace("LONG(1)", "LONG(2)"),
        )
        .shows(),
        Pair::changed(
            "script among the objects",
            &[("p.c", limit), ("x.ld", "limit = 3;\n")],
            "$CC -no-pie p.c x.ld -o p",
            "x.ld",
            "limit = 4;\n",
        )
        .shows(),
        Pair::built(
            "wrapped symbol",
            &[("p.c", wrapped), ("v.c", &value(1))],
            "$CC p.c v.c -o p",
            "$CC -c v.c; $CC p.c v.o -Wl,--wrap=value -o p",
        )
        .shows(),
        Pair::built(
            "function at the start",
            &[("p.c", start)],
            "$CC p.c -o p",
            "$CC p.c -Wl,-init=before -o p",
        )
        .shows(),
        Pair::built(
            "entry point",
            &[("p.c", start)],
            "$CC -no-pie p.c -o p",
            "$CC -no-pie p.c -Wl,-e,before -o p",
        )
        .shows(),
        Pair::built(
            "exchanged symbols",
            &[("p.c", CALLS), ("v.c", "int one(void) { return 1; }\nint two(void) { return 2; }\n")],
            "$CC p.c v.c -Wl,--defsym,value=one -o p",
            "$CC p.c v.c -Wl,--defsym,value=two -o p",
        )
        .shows(),
    ]
}

fn of_foreign_objects() -> Vec<Pair> {
    let (one, two) = (value(1), value(2));
    let files = [("p.c", CALLS), ("a/v.c", &*one), ("b/v.c", &*two)];
    let archive = |way: &str| {
        format!(
            "for d in a b; do {PLAIN} -c $d/v.c -o $d/v.o; ar rcs $d/libv.a $d/v.o; done; $CC p.c {way} -o p"
        )
    };
    let changed = |name: &str, command: &str| {
        Pair::changed(name, &[("p.c", CALLS), ("v.c", &one)], command, "v.c", &two).shows()
    };
    vec![
        changed("object without bitcode", &format!("{PLAIN} -c v.c -o v.o; $CC p.c v.o -o p")),
        changed(
            "archive without bitcode",
            &format!("{PLAIN} -c v.c -o v.o; ar rcs libv.a v.o; $CC p.c -L. -lv -o p"),
        ),
        changed(
            "thin archive without bitcode",
            &format!("{PLAIN} -c v.c -o v.o; ar rcsT libv.a v.o; $CC p.c libv.a -o p"),
        ),
        changed(
            "object without bitcode in a partial link",
            &format!("{PLAIN} -c v.c -o v.o; $CC -c p.c -o m.o; ld -r m.o v.o -o all.o; $CC all.o -o p"),
        ),
        changed("source on standard input", "cat v.c | $CC -x c -c - -o v.o; $CC p.c v.o -o p"),
        Pair::built("directory of an archive", &files, &archive("-La -lv"), &archive("-Lb -lv")).shows(),
        Pair::built(
            "directory of a library in a variable",
            &files,
            &archive("-lv").replace("; $CC", "; LIBRARY_PATH=a $CC"),
            &archive("-lv").replace("; $CC", "; LIBRARY_PATH=b $CC"),
        )
        .shows(),
        Pair::built(
            "flags of a foreign object",
            &[("p.c", CALLS), ("v.c", "int value(void) { char c = (char)200; return c; }\n")],
            &format!("{PLAIN} -c v.c -o v.o; $CC p.c v.o -o p"),
            &format!("{PLAIN} -funsigned-char -c v.c -o v.o; $CC p.c v.o -o p"),
        )
        .shows(),
    ]
}

fn of_what_is_done_afterwards() -> Vec<Pair> {
    let word =
        "#include <stdio.h>\nconst char word[] = \"WORD-ONE\";\nint main(void) { puts(word); return 0; }\n";
    let weak = "#include <stdio.h>\nint value(void) { return 1; }\n";
    let all = [("p.c", word)];
    let two = [("p.c", CALLS), ("v.c", weak), ("w.c", &*value(2))];
    let linked = "$CC p.c -o p";
    let apart = "$CC -c p.c -o p.o\n";
    let objects = "for f in p v w; do $CC -c $f.c -o $f.o; done\n";
    let then = |what: &str| format!("{linked}\n{what}");
    let patch = "sed -i s/WORD-ONE/WORD-TWO/";
    let data = "#include <stdio.h>\n__attribute__((section(\".mine\"))) volatile char word[8] = \"one\";\nint main(void) { puts((char *)word); return 0; }\n";
    vec![
        Pair::built("patched program", &all, linked, &then(&format!("{patch} p"))).shows(),
        Pair::built("bytes after the program", &all, linked, &then("echo more >> p")),
        Pair::built("other bytes after the program", &all, &then("echo one >> p"), &then("echo two >> p")),
        Pair::built("zeros after the program", &all, linked, &then("truncate -s +64 p")),
        Pair::built(
            "section that is not loaded",
            &all,
            linked,
            &then("echo x > x; objcopy --add-section .extra=x p"),
        ),
        Pair::built("stripped", &all, linked, &then("strip p")),
        Pair::built(
            "debug information removed",
            &all,
            "$CC -g p.c -o p",
            "$CC -g p.c -o p; objcopy --strip-debug p",
        ),
        Pair::built(
            "section with other content",
            &[("p.c", data)],
            linked,
            "$CC p.c -o p; printf 'two\\0\\0\\0\\0\\0' > x; objcopy --update-section .mine=x p",
        )
        .shows(),
        Pair::built(
            "patched object",
            &all,
            &format!("{apart}$CC p.o -o p"),
            &format!("{apart}{patch} p.o; $CC p.o -o p"),
        )
        .shows(),
        Pair::built(
            "symbol of an object made weak",
            &two,
            &format!("{objects}$CC -Wl,-z,muldefs p.o v.o w.o -o p"),
            &format!("{objects}objcopy --weaken-symbol=value v.o; $CC -Wl,-z,muldefs p.o v.o w.o -o p"),
        )
        .shows(),
        Pair::built(
            "symbol of an object renamed",
            &two,
            &format!("{objects}$CC p.o v.o -o p"),
            &format!("{objects}objcopy --redefine-sym value=other v.o; $CC p.o v.o w.o -o p"),
        )
        .shows(),
        Pair::built(
            "member of an archive replaced",
            &two,
            &format!("{objects}ar rcs libx.a v.o; $CC p.o libx.a -o p"),
            &format!("{objects}ar rcs libx.a v.o; cp w.o v.o; ar r libx.a v.o; $CC p.o libx.a -o p"),
        )
        .shows(),
        Pair::built("privileges of the program", &all, linked, &then("chmod u+s p")),
    ]
}
