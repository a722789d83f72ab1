//! Answers of `parallax inspect`, kept in the cache.
//!
//! In: two built versions, the limits that were asked for. Out: the answer, if this Parallax has given it before on the same bitcode.
//!
//! Always holds: everything that an answer says follows from both bitcodes and from which limits they are beyond; what the versions are called is filled in when
//! it is read. So limits that differ in number only have one answer.

use crate::error::CliError;
use crate::inspect_args::InspectArgs;
use crate::models;
use parallax_build::{Cache, Version};
use parallax_report::inspect_view::InspectView;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What limits are compared with.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Instructions of the new version.
    pub insts: usize,
    pub targets: usize,
    /// Changes of code.
    pub changes: usize,
}

impl Counts {
    /// Which limits are kept, as a part of a name.
    fn within(&self, args: &InspectArgs) -> String {
        let kept = [
            self.insts <= args.max_dependence,
            self.targets <= args.max_slices,
            self.changes <= args.max_slices,
        ];
        kept.map(|kept| if kept { 'y' } else { 'n' }).iter().collect()
    }
}

/// Where answers on two versions are kept.
pub struct Place<'a> {
    cache: Cache,
    home: PathBuf,
    name: String,
    args: &'a InspectArgs,
}

impl Place<'_> {
    pub fn new<'a>(
        built: &[Version; 2],
        cache: &Cache,
        args: &'a InspectArgs,
    ) -> Result<Place<'a>, CliError> {
        let [old, new] = [models::stem(&built[0], cache)?, models::stem(&built[1], cache)?];
        let name = format!("{old}-{new}-{}", models::this_parallax());
        Ok(Place { cache: cache.clone(), home: cache.root().join("answers"), name, args })
    }

    pub fn read(&self) -> Option<InspectView> {
        let counts: Counts = serde_json::from_slice(&models::read(&self.cache, &self.counts())?).ok()?;
        serde_json::from_slice(&models::read(&self.cache, &self.answer(&counts))?).ok()
    }

    pub fn keep(&self, view: &InspectView, counts: &Counts) {
        // A full disk costs time on the next look, and nothing else.
        if let (Ok(view), Ok(numbers)) = (serde_json::to_vec(view), serde_json::to_vec(counts)) {
            let _ = models::keep(&self.cache, &self.answer(counts), &view);
            let _ = models::keep(&self.cache, &self.counts(), &numbers);
        }
    }

    fn counts(&self) -> PathBuf {
        self.home.join(format!("{}.counts", self.name))
    }

    fn answer(&self, counts: &Counts) -> PathBuf {
        self.home.join(format!("{}-{}.json", self.name, counts.within(self.args)))
    }
}
