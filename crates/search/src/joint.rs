//! The joint question: (path of old) and (path of new) and (something differs).
//!
//! Where both versions print, the bytes at the same place of the same channel are asked to differ; where both
//! branch, their conditions are. The two sequences of conditions are aligned by their expressions: what the versions
//! compute alike is the same expression in the shared pool, and between two such places the
//! conditions that are left are paired in order.

use crate::expressions::{ExprId, Expressions};
use crate::path::{Identity, Path, Printed};
use crate::Pair;

/// A question over both paths.
#[derive(Clone, Debug)]
pub struct Question {
    /// How many conditions of the old and of the new path must hold.
    pub prefix: Pair<usize>,
    /// Must hold, too: the difference.
    pub differs: ExprId,
    /// The same over numbers (see [`crate::numbers`]), if that is something else.
    pub over_numbers: Option<ExprId>,
    /// See [`crate::path::Step::hidden`].
    pub hidden: Vec<(u32, u32)>,
    /// The same for the same places of the programs, whatever the path to them.
    pub goal: u64,
}

/// Longest sequences that are aligned exactly; beyond, only the common beginning is.
const MAX_ALIGNED: usize = 600;
/// Pairs of conditions asked about for one pair of paths.
const MAX_BRANCH_QUESTIONS: usize = 64;

/// Questions about what a pair of paths prints.
pub fn about_outputs(old: &Path, new: &Path, expressions: &mut Expressions) -> Vec<Question> {
    let mut list: Vec<Question> = Vec::new();
    for (channel, a) in old.channels() {
        let Some((_, b)) = new.channels().find(|c| c.0 == channel) else { continue };
        let pairs = compared(a, b, expressions);
        let pairs = || pairs.iter().map(|(x, y)| (&a[*x], &b[*y]));
        let exact: Vec<ExprId> = pairs().map(|(x, y)| expressions.differ(x.exact, y.exact)).collect();
        let numbers: Vec<ExprId> =
            pairs().filter_map(|(x, y)| Some(expressions.differ(x.over_numbers?, y.over_numbers?))).collect();
        let (differs, over_numbers) = (expressions.any(&exact), expressions.any(&numbers));
        let over_numbers =
            (over_numbers != differs && !expressions.is_constant(over_numbers)).then_some(over_numbers);
        if !expressions.is_constant(differs) || over_numbers.is_some() {
            list.push(Question {
                prefix: Pair::new(old.steps.len(), new.steps.len()),
                differs,
                over_numbers,
                hidden: vec![],
                goal: channel as u64,
            });
        }
    }
    list
}

/// Positions of the bytes of two outputs that are asked to differ. Where both are constants that differ, the outputs do so on every input of these
/// paths, and a text that is longer in one version has moved all that follows: then what is the same is found, and only what depends on the input is
/// asked about in between, so that a difference behind the one that is always there is found, too.
fn compared(a: &[Printed], b: &[Printed], expressions: &Expressions) -> Vec<(usize, usize)> {
    let in_order: Vec<(usize, usize)> =
        (0..a.len().min(b.len())).filter(|i| a[*i] != b[*i]).map(|i| (i, i)).collect();
    let constant = |(x, y): &(usize, usize)| {
        expressions.is_constant(a[*x].exact) && expressions.is_constant(b[*y].exact)
    };
    if !in_order.iter().any(constant) {
        return in_order;
    }
    let ids = |bytes: &[Printed]| bytes.iter().map(|byte| byte.exact).collect::<Vec<_>>();
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (x, y) in matches(&ids(a), &ids(b)).into_iter().chain([(a.len(), b.len())]) {
        found.extend((i..x).zip(j..y).filter(|pair| !constant(pair)));
        (i, j) = (x + 1, y + 1);
    }
    found
}

/// Which conditions of two paths correspond.
#[derive(Default)]
pub struct Alignment {
    /// Conditions at corresponding places that are different expressions.
    pairs: Vec<(usize, usize)>,
    /// Conditions of the old and of the new path that the other has not.
    pub alone: Pair<Vec<usize>>,
    /// Those of them that have no partner in `pairs` either.
    pub unmatched: Pair<Vec<usize>>,
}

/// Matches the conditions of two paths.
pub fn align(old: &Path, new: &Path) -> Alignment {
    let a: Vec<Identity> = old.steps.iter().map(|s| s.identity()).collect();
    let b: Vec<Identity> = new.steps.iter().map(|s| s.identity()).collect();
    let mut alignment = Alignment::default();
    let (mut i, mut j) = (0, 0);
    for (x, y) in matches(&a, &b).into_iter().chain([(a.len(), b.len())]) {
        alignment.pairs.extend((i..x).zip(j..y));
        alignment.alone.old.extend(i..x);
        alignment.alone.new.extend(j..y);
        let paired = (x - i).min(y - j);
        alignment.unmatched.old.extend(i + paired..x);
        alignment.unmatched.new.extend(j + paired..y);
        (i, j) = (x + 1, y + 1);
    }
    alignment
}

/// Questions about where a pair of paths goes.
pub fn about_branches(
    old: &Path,
    new: &Path,
    alignment: &Alignment,
    expressions: &mut Expressions,
) -> Vec<Question> {
    let mut list: Vec<Question> = Vec::new();
    for (i, j) in alignment.pairs.iter().copied().take(MAX_BRANCH_QUESTIONS) {
        let (a, b) = (&old.steps[i], &new.steps[j]);
        if a.way != b.way || a.is_call() || b.is_call() {
            // They differ here already, or they cannot be compared.
            continue;
        }
        let over_numbers = match (a.holds_over_numbers(), b.holds_over_numbers()) {
            (Some(x), Some(y)) if a.written.is_some() || b.written.is_some() => {
                Some(expressions.differ(x, y))
            }
            _ => None,
        };
        list.push(Question {
            prefix: Pair::new(i, j),
            differs: expressions.differ(a.holds, b.holds),
            over_numbers: over_numbers.filter(|e| !expressions.is_constant(*e)),
            hidden: [&old.steps[i].hidden[..], &new.steps[j].hidden].concat(),
            // Channels are small numbers.
            goal: 1 << 63 | (old.steps[i].site as u64) << 32 | new.steps[j].site as u64,
        });
    }
    list
}

/// A longest common subsequence, as pairs of positions.
fn matches<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let mut pairs: Vec<(usize, usize)> = (0..common).map(|i| (i, i)).collect();
    let (a, b) = (&a[common..], &b[common..]);
    if a.len() > MAX_ALIGNED || b.len() > MAX_ALIGNED {
        return pairs;
    }
    let mut best = vec![vec![0u16; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i][j] =
                if a[i] == b[j] { best[i + 1][j + 1] + 1 } else { best[i + 1][j].max(best[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((common + i, common + j));
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
