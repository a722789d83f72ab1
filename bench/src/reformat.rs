//! The same C program, written differently: other white space, other line breaks, more comments; other names.
//!
//! In: C text. Out: C text that means the same.
//!
//! Always holds: preprocessor lines stay as they are; tokens stay in order; a name is changed everywhere in the file or nowhere.

use std::collections::BTreeSet;

/// A piece of C text, with what stands before it thrown away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Name,
    Number,
    /// A string or a character.
    Literal,
    /// A preprocessor line with all its continuations.
    Directive,
    Mark,
}

/// Marks of more than one character, the longest first.
const LONG: [&str; 23] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "##",
];

pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut fresh) = (0, true);
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'\n' => {
                fresh = true;
                at += 1;
                continue;
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => {
                at += 2;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |n| at + 2 + n + 2);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = line_end(bytes, at);
                continue;
            }
            b'#' if fresh => {
                at = directive_end(text, at);
                TokenKind::Directive
            }
            b'"' | b'\'' => {
                at = literal_end(bytes, at);
                TokenKind::Literal
            }
            b if b.is_ascii_digit() || (b == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) => {
                at = number_end(bytes, at);
                TokenKind::Number
            }
            b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => {
                at = name_end(bytes, at);
                // The kind of a literal stands before it, without a space between.
                if ["L", "u", "U", "u8"].contains(&&text[start..at])
                    && matches!(bytes.get(at), Some(b'"' | b'\''))
                {
                    at = literal_end(bytes, at);
                    TokenKind::Literal
                } else {
                    TokenKind::Name
                }
            }
            _ => {
                let long = LONG.iter().find(|mark| text[at..].starts_with(**mark));
                at += long.map_or(1, |mark| mark.len());
                TokenKind::Mark
            }
        };
        fresh = kind == TokenKind::Directive;
        found.push(Token { kind, text: text[start..at].to_owned() });
    }
    found
}

fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && (bytes[at] != b'\n' || bytes[at - 1] == b'\\') {
        at += 1;
    }
    at
}

/// A directive ends with its line; a comment in it may span lines.
fn directive_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while at < bytes.len() && (bytes[at] != b'\n' || bytes[at - 1] == b'\\') {
        if text.is_char_boundary(at) && text[at..].starts_with("/*") {
            at = text[at + 2..].find("*/").map_or(bytes.len(), |n| at + 2 + n + 2);
        } else {
            at += 1;
        }
    }
    at
}

fn literal_end(bytes: &[u8], mut at: usize) -> usize {
    let quote = bytes[at];
    at += 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn name_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || bytes[at] >= 0x80) {
        at += 1;
    }
    at
}

fn number_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        let sign = matches!(bytes[at], b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        let hexadecimal_e = sign
            && bytes[..at].iter().rev().take_while(|b| b.is_ascii_hexdigit()).count() > 0
            && bytes[..at].iter().rev().find(|b| !b.is_ascii_hexdigit()) == Some(&b'x')
            && matches!(bytes[at - 1], b'e' | b'E');
        if !(bytes[at].is_ascii_alphanumeric()
            || bytes[at] == b'.'
            || bytes[at] == b'_'
            || (sign && !hexadecimal_e))
        {
            break;
        }
        at += 1;
    }
    at
}

/// The same tokens with other space between them.
pub fn reformat(text: &str, random: &mut fastrand::Rng) -> String {
    let mut out = String::new();
    let mut last: Option<TokenKind> = None;
    for token in tokens(text) {
        if token.kind == TokenKind::Directive {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&token.text);
            out.push('\n');
        } else {
            if last.is_some_and(|kind| kind != TokenKind::Directive) {
                out.push_str(["\n", " ", "  ", " /* here */ ", "\n\n    ", " // so\n"][random.usize(..6)]);
            }
            out.push_str(&token.text);
        }
        last = Some(token.kind);
    }
    out + "\n"
}

/// Words of C, which are no names.
pub const KEYWORDS: &str = "alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float for goto if inline int \
    long nullptr register restrict return short signed sizeof static static_assert struct switch thread_local true typedef typeof union unsigned void \
    volatile while asm main";

/// What may not get another name in a whole tree: what directives, and what the world outside it, say. `outside`: all words of it.
pub fn fixed_names<'t>(texts: impl Iterator<Item = &'t str>, mut outside: BTreeSet<String>) -> Fixed {
    let mut pasted = BTreeSet::new();
    for token in texts.flat_map(tokens).filter(|token| token.kind == TokenKind::Directive) {
        // What stands beside `##` is a part of a name that is written nowhere.
        let words: Vec<&str> = token.text.split("##").collect();
        if words.len() > 1 {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let ends = words.iter().flat_map(|w| {
                let w = w.trim();
                [w.rsplit(|c| !word(c)).next(), w.split(|c| !word(c)).next()]
            });
            pasted.extend(ends.flatten().filter(|w| w.len() > 2).map(str::to_owned));
        }
        outside.extend(names_in(&token.text));
    }
    outside.extend(KEYWORDS.split_whitespace().map(str::to_owned));
    Fixed { outside, pasted }
}

/// Names that stay.
pub struct Fixed {
    outside: BTreeSet<String>,
    pasted: BTreeSet<String>,
}

impl Fixed {
    fn has(&self, name: &str) -> bool {
        let pasted = |part: &String| name.starts_with(part.as_str()) || name.ends_with(part.as_str());
        name.starts_with('_') || self.outside.contains(name) || self.pasted.iter().any(pasted)
    }
}

/// Every name that is not fixed gets another one: of functions, variables, types, members, enumerators, labels, whatever. In all files of a tree it
/// is the same.
pub fn rename_all(text: &str, fixed: &Fixed) -> String {
    write(tokens(text), |name| !fixed.has(name))
}

/// Every name in `names` gets another one, unless it might mean something else somewhere in the file.
pub fn rename(text: &str, names: &BTreeSet<String>, taken: &BTreeSet<String>) -> String {
    let all = tokens(text);
    let mut fixed: BTreeSet<String> = taken.clone();
    for (n, token) in all.iter().enumerate() {
        match token.kind {
            // Macros may use any name.
            TokenKind::Directive => fixed.extend(names_in(&token.text)),
            TokenKind::Name => {
                let before = n.checked_sub(1).map_or("", |n| all[n].text.as_str());
                let after = all.get(n + 1).map_or("", |t| t.text.as_str());
                let member = [".", "->", "goto", "struct", "union", "enum"].contains(&before);
                if member || after == "(" || after == ":" {
                    fixed.insert(token.text.clone());
                }
            }
            _ => {}
        }
    }
    write(all, |name| names.contains(name) && !fixed.contains(name))
}

/// The tokens, those names renamed that are to be.
fn write(all: Vec<Token>, renamed: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    for token in all {
        let newline = token.kind == TokenKind::Directive;
        out.push_str(if newline { "\n" } else { " " });
        out.push_str(&token.text);
        if token.kind == TokenKind::Name && renamed(&token.text) {
            out.push_str("_renamed");
        }
        if newline || token.text == ";" || token.text == "{" {
            out.push('\n');
        }
    }
    out
}

/// All names in a text.
pub fn names_in(text: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !word(c)).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#define A(x) \\\n  x // c\nint f(int a) { /* no */ return a+++1.5e-3f\n? 'x' : \"s\\\"\"[0] - 0xe-1; }\n";

    fn texts(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn a_wide_literal_is_one_token() {
        assert_eq!(texts("L'_' u8\"x\" L 'y'"), ["L'_'", "u8\"x\"", "L", "'y'"]);
    }

    #[test]
    fn tokens_are_those_of_c() {
        let expected = [
            "#define A(x) \\\n  x // c",
            "int",
            "f",
            "(",
            "int",
            "a",
            ")",
            "{",
            "return",
            "a",
            "++",
            "+",
            "1.5e-3f",
            "?",
            "'x'",
            ":",
            "\"s\\\"\"",
            "[",
            "0",
            "]",
            "-",
            "0xe",
            "-",
            "1",
            ";",
            "}",
        ];
        assert_eq!(texts(TEXT), expected);
    }

    #[test]
    fn reformatting_keeps_the_tokens() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..20 {
            assert_eq!(texts(&reformat(TEXT, &mut random)), texts(TEXT));
        }
    }

    #[test]
    fn names_of_directives_and_of_the_world_outside_stay() {
        let text = "#define A(x) x##_of_me(y)\nstruct s { int m; }; static int g(struct s *p) { return p->m + puts(y) + its_of_me(1) + h(2); }";
        let fixed = fixed_names([text].into_iter(), ["puts", "y"].map(str::to_owned).into());
        let out = rename_all(text, &fixed);
        let renamed: Vec<String> = names_in(&out).into_iter().filter(|n| n.ends_with("_renamed")).collect();
        assert_eq!(renamed, ["g_renamed", "h_renamed", "m_renamed", "p_renamed", "s_renamed"]);
    }

    #[test]
    fn only_names_that_mean_one_thing_are_changed() {
        let names = ["a", "x", "m", "g"].map(str::to_owned).into();
        let out = rename(
            "#define M x\nint f(int a, int x, int m) { return a + x + s.m + g(m); }",
            &names,
            &BTreeSet::new(),
        );
        assert_eq!(
            names_in(&out).into_iter().filter(|n| n.ends_with("_renamed")).collect::<Vec<_>>(),
            ["a_renamed"]
        );
    }
}
