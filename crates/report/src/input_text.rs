//! The input of a difference, and what the versions did with it, as lines for a terminal.
//!
//! In: a difference. Out: one line for each part of its input (arguments, standard input, files, environment); and for each
//! version how it ended, with the first place where it left something else than the other one.
//!
//! Always holds: a line holds no control characters; what is cut says how long it is; the texts of the two versions
//! are cut so that the difference is inside.

use crate::diff_view::{BehaviourView, CallView, DifferenceView, FileView, NamedView};
use crate::text::{count, quoted, quoted_at};

/// Most bytes of an argument, of an input, and of a line that differs.
const SHOWN: usize = 72;
/// Most items of one list: arguments, files, variables.
const LISTED: usize = 12;
/// Of a line that is cut, so many bytes stand before the difference.
const BEFORE: usize = 24;

/// Name and content of each part of the input. Parts that are empty are left out, except where all are.
pub(crate) fn input_lines(difference: &DifferenceView) -> Vec<(&'static str, String)> {
    if let Some(call) = &difference.call {
        return vec![("call", called(call))];
    }
    let mut lines = Vec::new();
    if !difference.arguments.is_empty() {
        let words: Vec<String> = difference.arguments.iter().take(LISTED).map(|a| cut(&a.0)).collect();
        lines.push(("arguments", words.join(" ") + &more(difference.arguments.len())));
    }
    if !difference.stdin.0.is_empty() {
        lines.push(("stdin", cut(&difference.stdin.0)));
    }
    for FileView { path, content, .. } in difference.files.iter().take(LISTED) {
        let content = content.as_ref().map_or(&[][..], |content| &content.0);
        lines.push(("file", format!("{} {}", cut(&path.0), cut(content))));
    }
    if difference.files.len() > LISTED {
        lines.push(("file", more(difference.files.len())));
    }
    for line in difference.layout.iter().take(LISTED) {
        lines.push(("place", cut(&line.0)));
    }
    if difference.layout.len() > LISTED {
        lines.push(("place", more(difference.layout.len())));
    }
    for variable in difference.env.iter().take(LISTED) {
        lines.push(("env", cut(&variable.0)));
    }
    if difference.env.len() > LISTED {
        lines.push(("env", more(difference.env.len())));
    }
    if lines.is_empty() {
        lines.push(("input", "none: no arguments, nothing on standard input".to_owned()));
    }
    lines
}

/// `f(n = 5, s = "abc")`.
fn called(call: &CallView) -> String {
    let list = call.arguments.iter().map(|NamedView { name, value }| format!("{name} = {value}"));
    format!("{}({})", call.function, list.collect::<Vec<_>>().join(", "))
}

/// What each version did with the input of a difference; of a function, what of its results differs.
pub(crate) fn both_lines(difference: &DifferenceView) -> [String; 2] {
    let lines = behaviour_lines(&difference.old, difference.reworded.as_ref(), &difference.new);
    let Some(call) = &difference.call else { return lines };
    let left = |own: &[NamedView], other: &[NamedView], run: &BehaviourView| {
        let differing = own.iter().filter(|one| !other.contains(one));
        let list: Vec<String> =
            differing.map(|NamedView { name, value }| format!("{name} = {value}")).collect();
        match (run.exit, own.is_empty(), list.is_empty()) {
            (Some(0), _, false) => list.join(", "),
            (Some(status), true, _) => format!("does not return: exit {status}"),
            _ => ended(run),
        }
    };
    let (old, new) =
        (left(&call.old, &call.new, &difference.old), left(&call.new, &call.old, &difference.new));
    // Only what the function printed differs.
    if old == new {
        lines
    } else {
        [old, new]
    }
}

fn more(all: usize) -> String {
    match all.saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// The beginning of some bytes, and how many there are if not all are shown.
fn cut(bytes: &[u8]) -> String {
    let text = quoted(bytes, SHOWN);
    match bytes.len() > SHOWN {
        true => format!("{text} ({} bytes)", bytes.len()),
        false => text,
    }
}

/// How each version ended, and the first line, or the first file, in which what they left differs. `reworded`: what the old version did without
/// what is no part of this difference, such as another banner.
pub(crate) fn behaviour_lines(
    old: &BehaviourView,
    reworded: Option<&BehaviourView>,
    new: &BehaviourView,
) -> [String; 2] {
    let compared = reworded.unwrap_or(old);
    let streams = [
        ("stdout", [&old.stdout.0, &compared.stdout.0, &new.stdout.0]),
        ("stderr", [&old.stderr.0, &compared.stderr.0, &new.stderr.0]),
    ];
    let texts = streams.iter().find(|(_, [_, a, b])| a != b).map(|(name, texts)| stream(name, *texts));
    let [a, b] = texts.or_else(|| file(compared, new)).unwrap_or_default();
    [ended(old) + &a, ended(new) + &b]
}

/// The first lines of a stream that differ between the second and the third text; shown are those of the first and the third.
fn stream(name: &str, texts: [&Vec<u8>; 3]) -> [String; 2] {
    let lines = |bytes: &Vec<u8>| -> Vec<Vec<u8>> {
        bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
    };
    let [old, compared, new] = texts.map(lines);
    let at = (0..).find(|i| compared.get(*i) != new.get(*i)).unwrap_or(0);
    // What was put in other words before this line may have more lines, or fewer.
    let in_old = (at + old.len()).checked_sub(compared.len()).unwrap_or(at);
    let line = |lines: &[Vec<u8>], at: usize| lines.get(at).cloned().unwrap_or_default();
    let from = column(&line(&old, in_old), &line(&new, at));
    [(&old, in_old), (&new, at)].map(|(lines, at)| match lines.get(at) {
        Some(line) => format!(", {name} line {}: {}", at + 1, quoted_at(line, from, SHOWN)),
        None => format!(", {name} ends before line {}", at + 1),
    })
}

/// Where a line that is too long is cut at its beginning, so that the first byte that differs is shown.
fn column(a: &[u8], b: &[u8]) -> usize {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    match same + BEFORE > SHOWN {
        true => same - BEFORE,
        false => 0,
    }
}

/// The first file that the versions did not leave in the same way.
fn file(old: &BehaviourView, new: &BehaviourView) -> Option<[String; 2]> {
    let missing = |of: &BehaviourView, from: &BehaviourView| {
        of.files.iter().find(|file| !from.files.contains(file)).map(|file| file.path.clone())
    };
    let path = missing(old, new).or_else(|| missing(new, old))?;
    let find = |behaviour: &BehaviourView| behaviour.files.iter().find(|file| file.path == path).cloned();
    let (a, b) = (find(old), find(new));
    let content = |file: &Option<FileView>| file.clone().and_then(|f| f.content).unwrap_or_default().0;
    let from = column(&content(&a), &content(&b));
    Some([a, b].map(|file| {
        let name = quoted(&path.0, SHOWN);
        match file {
            None => format!(", file {name} untouched"),
            Some(FileView { change, content: None, .. }) => {
                format!(", file {name} {}", change.unwrap_or_default())
            }
            Some(FileView { change, content: Some(content), .. }) => format!(
                ", file {name} {}: {} ({})",
                change.unwrap_or_default(),
                quoted_at(&content.0, from, SHOWN),
                count(content.0.len() as u64, "byte", "bytes")
            ),
        }
    }))
}

/// How a version ended, in words.
pub(crate) fn ended(behaviour: &BehaviourView) -> String {
    match (behaviour.exit, behaviour.signal, &behaviour.limit) {
        (Some(status), _, _) => format!("exit status {status}"),
        (_, Some(signal), _) => format!("signal {signal}"),
        (_, _, Some(limit)) => format!("ended by its limit ({limit})"),
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    fn difference() -> DifferenceView {
        let file = |path: &str, content: &[u8]| FileView {
            path: path.as_bytes().into(),
            change: None,
            content: Some(content.into()),
        };
        DifferenceView {
            arguments: vec![b"-n"[..].into(), b"a b"[..].into()],
            stdin: b"one\n\ttwo"[..].into(),
            files: vec![file("in.txt", b"\0\xff\r\n"), file("long", &[b'x'; 500])],
            env: vec![b"LANG=C"[..].into()],
            ..DifferenceView::default()
        }
    }

    #[test]
    fn every_part_of_the_input_is_shown_with_visible_newlines() {
        let lines = input_lines(&difference());
        let expected = [
            ("arguments", "\"-n\" \"a b\"".to_owned()),
            ("stdin", "\"one\\n\\ttwo\"".to_owned()),
            ("file", "\"in.txt\" \"\\0\\xff\\r\\n\"".to_owned()),
            ("file", format!("\"long\" \"{}\"… (500 bytes)", "x".repeat(SHOWN))),
            ("env", "\"LANG=C\"".to_owned()),
        ];
        assert_eq!(lines, expected);
        assert!(input_lines(&DifferenceView::default())[0].1.starts_with("none"));
    }

    #[test]
    fn many_arguments_are_counted() {
        let arguments = vec![Text::from(&b"x"[..]); 40];
        let lines = input_lines(&DifferenceView { arguments, ..DifferenceView::default() });
        assert!(lines[0].1.ends_with("\"x\" and 28 more"), "{lines:?}");
    }

    fn printed(text: &str) -> BehaviourView {
        BehaviourView { exit: Some(0), stdout: text.as_bytes().into(), ..BehaviourView::default() }
    }

    #[test]
    fn the_lines_of_the_versions_never_read_the_same() {
        let long = "a very long line ".repeat(30);
        for (a, b) in [
            (format!("{long}5\n"), format!("{long}6\n")),
            ("end \n".to_owned(), "end\n".to_owned()),
            ("end".to_owned(), "end\n".to_owned()),
            ("a\tb\n".to_owned(), "a b\n".to_owned()),
            ("a\0\n".to_owned(), "a\n".to_owned()),
            ("a\u{200b}b\n".to_owned(), "ab\n".to_owned()),
            ("a\u{a0}b\n".to_owned(), "a b\n".to_owned()),
            (long.clone(), format!("{long}and more\n")),
        ] {
            let [old, new] = behaviour_lines(&printed(&a), None, &printed(&b));
            assert_ne!(old, new, "{a:?} {b:?}");
            assert!(old.len() < 250, "{old}");
        }
    }

    #[test]
    fn the_line_that_is_shown_is_the_one_that_the_entry_is_about() {
        let old = printed("tool 1\n5 is small\n");
        let reworded = printed("tool 2\nbeta\n5 is small\n");
        let new = printed("tool 2\nbeta\n5 is large\n");
        let [old, new] = behaviour_lines(&old, Some(&reworded), &new);
        assert_eq!(old, "exit status 0, stdout line 2: \"5 is small\\n\"");
        assert_eq!(new, "exit status 0, stdout line 3: \"5 is large\\n\"");
    }

    #[test]
    fn files_are_shown_where_the_streams_are_the_same() {
        let left = |content: &[u8]| BehaviourView {
            exit: Some(0),
            files: vec![FileView {
                path: b"out"[..].into(),
                change: Some("created".into()),
                content: Some(content.into()),
            }],
            ..BehaviourView::default()
        };
        let [old, new] = behaviour_lines(&left(b"1\n"), None, &left(b"2\n"));
        assert_eq!(old, "exit status 0, file \"out\" created: \"1\\n\" (2 bytes)");
        assert_eq!(new, "exit status 0, file \"out\" created: \"2\\n\" (2 bytes)");
        assert!(behaviour_lines(&left(b""), None, &printed(""))[1].ends_with("untouched"));
    }
}
