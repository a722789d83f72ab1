//! The texts of both versions: what changed in their sources, and in the strings of their binaries.
//!
//! In: two built versions and their program maps. Out: what finds the cause of a difference, and what tells another wording from
//! another behaviour.

use crate::versions::{self, Wanted};
use parallax_build::Version;
use parallax_oracle::{Causes, Expectations, Region};
use parallax_report::changes::{self, Sources};
use parallax_trace::sites::ProgramMap;

/// Both, from the same regions.
pub fn causes(wanted: &[Wanted; 2], built: &[Version; 2], maps: [&ProgramMap; 2]) -> (Causes, Expectations) {
    let sources = versions::sources(wanted, built);
    let pieces = sources.as_ref().map_or(Vec::new(), |[old, new]| changes::pieces(old, new));
    let mut regions = versions::regions(wanted, &pieces);
    let mut old_sources = Sources::new();
    if let Some([old, new]) = sources {
        for (region, piece) in regions.iter_mut().zip(&pieces) {
            region.texts = [(&old, piece.old_lines), (&new, piece.new_lines)].map(|(sources, lines)| {
                sources.get(&piece.file).zip(lines).map_or(Vec::new(), |(text, lines)| part(text, lines))
            });
        }
        old_sources = old.into_iter().map(|(file, text)| (old_name(&regions, file), text)).collect();
    }
    // Without the binary nothing is taken for another wording.
    let binaries = [0, 1].map(|i| std::fs::read(&built[i].native).unwrap_or_default());
    let expectations = Expectations::new([&binaries[0], &binaries[1]], regions.clone(), &old_sources);
    (Causes::new(regions, maps), expectations)
}

/// Lines of a text; the first is 1.
fn part(text: &[u8], [first, last]: [u32; 2]) -> Vec<u8> {
    let lines = text.split_inclusive(|b| *b == b'\n');
    let count = (last + 1).saturating_sub(first) as usize;
    lines.skip(first.saturating_sub(1) as usize).take(count).flatten().copied().collect()
}

/// The name that the old version has for a file.
fn old_name(regions: &[Region], file: String) -> String {
    let region = regions.iter().find(|region| region.files[1] == file);
    region.map_or(file, |region| region.files[0].clone())
}
