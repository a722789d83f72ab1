//! Does the program model exclude anything that real runs do?
//!
//!     cargo run --release -p parallax-bench --bin check-model -- [DIR [PROGRAM...]]
//!
//!     cargo run --release -p parallax-bench --bin check-model -- --suite TREE PROGRAM COMMAND [EVERY]
//!
//! Without DIR: the programs of `bench/subjects`. With DIR, a directory of packages built with `parallax-cc`: those, on the
//! command lines of `faithful`. With `--suite`: the package's own tests (COMMAND in a copy of TREE) on the dependence build
//! of PROGRAM, a path in it; of the runs, every EVERYth is checked. Prints how often every claim of the model was tested and how often it failed; fails if
//! one failed.

use parallax_bench::check::{own_programs, suite, Checked, CheckedError, Tally};
use parallax_bench::lines::families;
use parallax_bench::twins::find;
use parallax_bench::{table, Result};
use std::path::Path;
use std::process::ExitCode;

fn main() -> Result<ExitCode> {
    parallax_bench::become_runner_if_asked();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut rows = Vec::new();
    let mut total = Tally::default();
    let mut note = |name: &str, tally: std::result::Result<Tally, CheckedError>| match tally {
        Ok(tally) => {
            tally.examples.iter().for_each(|e| eprintln!("{name}: {e}"));
            rows.push(tally.row(name));
            total.add(tally);
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            total.errors += 1;
        }
    };
    match arguments.split_first() {
        Some((option, rest)) if option == "--suite" => {
            let [tree, program, command, every @ ..] = rest else {
                return Err("usage: --suite TREE PROGRAM COMMAND [EVERY]".into());
            };
            let every = every.first().map_or(Ok(1), |e| e.parse())?;
            let path = Path::new(tree).join(program);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let checked = Checked::built(&name, &path, None);
            note(&name, checked.and_then(|c| suite(&c, Path::new(tree), Path::new(program), command, every)));
        }
        None => {
            for (source, tests) in own_programs() {
                let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                note(&name, Checked::file(&source, None).and_then(|mut c| c.check(tests)));
            }
        }
        Some((directory, only)) => {
            for family in families() {
                if only.is_empty() || only.iter().any(|name| name == family.program) {
                    let path = find(Path::new(directory), family.package, family.program)?;
                    let tests = family.lines().into_iter().map(|line| line.test);
                    let checked = Checked::built(family.program, &path, None);
                    note(family.program, checked.and_then(|mut c| c.check(tests)));
                }
            }
        }
    }
    rows.push(total.row("all"));
    table::print(&Tally::head(), &rows);
    Ok(if total.violations() + total.errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
