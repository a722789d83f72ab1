//! `parallax-cc` and `parallax-c++`: a compiler that leaves bitcode behind.
//!
//! In: the command line of a compiler. Out: what the native compiler makes of it, with its exit
//! status and messages, plus a record in every object and program.
//! What always holds: the native compiler gets the user's own command line, but for `-flto` (an object of
//! link-time optimisation can carry no record) and an added object at the end of a link; whatever goes wrong with
//! the bitcode becomes a reason in the record and never fails the build.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::args::{Action, Argument, Invocation, Role};
use crate::bitcode;
use crate::cache::{Cache, Kind};
use crate::elf;
use crate::error::BuildError;
use crate::extra;
use crate::observe;
use crate::record::{encode, Content, LinkRecord, ObjectRecord, LINK_SECTION, OBJECT_SECTION};
use crate::tools::{self, Compiler, Language};

/// Exit status if the native compiler cannot be started, as a shell has it.
const EXIT_NO_COMPILER: i32 = 127;

/// Runs the wrapper on this process's command line and exits.
pub fn main(language: Language) -> ! {
    let named_cxx = env::args_os().next().is_some_and(|name| name.to_string_lossy().ends_with("++"));
    let language = if named_cxx { Language::Cxx } else { language };
    let argv: Option<Vec<String>> = env::args_os().skip(1).map(|a| a.into_string().ok()).collect();
    let status = match argv {
        Some(argv) => Wrapper::new(language).run(&argv),
        // Not UTF-8: compiled as asked, without a record.
        None => spawn(Compiler::native(language).command().args(env::args_os().skip(1))),
    };
    match status {
        Ok(status) => std::process::exit(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))),
        Err(error) => {
            eprintln!("parallax-cc: {error}");
            std::process::exit(EXIT_NO_COMPILER)
        }
    }
}

/// One call of the wrapper.
struct Wrapper {
    language: Language,
    cache: Cache,
    directory: PathBuf,
}

impl Wrapper {
    fn new(language: Language) -> Wrapper {
        let directory = env::current_dir().unwrap_or_default();
        Wrapper { language, cache: Cache::from_environment(), directory }
    }

    fn run(&self, argv: &[String]) -> Result<ExitStatus, BuildError> {
        let invocation = Invocation::parse(argv);
        let plain = invocation.action == Action::Other
            || !invocation.has_inputs()
            || self.lacks_input(&invocation)
            || is_probe(&invocation);
        if plain {
            return spawn(self.compiler().args(argv));
        }
        match invocation.action {
            Action::Compile => self.compile(argv, &invocation),
            _ => self.link(argv, &invocation),
        }
    }

    /// A missing file fails the call, with a message that an added object would change.
    fn lacks_input(&self, invocation: &Invocation) -> bool {
        let file = |a: &&Argument| matches!(a.role, Role::Source | Role::Assembler | Role::LinkInput);
        invocation.arguments.iter().filter(file).any(|a| !self.directory.join(a.head()).exists())
    }

    fn compiler(&self) -> Command {
        Compiler::native(self.language).command()
    }

    /// The native command: the user's words, response files as they were unless one asks for `-flto`.
    fn native(&self, argv: &[String], invocation: &Invocation) -> Command {
        let mut command = self.compiler();
        let lto = |word: &String| word.starts_with("-flto") || word == "-ffat-lto-objects";
        if invocation.words().any(lto) {
            command.args(invocation.words().filter(|word| !lto(word)));
        } else {
            command.args(argv);
        }
        // Parts of a program get what is added once, at the last link.
        if !["-r", "-Wl,-r"].iter().any(|option| invocation.has(option)) {
            extra::add_to(&mut command);
        }
        // The private copy's place is ours, not the user's: messages must not depend on it.
        if invocation.arguments.iter().any(|a| a.role == Role::Source) {
            command.args(bitcode::macro_root_map());
        }
        command
    }

    fn compile(&self, argv: &[String], invocation: &Invocation) -> Result<ExitStatus, BuildError> {
        let status = spawn(&mut self.native(argv, invocation))?;
        if !status.success() {
            return Ok(status);
        }
        for source in invocation.sources() {
            let object = self.directory.join(invocation.object_of(source.head()));
            // `-o /dev/null` and precompiled headers are nothing to write a record into.
            let content = match fs::symlink_metadata(&object) {
                Ok(metadata) if metadata.is_file() => fs::read(&object).unwrap_or_default(),
                _ => continue,
            };
            if elf::kind_of(&content) != elf::FileKind::Object {
                continue;
            }
            let mut record = self.record(invocation, source, &object);
            if let Content::Missing { copy, .. } = &mut record.content {
                *copy = self.cache.store(Kind::Object, &content).ok().map(|stored| show(&stored.path));
            }
            // Without its record the object is still listed: as one that the link line names and nobody recorded.
            let _ = elf::add_section(&object, OBJECT_SECTION, &encode(&record), &self.cache);
        }
        Ok(status)
    }

    /// Compiles to bitcode and says what came of it.
    fn record(&self, invocation: &Invocation, source: &Argument, object: &Path) -> ObjectRecord {
        let content = match source.role {
            Role::Assembler => Err("assembler source".to_string()),
            Role::Stdin => Err("source read from standard input".to_string()),
            _ => bitcode::compile(invocation, source, self.language, &self.cache),
        };
        ObjectRecord {
            source: source.head().to_string(),
            directory: show(&self.directory),
            object: show(object),
            content: match content {
                Ok(stored) => Content::Bitcode { path: show(&stored.path), hash: stored.hash },
                Err(reason) => Content::Missing { reason, copy: None },
            },
            compiler: tools::show(&self.compiler()),
            flags: invocation.flags().cloned().collect(),
        }
    }

    /// A link, perhaps with sources of its own: their records travel in the added object.
    fn link(&self, argv: &[String], invocation: &Invocation) -> Result<ExitStatus, BuildError> {
        let output = self.directory.join(invocation.output.as_deref().unwrap_or("a.out"));
        let objects: Vec<u8> = invocation
            .sources()
            .flat_map(|source| {
                let mut record = self.record(invocation, source, &output);
                self.assemble_apart(invocation, source, &mut record);
                encode(&record)
            })
            .collect();
        let mut sections = Vec::new();
        if !objects.is_empty() {
            sections.push((OBJECT_SECTION, objects));
        }
        if !["-shared", "-r", "-Wl,-r"].iter().any(|option| invocation.has(option)) {
            sections.push((LINK_SECTION, encode(&self.link_record(invocation))));
        }
        let mut command = self.native(argv, invocation);
        let carrier = self.carrier(invocation, &sections);
        if let Some(carrier) = &carrier {
            command.args(["-x", "none"]).arg(carrier.path());
        }
        spawn(&mut command)
    }

    fn link_record(&self, invocation: &Invocation) -> LinkRecord {
        LinkRecord {
            directory: show(&self.directory),
            arguments: invocation.words().cloned().collect(),
            cxx: self.language == Language::Cxx,
            compiler: tools::show(&self.compiler()),
        }
    }

    /// A source without bitcode that is compiled and linked in one call leaves no object behind, so
    /// one is made for it. Failing that, the record has no copy.
    fn assemble_apart(&self, invocation: &Invocation, source: &Argument, record: &mut ObjectRecord) {
        let Content::Missing { copy, .. } = &mut record.content else { return };
        let Ok(object) = self.cache.temporary(".o") else { return };
        let mut command = self.compiler();
        for argument in &invocation.arguments {
            match argument.role {
                Role::Flag | Role::LanguageFlag => command.args(&argument.words),
                _ if std::ptr::eq(argument, source) => command.arg("-c").arg(source.head()),
                _ => &mut command,
            };
        }
        // Standard input can be read only once, and the native link is the one to read it.
        if source.role != Role::Stdin && tools::run_checked(command.arg("-o").arg(object.path())).is_ok() {
            *copy = self.cache.store_file(Kind::Object, object).ok().map(|stored| show(&stored.path));
        }
    }

    fn carrier(
        &self,
        invocation: &Invocation,
        sections: &[(&str, Vec<u8>)],
    ) -> Option<tempfile::NamedTempFile> {
        let foreign = |a: &Argument| {
            let head = a.head();
            matches!(head, "-m32" | "-mx32" | "-target" | "-arch") || head.starts_with("--target")
        };
        if sections.is_empty() || invocation.arguments.iter().any(foreign) {
            return None;
        }
        let file = self.cache.temporary(".o").ok()?;
        fs::write(file.path(), elf::carrier_object(sections)?).ok()?;
        Some(file)
    }
}

/// Runs a command with our own standard streams.
fn spawn(command: &mut Command) -> Result<ExitStatus, BuildError> {
    observe::dies_with_us(command).status().map_err(|source| BuildError::Tool {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })
}

/// A question to the compiler rather than a part of the program: what configure scripts compile and link, and calls
/// whose verbose output may be parsed for the objects of the link (libtool does that).
fn is_probe(invocation: &Invocation) -> bool {
    let probe = |word: &str| {
        Path::new(word).file_name().is_some_and(|name| name.to_string_lossy().starts_with("conftest"))
    };
    let verbose = invocation.has("-v") || invocation.has("--verbose");
    (verbose && invocation.action == Action::Link)
        || invocation.output.as_deref().is_some_and(probe)
        || invocation
            .arguments
            .iter()
            .any(|a| matches!(a.role, Role::Source | Role::Assembler | Role::LinkInput) && probe(a.head()))
}

fn show(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configure_scripts_probes_are_recognised() {
        let probe = |line: &str| {
            is_probe(&Invocation::parse(&line.split(' ').map(str::to_string).collect::<Vec<_>>()))
        };
        assert!(probe("-O2 conftest.c -o conftest"));
        assert!(probe("-c conftest.c"));
        assert!(probe("-shared -v x.o"));
        assert!(!probe("-v -c test.c -o conf.o"));
    }
}
