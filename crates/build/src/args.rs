//! A compiler command line, taken apart.
//!
//! In: argv after argv[0]. Out: an [`Invocation`]: what is asked for, which inputs, which output,
//! and every argument with its role.
//! What always holds: the arguments, put together again in order, are the command line with its
//! response files expanded; nothing is lost and nothing is invented.

use std::fs;
use std::path::Path;

use crate::tools::Language;

/// Response files may name response files; deeper nesting than this is left unexpanded.
const RESPONSE_FILE_DEPTH: usize = 16;

/// What the compiler is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `-c`: objects from sources.
    Compile,
    /// No `-c`: a program, shared library or partial link, from sources, objects or both.
    Link,
    /// Preprocess, dependencies, assembly, questions about the compiler: none of our business.
    Other,
}

/// What an argument is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A source file in a language that has bitcode.
    Source,
    /// An assembler source.
    Assembler,
    /// Standard input as a source.
    Stdin,
    /// A header, to be precompiled: it goes into no program.
    Header,
    /// An object, archive or shared library.
    LinkInput,
    /// `-l`, `-L`, `-Wl,` and other matters of the linker.
    LinkFlag,
    /// `-x LANGUAGE`.
    LanguageFlag,
    /// `-o FILE`.
    Output,
    /// `-c`, `-S`, `-E` and relatives.
    ActionFlag,
    /// Anything else: for the compiler, perhaps also for the linker.
    Flag,
}

/// An argument with its value, if that is a separate word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    pub role: Role,
    pub words: Vec<String>,
}

impl Argument {
    /// The option or file name.
    pub fn head(&self) -> &str {
        &self.words[0]
    }

    /// The value of an option, separate or joined: `value("-L")` of `-Lx` and `-L x` is `x`.
    pub fn value(&self, option: &str) -> Option<&str> {
        let joined = self.head().strip_prefix(option)?;
        if joined.is_empty() {
            self.words.get(1).map(String::as_str)
        } else {
            Some(joined)
        }
    }
}

/// A command line.
#[derive(Clone, Debug)]
pub struct Invocation {
    pub action: Action,
    pub arguments: Vec<Argument>,
    pub output: Option<String>,
}

impl Invocation {
    pub fn parse(argv: &[String]) -> Invocation {
        let words = expand_response_files(argv, 0);
        let arguments = classify(&words);
        let output = arguments
            .iter()
            .rev()
            .find(|a| a.role == Role::Output)
            .and_then(|a| a.value("--output=").or_else(|| a.value("--output")).or_else(|| a.value("-o")))
            .map(str::to_string);
        Invocation { action: action(&arguments), arguments, output }
    }

    /// All words in order, response files expanded.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        self.arguments.iter().flat_map(|argument| &argument.words)
    }

    /// Words that tell the compiler how to compile, in order.
    pub fn flags(&self) -> impl Iterator<Item = &String> {
        let flag = |a: &&Argument| matches!(a.role, Role::Flag | Role::LanguageFlag);
        self.arguments.iter().filter(flag).flat_map(|argument| &argument.words)
    }

    /// Arguments that are to be compiled or assembled.
    pub fn sources(&self) -> impl Iterator<Item = &Argument> {
        let source = |a: &&Argument| matches!(a.role, Role::Source | Role::Assembler | Role::Stdin);
        self.arguments.iter().filter(source)
    }

    /// Whether there is anything to link or compile at all.
    pub fn has_inputs(&self) -> bool {
        let link_input = |a: &Argument| {
            a.role == Role::LinkInput || (a.role == Role::LinkFlag && a.head().starts_with("-l"))
        };
        self.sources().next().is_some() || self.arguments.iter().any(link_input)
    }

    /// Whether an argument is spelled exactly so.
    pub fn has(&self, option: &str) -> bool {
        self.arguments.iter().any(|a| a.head() == option)
    }

    /// Where the object of a source goes with `-c`.
    pub fn object_of(&self, source: &str) -> String {
        self.output.clone().unwrap_or_else(|| {
            let stem = Path::new(source).file_stem().unwrap_or_default();
            format!("{}.o", stem.to_string_lossy())
        })
    }

    /// The driver that a source needs: a C++ file may be given to the C driver.
    pub fn language_of(&self, source: &str, driver: Language) -> Language {
        let cxx = ["cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", "mm"];
        if extension(source).is_some_and(|e| cxx.contains(&e)) {
            Language::Cxx
        } else {
            driver
        }
    }
}

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-o",
    "--output",
    "-x",
    "-D",
    "-U",
    "-I",
    "-A",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-cxx-isystem",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xclang",
    "-mllvm",
    "-arch",
    "-target",
    "-aux-info",
    "-G",
    "--param",
    "--sysroot",
    "-B",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-wrapper",
    "-gcc-toolchain",
    "--include",
    "-Xopenmp-target",
];

/// The same, for the linker.
const LINKER_WITH_VALUE: &[&str] = &[
    "-L",
    "-l",
    "-Xlinker",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-rpath",
    "-soname",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-framework",
];

/// Linker options in one word that do not begin with one of [`LINKER_PREFIXES`].
const LINKER_WORDS: &[&str] = &[
    "-s",
    "-static",
    "-static-pie",
    "-static-libgcc",
    "-static-libstdc++",
    "-shared",
    "-shared-libgcc",
    "-pie",
    "-no-pie",
    "-nopie",
    "-rdynamic",
    "-r",
    "-nostartfiles",
    "-nodefaultlibs",
    "-nostdlib",
    "-nolibc",
    "-symbolic",
    "-export-dynamic",
];

const LINKER_PREFIXES: &[&str] = &["-Wl,", "-l", "-L", "-fuse-ld=", "--ld-path=", "-T"];

/// Options that make the call something else than a compilation or a link.
const OTHER_ACTIONS: &[&str] = &[
    "-E",
    "-S",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-###",
    "--version",
    "-dumpmachine",
    "-dumpversion",
    "-dumpfullversion",
    "-dumpspecs",
    "--help",
    "--analyze",
    "--precompile",
    "-emit-llvm",
    "-emit-ast",
    "-emit-pch",
    "-cc1",
    "-cc1as",
];

const OTHER_ACTION_PREFIXES: &[&str] = &["-print-", "--print-", "--help="];

fn action(arguments: &[Argument]) -> Action {
    let flags = || arguments.iter().filter(|a| a.role == Role::ActionFlag);
    let header = arguments.iter().any(|a| a.role == Role::Header);
    if header || flags().any(|a| a.head() != "-c") {
        Action::Other
    } else if flags().next().is_some() {
        Action::Compile
    } else {
        Action::Link
    }
}

fn classify(words: &[String]) -> Vec<Argument> {
    let mut arguments = Vec::new();
    let mut language = "none".to_string();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let separate = WITH_VALUE.contains(&word.as_str()) || LINKER_WITH_VALUE.contains(&word.as_str());
        let mut argument = Argument { role: role_of_option(word), words: vec![word.clone()] };
        if separate {
            argument.words.extend(rest.next().cloned());
        }
        if argument.role == Role::LanguageFlag {
            language = argument.value("-x").unwrap_or("none").to_string();
        }
        if word == "-" || !word.starts_with('-') {
            argument.role = role_of_input(word, &language);
        }
        arguments.push(argument);
    }
    arguments
}

fn role_of_option(word: &str) -> Role {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| word.starts_with(prefix));
    if word == "-c" || OTHER_ACTIONS.contains(&word) || starts(OTHER_ACTION_PREFIXES) {
        Role::ActionFlag
    } else if word.starts_with("-x") {
        Role::LanguageFlag
    } else if word == "--output" || word.starts_with("--output=") || word.starts_with("-o") {
        Role::Output
    } else if word != "--target"
        && (LINKER_WITH_VALUE.contains(&word) || LINKER_WORDS.contains(&word) || starts(LINKER_PREFIXES))
    {
        Role::LinkFlag
    } else {
        Role::Flag
    }
}

fn role_of_input(word: &str, language: &str) -> Role {
    const SOURCES: &[&str] =
        &["c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", "m", "mi", "mm", "ll", "bc"];
    if word == "-" {
        return Role::Stdin;
    }
    match language {
        "none" => match extension(word) {
            Some(extension) if SOURCES.contains(&extension) => Role::Source,
            Some("s" | "S" | "sx") => Role::Assembler,
            Some("h" | "hh" | "hpp" | "hxx" | "H") => Role::Header,
            _ => Role::LinkInput,
        },
        "assembler" | "assembler-with-cpp" => Role::Assembler,
        header if header.ends_with("-header") => Role::Header,
        _ => Role::Source,
    }
}

fn extension(word: &str) -> Option<&str> {
    Path::new(word).extension()?.to_str()
}

/// `@FILE` becomes the words of the file; one that cannot be read stays as it is, as in clang.
fn expand_response_files(argv: &[String], depth: usize) -> Vec<String> {
    let mut words = Vec::new();
    for word in argv {
        let content = word.strip_prefix('@').and_then(|path| fs::read(path).ok());
        match content {
            Some(content) if depth < RESPONSE_FILE_DEPTH => {
                let inner = split_response_file(&String::from_utf8_lossy(&content));
                words.extend(expand_response_files(&inner, depth + 1));
            }
            _ => words.push(word.clone()),
        }
    }
    words
}

/// GNU quoting: white space separates, quotes group, a backslash takes the next character.
fn split_response_file(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(characters.next()),
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Invocation {
        Invocation::parse(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    fn sources(line: &str) -> Vec<String> {
        parse(line).sources().map(|a| a.head().to_string()).collect()
    }

    #[test]
    fn a_value_that_looks_like_a_source_is_not_one() {
        assert_eq!(sources("-c -include x.c -MF d.c -o y.c -I z.c a.c"), ["a.c"]);
    }

    #[test]
    fn what_is_no_compilation_is_recognised() {
        for line in [
            "-E a.c",
            "-S a.c",
            "-M a.c",
            "-MM a.c -c",
            "--version",
            "-print-prog-name=ld",
            "-### a.c",
            "-dumpmachine",
            "x.h -o x.pch",
            "-x c-header x",
        ] {
            assert_eq!(parse(line).action, Action::Other, "{line}");
        }
        assert_eq!(parse("-c a.c -MD -MP").action, Action::Compile);
        assert_eq!(parse("a.o -o a").action, Action::Link);
        assert!(!parse("-v").has_inputs());
    }

    #[test]
    fn the_object_is_named_as_the_compiler_names_it() {
        assert_eq!(parse("-c dir/a.b.c").object_of("dir/a.b.c"), "a.b.o");
        assert_eq!(parse("-c a.c -oout.o").object_of("a.c"), "out.o");
    }

    #[test]
    fn the_language_option_holds_for_what_follows() {
        let invocation = parse("x.in -x c y.in -x assembler z.in -x none w.in");
        let roles: Vec<_> = invocation.arguments.iter().map(|a| a.role).collect();
        use Role::*;
        assert_eq!(
            roles,
            [LinkInput, LanguageFlag, Source, LanguageFlag, Assembler, LanguageFlag, LinkInput]
        );
    }

    #[test]
    fn response_files_are_split_with_gnu_quoting() {
        assert_eq!(
            split_response_file("-c 'a b.c'\n\"-DX=\\\"y\\\"\" -I\\ z ''"),
            ["-c", "a b.c", "-DX=\"y\"", "-I z", ""]
        );
    }

    #[test]
    fn no_word_is_lost() {
        let line = "-O2 -o x -L. -lm a.c b.o -Wl,--as-needed -x c - -D";
        let words: Vec<_> = parse(line).words().cloned().collect();
        assert_eq!(words.join(" "), line);
    }
}
