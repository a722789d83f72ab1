//! What a flip is worth, term by term: the smaller the sum, the better. Shared by the strategies that order all open branches.

use crate::goal::Flip;
use crate::knowledge::{Class, Knowledge, Run};
use crate::path::Step;
use parallax_plan::Distance;

/// How much better a flip is that leads nearer to the change, and how much worse one that leads nowhere.
const NEARER: u32 = 2;
const ASTRAY: u32 = 3;
/// By how much another round of a loop in libc is worse: what the text is, words and numbers find out faster.
const FOREIGN_ROUND: u32 = 5;
/// By how much a flip is worse that was asked on another run, if its own run brought nothing new.
const STALE: u32 = 3;
/// So many questions about one site are few; the others get their turn before twice as many.
const SPENT: u32 = 32;
/// The same behind the place where the versions have parted, where the same loop is met on every run.
const SPENT_BEHIND: u32 = 8;
/// By how much the flips of runs that executed something for the first time are better.
const FIRST: u32 = 2;
/// By how much the flip of a run's last condition is better: it may have been what ended the run.
const LAST: u32 = 3;
/// So many conditions are few; a flip on a run with twice as many is a little worse, and so on.
const LONG: usize = 400;
/// By how much a flip is worse that needs more of the solver.
const SLOW: u32 = 2;
/// What a flip must be better than to be asked while there is other work.
pub const POOR: u64 = 2 * (Class::NewRound as u64 + FOREIGN_ROUND as u64);

/// What makes one order of flips another than the other.
pub struct Bias {
    /// Where a run executes the change in a new way, what was asked elsewhere is another question.
    pub asks_again_where_infected: bool,
    /// Are the flips of this run and class better, because of what is next to them?
    pub is_neighbour: fn(&Run, Class) -> bool,
}

/// What a flip is worth now.
pub fn rank(flip: &Flip, known: &Knowledge, bias: &Bias) -> u32 {
    let (run, step) = (known.run(flip.run), known.step(flip));
    let class = known.class_of(flip);
    let foreign = foreign(class, known.is_own(flip));
    let mut rank = class as u32 + worn(flip, class, known, bias) + foreign + long(run, flip);
    rank = towards_the_change(rank, flip, step, class, known);
    if foreign == 0 && (bias.is_neighbour)(run, class) {
        rank = rank.saturating_sub(FIRST);
    }
    if run.last[flip.side] == Some(flip.step) && class > Class::Behind {
        rank = rank.saturating_sub(LAST);
    }
    // A second time, on a run that brought nothing new: only when little else is left.
    if !run.novelty.news && flip.again > 0 && class > Class::Alone {
        rank += STALE;
    }
    // Where the change is executed now and then, the rest can wait.
    rank += u32::from(!run.novelty.reaches() && !known.corpus.reaching.is_empty());
    rank += if flip.how.patient { SLOW } else { 0 };
    2 * rank + u32::from(!run.novelty.news)
}

/// What libc makes of the input is seldom what the change is about.
fn foreign(class: Class, is_own: bool) -> u32 {
    match is_own {
        true => 0,
        false if class >= Class::NewRound => FOREIGN_ROUND,
        false => 1 + u32::from(class > Class::NewWay),
    }
}

/// What is computed from a long input takes long to run and to understand.
fn long(run: &Run, flip: &Flip) -> u32 {
    magnitude((run.paths[flip.side].steps.len() / LONG) as u32)
}

fn towards_the_change(rank: u32, flip: &Flip, step: &Step, class: Class, known: &Knowledge) -> u32 {
    let novelty = &known.run(flip.run).novelty;
    match known.guide.leads_to(flip, step) {
        Distance::Branches(n) if class > Class::Behind && n < novelty.closest[flip.side] => {
            rank.saturating_sub(NEARER)
        }
        Distance::Never if !novelty.reaches() => rank + ASTRAY,
        _ => rank,
    }
}

/// How much the question was asked already, elsewhere.
fn worn(flip: &Flip, class: Class, known: &Knowledge, bias: &Bias) -> u32 {
    let novelty = &known.run(flip.run).novelty;
    let branch = flip.key.branch();
    let failures = known.asked.failures.get(&branch).copied().unwrap_or(0);
    let spent = known.asked.about.get(&branch.site).copied().unwrap_or(0);
    let afresh = bias.asks_again_where_infected && novelty.news && novelty.reaches();
    let (again, spent) = if afresh { (0, 0) } else { (flip.again, spent) };
    // That no other function can be called on one path says little about another.
    if novelty.first && known.step(flip).is_call() {
        return 0;
    }
    match class {
        // Runs on which the versions part are rare: what makes it visible is asked on most of them.
        Class::Behind => magnitude(flip.again) / 2 + magnitude(spent / SPENT_BEHIND),
        Class::Alone | Class::NewWay | Class::Obstacle => magnitude(failures) + magnitude(again),
        Class::NewContext | Class::NewRound | Class::Guard => {
            magnitude(failures) + magnitude(again) + magnitude(spent / SPENT)
        }
    }
}

/// How many binary digits a number has.
fn magnitude(n: u32) -> u32 {
    u32::BITS - n.leading_zeros()
}
