//! `parallax report`: the HTML page of a result directory.
//!
//! In: a directory that `parallax diff` made. Out: the page, and where it is.

use crate::args::ReportArgs;
use crate::error::CliError;
use parallax_report::changes::Changes;
use parallax_report::{html, DiffView};
use serde::de::DeserializeOwned;
use std::fs;
use std::path::Path;

pub fn report(args: &ReportArgs) -> Result<String, CliError> {
    let view: DiffView = read(&args.directory.join("verdicts.json"))?;
    let changes: Changes = read(&args.directory.join("changes.json"))?;
    let path = args.out.clone().unwrap_or_else(|| args.directory.join("report.html"));
    fs::write(&path, html(&view, &changes.changes)).map_err(CliError::Write)?;
    Ok(format!("{}\n", path.display()))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, CliError> {
    let text = fs::read_to_string(path).map_err(|source| CliError::Read {
        what: "a result of parallax diff",
        path: path.to_owned(),
        source,
    })?;
    serde_json::from_str(&text).map_err(|error| {
        CliError::usage(format!("{}: not written by this version of Parallax: {error}", path.display()))
    })
}
