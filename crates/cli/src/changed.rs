//! What changed between two built versions, for every command that shows it or aims at it.
//!
//! In: two built versions. Out: their models, compared once: changes as they are shown, targets in both versions.
//!
//! Always holds: one comparison, from the old version to the new one, for everything. A version that cannot be modelled costs the user
//! the guidance, not the result.

use crate::models::{self, Kept};
use crate::versions;
use parallax_build::{Cache, Version};
use parallax_change::{self as change, Comparison, Settings, Target};
use parallax_plan::{self as plan, Pair, Plan};
use parallax_report::Change;
use parallax_trace::sites::ProgramMap;

/// Two versions, compared.
pub struct Changed {
    pub old: Kept,
    pub new: Kept,
    pub comparison: Comparison,
    /// Of the new version.
    pub targets: Vec<Target>,
}

/// As [`compare`]; a version that cannot be modelled is said and left.
pub fn find(built: &[Version; 2], cache: &Cache) -> Option<Changed> {
    match compare(built, cache) {
        Ok(changed) => Some(changed),
        Err(error) => {
            eprintln!("parallax: the search goes without knowing where the change is: {error}");
            None
        }
    }
}

pub fn compare(built: &[Version; 2], cache: &Cache) -> Result<Changed, crate::error::CliError> {
    let [old, new] = versions::in_parallel(|i| models::model(&built[i], cache));
    let (old, new) = (old?, new?);
    let comparison = change::compare(&old.program, &new.program, &Settings::default());
    let targets = change::targets(&new.program, &comparison);
    Ok(Changed { old, new, comparison, targets })
}

impl Changed {
    /// What changed, as it is shown.
    pub fn changes(&self) -> Vec<Change> {
        views(&self.comparison)
    }

    /// What the search is told about the change, in numbers of the maps of the instrumented programs.
    pub fn plan(&self, maps: [&ProgramMap; 2], settings: &plan::Settings) -> Plan {
        let kept = [&self.old, &self.new];
        let small = |kept: &Kept| kept.program.insts.len() <= settings.instructions;
        let points_to = versions::in_parallel(|i| small(kept[i]).then(|| kept[i].points_to()));
        let versions = plan::Versions {
            programs: Pair::new(&self.old.program, &self.new.program),
            comparison: &self.comparison,
            targets: &self.targets,
            points_to: Pair::new(points_to[0].as_ref(), points_to[1].as_ref()),
            maps: Pair::new(maps[0], maps[1]),
        };
        Plan::new(&versions, settings)
    }
}

/// Changes as they are shown: each once.
pub fn views(comparison: &Comparison) -> Vec<Change> {
    let mut views: Vec<Change> = Vec::new();
    for view in comparison.changes.iter().map(view) {
        // A function of a header is in the program once for each file that includes it.
        if !views.contains(&view) {
            views.push(view);
        }
    }
    views
}

pub fn view(change: &change::Change) -> Change {
    let is_variable = change.old_global.is_some() || change.new_global.is_some();
    let file = change.new_lines.file.as_ref().or(change.old_lines.file.as_ref());
    Change {
        file: file.map(|f| plain(f)),
        function: (!is_variable).then(|| change.name.clone()),
        variable: is_variable.then(|| change.name.clone()),
        kind: change.kind.name().to_owned(),
        old_lines: change.old_lines.lines.clone(),
        new_lines: change.new_lines.lines.clone(),
    }
}

/// A file's name without what says nothing.
pub fn plain(file: &str) -> String {
    file.strip_prefix("./").unwrap_or(file).to_owned()
}
