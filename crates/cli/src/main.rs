//! `parallax`: reads the command line, calls the crates, prints what comes back.
//!
//! Always holds: results go to standard output and nothing else does; messages go to standard error; the
//! exit status is one of [`exit_code::ExitCode`].

mod args;
mod doctor;
mod engine;
mod error;
mod exit_code;
mod resolve;
mod trace;
mod units;

use args::{Cli, Command};
use clap::Parser;
use error::CliError;
use exit_code::ExitCode;
use std::io::{stdout, Write};

fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os();
    if args.nth(1).is_some_and(|first| first == parallax_execute::RUNNER_SUBCOMMAND) {
        std::process::exit(parallax_execute::runner_main(args));
    }
    // A panic is a bug in Parallax: the message is printed by the default hook.
    match std::panic::catch_unwind(|| run(Cli::parse())) {
        Ok(Ok(())) => ExitCode::Success.into(),
        Ok(Err(error)) => {
            eprintln!("parallax: {error}");
            error.exit_code().into()
        }
        Err(_) => {
            eprintln!("parallax: internal error; please report it with the command line");
            ExitCode::Internal.into()
        }
    }
}

fn run(cli: Cli) -> Result<(), CliError> {
    match cli.command {
        Command::Trace(args) => {
            let text = trace::trace(&resolve::trace(*args)?)?;
            print(&text)
        }
        Command::Doctor => {
            let mut out = Vec::new();
            let healthy = doctor::doctor(&mut out);
            print(&String::from_utf8_lossy(&out))?;
            healthy
        }
    }
}

/// To standard output; a reader that went away early (`| head`) is no error.
fn print(text: &str) -> Result<(), CliError> {
    match stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(CliError::Write(error)),
        _ => Ok(()),
    }
}
