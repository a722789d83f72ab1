//! Does a symbolic build do what the native one does?
//!
//! In: a directory of packages built with `parallax-cc`. Out: a table: for every program the command lines
//! tried, how many gave byte-identical output, error output, exit status and files, and what the first
//! other one did; then what was lost on the way.
//!
//! `cargo run --release -p parallax-bench --bin faithful -- DIR [PROGRAM...]`

use parallax_bench::compare::difference;
use parallax_bench::lines::{families, Family, Line};
use parallax_bench::losses::Losses;
use parallax_bench::twins::{find, Subject, SubjectError};
use parallax_execute::{runner_main, RUNNER_SUBCOMMAND};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What became of the command lines of one program.
#[derive(Default)]
struct Tally {
    lines: usize,
    identical: usize,
    /// The native program does not even do twice the same.
    unstable: usize,
    conditions: usize,
    /// Contradictions of a trace to its own run.
    violations: usize,
    differences: Vec<String>,
}

enum Verdict {
    Identical,
    /// Natively different from one run to the next: nothing can be compared.
    Unstable,
    Different(String),
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(directory) = arguments.next() else {
        eprintln!("usage: faithful DIR [PROGRAM...]");
        return ExitCode::from(2);
    };
    if directory == RUNNER_SUBCOMMAND {
        std::process::exit(runner_main(arguments));
    }
    let only: Vec<String> = arguments.map(|a| a.to_string_lossy().into_owned()).collect();
    let (total, losses) = measure(&PathBuf::from(directory), &only);
    print_row("all", &total, false);
    println!("\n{}", losses.table());
    match total.different() == 0 && total.violations == 0 && total.lines > 0 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn measure(directory: &Path, only: &[String]) -> (Tally, Losses) {
    let (mut total, mut losses) = (Tally::default(), Losses::default());
    println!(
        "| program | command lines | identical | unstable natively | different | conditions | violations |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for family in families() {
        if !only.is_empty() && !only.iter().any(|name| name == family.program) {
            continue;
        }
        let tally = match program(directory, &family, &mut losses) {
            Ok(tally) => tally,
            Err(error) => {
                let lines = family.lines().len();
                Tally { lines, differences: vec![error.to_string()], ..Tally::default() }
            }
        };
        print_row(family.program, &tally, true);
        total.add(tally);
    }
    (total, losses)
}

fn print_row(program: &str, tally: &Tally, in_words: bool) {
    println!(
        "| {program} | {} | {} | {} | {} | {} | {} |",
        tally.lines,
        tally.identical,
        tally.unstable,
        tally.different(),
        tally.conditions,
        tally.violations
    );
    for difference in tally.differences.iter().filter(|_| in_words) {
        eprintln!("{program} {difference}");
    }
}

fn program(directory: &Path, family: &Family, losses: &mut Losses) -> Result<Tally, SubjectError> {
    let path = find(directory, family.package, family.program)?;
    let mut subject = Subject::built(family.program, &path, None)?;
    let mut tally = Tally::default();
    for line in family.lines() {
        tally.lines += 1;
        match one(&mut subject, &line, &mut tally, losses) {
            Ok(Verdict::Identical) => tally.identical += 1,
            Ok(Verdict::Unstable) => tally.unstable += 1,
            Ok(Verdict::Different(how)) => tally.differences.push(format!("{}: {how}", line.text)),
            Err(error) => tally.differences.push(format!("{}: {error}", line.text)),
        }
    }
    Ok(tally)
}

fn one(
    subject: &mut Subject,
    line: &Line,
    tally: &mut Tally,
    losses: &mut Losses,
) -> Result<Verdict, SubjectError> {
    let native = subject.run_native(&line.test)?;
    let (symbolic, inputs) = subject.run_symbolic(&line.test)?;
    let trace = subject.trace(&inputs)?;
    let violations = trace.check_self(&subject.map.sites);
    if let Some(first) = violations.first() {
        eprintln!("{} {}: {first:?}", subject.name, line.text);
    }
    tally.conditions += trace.conditions(&subject.map.sites).len();
    tally.violations += violations.len() + trace.header().inconsistent as usize;
    if trace.header().inconsistent > 0 {
        eprintln!("{} {}: {} inconsistent conditions", subject.name, line.text, trace.header().inconsistent);
    }
    losses.add(&subject.name, &trace, &subject.map);
    Ok(match difference(&native, &symbolic) {
        None => Verdict::Identical,
        Some(_) if difference(&native, &subject.run_native(&line.test)?).is_some() => Verdict::Unstable,
        Some(how) => Verdict::Different(how),
    })
}

impl Tally {
    fn different(&self) -> usize {
        self.lines - self.identical - self.unstable
    }

    fn add(&mut self, other: Tally) {
        self.lines += other.lines;
        self.identical += other.identical;
        self.unstable += other.unstable;
        self.conditions += other.conditions;
        self.violations += other.violations;
        self.differences.extend(other.differences);
    }
}
