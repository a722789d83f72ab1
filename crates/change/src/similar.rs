//! Functions that have another name now: matched by what their code looks like.
//!
//! In: the pairs so far, both programs. Out: more pairs; which new functions were cut out of old ones, and which old ones went
//! into others.
//!
//! Always holds: only functions with a body that have no partner yet get one; the best pairs come first, and equal
//! ones in the order of the program, so that the result is always the same.

use crate::norm::Norm;
use crate::pairs::Pairs;
use crate::settings::Settings;
use parallax_model::*;
use std::collections::HashMap;

/// What the same signature, and the same file, add to the likeness of two functions.
const BONUS: f64 = 0.1;

/// How often each normal instruction is in a function.
struct Features {
    func: FuncId,
    counts: HashMap<u64, u32>,
    total: u32,
}

/// How many pairs were found.
pub fn functions(pairs: &mut Pairs, old: &Norm, new: &Norm, settings: &Settings) -> usize {
    let olds = features(old, &|f| pairs.functions[f.index()].is_none());
    let news = features(new, &|f| pairs.functions_back[f.index()].is_none());
    let mut found = Vec::new();
    let index = index(&news, settings.common);
    for a in &olds {
        for b in candidates(a, &index).into_iter().map(|i| &news[i]) {
            if let Some(score) = score(a, b, old, new, pairs, settings) {
                found.push((score, a.func, b.func));
            }
        }
    }
    found.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let mut linked = 0;
    for (_, a, b) in found {
        if pairs.functions[a.index()].is_none() && pairs.functions_back[b.index()].is_none() {
            pairs.link(a, b);
            linked += 1;
        }
    }
    linked
}

fn features(norm: &Norm, wanted: &dyn Fn(FuncId) -> bool) -> Vec<Features> {
    norm.program.defined_functions().filter(|f| wanted(*f)).map(|f| of(norm, f)).collect()
}

fn of(norm: &Norm, func: FuncId) -> Features {
    let mut counts = HashMap::new();
    let insts = norm.program.func(func).insts;
    for inst in insts.iter() {
        *counts.entry(norm.shallow(inst)).or_insert(0) += 1;
    }
    Features { func, counts, total: insts.len() as u32 }
}

/// Where each instruction that is not everywhere occurs.
fn index(functions: &[Features], common: usize) -> HashMap<u64, Vec<usize>> {
    let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
    for (i, f) in functions.iter().enumerate() {
        for token in f.counts.keys() {
            index.entry(*token).or_default().push(i);
        }
    }
    index.retain(|_, at| at.len() <= common);
    index
}

fn candidates(of: &Features, index: &HashMap<u64, Vec<usize>>) -> Vec<usize> {
    let mut found: Vec<usize> =
        of.counts.keys().filter_map(|token| index.get(token)).flatten().copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn shared(a: &Features, b: &Features) -> u32 {
    a.counts.iter().map(|(token, n)| *n.min(b.counts.get(token).unwrap_or(&0))).sum()
}

/// How much two functions are alike, if they could be one.
fn score(
    a: &Features,
    b: &Features,
    old: &Norm,
    new: &Norm,
    pairs: &Pairs,
    settings: &Settings,
) -> Option<f64> {
    let common = shared(a, b);
    let likeness = f64::from(common) / f64::from((a.total + b.total - common).max(1));
    let small = (a.total.min(b.total) as usize) < settings.small;
    if likeness < if small { 1.0 } else { settings.similarity } {
        return None;
    }
    let (f, g) = (old.program.func(a.func), new.program.func(b.func));
    let same_type = old.ty(f.ty) == new.ty(g.ty);
    let same_file = f.file.and_then(|file| pairs.files.to_new(file)) == g.file;
    Some(likeness + if same_type { BONUS } else { 0.0 } + if same_file { BONUS } else { 0.0 })
}

/// Whose code was taken out of, or put into, a function that is in both versions.
pub fn splits_and_merges(pairs: &mut Pairs, old: &Norm, new: &Norm, settings: &Settings) {
    let lonely_new = features(new, &|f| pairs.functions_back[f.index()].is_none());
    let lonely_old = features(old, &|f| pairs.functions[f.index()].is_none());
    if lonely_new.is_empty() && lonely_old.is_empty() {
        return;
    }
    let matched: Vec<(Features, Features)> = old
        .program
        .defined_functions()
        .filter_map(|f| Some((of(old, f), of(new, pairs.functions[f.index()]?))))
        .filter(|(a, b)| a.counts != b.counts)
        .collect();
    for lonely in lonely_new {
        // Code that the old function had and the new one lost.
        let from = best(&lonely, matched.iter().map(|(a, b)| (a, b, a.func)), settings);
        pairs.splits.extend(from.map(|from| (lonely.func, from)));
    }
    for lonely in lonely_old {
        let into = best(&lonely, matched.iter().map(|(a, b)| (b, a, b.func)), settings);
        pairs.merges.extend(into.map(|into| (lonely.func, into)));
    }
}

/// The function whose `with` holds most of `part` beyond what `without` has.
fn best<'f>(
    part: &Features,
    among: impl Iterator<Item = (&'f Features, &'f Features, FuncId)>,
    settings: &Settings,
) -> Option<FuncId> {
    if (part.total as usize) < settings.small {
        return None;
    }
    let moved = |(with, without, func): (&Features, &Features, FuncId)| {
        let count = |token: &u64, in_part: &u32| {
            let had = *with.counts.get(token).unwrap_or(&0);
            let has = *without.counts.get(token).unwrap_or(&0);
            *in_part.min(&had.saturating_sub(has))
        };
        let moved: u32 = part.counts.iter().map(|(token, n)| count(token, n)).sum();
        (moved, func)
    };
    // A function is not cut out at its return.
    let enough = (f64::from(part.total) * settings.containment - 1.0).ceil() as u32;
    let best = among.map(moved).max_by_key(|(n, func)| (*n, std::cmp::Reverse(*func)))?;
    (best.0 >= enough.max(1)).then_some(best.1)
}
