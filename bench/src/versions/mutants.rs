//! Many versions of one program, each with one small mistake.
//!
//! In: the text of a C file. Out: changed texts, each with the line and what was done.
//!
//! Always holds: a mutant differs from the original in one place inside a function body or an initialiser; that it compiles and
//! that it does something else is for the caller to find out.

use super::tokens::{tokens, Kind, Token};

/// One changed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub line: usize,
    /// For people: what was replaced by what.
    pub what: String,
    pub text: String,
}

/// Operators that stand for each other in mistakes; the first becomes each of the others.
const OPERATORS: &[(&str, &[&str])] = &[
    ("<", &["<=", ">"]),
    ("<=", &["<", "=="]),
    (">", &[">=", "<"]),
    (">=", &[">", "=="]),
    ("==", &["!=", ">="]),
    ("!=", &["==", "<"]),
    ("&&", &["||"]),
    ("||", &["&&"]),
    ("+", &["-"]),
    ("-", &["+"]),
    ("/", &["%"]),
    ("%", &["/"]),
    ("<<", &[">>"]),
    (">>", &["<<"]),
    ("+=", &["-=", "="]),
    ("-=", &["+="]),
    ("|=", &["="]),
    ("|", &["&"]),
    ("&", &["|"]),
    ("++", &["--"]),
];

/// Every mutant of a text, in the order of their places.
pub fn mutants(text: &str) -> Vec<Mutant> {
    let tokens = tokens(text);
    let mut maker = Maker { text, mutants: vec![] };
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ if depth == 0 => {}
            _ => {
                maker.operator(&tokens, at);
                maker.constant(token);
                maker.condition(&tokens, at);
                maker.statement(&tokens, at);
            }
        }
    }
    maker.mutants
}

struct Maker<'t> {
    text: &'t str,
    mutants: Vec<Mutant>,
}

impl Maker<'_> {
    fn replace(&mut self, from: usize, to: usize, by: &str) {
        let (before, old, after) = (&self.text[..from], &self.text[from..to], &self.text[to..]);
        let line = before.lines().count().max(1);
        let what = format!("`{}` becomes `{by}`", old.split_whitespace().collect::<Vec<_>>().join(" "));
        self.mutants.push(Mutant { line, what, text: format!("{before}{by}{after}") });
    }

    fn operator(&mut self, tokens: &[Token], at: usize) {
        // After another operator it is a sign, an address or the target of a pointer.
        let binary = at > 0 && (tokens[at - 1].kind != Kind::Operator || ends_operand(tokens[at - 1].text));
        let token = tokens[at];
        let known = OPERATORS.iter().find(|(operator, _)| *operator == token.text);
        if let (Some((_, others)), Kind::Operator) = (known, token.kind) {
            if binary || token.text == "++" {
                others.iter().for_each(|other| self.replace(token.start, token.end(), other));
            }
        }
    }

    fn constant(&mut self, token: &Token) {
        if token.kind != Kind::Number {
            return;
        }
        let digits = token.text.trim_end_matches(['u', 'U', 'l', 'L']);
        let suffix = &token.text[digits.len()..];
        let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
        let value = match hexadecimal {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        };
        let Some(value) = value else { return };
        for other in [value.checked_add(1), value.checked_sub(1)].into_iter().flatten() {
            let written = match hexadecimal {
                Some(_) => format!("{other:#x}{suffix}"),
                None => format!("{other}{suffix}"),
            };
            self.replace(token.start, token.end(), &written);
        }
    }

    /// `if (C)` becomes `if (!(C))`.
    fn condition(&mut self, tokens: &[Token], at: usize) {
        if tokens[at].text != "if" || tokens.get(at + 1).is_none_or(|t| t.text != "(") {
            return;
        }
        if let Some(close) = closing(tokens, at + 1) {
            let (from, to) = (tokens[at + 1].start, tokens[close].end());
            self.replace(from, to, &format!("(!{})", &self.text[from..to]));
        }
    }

    /// An assignment or a call that stands for itself is left out.
    fn statement(&mut self, tokens: &[Token], at: usize) {
        let starts = at > 0 && matches!(tokens[at - 1].text, ";" | "{" | "}" | ")" | "else" | ":");
        let name = tokens[at].kind == Kind::Name || matches!(tokens[at].text, "*" | "++" | "--");
        let keyword = KEYWORDS.contains(&tokens[at].text);
        if !starts || !name || keyword {
            return;
        }
        let end = tokens[at..].iter().position(|t| matches!(t.text, ";" | "{" | "}"));
        let Some(end) = end.map(|n| at + n).filter(|n| tokens[*n].text == ";") else { return };
        let inside = &tokens[at..end];
        // Two names in a row declare something.
        let declares = inside.windows(2).any(|w| w.iter().all(|t| t.kind == Kind::Name));
        let acts = inside.iter().any(|t| t.text.ends_with('=') || matches!(t.text, "(" | "++" | "--"));
        if acts && !declares {
            self.replace(tokens[at].start, tokens[end - 1].end(), "");
        }
    }
}

const KEYWORDS: &[&str] = &[
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "goto",
    "static", "const", "struct", "enum", "union", "unsigned", "signed", "char", "short", "int", "long",
    "void", "sizeof",
];

fn ends_operand(text: &str) -> bool {
    matches!(text, ")" | "]" | "++" | "--")
}

/// The parenthesis that closes the one at `open`.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(body: &str) -> Vec<String> {
        let text = format!("int f(int a) {{ {body} }}");
        let strip = |m: Mutant| m.text["int f(int a) { ".len()..m.text.len() - 2].to_owned();
        mutants(&text).into_iter().map(strip).collect()
    }

    #[test]
    fn comparisons_constants_conditions_and_statements_change() {
        let made = made("if (a < 10) a = g(a);");
        for wanted in [
            "if (a <= 10) a = g(a);",
            "if (a < 11) a = g(a);",
            "if (a < 9) a = g(a);",
            "if (!(a < 10)) a = g(a);",
            "if (a < 10) ;",
        ] {
            assert!(made.iter().any(|m| m == wanted), "{wanted}: {made:?}");
        }
    }

    #[test]
    fn signs_pointers_strings_and_comments_stay() {
        assert_eq!(made("char *p = \"1 + 2\"; /* 3 */"), Vec::<String>::new());
        assert_eq!(made("x(-a, &a);"), [";"]);
    }

    #[test]
    fn outside_of_bodies_nothing_changes() {
        assert_eq!(mutants("#define N 3\nstatic int x[4];\nint g(int a[2 + 1]);"), []);
    }
}
