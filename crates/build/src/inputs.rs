//! Why do two native programs differ? What their builds recorded, compared.
//!
//! In: two built versions whose programs differ. Out: which compilers, flags, sources, objects and words of the link line differ, in words.
//!
//! Always holds: this explains a difference that was found, and shows nothing to be the same; an empty list says only that the cause was not recorded (the program or an object was
//! changed by another tool, say). Paths into the private copy of a tree are the same as those into the other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::args::{Invocation, Role};
use crate::collect::Version;
use crate::elf;
use crate::link::LinkItem;
use crate::record::{decode, Content, LinkRecord, ObjectRecord, LINK_SECTION, OBJECT_SECTION};

/// Most files that one line names.
const NAMED: usize = 3;
/// Most words of each side that one line shows.
const WORDS: usize = 12;

/// What differs in what two programs were made of.
pub(crate) fn differences(built: [&Version; 2], contents: [&[u8]; 2]) -> Vec<String> {
    let [old, new] = [0, 1].map(|i| Inputs::read(built[i], contents[i]));
    let mut found = of_sources(&old, &new);
    found.extend(against("compiler of the link", &old.linker, &new.linker));
    found.extend(against("link line", &old.link, &new.link));
    let foreign: BTreeSet<&String> = old.foreign.symmetric_difference(&new.foreign).collect();
    if !foreign.is_empty() {
        let names: BTreeSet<String> = old.without_bitcode.union(&new.without_bitcode).cloned().collect();
        found.push(format!("objects or archives without bitcode differ, among {}", list(&names)));
    }
    found
}

/// What is known about how a program was made.
struct Inputs {
    /// By source: the compiler, the flags, and the hash of an object without bitcode.
    sources: BTreeMap<String, (Vec<String>, Vec<String>, String)>,
    linker: Vec<String>,
    link: Vec<String>,
    /// Objects and archives without bitcode, by content.
    foreign: BTreeSet<String>,
    without_bitcode: BTreeSet<String>,
}

impl Inputs {
    fn read(version: &Version, content: &[u8]) -> Inputs {
        let root = version.source_root.to_string_lossy().into_owned();
        let plain = |word: &String| if root.is_empty() { word.clone() } else { word.replace(&root, ".") };
        let records: Vec<ObjectRecord> = decode(&elf::section(content, OBJECT_SECTION));
        let links: Vec<LinkRecord> = decode(&elf::section(content, LINK_SECTION));
        let file_name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = |record: &ObjectRecord| {
            let path = Path::new(&record.directory).join(&record.source);
            let name =
                path.strip_prefix(&version.source_root).unwrap_or(&path).to_string_lossy().into_owned();
            let copy = match &record.content {
                Content::Missing { copy: Some(copy), .. } => file_name(Path::new(copy)),
                _ => String::new(),
            };
            (name, (vec![record.compiler.clone()], record.flags.iter().map(plain).collect(), copy))
        };
        let foreign = version.link.items.iter().filter_map(|item| match item {
            LinkItem::Object(path) => Some(file_name(path)),
            _ => None,
        });
        Inputs {
            sources: records.iter().map(source).collect(),
            linker: links.last().map(|link| vec![link.compiler.clone()]).unwrap_or_default(),
            link: links.last().map(|link| words_of(link).iter().map(plain).collect()).unwrap_or_default(),
            foreign: foreign.collect(),
            without_bitcode: version.without_bitcode.iter().map(|missing| plain(&missing.object)).collect(),
        }
    }
}

/// The link line without the output's name, and without flags if it compiles, too: they are compared with each source.
fn words_of(link: &LinkRecord) -> Vec<String> {
    let invocation = Invocation::parse(&link.arguments);
    let compiles = invocation.sources().next().is_some();
    let counts = |role: Role| role != Role::Output && !(compiles && role == Role::Flag);
    invocation.arguments.into_iter().filter(|a| counts(a.role)).flat_map(|a| a.words).collect()
}

/// Sources of one file each have names of their own, and are compared all the same.
fn of_sources(old: &Inputs, new: &Inputs) -> Vec<String> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let single = old.sources.len() == 1 && new.sources.len() == 1;
    for (name, (compiler, flags, copy)) in &old.sources {
        let other = if single { new.sources.values().next() } else { new.sources.get(name) };
        let mut say = |what: String| {
            found.entry(what).or_default().insert(name.clone());
        };
        match other {
            Some((other_compiler, other_flags, other_copy)) => {
                against("compiler of FILES", compiler, other_compiler).into_iter().for_each(&mut say);
                against("compiler flags of FILES", flags, other_flags).into_iter().for_each(&mut say);
                if copy != other_copy {
                    say("what FILES was compiled to (no bitcode) differs".to_owned());
                }
            }
            None => say("part of the old program only: FILES".to_owned()),
        }
    }
    for name in new.sources.keys().filter(|name| !single && !old.sources.contains_key(*name)) {
        found.entry("part of the new program only: FILES".to_owned()).or_default().insert(name.clone());
    }
    found.into_iter().map(|(what, names)| what.replacen("FILES", &list(&names), 1)).collect()
}

/// A few names, and how many more.
fn list(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The words that only one side has, or that their order differs.
fn against(what: &str, old: &[String], new: &[String]) -> Option<String> {
    if old == new {
        return None;
    }
    let only = |these: &[String], those: &[String]| -> String {
        let mut those = those.to_vec();
        let mut left = Vec::new();
        for word in these {
            match those.iter().position(|other| other == word) {
                Some(at) => drop(those.swap_remove(at)),
                None => left.push(word.as_str()),
            }
        }
        let more = if left.len() > WORDS { " ..." } else { "" };
        left.truncate(WORDS);
        if left.is_empty() {
            "nothing".to_owned()
        } else {
            left.join(" ") + more
        }
    };
    let (left, right) = (only(old, new), only(new, old));
    Some(match (left.as_str(), right.as_str()) {
        ("nothing", "nothing") => format!("order of the words: {what}"),
        _ => format!("{what}: {left} against {right}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn only_the_words_that_differ_are_shown() {
        let say = |old, new| against("flags", &words(old), &words(new)).unwrap_or_default();
        assert_eq!(say("-O2 -Wall", "-Wall -O0 -g"), "flags: -O2 against -O0 -g");
        assert_eq!(say("-O2", "-O2 -O2"), "flags: nothing against -O2");
        assert_eq!(say("a b", "b a"), "order of the words: flags");
        assert_eq!(say("a", "a"), "");
    }
}
