//! The partitions of a verification, on disk and as data.
//!
//! In: what the verification tells. Out: `partitions/ID/`: a kept test (the witness, and, where the versions differ on it, what they did), `formula.smt2`,
//! and, with `--certificates`, what a third party needs in `certificates/`; the views of the result.
//!
//! Always holds: a partition's directory is there with all its content, or not at all; `verification.json` holds what was found so far.

use super::journal::{Journal, DIRECTORY};
use crate::error::CliError;
use parallax_report::diff_view::DifferenceView;
use parallax_report::kept::{self, Launch};
use parallax_report::verify_view::*;
use parallax_report::OutDir;
use parallax_search::Pair;
use parallax_trace::format::OUTPUT_EXIT;
use parallax_verify::{Count, News, Partition, Shape, Status};
use std::fs;
use std::path::{Path, PathBuf};

/// Where scripts go, below the output directory.
pub const CERTIFICATES: &str = "certificates";

/// See the module.
pub struct Store {
    pub out: OutDir,
    pub launch: Launch,
    pub journal: Journal,
    pub certificates: bool,
    pub placed: Vec<(PartitionView, Shape, Count)>,
    shapes: usize,
    /// The first thing that could not be written.
    pub trouble: Option<CliError>,
}

impl Store {
    pub fn new(out: OutDir, launch: Launch, journal: Journal, certificates: bool) -> Store {
        Store { out, launch, journal, certificates, placed: Vec::new(), shapes: 0, trouble: None }
    }

    /// Takes in what the verification tells; true if there is a new partition.
    pub fn take(&mut self, news: News) -> bool {
        let is_partition = matches!(news, News::Partition(_));
        let taken = match news {
            News::Shape(_) => Ok(()),
            News::Partition(partition) => self.add(&partition),
            News::Weakened(partition) => {
                self.weaken(&partition);
                Ok(())
            }
            News::Entry(entry) => self.journal.keep(&entry),
            News::Done { certificates, .. } => {
                self.shapes += 1;
                let number = self.shapes;
                certificates.iter().try_for_each(|(name, text)| {
                    self.certificate(&format!("shape{number}-{name}"), text).map(drop)
                })
            }
        };
        if let Err(error) = taken {
            self.trouble.get_or_insert(error);
        }
        is_partition
    }

    fn add(&mut self, partition: &Partition) -> Result<(), CliError> {
        let id = format!("p{}", self.placed.len() + 1);
        let directory = self.directory().join(&id);
        let aside = self.directory().join(format!(".{id}.new"));
        let _ = fs::remove_dir_all(&aside);
        kept::write(&aside, &partition.witness, self.launch.clone())?;
        fs::write(aside.join("formula.smt2"), &partition.formula)
            .and_then(|()| fs::rename(&aside, &directory))
            .map_err(CliError::Write)?;
        let certificate = match &partition.certificate {
            Some(text) if self.certificates => Some(self.certificate(&format!("{id}-equal"), text)?),
            _ => None,
        };
        let view = view(&id, partition, &directory, certificate);
        self.placed.push((view, partition.shape.clone(), partition.kept.count.clone()));
        Ok(())
    }

    fn certificate(&self, name: &str, text: &str) -> Result<PathBuf, CliError> {
        let directory = self.out.path().join(CERTIFICATES);
        let path = directory.join(format!("{name}.smt2"));
        fs::create_dir_all(&directory).and_then(|()| fs::write(&path, text)).map_err(CliError::Write)?;
        Ok(path)
    }

    fn weaken(&mut self, partition: &Partition) {
        let mut weak = view("", partition, Path::new(""), None);
        let same = |view: &PartitionView| {
            view.shape == weak.shape
                && view.arguments == weak.arguments
                && view.stdin == weak.stdin
                && view.files == weak.files
                && view.conditions == weak.conditions
        };
        if let Some((view, _, _)) = self.placed.iter_mut().find(|(view, _, _)| same(view)) {
            view.status = weak.status;
            view.weakened = std::mem::take(&mut weak.weakened);
        }
    }

    fn directory(&self) -> PathBuf {
        self.out.path().join(DIRECTORY)
    }
}

fn view(id: &str, partition: &Partition, directory: &Path, certificate: Option<PathBuf>) -> PartitionView {
    let kept = &partition.kept;
    let mut test = DifferenceView::default();
    test.set_test(&partition.witness);
    PartitionView {
        id: id.to_owned(),
        status: status(kept.status).to_owned(),
        share: ShareView::new(kept.count.low, kept.count.high),
        count: kept.count.inputs.and_then(|inputs| inputs.try_into().ok()),
        shape: lengths(&partition.shape),
        test: directory.display().to_string(),
        formula: directory.join("formula.smt2").display().to_string(),
        certificate: certificate.map(|path| path.display().to_string()),
        arguments: test.arguments,
        stdin: test.stdin,
        files: test.files,
        outputs: outputs(&partition.outputs),
        lines: partition.lines.clone(),
        conditions: partition.conditions,
        pins: partition.pins,
        samples: kept.ran,
        weakened: kept.weak.iter().cloned().collect(),
    }
}

pub fn status(status: Status) -> &'static str {
    match status {
        Status::Equal => "equal",
        Status::Different => "different",
        Status::Weak => "weak",
    }
}

pub fn lengths(shape: &Shape) -> LengthsOf {
    LengthsOf {
        arguments: shape.arguments.clone(),
        stdin: shape.stdin,
        files: shape.files.iter().map(|(_, length)| *length).collect(),
    }
}

fn outputs(outputs: &Pair<Vec<(u32, String)>>) -> OutputsView {
    let channel = |(fd, text): &(u32, String)| {
        let channel = match *fd {
            1 => "stdout".to_owned(),
            2 => "stderr".to_owned(),
            OUTPUT_EXIT => "exit".to_owned(),
            fd => format!("descriptor {fd}"),
        };
        ChannelView { channel, text: text.clone() }
    };
    let channels = |list: &Vec<(u32, String)>| list.iter().map(channel).collect();
    OutputsView { old: channels(&outputs.old), new: channels(&outputs.new) }
}
