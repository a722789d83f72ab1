//! What the confinement of runs does not promise on this machine, said before anybody relies on it.

use crate::natives::Setting;
use std::path::Path;

/// For the verdict: what a run of `program` could reach here. A program that cannot be run at all is reported where that is tried.
pub fn warning(setting: &Setting, program: &Path) -> Option<String> {
    let confinement = setting.native(program).ok()?.confinement()?;
    let open = confinement.not_promised();
    (!open.is_empty() && !setting.unconfined).then(|| {
        format!(
            "the kernel confines runs in part only; a program that means harm could reach: {}",
            open.join("; ")
        )
    })
}
