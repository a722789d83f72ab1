//! The tokens of a C text, as far as mutants need them.
//!
//! In: preprocessed or ordinary C. Out: names, numbers, operators and literals with their places.
//!
//! Always holds: comments and preprocessor lines are left out; tokens do not overlap and come in order.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    /// A string or a character.
    Literal,
    Operator,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub kind: Kind,
    pub start: usize,
    pub text: &'t str,
}

impl Token<'_> {
    /// Just behind it.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Operators of more than one character, longest first.
const LONG: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=",
];

/// Splits a text.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let skipped = skipped(text, at, first);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (kind, len) = match first {
            '0'..='9' => (Kind::Number, rest.find(|c| !word(c) && c != '.').unwrap_or(rest.len())),
            'a'..='z' | 'A'..='Z' | '_' => (Kind::Name, rest.find(|c| !word(c)).unwrap_or(rest.len())),
            '"' | '\'' => (Kind::Literal, literal(rest, first)),
            other => {
                let long = LONG.iter().find(|operator| rest.starts_with(**operator));
                (Kind::Operator, long.map_or(other.len_utf8(), |operator| operator.len()))
            }
        };
        found.push(Token { kind, start: at, text: &rest[..len] });
        at += len;
    }
    found
}

/// Bytes of white space, of a comment or of a preprocessor line.
fn skipped(text: &str, at: usize, first: char) -> usize {
    let rest = &text[at..];
    let upto = |end: &str| rest.find(end).map_or(rest.len(), |n| n + end.len());
    let line_start = text[..at].rsplit('\n').next().unwrap_or_default().trim().is_empty();
    match first {
        c if c.is_whitespace() => c.len_utf8(),
        '/' if rest.starts_with("/*") => upto("*/"),
        '/' if rest.starts_with("//") => upto("\n"),
        '#' if line_start => directive(rest),
        _ => 0,
    }
}

/// A line and those that continue it.
fn directive(rest: &str) -> usize {
    let mut len = 0;
    for line in rest.split_inclusive('\n') {
        len += line.len();
        if !line.trim_end_matches('\n').ends_with('\\') {
            break;
        }
    }
    len
}

fn literal(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_split_and_comments_and_directives_are_left_out() {
        let text = "#define A \\\n 1\nx->y <<= 0x1fu; /* \"no\" */ c = '\\''; // end\n\"a\\\"b\"";
        let found: Vec<&str> = tokens(text).iter().map(|t| t.text).collect();
        assert_eq!(found, ["x", "->", "y", "<<=", "0x1fu", ";", "c", "=", "'\\''", ";", "\"a\\\"b\""]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "int main(void) { return a+++b; }";
        assert!(tokens(text).iter().all(|t| &text[t.start..t.end()] == t.text));
    }
}
