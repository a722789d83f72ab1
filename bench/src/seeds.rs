//! The programs of the exactness measurement and their first inputs.
//!
//! Own programs are the files `bench/subjects/exact/NAME.c`; the others are programs of packages built with
//! `parallax-cc`. Inputs are written as [`crate::lines`] says.

use std::path::{Path, PathBuf};

/// Where an own program is.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects/exact").join(name).with_extension("c")
}

/// Own programs.
pub const OWN: &[(&str, &[&str])] = &[
    (
        "altitude",
        &[
            "601 1 0 502 200 600 0 399 400 0 1 1",
            "800 1 1 1000 100 2000 1 600 500 0 1 0",
            "400 1 1 9000 600 500 2 900 700 1 2 1",
            "1 2 3",
        ],
    ),
    (
        "replace",
        &[
            "ab X '<<xaby ab\\n'",
            "'[a-c]*x' '<&>' '<<abcx bx y\\nzz\\n'",
            "'^a?$' b '<<aa\\nab c\\n'",
            "'[^a]' . <<abc",
        ],
    ),
    (
        "tokens",
        &[
            "'<<int x = 0x1f + 42; # note\\nreturn x;\\n'",
            "'<<if (a<b) \"s\\\\n\" else 017\\n'",
            "'<<while 09\\n'",
            "<<_a1",
        ],
    ),
    (
        "chunks",
        &[
            "'@in.dat=CHT\\x03abcS\\x02xyN\\x04\\x10\\x00\\x00\\x00'",
            "@in.dat=CHq\\x01zT\\x05longerN\\x03abc",
            "@in.dat=CX",
            "@in.dat=CHS\\x00",
        ],
    ),
    (
        "options",
        &[
            "-ar -n 3 word .hidden",
            "--width=4 --prefix '> ' --colour=auto abcdef",
            "-vv --count 2 one two three",
            "--col=never -p x -- -a",
            "--wid 99 x",
        ],
    ),
    (
        "varint",
        &[
            "<<\\xa5\\x01\\x03\\x96\\x01",
            "<<\\xa5\\x00\\xff\\xff\\x03\\x07",
            "<<\\xa5\\x02\\x05\\x11",
            "<<\\xa5\\x01\\x80\\x80",
        ],
    ),
    ("states", &["'-12.5e+3, 4'", "1,2,.5", "'  7 '", "1e", "x"]),
    ("calc", &["1+2*3 a-7 'b/(a-6)'", "'(4 % 3) * -2'", "8/0", "((1", "200 'a*a'"]),
    (
        "csv",
        &[
            "value '<<id,value\\n1,40\\n2,70\\n'",
            "b 'name' '<<x\\n'",
            "b '<<a,\"b\"\\n\"q,q\",3\\n4,x\\n'",
            "ID '<<id\\n7\\n-9\\n'",
        ],
    ),
    ("pack", &["12 3 -4 80000001", "99999999999 0x1f 20 12345678", "0 0 0 0", "7 15 31 ffff0000"]),
    (
        "dispatch",
        &["'<<1 2 add print\\n'", "'<<5 dup sub print 3\\n'", "'<<2 neg 3 less print drop\\n'", "'<<foo\\n'"],
    ),
    ("format", &["'%s=%d,%x' name 42 255", "'%-6s|%4c%%' ab z", "'a,b,%d' -17", "'%q' x"]),
    ("records", &["ab:3 cd:1 ef:42", "a:1 a:1 b:200", "zz:42 y:41", "x"]),
    ("unicode", &["abc h\u{e9}llo", "\u{4e2d}\u{1f600}", "\\xc3(", "\\xed\\xa0\\x80"]),
];

/// Programs of packages: package, program, first inputs. File names would be lost in `open`, so that the inputs
/// are standard input and options.
pub const PACKAGED: &[(&str, &str, &[&str])] = &[
    (
        "coreutils",
        "cut",
        &["-d: -f2 <table", "-b2-4 <one", "-c 1,3- <nonl", "-f1 -s <table2", "--complement -d ' ' -f1 <keys"],
    ),
    ("coreutils", "fold", &["-w 5 <one", "-s -w 6 <keys", "-b -w3 <nonl", "-4 <crlf"]),
    ("coreutils", "paste", &["-s -d, <table", "- - <one", "-d ':,' - - - <keys"]),
    ("coreutils", "nl", &["-ba <one", "-s : -v 5 <keys", "-nrz -w3 <blank"]),
    ("coreutils", "head", &["-n 2 <keys", "-c 5 <one", "-n -1 <nonl", "-3 <table"]),
    ("coreutils", "tr", &["-d ab <one", "-s ' ' <keys", "abc xyz <table"]),
    ("coreutils", "expr", &["1 + 2", "abc '<' abd", "a '|' b", "length hello"]),
    ("coreutils", "od", &["-An -tx1 <one", "-c <nonl", "-x <crlf"]),
    ("diffutils", "cmp", &["- one <one", "-l - one <nonl"]),
    ("bc", "bc", &["-q <bc-add", "<bc-compare", "-s <bc-string"]),
    ("sed", "sed", &["p <one", "-n '$=' <nonl", "y/abc/xyz/ <table", "2d <keys"]),
];
