//! Answers of `parallax inspect`, kept in the cache.
//!
//! In: two built versions, the settings that an answer depends on. Out: the answer, if this Parallax has given it before on the same bitcode.
//!
//! Always holds: everything that an answer says follows from both bitcodes and the settings in its name; what the versions are called is filled in when it is read.

use crate::error::CliError;
use crate::inspect_args::InspectArgs;
use crate::models;
use parallax_build::{Cache, Version};
use parallax_report::inspect_view::InspectView;
use std::path::PathBuf;

/// Where an answer is kept.
pub struct Place {
    home: PathBuf,
    file: PathBuf,
}

impl Place {
    pub fn new(built: &[Version; 2], cache: &Cache, args: &InspectArgs) -> Result<Place, CliError> {
        let [old, new] = [models::stem(&built[0], cache)?, models::stem(&built[1], cache)?];
        let home = cache.root().join("answers");
        let parallax = models::this_parallax();
        let name = format!("{old}-{new}-{parallax}-{}-{}.json", args.max_dependence, args.max_slices);
        Ok(Place { file: home.join(name), home })
    }

    pub fn read(&self) -> Option<InspectView> {
        serde_json::from_slice(&std::fs::read(&self.file).ok()?).ok()
    }

    pub fn keep(&self, view: &InspectView) {
        // A full disk costs time on the next look, and nothing else.
        if let Ok(bytes) = serde_json::to_vec(view) {
            let _ = models::keep(&self.home, &self.file, &bytes);
        }
    }
}
