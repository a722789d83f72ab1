//! What the seeds showed before the search: evidence for every verdict.
//!
//! In: the seeds and the first native run of each version on them. Out: views of them, warnings about seeds that show little, and
//! an error if a version did not start on any.
//!
//! Always holds: a seed with a problem is never silent: it is named, or counted with others of the same problem.

use crate::args::LimitArgs;
use crate::error::CliError;
use crate::ledger::{lock, Ledger};
use crate::progress::Show;
use crate::resolve;
use crate::seeds::Seed;
use crate::stability::Round;
use crate::units::shown;
use parallax_execute::{Outcome, Run};
use parallax_oracle::Rules;
use parallax_report::diff_view::{SeedRunView, SeedView};
use parallax_report::evidence::seed_lines;
use parallax_report::text::count;
use parallax_report::{kept, Text};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// Lines of a stream that are kept, and bytes of them.
const LINES: usize = 5;
const BYTES: usize = 400;
/// What libc and others say when there is no memory.
const NO_MEMORY: [&str; 5] =
    ["cannot allocate memory", "out of memory", "memory exhausted", "bad_alloc", "failed to allocate"];
/// What the runtime of a sanitizer says when it cannot have its shadow memory.
const NO_SHADOW: [&str; 3] = ["reserveshadowmemoryrange", "shadow memory", "ulimit -v"];
/// Sent for a system call that is not allowed.
const SIGSYS: i32 = 31;
/// What the dynamic loader says of a program that it cannot start.
const LOADER: [&str; 3] = ["error while loading shared libraries:", "symbol lookup error:", "(required by "];

/// Why a run shows little of what the program does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    /// The loader gave up.
    NoStart(String),
    Limit(&'static str),
    NoMemory,
    /// The runtime of a sanitizer could not work.
    Sanitizer,
    Refused,
    Usage,
}

/// What the limits of a run are called on the command line.
pub struct Names<'l> {
    pub limits: &'l LimitArgs,
    pub run_time: Duration,
}

/// What all seeds showed.
pub struct Outcomes {
    pub views: Vec<SeedView>,
    pub warnings: Vec<String>,
    /// Set if no seed shows what the program does.
    pub weakened: Option<String>,
}

/// `argv0`: the name under which both versions ran.
pub fn outcomes(seeds: &[Seed], round: &Round, argv0: &[u8], names: &Names) -> Result<Outcomes, CliError> {
    let mut found: Vec<[Option<Problem>; 2]> = Vec::new();
    let mut views = Vec::new();
    for (seed, (old, new)) in seeds.iter().zip(round[0].iter().zip(&round[1])) {
        let problems = [old, new].map(|run| problem(run, argv0));
        views.push(SeedView {
            name: seed.name.clone(),
            arguments: seed.test.argv.iter().map(|argument| Text(argument.clone())).collect(),
            old: view(old),
            new: view(new),
            problem: described(&problems, names),
        });
        found.push(problems);
    }
    never_started(&found)?;
    let warnings = grouped(&views);
    let all = !views.is_empty() && views.iter().all(|view| view.problem.is_some());
    let weakened = match all {
        true => Some("no seed shows what the program does; see the warnings".to_owned()),
        false => only_errors(round),
    };
    Ok(Outcomes { views, warnings, weakened })
}

/// Every seed only made the versions complain: a file that they need may be missing, and most of their code did not run.
fn only_errors(round: &Round) -> Option<String> {
    let complains = |run: &Run| {
        !matches!(run.outcome, Outcome::Exited(0))
            && run.stdout.bytes.is_empty()
            && !run.stderr.bytes.is_empty()
            && run.files.is_empty()
    };
    let first = round[0].first()?;
    let message = String::from_utf8_lossy(&first.stderr.bytes).lines().next().unwrap_or_default().to_owned();
    round.iter().flatten().all(complains).then(|| {
        format!("every seed only led to an error ({message}); is there a file or an argument that the program needs?")
    })
}

/// Says what the seeds showed, and puts it into the result. `count`: of all seeds; `warnings` come before those about seeds.
pub fn tell(outcomes: Outcomes, count: u64, warnings: Vec<String>, ledger: &Mutex<Ledger>, show: &mut Show) {
    for line in seed_lines(&outcomes.views, count) {
        show.event(&line);
    }
    {
        let mut ledger = lock(ledger);
        ledger.view.seeds = outcomes.views;
        ledger.view.seed_count = count;
        ledger.view.weakened.extend(outcomes.weakened);
    }
    warn(warnings, ledger, show);
    warn(outcomes.warnings, ledger, show);
}

/// Says what is to be known before the result is believed, and puts it into the result.
pub fn warn(warnings: Vec<String>, ledger: &Mutex<Ledger>, show: &mut Show) {
    for warning in &warnings {
        show.event(&format!("warning: {warning}"));
    }
    lock(ledger).view.warnings.extend(warnings);
}

/// Why less than everything was compared, if runs were cut for what they cost.
pub fn cut_short(runs: u64) -> Option<String> {
    let runs = (runs > 0).then(|| count(runs, "run", "runs"))?;
    Some(format!(
        "{runs} of symbolic builds were cut after far more work than others did; what the versions do on these inputs in the end was not \
         compared (--run-work, --time)"
    ))
}

/// Seeds on which the versions differed before the search. Whether they do every time is for the search to say, and if it ends
/// without having said so, the user must know.
pub fn unconfirmed(seeds: &[Seed], round: &Round, rules: &Rules) -> Vec<String> {
    let pairs = seeds.iter().zip(round[0].iter().zip(&round[1]));
    let differ = pairs.filter(|(_, (old, new))| rules.digest(old) != rules.digest(new));
    differ
        .map(|(seed, _)| {
            format!("on seed {} the versions did not do the same; the search did not confirm it", seed.name)
        })
        .collect()
}

/// Arguments that look like files and name none, unless a run of the first seed made such a file.
pub fn unnamed(arguments: &[String], round: &Round) -> Vec<String> {
    let made = |name: &String| {
        let runs = round.iter().filter_map(|runs| runs.first());
        runs.flat_map(|run| &run.files).any(|change| change.path() == Path::new(name))
    };
    arguments.iter().filter(|name| !made(name)).map(|name| resolve::unnamed(name)).collect()
}

/// A version that does not start on any seed has not been compared at all.
fn never_started(found: &[[Option<Problem>; 2]]) -> Result<(), CliError> {
    for (side, version) in ["old", "new"].into_iter().enumerate() {
        let messages: Vec<&String> = found
            .iter()
            .filter_map(|problems| match &problems[side] {
                Some(Problem::NoStart(message)) => Some(message),
                _ => None,
            })
            .collect();
        if let (Some(message), true) = (messages.first(), messages.len() == found.len()) {
            return Err(CliError::DoesNotStart { version, message: (*message).clone() });
        }
    }
    Ok(())
}

fn view(run: &Run) -> SeedRunView {
    let (exit, signal, limit) = kept::ending(&run.outcome);
    let first = |bytes: &[u8]| {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').take(LINES).collect();
        let mut first = lines.concat();
        first.truncate(BYTES);
        Text(first)
    };
    let limit = limit.map(str::to_owned);
    SeedRunView { exit, signal, limit, stdout: first(&run.stdout.bytes), stderr: first(&run.stderr.bytes) }
}

fn problem(run: &Run, argv0: &[u8]) -> Option<Problem> {
    match run.outcome {
        Outcome::Signaled(SIGSYS) => return Some(Problem::Refused),
        Outcome::Exited(_) | Outcome::Signaled(_) => {}
        ref limit => return kept::ending(limit).2.map(Problem::Limit),
    }
    let failed = run.outcome != Outcome::Exited(0);
    let stderr = String::from_utf8_lossy(&run.stderr.bytes).into_owned();
    let low = stderr.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| low.contains(word));
    if failed && run.stdout.bytes.is_empty() {
        if let Some(message) = loader_message(&stderr, argv0) {
            return Some(Problem::NoStart(message));
        }
    }
    if failed && (says(&NO_MEMORY) || says(&NO_SHADOW)) {
        return Some(Problem::NoMemory);
    }
    if failed && low.contains("sanitizer has encountered a fatal error") {
        return Some(Problem::Sanitizer);
    }
    let printed = [&run.stdout.bytes, &run.stderr.bytes];
    printed.iter().any(|bytes| is_usage(bytes, argv0, failed)).then_some(Problem::Usage)
}

/// The dynamic loader names the program as `argv[0]`, and it is the first to speak.
fn loader_message(stderr: &str, argv0: &[u8]) -> Option<String> {
    let first = stderr.lines().next()?;
    let rest = first.strip_prefix(&*String::from_utf8_lossy(argv0))?.strip_prefix(": ")?;
    LOADER.iter().any(|words| rest.contains(words)).then(|| rest.to_owned())
}

/// Does the text begin as a usage message does? One that a program prints without complaint (`failed` is false) must begin so
/// at once.
fn is_usage(bytes: &[u8], argv0: &[u8], failed: bool) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let name = String::from_utf8_lossy(argv0).to_lowercase() + ":";
    let begins = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix(&name).unwrap_or(line).trim_start();
        line.starts_with("usage:") || line.starts_with("usage ") || line == "usage"
    };
    let hint =
        |line: &str| line.contains("--help") && (line.contains("try ") || line.contains("more information"));
    if failed {
        text.lines().take(LINES).any(|line| begins(line) || hint(line))
    } else {
        text.lines().next().is_some_and(begins)
    }
}

/// The problems of both versions on one seed, in words.
fn described(problems: &[Option<Problem>; 2], names: &Names) -> Option<String> {
    match problems {
        [None, None] => None,
        [Some(old), Some(new)] if old == new => Some(format!("both versions {}", old.words(names))),
        [old, new] => {
            let one = |version: &str, problem: &Option<Problem>| {
                problem.as_ref().map(|problem| format!("the {version} version {}", problem.words(names)))
            };
            Some([one("old", old), one("new", new)].into_iter().flatten().collect::<Vec<_>>().join("; "))
        }
    }
}

impl Problem {
    fn words(&self, names: &Names) -> String {
        let limits = names.limits;
        match self {
            Problem::NoStart(message) => format!("did not start: {message}"),
            Problem::Limit("time") => {
                format!("ran into the time limit (--run-time {} s)", names.run_time.as_secs_f64())
            }
            Problem::Limit("memory") => {
                format!("ran into the memory limit (--memory {})", shown(limits.memory))
            }
            Problem::Limit("output") => {
                format!("ran into the output limit (--max-output {})", shown(limits.max_output))
            }
            Problem::Limit("file size") => {
                format!("ran into the limit of file sizes (--max-file-size {})", shown(limits.max_file_size))
            }
            Problem::Limit("processes") => {
                format!("ran into the limit of processes (--max-processes {})", limits.max_processes)
            }
            Problem::Limit(other) => format!("ran into a limit ({other})"),
            Problem::NoMemory => {
                format!("said that there was no memory (--memory {}; give more)", shown(limits.memory))
            }
            Problem::Sanitizer => {
                "was ended by its sanitizer, which cannot work in a confined run; build without it".to_owned()
            }
            Problem::Refused => "made a system call that a confined run may not make".to_owned(),
            Problem::Usage => {
                "only printed how it is used (give it arguments after `--`, or --stdin, or --seeds)"
                    .to_owned()
            }
        }
    }
}

/// One warning for each problem, however many seeds have it.
fn grouped(views: &[SeedView]) -> Vec<String> {
    let mut groups: Vec<(&String, Vec<&str>)> = Vec::new();
    for view in views {
        let Some(problem) = &view.problem else { continue };
        match groups.iter_mut().find(|(known, _)| *known == problem) {
            Some((_, names)) => names.push(&view.name),
            None => groups.push((problem, vec![&view.name])),
        }
    }
    let warning = |(problem, names): &(&String, Vec<&str>)| match names[..] {
        [one] => format!("seed {one}: {problem}"),
        [first, ..] => format!("{} seeds (the first: {first}): {problem}", names.len()),
        [] => (*problem).clone(),
    };
    groups.iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_execute::Output;

    fn run(outcome: Outcome, stdout: &str, stderr: &str) -> Run {
        let output = |text: &str| Output { bytes: text.into(), truncated: false };
        Run {
            outcome,
            stdout: output(stdout),
            stderr: output(stderr),
            files: vec![],
            files_truncated: false,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    fn of(exit: i32, stdout: &str, stderr: &str) -> Option<Problem> {
        problem(&run(Outcome::Exited(exit), stdout, stderr), b"prog")
    }

    #[test]
    fn messages_of_the_loader_are_told_from_those_of_a_program() {
        let missing =
            "prog: error while loading shared libraries: libx.so.1: cannot open shared object file\n";
        assert!(matches!(of(127, "", missing), Some(Problem::NoStart(_))));
        let version = "prog: /lib/libc.so.6: version `GLIBC_9' not found (required by prog)\n";
        assert!(matches!(of(1, "", version), Some(Problem::NoStart(_))));
        assert!(matches!(
            of(127, "", "prog: symbol lookup error: prog: undefined symbol: f\n"),
            Some(Problem::NoStart(_))
        ));
        // A shell says it of another program, or says something before.
        assert_eq!(of(127, "", "other: error while loading shared libraries: x\n"), None);
        assert_eq!(of(127, "done\n", missing), None);
        assert_eq!(of(0, "", missing), None);
    }

    #[test]
    fn usage_messages_of_many_kinds_are_known_and_ordinary_output_is_not() {
        for (exit, stdout, stderr) in [
            (1, "", "usage: prog FILE\n"),
            (2, "", "Usage: prog FILE\n"),
            (64, "USAGE:\n  prog FILE\n", ""),
            (1, "", "prog: missing operand\nTry 'prog --help' for more information.\n"),
            (1, "", "prog: usage: prog [-x]\n"),
            (0, "Usage: prog FILE\n", ""),
            (255, "", "prog version 3\nUsage:\tprog FILE\n"),
        ] {
            assert_eq!(of(exit, stdout, stderr), Some(Problem::Usage), "{stdout}{stderr}");
        }
        for (exit, stdout, stderr) in [
            (0, "total 3\nusage: 5%\n", ""),
            (0, "", ""),
            (1, "", "prog: x.txt: No such file or directory\n"),
            (0, "see --help for more information\n", ""),
        ] {
            assert_eq!(of(exit, stdout, stderr), None, "{stdout}{stderr}");
        }
    }

    #[test]
    fn limits_and_missing_memory_are_problems() {
        let time = run(Outcome::TimedOut, "", "");
        assert_eq!(problem(&time, b"prog"), Some(Problem::Limit("time")));
        assert_eq!(problem(&run(Outcome::Signaled(SIGSYS), "", ""), b"prog"), Some(Problem::Refused));
        assert_eq!(of(1, "", "prog: Cannot allocate memory\n"), Some(Problem::NoMemory));
        let shadow = "==7==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 bytes\n==7==ReserveShadowMemoryRange failed while trying to map\n";
        assert_eq!(problem(&run(Outcome::Signaled(6), "", shadow), b"prog"), Some(Problem::NoMemory));
        assert_eq!(
            of(1, "", "==2==LeakSanitizer has encountered a fatal error.\n"),
            Some(Problem::Sanitizer)
        );
        assert_eq!(problem(&run(Outcome::Signaled(6), "", ""), b"prog"), None);
    }

    #[test]
    fn a_version_that_never_starts_is_an_error_and_one_that_does_once_is_not() {
        let no = || Some(Problem::NoStart("libx".into()));
        assert!(never_started(&[[no(), no()]]).is_err());
        assert!(never_started(&[[None, no()], [None, no()]]).is_err());
        assert!(never_started(&[[None, no()], [None, None]]).is_ok());
        assert!(never_started(&[]).is_ok());
    }

    #[test]
    fn seeds_that_all_fail_are_said_to_and_one_that_does_not_is_enough() {
        let fails = || run(Outcome::Exited(1), "", "prog: font: No such file or directory\n");
        let works = || run(Outcome::Exited(0), "x\n", "");
        let text = only_errors(&[vec![fails(), fails()], vec![fails(), fails()]]).unwrap();
        assert!(text.contains("font: No such file"), "{text}");
        assert_eq!(only_errors(&[vec![fails(), works()], vec![fails(), works()]]), None);
        assert_eq!(only_errors(&[vec![run(Outcome::Exited(1), "x\n", "y\n")], vec![fails()]]), None);
        assert_eq!(only_errors(&[vec![], vec![]]), None);
    }

    #[test]
    fn seeds_with_one_problem_are_one_warning() {
        let view = |name: &str, problem: Option<&str>| SeedView {
            name: name.into(),
            problem: problem.map(str::to_owned),
            ..SeedView::default()
        };
        let warnings =
            grouped(&[view("a", Some("p")), view("b", None), view("c", Some("p")), view("d", Some("q"))]);
        assert_eq!(warnings, ["2 seeds (the first: a): p", "seed d: q"]);
    }
}
