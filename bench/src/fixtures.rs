//! Input files with the edge cases that text tools stumble over.
//!
//! In: a name. Out: its content, the same every time.

/// Files that command lines may name.
pub const NAMES: [&str; 16] = [
    "empty", "one", "nonl", "words", "words2", "long", "nul", "utf8", "crlf", "blank", "nums", "table",
    "table2", "bytes", "badutf8", "keys",
];

/// Length of the longest line of `long`: more than a page, more than the buffers of most tools start with.
const LONG_LINE: usize = 5000;

const WORDS: &str = "apple\nBanana\ncherry pie\n\tdate palm\napple\nelder-berry 12\n\nfig\nGrape\n  indent\n\
    the quick brown fox\njumps over\nthe lazy dog\nfoo(bar) {\n    baz[1] = 2;\n}\nend\n";
const WORDS2: &str = "apple\nbanana\ncherry  pie\n\tdate palm\nelder-berry 13\n\n\nfig\nGrape\nindent\n\
    the quick red fox\njumps over\nthe lazy dog\nfoo(bar) {\n    baz[1] = 3;\n    more;\n}\n";
const NUMS: &str = "10\n9\n-3\n0\n007\n3.14\n1e3\n10\n2K\n1M\n-0\n+5\n 42\nabc\n\n99999999999999999999\n";
const TABLE: &str = "a:b:c\n1:2:3\n::\nno delimiter\nx:y\nlast:one:here:and:more\n";
const TABLE2: &str = "id\tname\tvalue\n1\tfoo\t3.5\n2\tbar\t-1\n3\t\t0\n";
const KEYS: &str = "b 2 x\na 10 y\nB 1 z\na 9 y\nc\na 10 y\n_ 3 w\n";

/// The content of a file of [`NAMES`].
pub fn content(name: &str) -> Option<Vec<u8>> {
    Some(match name {
        "empty" => vec![],
        "one" => b"one line\n".to_vec(),
        "nonl" => b"first\nsecond\nno newline at the end".to_vec(),
        "words" => WORDS.into(),
        "words2" => WORDS2.into(),
        "long" => long(),
        "nul" => b"a\0b\nc\0\0d\n\0\nplain\n".to_vec(),
        "utf8" => "h\u{e9}llo w\u{f6}rld\n\u{4e2d}\u{6587}\tx\nA\u{300}e\u{301} \u{1f600}\n\u{df}\n".into(),
        "crlf" => b"dos line\r\nanother\r\n\r\nlast\r\n".to_vec(),
        "blank" => b"\n\n  \n\t\n\n \t \nx\n\n".to_vec(),
        "nums" => NUMS.into(),
        "table" => TABLE.into(),
        "table2" => TABLE2.into(),
        "bytes" => (0..=255).collect(),
        "badutf8" => b"ok\n\xff\xfe\n\xc3(\nab\xe2\x82\nend\n".to_vec(),
        "keys" => KEYS.into(),
        name => calculations(name)?.into(),
    })
}

/// Programs for bc; each ends in `quit`, so that a run with them as files does not wait for more.
fn calculations(name: &str) -> Option<&'static str> {
    Some(match name {
        "bc-add" => "1+2\n3*4-5\n2^10\n7/2\n7%3\n-7/2\n",
        "bc-scale" => "scale=5\n1/3\n22/7\nsqrt(2)\n0.1+0.20\nscale(1.234)\nlength(12.34)\n",
        "bc-loop" => "for (i = 0; i < 10; ++i) { if (i % 2) continue; i }\nwhile (i > 7) { i--; print i, \" \" }\nquit\n",
        "bc-func" => "define f(n) { if (n <= 1) return (1); return (n * f(n - 1)); }\nf(5)\nf(20)\nquit\n",
        "bc-base" => "obase=16\n255\nibase=16\nFF\nibase=A\nobase=2\n10\nobase=20\n399\n",
        "bc-error" => "1/0\n2+\n3\nfoo(2)\nsqrt(-1)\n@\n4\n",
        "bc-array" => "a[1]=5;a[2]=a[1]*2\na[1]+a[2]\nauto x\ndefine void g(b[]) { b[1] }\ng(a[])\nquit\n",
        "bc-string" => "print \"hello\\n\"\n\"no newline\"\n/* comment */ 5\n",
        "bc-nonl" => "1+1\n2*3",
        "bc-big" => "2^200\n123456789012345678901234567890*987654321098765432109876543210\n10^40/7\nquit\n",
        "bc-compare" => "1<2\n2<=1\n3==3\n!1\n1&&0\n0||5\na=b=4\na\na+=3\na\n",
        "bc-math" => "s(1)\nc(0)\na(1)*4\nl(2)\ne(1)\nj(0,1)\n",
        _ => return None,
    })
}

fn long() -> Vec<u8> {
    let mut text: Vec<u8> = (0..LONG_LINE).map(|i| b'a' + (i * i % 26) as u8).collect();
    text.extend_from_slice(b"\nshort\n");
    text.extend(std::iter::repeat_n(*b"tab\tand blank ", LONG_LINE / 64).flatten());
    text.push(b'\n');
    text
}
