//! Changes of shape, because solvers only change bytes: growing and shrinking at ends that a run met, arguments from
//! the program's own option table, tokens from comparisons.
//!
//! In: a test case and what its runs met. Out: new test cases, most promising first, each different from
//! the one it comes from.

use crate::havoc;
use crate::inputs::{self, edited};
use crate::words::{Compared, Families};
use parallax_execute::TestCase;
use parallax_trace::reader::{Event, Trace};
use parallax_trace::request::{Input, Source};
use std::collections::BTreeSet;

/// What runs met that suggests a change of shape.
#[derive(Default, Debug, Clone)]
pub struct Hints {
    /// Inputs whose end was looked at.
    pub ended: BTreeSet<Source>,
    /// Arguments that the option tables suggest: short ones, long ones that have no short form, the other long ones.
    pub options: Vec<Vec<Vec<u8>>>,
    /// Texts that input was compared with, and where that stood.
    pub tokens: BTreeSet<Token>,
    /// The texts alone.
    words: BTreeSet<Vec<u8>>,
    families: Families,
}

/// What one run was compared with.
#[derive(Default, Debug)]
pub struct Met {
    /// Texts that no run was compared with before.
    pub fresh: Vec<Token>,
    pub compared: Compared,
}

/// An input, the first byte of it that was compared, and what with.
pub type Token = (Source, u32, Vec<u8>);

/// Places of a run at which other words are tried.
const MAX_COMPARED: usize = 24;
/// Options that are known, those with a word that their argument was compared with among them.
const MAX_OPTIONS: usize = 256;
/// Tokens longer than this are cut.
const MAX_TOKEN: usize = 32;

impl Hints {
    /// Learn from a trace.
    pub fn learn(&mut self, trace: &Trace, inputs: &[Input]) -> Met {
        let mut met = Met::default();
        for event in trace.events() {
            match event {
                Event::EndOfInput { input, .. } => {
                    if let Some(i) = inputs.get(input as usize) {
                        self.ended.insert(i.source.clone());
                    }
                }
                Event::Options { table, .. } => self.learn_options(table),
                Event::Compare { label, token } => {
                    if let Some((source, offset)) = first_byte(trace, inputs, label) {
                        let token = token[..token.len().min(MAX_TOKEN)].to_vec();
                        if self.words.insert(token.clone()) {
                            met.fresh.push((source.clone(), offset, token.clone()));
                        }
                        self.learn_argument(inputs, &source, offset as usize, &token);
                        let place = met.compared.entry((source.clone(), offset)).or_default();
                        place.insert(token.clone());
                        self.tokens.insert((source, offset, token));
                    }
                }
                _ => {}
            }
        }
        met.compared.values().for_each(|words| self.families.join(words));
        met
    }

    /// The words that could stand at the places where a run was compared with some, nearest to the end of the input last.
    pub fn words_for(&self, compared: &Compared) -> Vec<Token> {
        let places = compared.iter().take(MAX_COMPARED);
        let words = places.flat_map(|((source, offset), words)| {
            self.families.family(words).map(|word| (source.clone(), *offset, word.clone()))
        });
        words.collect()
    }

    /// The table as the runtime writes it: the short options, then lines of name, argument and value.
    fn learn_options(&mut self, text: &[u8]) {
        let mut lines = text.split(|b| *b == b'\n');
        let shorts = lines.next().unwrap_or_default();
        let letters = shorts.iter().enumerate().filter(|(_, c)| c.is_ascii_alphanumeric());
        for (i, letter) in letters {
            let mut args = vec![vec![b'-', *letter]];
            if shorts.get(i + 1) == Some(&b':') && shorts.get(i + 2) != Some(&b':') {
                args.push(b"1".to_vec());
            }
            self.add_option(args);
        }
        let mut also_short = Vec::new();
        for line in lines {
            let fields: Vec<&[u8]> = line.split(|b| *b == b'\t').collect();
            let [name, argument, value] = fields[..] else { continue };
            let mut option = [b"--", name].concat();
            if argument == b"1" {
                option.extend_from_slice(b"=1");
            }
            let letter = std::str::from_utf8(value).ok().and_then(|v| v.parse::<u8>().ok());
            match letter.is_some_and(|letter| shorts.contains(&letter)) {
                true => also_short.push(vec![option]),
                false => self.add_option(vec![option]),
            }
        }
        also_short.into_iter().for_each(|option| self.add_option(option));
    }

    /// A word that the argument of an option was compared with: the option with that word is an option of its own.
    fn learn_argument(&mut self, inputs: &[Input], source: &Source, offset: usize, word: &[u8]) {
        let Source::Argument(n) = source else { return };
        let argument = |n: u32| inputs.iter().find(|i| i.source == Source::Argument(n)).map(|i| &i.bytes[..]);
        let Some(before) = argument(*n).and_then(|text| text.get(..offset)) else { return };
        let takes_one = |option: &[u8]| self.options.iter().any(|o| o.len() == 2 && o[0] == option);
        let option = match argument(n - 1) {
            Some(option) if before.is_empty() && takes_one(option) => vec![option.to_vec(), word.to_vec()],
            _ if takes_one(before) || before.starts_with(b"--") && before.ends_with(b"=") => {
                vec![[before, word].concat()]
            }
            _ => return,
        };
        if !word.contains(&0) && self.options.len() < MAX_OPTIONS {
            self.add_option(option);
        }
    }

    fn add_option(&mut self, option: Vec<Vec<u8>>) {
        if !self.options.contains(&option) {
            self.options.push(option);
        }
    }
}

/// The first input byte that an expression depends on.
fn first_byte(trace: &Trace, inputs: &[Input], label: u32) -> Option<(Source, u32)> {
    let found = trace.cone(label).into_iter().find_map(|l| match trace.node(l) {
        Some((parallax_trace::format::Op::Input, node)) => Some((node.a, node.b)),
        _ => None,
    })?;
    Some((inputs.get(found.0 as usize)?.source.clone(), found.1))
}

/// Words of an input that are doubled, lines that are taken from another test case, and places they are put at.
const MAX_WORDS: usize = 16;
const MAX_LINES: usize = 3;
const MAX_PLACES: usize = 6;

/// What is put at the end of an input that was read to its end.
const ENDINGS: &[&[u8]] = &[b"\n", b"a", b"0", b"1\n", b" ", b"\0\0\0\0", b"-", b",", b"9", b"\x01"];

/// Test cases of another shape.
/// `compared`: what its run was compared with.
pub fn variants(test: &TestCase, hints: &Hints, compared: &Compared, max_input: usize) -> Vec<TestCase> {
    let sources = inputs::sources(test);
    let doubled = sources.iter().flat_map(|source| with_words_doubled(test, source));
    let places = compared.iter().flat_map(|(place, texts)| texts.iter().map(move |text| (place, text)));
    let tokens =
        places.flat_map(|((source, offset), text)| token_variants(test, source, *offset as usize, text));
    let longer = hints.ended.iter().flat_map(|source| grown(test, source));
    let shorter = sources.iter().flat_map(|source| shrunk(test, source));
    let all = doubled.chain(tokens).chain(longer).chain(arguments(test)).chain(shorter);
    // Each is made when it is asked for: all of those of a large test case would take more memory than there is.
    all.filter(|t| t != test && inputs::longest(t) <= max_input).take(room(test)).collect()
}

/// Bytes of memory that the variants of one test case may take.
const MAX_VARIANT_BYTES: usize = 32 << 20;

/// How many variants of a test case there is room for.
fn room(test: &TestCase) -> usize {
    (MAX_VARIANT_BYTES / inputs::footprint(test)).max(1)
}

/// The test case with other words of the program's language, at the places where its run was compared with some.
pub fn with_words(test: &TestCase, hints: &Hints, compared: &Compared, max_input: usize) -> Vec<TestCase> {
    let words = hints.words_for(compared);
    let all = words.iter().flat_map(|word| word_variants(test, word));
    all.filter(|t| t != test && inputs::longest(t) <= max_input).take(room(test)).collect()
}

/// The same with some of the words, and as commands of their own with arguments of their own.
pub fn with_commands(
    test: &TestCase,
    hints: &Hints,
    compared: &Compared,
    is_wanted: &dyn Fn(&Vec<u8>) -> bool,
) -> Vec<TestCase> {
    let mut words = hints.words_for(compared);
    words.retain(|word| is_wanted(&word.2));
    let variants =
        words.iter().flat_map(|word| word_variants(test, word).into_iter().chain(with_command(test, word)));
    variants.filter(|t| t != test).take(room(test)).collect()
}

/// What may follow a command whose arguments nobody knows yet.
const ARGUMENTS: [&[u8]; 6] = [b"", b" 1", b" a", b" 1 1", b" a 1", b" 1 a"];

/// A command in the place of the line that begins where the word was compared, if one begins there.
fn with_command(test: &TestCase, (source, offset, word): &Token) -> Vec<TestCase> {
    let at = *offset as usize;
    let Some(text) = inputs::bytes(test, source).filter(|text| at <= text.len()) else { return vec![] };
    let line = text[..at].iter().rposition(havoc::is_end).map_or(0, |end| end + 1);
    if matches!(source, Source::Argument(_)) || !text[line..at].iter().all(u8::is_ascii_whitespace) {
        return vec![];
    }
    let end = text[at..].iter().position(havoc::is_end).map_or(text.len(), |len| at + len);
    let with = |arguments: &[u8]| {
        edited(test, source, |bytes| drop(bytes.splice(at..end, [word, arguments].concat())))
    };
    ARGUMENTS.iter().map(|arguments| with(arguments)).collect()
}

/// The test case with each option that it does not have, before all other arguments.
pub fn with_options(test: &TestCase, hints: &Hints) -> Vec<TestCase> {
    let absent = hints.options.iter().filter(|option| !test.argv.contains(&option[0]));
    absent
        .map(|option| {
            let mut t = test.clone();
            t.argv.splice(0..0, option.iter().cloned());
            t
        })
        .collect()
}

/// Each word twice: another operand, another field.
fn with_words_doubled(test: &TestCase, source: &Source) -> Vec<TestCase> {
    let words = havoc::pieces(inputs::bytes(test, source).unwrap_or_default(), false);
    let doubled = |at: usize| edited(test, source, |bytes| *bytes = with_piece(&words, &words[at], at + 1));
    // A single word is its input.
    (0..words.len().min(MAX_WORDS)).filter(|_| words.len() > 1).map(doubled).collect()
}

/// Lines of another test case that this one does not have, put between its own: what a command does depends on those before it.
pub fn with_lines_of(test: &TestCase, other: &TestCase) -> Vec<TestCase> {
    let mut out = Vec::new();
    for source in inputs::sources(test) {
        let lines = |of| havoc::pieces(inputs::bytes(of, &source).unwrap_or_default(), true);
        let (own, others) = (lines(test), lines(other));
        for line in others.iter().filter(|line| line.ends_with(b"\n") && !own.contains(line)).take(MAX_LINES)
        {
            let places = (1..=own.len()).rev().take(MAX_PLACES);
            out.extend(places.map(|at| edited(test, &source, |bytes| *bytes = with_piece(&own, line, at))));
        }
    }
    out
}

/// The pieces together, with one more before that of number `at`.
fn with_piece(pieces: &[Vec<u8>], more: &[u8], at: usize) -> Vec<u8> {
    [&pieces[..at].concat(), more, &pieces[at..].concat()].concat()
}

/// A text that input was compared with, instead of the word that stands there, or before it and with what separates words.
pub fn word_variants(test: &TestCase, (source, offset, token): &Token) -> Vec<TestCase> {
    let at = *offset as usize;
    let Some(text) = inputs::bytes(test, source).filter(|text| at <= text.len()) else { return vec![] };
    let end = word_end(text, at);
    let separator = text.get(end).copied().unwrap_or(b' ');
    let before = edited(test, source, |bytes| {
        bytes.splice(at..at, token.iter().copied().chain([separator]));
    });
    let instead = edited(test, source, |bytes| drop(bytes.splice(at..end, token.iter().copied())));
    vec![before, instead]
}

/// Where the letters and digits, or the other signs, end that begin here.
fn word_end(text: &[u8], at: usize) -> usize {
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let rest = &text[at..];
    let len = match rest.first() {
        Some(first) if is_letter(first) => rest.iter().take_while(|b| is_letter(b)).count(),
        _ => rest.iter().take_while(|b| b.is_ascii_punctuation()).count(),
    };
    at + len
}

fn token_variants(test: &TestCase, source: &Source, offset: usize, token: &[u8]) -> Vec<TestCase> {
    let overwritten = edited(test, source, |bytes| {
        let end = (offset + token.len()).min(bytes.len());
        if offset <= bytes.len() {
            bytes.splice(offset..end, token.iter().copied());
        }
    });
    let rest = edited(test, source, |bytes| {
        bytes.truncate(offset);
        bytes.extend_from_slice(token);
    });
    let inserted = edited(test, source, |bytes| {
        let at = offset.min(bytes.len());
        bytes.splice(at..at, token.iter().copied());
    });
    vec![overwritten, rest, inserted]
}

fn grown(test: &TestCase, source: &Source) -> Vec<TestCase> {
    let mut out: Vec<TestCase> =
        ENDINGS.iter().map(|e| edited(test, source, |bytes| bytes.extend_from_slice(e))).collect();
    // Once more what is there: another record, another line.
    out.push(edited(test, source, |bytes| bytes.extend_from_within(..)));
    out.push(edited(test, source, |bytes| {
        let line = bytes.split(|b| *b == b'\n').next().unwrap_or_default().to_vec();
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
    }));
    out.push(edited(test, source, |bytes| bytes.extend_from_slice(&[0; 16])));
    out
}

fn shrunk(test: &TestCase, source: &Source) -> Vec<TestCase> {
    let Some(len) = inputs::bytes(test, source).map(|b| b.len()).filter(|n| *n > 0) else { return vec![] };
    let mut out = vec![edited(test, source, |bytes| bytes.truncate(len - 1))];
    if len > 3 {
        out.push(edited(test, source, |bytes| bytes.truncate(len / 2)));
        out.push(edited(test, source, |bytes| drop(bytes.drain(..len / 2))));
    }
    if len > 1 {
        out.push(edited(test, source, |bytes| {
            bytes.remove(0);
        }));
    }
    out.push(edited(test, source, Vec::clear));
    out
}

/// Arguments added, removed, doubled, lengthened.
fn arguments(test: &TestCase) -> impl Iterator<Item = TestCase> + '_ {
    let changed = move |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut changed = test.clone();
        change(&mut changed.argv);
        changed
    };
    let fresh = [&b"a"[..], b"1", b"-1", b"-", b""];
    let more = fresh.into_iter().map(move |text| changed(&|argv| argv.push(text.to_vec())));
    let others = (0..test.argv.len()).flat_map(move |i| {
        let removed = changed(&|argv| drop(argv.remove(i)));
        let doubled = changed(&|argv| argv.insert(i, test.argv[i].clone()));
        let longer = changed(&|argv| argv[i].extend_from_slice(b"0"));
        [removed, doubled, longer]
    });
    more.chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_table_becomes_arguments() {
        let mut hints = Hints::default();
        hints.learn_options(b"+ab:c::\nall\t0\t97\nsize\t1\t98\nlevel\t2\t300");
        let show: Vec<String> = hints
            .options
            .iter()
            .map(|a| a.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(show, ["-a", "-b 1", "-c", "--level", "--all", "--size=1"]);
        let with: Vec<usize> =
            with_options(&TestCase::with_args(["-a", "x"]), &hints).iter().map(|t| t.argv.len()).collect();
        assert_eq!(with, [4, 3, 3, 3, 3]);
    }

    #[test]
    fn words_that_arguments_of_options_were_compared_with_make_options() {
        let mut hints = Hints::default();
        hints.learn_options(b"am:\nwhen\t1\t300");
        let arguments = ["-m", "1", "-m1", "--when=1", "-a", "x"];
        let input = |(n, text): (u32, &&str)| Input {
            source: Source::Argument(n),
            bytes: text.as_bytes().to_vec(),
            symbolic: true,
        };
        let inputs: Vec<Input> = (1..).zip(&arguments).map(input).collect();
        for (n, offset) in [(2, 0), (3, 2), (4, 7), (6, 0), (1, 0), (4, 2)] {
            hints.learn_argument(&inputs, &Source::Argument(n), offset, b"all");
        }
        let words: Vec<Vec<&[u8]>> =
            hints.options[3..].iter().map(|o| o.iter().map(|a| &a[..]).collect()).collect();
        assert_eq!(words, [vec![&b"-m"[..], b"all"], vec![b"-mall"], vec![b"--when=all"]]);
    }

    #[test]
    fn words_are_doubled_and_lines_of_others_put_between() {
        let stdin = |text: &[u8]| {
            let mut test = TestCase::default();
            test.stdin = text.to_vec();
            test
        };
        let texts = |tests: Vec<TestCase>| tests.into_iter().map(|t| t.stdin).collect::<Vec<_>>();
        let doubled = with_words_doubled(&stdin(b"u 1\n"), &Source::Stdin);
        assert_eq!(texts(doubled), [b"uu 1\n".to_vec(), b"u 1 1\n".to_vec(), b"u 1\n\n".to_vec()]);
        let crossed = with_lines_of(&stdin(b"n 1\nf\n"), &stdin(b"f\nu 1 1\nrest"));
        assert_eq!(texts(crossed), [b"n 1\nf\nu 1 1\n".to_vec(), b"n 1\nu 1 1\nf\n".to_vec()]);
    }

    #[test]
    fn a_word_takes_the_place_of_another_or_stands_before_it() {
        let mut test = TestCase::default();
        test.stdin = b"2 dup .".to_vec();
        let all: Vec<Vec<u8>> =
            word_variants(&test, &(Source::Stdin, 2, b"hex".to_vec())).into_iter().map(|t| t.stdin).collect();
        assert_eq!(all, [b"2 hex dup .".to_vec(), b"2 hex .".to_vec()]);
    }

    #[test]
    fn a_command_takes_the_place_of_a_line_with_arguments_of_its_own() {
        let mut test = TestCase::default();
        test.stdin = b"app x\nlist\n".to_vec();
        let with = |offset| -> Vec<Vec<u8>> {
            let commands = with_command(&test, &(Source::Stdin, offset, b"del".to_vec()));
            commands.into_iter().map(|t| t.stdin).collect()
        };
        assert_eq!(with(6).len(), ARGUMENTS.len());
        assert!(with(6).contains(&b"app x\ndel 1 1\n".to_vec()));
        assert!(with(0).contains(&b"del a\nlist\n".to_vec()));
        assert_eq!(with(4), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn variants_differ_from_their_origin_and_stay_small() {
        let mut test = TestCase::with_args(["x"]);
        test.stdin = b"ab\ncd\n".to_vec();
        let hints = Hints { ended: BTreeSet::from([Source::Stdin]), ..Hints::default() };
        let all = variants(&test, &hints, &Compared::new(), 8);
        assert!(all.iter().any(|t| t.stdin == b"ab\ncd\na"));
        assert!(all.iter().any(|t| t.argv.is_empty()));
        assert!(all.iter().all(|t| *t != test && t.stdin.len() <= 8));
    }
}
