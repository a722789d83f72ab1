//! `parallax check`: the certificates of a verification, checked again without the versions.
//!
//! In: a result directory. Out: for each script in `certificates/` whether both solvers give the answer that it must have.
//!
//! Always holds: a directory without certificates is an error, and so is one whose result names a certificate that is not there.

use crate::diff_args::DiffFormat;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::verify::CERTIFICATES;
use crate::verify_args::CheckArgs;
use parallax_report::SCHEMA;
use parallax_solve::Limit;
use parallax_verify::certificate::{self, Checked};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What came of all.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    confirmed: bool,
    certificates: Vec<CertificateView>,
}

#[derive(Serialize)]
struct CertificateView {
    path: String,
    status: &'static str,
    reason: Option<String>,
}

pub fn check(args: &CheckArgs) -> Result<(String, ExitCode), CliError> {
    let limit = Limit { steps: args.query_steps, time: args.query_time };
    let mut certificates = Vec::new();
    for path in scripts(&args.directory)? {
        let unreadable = |source| CliError::Read { what: "a certificate", path: path.clone(), source };
        let text = std::fs::read_to_string(&path).map_err(unreadable)?;
        let (status, reason) = match certificate::check(&text, &limit) {
            Checked::Confirmed => ("confirmed", None),
            Checked::Refuted(why) => ("refuted", Some(why)),
            Checked::Undecided(why) => ("undecided", Some(why)),
        };
        certificates.push(CertificateView { path: path.display().to_string(), status, reason });
    }
    let confirmed = certificates.iter().all(|certificate| certificate.status == "confirmed");
    let document = Document { schema: SCHEMA, confirmed, certificates };
    let text = match args.format {
        DiffFormat::Json => serde_json::to_string_pretty(&document)? + "\n",
        DiffFormat::Human => human(&document),
    };
    Ok((text, if confirmed { ExitCode::Success } else { ExitCode::NotCertified }))
}

fn scripts(directory: &Path) -> Result<Vec<PathBuf>, CliError> {
    let place = directory.join(CERTIFICATES);
    let entries = std::fs::read_dir(&place).map_err(|source| CliError::Read {
        what: "the certificates (made with `parallax verify --certificates`)",
        path: place.clone(),
        source,
    })?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    match paths.is_empty() {
        true => Err(CliError::usage(format!("{}: no certificate is there", place.display()))),
        false => Ok(paths),
    }
}

fn human(document: &Document) -> String {
    let mut text = String::new();
    for certificate in document.certificates.iter().filter(|c| c.reason.is_some()) {
        let reason = certificate.reason.as_deref().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {}: {reason}", certificate.path, certificate.status);
    }
    let all = document.certificates.len();
    let confirmed = document.certificates.iter().filter(|c| c.status == "confirmed").count();
    text + &format!("{confirmed} of {all} certificates confirmed by both solvers.\n")
}
