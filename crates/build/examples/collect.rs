//! Collects the bitcode of a program that was built with `parallax-cc`.
//!
//! `collect PROGRAM` prints the version as JSON; `collect --summary PROGRAM` one line for a table.

use parallax_build::{collect, Cache};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let summary = arguments.first().is_some_and(|argument| argument == "--summary");
    if summary {
        arguments.remove(0);
    }
    let [program] = &arguments[..] else {
        eprintln!("usage: collect [--summary] PROGRAM");
        std::process::exit(2);
    };
    match collect(program.as_ref(), &Cache::from_environment()) {
        Ok(version) if summary => {
            let kilobytes = version.bitcode.metadata().map_or(0, |m| m.len() / 1024);
            let missing = version.without_bitcode.len();
            let unresolved = version.unresolved.len();
            println!("{kilobytes} KiB, {missing} without bitcode, {unresolved} unresolved");
        }
        // A version holds paths and strings only, for which serialisation cannot fail.
        Ok(version) => println!("{}", serde_json::to_string_pretty(&version).expect("strings serialise")),
        Err(error) => {
            eprintln!("collect: {error}");
            std::process::exit(3);
        }
    }
}
