//! Where in the sources a difference comes from.
//!
//! In: the maps of both versions, the pieces of source that changed, and traces of both versions on the input that shows the
//! difference. Out: the change that is behind it, if that can be told.
//!
//! How: a change that did not run is not the cause; if only one ran, it is. If several did, it is the one at which the last
//! decision fell before the versions parted in code that is the same in both. Where a difference is in the wording only, the change is looked
//! for whose text has the words; where it is in something else, changes of nothing but texts are not the cause, and what is printed in other
//! words does not part the versions. The answer depends on nothing but the two traces and what was printed.

use crate::expected::{Expectations, Expected};
use crate::wording::{contains, tokens};
use parallax_trace::reader::{Event, OutputByte};
use parallax_trace::sites::{EdgeInfo, ProgramMap};
use parallax_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// A change with more lines than this is taken for several, one for each line with a decision.
const LARGE: u32 = 12;
/// More changes than these are not named as one cause.
const MOST_NAMED: usize = 3;

pub(crate) const OLD: usize = 0;
pub(crate) const NEW: usize = 1;

/// A piece of source that is not the same in both versions. Lines: first and last, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// The file as the old and the new program map name it.
    pub files: [String; 2],
    pub lines: [Option<[u32; 2]>; 2],
    /// The lines themselves, in the old and the new version; empty where they are not known.
    pub texts: [Vec<u8>; 2],
}

impl Region {
    /// As people look for it: in the new version, if it is there.
    fn name(&self) -> String {
        match self.lines {
            [_, Some(new)] => format!("{}:{}", self.files[NEW], range(new)),
            [Some(old), None] => format!("{}:{} (old)", self.files[OLD], range(old)),
            [None, None] => self.files[NEW].clone(),
        }
    }

    fn is_large(&self) -> bool {
        self.lines.iter().flatten().any(|[first, last]| last - first >= LARGE)
    }

    /// Is nothing different but what stands between quotation marks?
    fn is_wording(&self) -> bool {
        let [old, new] = self.texts.each_ref().map(|text| without_texts(text));
        old == new && self.texts[OLD] != self.texts[NEW]
    }

    /// Does it have words that were exchanged?
    fn has(&self, wording: &Expected) -> bool {
        match wording {
            Expected::Wording { old, new } => {
                let all = |side: usize, pieces: &[u8]| {
                    let plain = unescaped(&self.texts[side]);
                    pieces.split(|b| *b == 0).all(|piece| contains(&plain, piece.trim_ascii()))
                };
                all(OLD, old) && all(NEW, new)
            }
            // A number in the output may be one of the source, and then it is all of one.
            Expected::Constant { old, new } => {
                let whole = |side: usize, piece: &[u8]| {
                    let text = &self.texts[side];
                    tokens(text).any(|token| text[token] == *piece.trim_ascii())
                };
                whole(OLD, old) && whole(NEW, new)
            }
            Expected::Line => false,
        }
    }

    fn contains(&self, side: usize, file: &str, line: u32) -> bool {
        self.files[side] == file
            && self.lines[side].is_some_and(|[first, last]| (first..=last).contains(&line))
    }
}

/// Source without what stands in string literals, and without blanks.
fn without_texts(source: &[u8]) -> Vec<u8> {
    let (mut inside, mut escape) = (false, false);
    let mut out = Vec::new();
    for byte in source {
        match (inside, escape, byte) {
            (true, false, b'\\') => escape = true,
            (_, false, b'"') => {
                inside = !inside;
                out.push(*byte);
            }
            (true, ..) => escape = false,
            (false, _, byte) if byte.is_ascii_whitespace() => {}
            (false, ..) => out.push(*byte),
        }
    }
    out
}

/// Source with the usual escapes of string literals replaced by what they mean.
fn unescaped(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut bytes = source.iter();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(b'n' | b't' | b'"' | b'\\' | b'\'')) => {
                // There is one: it was just looked at.
                let meant = match bytes.next() {
                    Some(b'n') => b'\n',
                    Some(b't') => b'\t',
                    other => other.copied().unwrap_or(b'\\'),
                };
                out.push(meant);
            }
            (byte, _) => out.push(*byte),
        }
    }
    out
}

fn range([first, last]: [u32; 2]) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}

/// Between the names of changes of which each may be the cause.
pub const OR: &str = " or ";

/// What is known of a difference whose cause is looked for.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub expected: BTreeSet<Expected>,
    /// There is more to it.
    pub beyond: bool,
}

/// Finds causes of differences between two versions.
pub struct Causes {
    regions: Vec<Region>,
    sides: [Side; 2],
}

/// What is known of one version.
struct Side {
    /// By edge: the regions that run when it is taken.
    edges: Vec<Vec<usize>>,
    /// By site.
    sites: Vec<Place>,
}

/// Where a decision falls.
#[derive(Clone)]
struct Place {
    region: Option<usize>,
    line: u32,
    /// The same for the same place of code that did not change, in both versions.
    common: (String, String, u32, u32),
}

/// Something that a run did in code that is the same in both versions.
#[derive(PartialEq, Eq)]
enum Act {
    Decision((String, String, u32, u32), u64),
    Output(u32, Vec<u8>),
}

impl Causes {
    pub fn new(regions: Vec<Region>, maps: [&ProgramMap; 2]) -> Causes {
        let sides = [OLD, NEW].map(|side| Side::new(&regions, side, maps[side]));
        Causes { regions, sides }
    }

    /// The change behind a difference. `seen`: what of it is expected, and whether there is anything else.
    pub fn of(&self, old: &Trace, new: &Trace, expectations: &Expectations, seen: &Seen) -> Option<String> {
        let mut ran: BTreeSet<usize> = BTreeSet::new();
        for (side, trace) in self.sides.iter().zip([old, new]) {
            ran.extend(side.regions_run(trace));
        }
        let mut ran = self.candidates(ran, seen);
        let Parting { last: parted, later } = self.parting(old, new, expectations);
        let parted = parted.filter(|(region, ..)| ran.contains(region) || ran.is_empty());
        // A change that decides something did not run before the versions parted if all its decisions came later.
        if parted.is_none() && !ran.is_subset(&later) {
            ran.retain(|region| !later.contains(region));
        }
        let cause = match (ran.len(), parted) {
            // Data, types and macros are no code that could run.
            (0, None) if self.regions.len() == 1 => 0,
            (0, None) => return None,
            (1, _) => *ran.first()?,
            (_, Some((region, _, _))) => region,
            (2..=MOST_NAMED, None) => {
                let names: Vec<String> = ran.iter().map(|region| self.regions[*region].name()).collect();
                return Some(names.join(OR));
            }
            (_, None) => return None,
        };
        let region = &self.regions[cause];
        match parted {
            Some((last, side, line)) if last == cause && region.is_large() => {
                let mark = if side == OLD { " (old)" } else { "" };
                Some(format!("{}:{line}{mark}", region.files[side]))
            }
            _ => Some(region.name()),
        }
    }

    /// Those of the changes that ran which can be behind what was seen. Where none can, all are.
    fn candidates(&self, ran: BTreeSet<usize>, seen: &Seen) -> BTreeSet<usize> {
        let has = |region: usize| seen.expected.iter().any(|wording| self.regions[region].has(wording));
        let those = |holds: &dyn Fn(usize) -> bool| -> BTreeSet<usize> {
            ran.iter().copied().filter(|region| holds(*region)).collect()
        };
        let choices = match seen.beyond {
            // Texts may stand in data, which is no code that could run.
            false => {
                let all = (0..self.regions.len()).filter(|region| has(*region));
                [those(&has), all.collect()]
            }
            true => {
                let computes = |region: usize| !self.regions[region].is_wording();
                [those(&|region| computes(region) && !has(region)), those(&computes)]
            }
        };
        choices.into_iter().find(|choice| !choice.is_empty()).unwrap_or(ran)
    }

    /// Do the versions take the same decisions in code that is the same in both?
    pub fn is_same_way(&self, old: &Trace, new: &Trace) -> bool {
        let decisions = |side: usize, trace: &Trace| -> Vec<Act> {
            let acts = self.sides[side].acts(trace).into_iter().filter_map(|step| step.act);
            acts.filter(|act| matches!(act, Act::Decision(..))).collect()
        };
        decisions(OLD, old) == decisions(NEW, new)
    }

    /// Where the versions part in code that is the same in both. Output that only one of them has a text for does not part them.
    fn parting(&self, old: &Trace, new: &Trace, expectations: &Expectations) -> Parting {
        let only_text = |side: usize, act: &Option<Act>| match (side, act) {
            (OLD, Some(Act::Output(_, text))) => expectations.same(text, b""),
            (_, Some(Act::Output(_, text))) => expectations.same(b"", text),
            _ => false,
        };
        let steps = |side: usize, trace: &Trace| {
            let mut steps: Vec<Step> = Vec::new();
            let mut before = Vec::new();
            for mut step in self.sides[side].acts(trace) {
                before.append(&mut step.changed);
                if !only_text(side, &step.act) {
                    steps.push(Step { changed: std::mem::take(&mut before), act: step.act });
                }
            }
            steps
        };
        let acts = [steps(OLD, old), steps(NEW, new)];
        let same = |a: &Option<Act>, b: &Option<Act>| match (a, b) {
            (Some(Act::Output(a, old)), Some(Act::Output(b, new))) => a == b && expectations.same(old, new),
            (a, b) => a == b,
        };
        let common = acts[OLD].iter().zip(&acts[NEW]).take_while(|(a, b)| same(&a.act, &b.act)).count();
        // What was decided in changed code belongs to the act that comes next.
        let last = |side: usize| {
            let before = acts[side].iter().take(common + 1);
            before.rev().find_map(|step| step.changed.last().map(|(region, line)| (*region, side, *line)))
        };
        let behind = acts.iter().flat_map(|steps| steps.iter().skip(common + 1));
        let later = behind.flat_map(|step| step.changed.iter().map(|(region, _)| *region)).collect();
        Parting { last: last(NEW).or_else(|| last(OLD)), later }
    }
}

/// Where two runs part.
struct Parting {
    /// The last decision in changed code before that: its region, version and line.
    last: Option<(usize, usize, u32)>,
    /// Changes that decide something behind it.
    later: BTreeSet<usize>,
}

/// An act with the decisions in changed code since the one before.
struct Step {
    changed: Vec<(usize, u32)>,
    act: Option<Act>,
}

impl Side {
    fn new(regions: &[Region], side: usize, map: &ProgramMap) -> Side {
        let files: Vec<String> = map.functions.iter().map(|f| file(map, f.file)).collect();
        let mut lines: Vec<BTreeSet<u32>> = map.blocks.iter().map(|block| [block.line].into()).collect();
        for site in &map.sites {
            if let Some(lines) = lines.get_mut(site.block as usize) {
                lines.insert(site.line);
            }
        }
        let mut edges = vec![Vec::new(); map.edges.len()];
        for (number, region) in regions.iter().enumerate() {
            for edge in edges_of(region, side, map, &files, &lines) {
                edges[edge].push(number);
            }
        }
        let sites = map.sites.iter().map(|site| {
            let function = map.blocks.get(site.block as usize).map(|block| block.function as usize);
            let name = function.and_then(|f| map.functions.get(f)).map_or(String::new(), |f| f.name.clone());
            let file = function.and_then(|f| files.get(f)).cloned().unwrap_or_default();
            let region = regions.iter().position(|region| region.contains(side, &file, site.line));
            let line = if side == OLD { in_new(regions, &file, site.line) } else { site.line };
            // The files of a pair may have different names.
            let pair = regions.iter().find(|region| region.files[side] == file);
            let file = pair.map_or(file.clone(), |region| region.files[NEW].clone());
            Place { region, line: site.line, common: (file, name, line, site.column) }
        });
        Side { edges, sites: sites.collect() }
    }

    fn regions_run(&self, trace: &Trace) -> BTreeSet<usize> {
        trace.edges_taken().filter_map(|(edge, _)| self.edges.get(edge as usize)).flatten().copied().collect()
    }

    fn acts(&self, trace: &Trace) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut changed = Vec::new();
        for event in trace.events() {
            let (site, way) = match event {
                Event::Branch { site, taken, .. } => (site, u64::from(taken)),
                Event::Switch { site, case, .. } => (site, case.map_or(u64::MAX, u64::from)),
                Event::Output { fd, bytes, .. } => {
                    let value = |label: u32| trace.node(label).map_or(0, |(_, node)| node.value as u8);
                    let bytes = bytes.iter().map(|byte| match byte {
                        OutputByte::Concrete(byte) => byte,
                        OutputByte::Symbolic(label) => value(label),
                    });
                    match steps.last_mut() {
                        // Into how many pieces a text is cut says nothing: `puts` writes the newline by itself.
                        Some(Step { act: Some(Act::Output(to, before)), .. })
                            if *to == fd && changed.is_empty() =>
                        {
                            before.extend(bytes);
                        }
                        _ => {
                            let act = Some(Act::Output(fd, bytes.collect()));
                            steps.push(Step { changed: std::mem::take(&mut changed), act });
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            let Some(place) = self.sites.get(site as usize) else { continue };
            match place.region {
                Some(region) => changed.push((region, place.line)),
                None => {
                    let act = Some(Act::Decision(place.common.clone(), way));
                    steps.push(Step { changed: std::mem::take(&mut changed), act });
                }
            }
        }
        steps.push(Step { changed, act: None });
        steps
    }
}

/// Edges to blocks with a line in the region. If no block has one, the region was folded into the block before it: the edges out of that block
/// which do not lead to what follows the region, or those into it, if it does not branch.
fn edges_of(
    region: &Region,
    side: usize,
    map: &ProgramMap,
    files: &[String],
    lines: &[BTreeSet<u32>],
) -> Vec<usize> {
    let Some([first, last]) = region.lines[side] else { return Vec::new() };
    let edges = |holds: &dyn Fn(&EdgeInfo) -> bool| -> Vec<usize> {
        map.edges.iter().enumerate().filter(|(_, edge)| holds(edge)).map(|(number, _)| number).collect()
    };
    let here = |block: u32| {
        files[map.blocks[block as usize].function as usize] == region.files[side]
            && lines[block as usize].range(first..=last).next().is_some()
    };
    let inside = edges(&|edge| here(edge.to));
    if !inside.is_empty() {
        return inside;
    }
    let around = block_around(region, side, map, files, lines, first);
    let out = edges(&|edge| around.contains(&edge.from) && edge.from != edge.to);
    // Blocks without a line come after everything.
    let after = |edge: usize| match map.blocks[map.edges[edge].to as usize].line {
        line if line > last => line,
        _ => u32::MAX,
    };
    match out.iter().map(|edge| after(*edge)).min() {
        Some(skip) if out.len() > 1 => out.into_iter().filter(|edge| after(*edge) != skip).collect(),
        _ => edges(&|edge| around.contains(&edge.to)),
    }
}

/// The block of the function around a line that comes last before it.
fn block_around(
    region: &Region,
    side: usize,
    map: &ProgramMap,
    files: &[String],
    lines: &[BTreeSet<u32>],
    line: u32,
) -> Vec<u32> {
    let functions = map.functions.iter().enumerate();
    let around = functions.filter(|(f, info)| files[*f] == region.files[side] && info.line <= line);
    let Some((function, _)) = around.max_by_key(|(_, info)| info.line) else { return Vec::new() };
    let blocks = || (0..map.blocks.len()).filter(|block| map.blocks[*block].function as usize == function);
    // Behind the last line of the function that is known there is only data.
    if blocks().filter_map(|block| lines[block].last()).max().is_none_or(|end| *end < line) {
        return Vec::new();
    }
    let before = |block: &usize| lines[*block].range(1..=line).next_back().copied();
    let nearest = blocks().filter_map(|block| before(&block)).max();
    let found = blocks().filter(|block| nearest.is_some() && before(block) == nearest);
    found.map(|block| block as u32).collect()
}

/// The line of the new version that an unchanged line of the old one became.
pub(crate) fn in_new(regions: &[Region], file: &str, line: u32) -> u32 {
    let length = |lines: Option<[u32; 2]>| lines.map_or(0, |[first, last]| i64::from(last - first + 1));
    let mut moved = 0;
    let mut starts: BTreeMap<u32, i64> = BTreeMap::new();
    for region in regions.iter().filter(|region| region.files[OLD] == file) {
        // Where nothing was in the old version, the place is told by the new one.
        let start = match region.lines {
            [Some([first, _]), _] => i64::from(first),
            [None, Some([first, _])] => i64::from(first) - moved,
            [None, None] => continue,
        };
        let growth = length(region.lines[NEW]) - length(region.lines[OLD]);
        moved += growth;
        *starts.entry(u32::try_from(start).unwrap_or(0)).or_default() += growth;
    }
    let growth: i64 = starts.range(..=line).map(|(_, growth)| growth).sum();
    u32::try_from(i64::from(line) + growth).unwrap_or(line)
}

fn file(map: &ProgramMap, number: Option<u32>) -> String {
    let name = number.and_then(|number| map.files.get(number as usize)).map_or("", String::as_str);
    name.strip_prefix("./").unwrap_or(name).to_owned()
}
