//! The runner as a program of its own, for the tests of this crate and for embedding; the `parallax`
//! program has the same thing as a hidden subcommand.

fn main() {
    std::process::exit(parallax_execute::runner_main(std::env::args_os().skip(1)));
}
