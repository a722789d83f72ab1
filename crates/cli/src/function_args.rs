//! The options of a comparison of single functions, as they were typed.

use clap::Args;
use std::path::PathBuf;

/// One function instead of a whole program.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "One function")]
pub struct FunctionArgs {
    /// Compare this function; FILE:NAME where several have the name. A library, or a file without main, will do
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Most elements of strings and buffers (len=8), pointers to structures in a row (depth=4), elements of one parameter (PARAMETER=N)
    #[arg(long, value_name = "NAME=N", requires = "function")]
    pub bound: Vec<String>,
    /// Compare only where this C expression over the parameters holds
    #[arg(long, value_name = "EXPRESSION", requires = "function", allow_hyphen_values = true)]
    pub assume: Vec<String>,
    /// Compare the calls of this function, and what they are given, too
    #[arg(long, value_name = "NAME", requires = "function")]
    pub observe: Vec<String>,
    /// A C expression for a parameter, in place of an input: a callback, a constant
    #[arg(long, value_name = "PARAMETER=EXPRESSION", requires = "function")]
    pub argument: Vec<String>,
    /// C text that --argument and --assume may refer to
    #[arg(long, value_name = "FILE.c", requires = "function")]
    pub helpers: Option<PathBuf>,
}
