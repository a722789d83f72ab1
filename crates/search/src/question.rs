//! A goal as a question for the solver: what must stay as it is, and what is wanted.

use crate::expressions::ExprId;
use crate::goal::{Asking, Differ, Flip, Goal, RunId};
use crate::knowledge::Knowledge;
use crate::path::Step;

/// See the module.
pub struct Question {
    pub run: RunId,
    /// What must stay as it is, and the place of each among the conditions of the path or paths ([`kept`]).
    pub holds: Vec<ExprId>,
    pub places: Vec<usize>,
    pub wants: ExprId,
    /// See [`crate::numbers`].
    pub over_numbers: bool,
}

impl Question {
    /// `None` for a goal that asks nothing.
    pub fn of(goal: &Goal, known: &Knowledge) -> Option<Question> {
        if !has_path(goal, known) {
            return None;
        }
        let question = over_numbers(goal, known).or_else(|| over_bytes(goal, known))?;
        Some(question.without_relaxed(asking(goal)?))
    }

    fn without_relaxed(mut self, how: &Asking) -> Question {
        if let Some(relaxed) = &how.relaxed {
            let stays = |place: &usize| !relaxed.without.contains(place);
            let kept = self.places.iter().zip(&self.holds).filter(|(place, _)| stays(place));
            (self.places, self.holds) = kept.map(|(place, holds)| (*place, *holds)).unzip();
        }
        self
    }
}

/// Is the path that a goal is about still known?
fn has_path(goal: &Goal, known: &Knowledge) -> bool {
    match goal {
        Goal::Flip(flip) => flip.step < known.run(flip.run).paths[flip.side].steps.len(),
        Goal::Differ(Differ { run, question, .. }) => {
            let paths = &known.run(*run).paths;
            question.prefix.iter().all(|(side, prefix)| *prefix <= paths[side].steps.len())
        }
        Goal::Try(_) => true,
    }
}

/// How a goal is to be asked for.
pub fn asking(goal: &Goal) -> Option<&Asking> {
    match goal {
        Goal::Flip(flip) => Some(&flip.how),
        Goal::Differ(differ) => Some(&differ.how),
        Goal::Try(_) => None,
    }
}

/// The conditions that must stay as they are.
pub fn kept<'k>(goal: &Goal, known: &'k Knowledge) -> Vec<&'k Step> {
    match goal {
        Goal::Flip(flip) => {
            let run = known.run(flip.run);
            let own = &run.paths[flip.side].steps[..flip.step];
            let other = &run.paths[flip.side.other()].steps;
            // Behind the place where the versions parted: they shall still part.
            let behind = run.is_behind(flip.side, flip.step);
            let parted = run.novelty.parted.filter(|_| behind);
            let parted = parted.map_or(0, |at| at[flip.side.other()] + 1);
            own.iter().chain(other.iter().take(parted)).collect()
        }
        Goal::Differ(Differ { run, question, .. }) => {
            let paths = &known.run(*run).paths;
            let (old, new) = (&paths.old.steps, &paths.new.steps);
            old[..question.prefix.old].iter().chain(&new[..question.prefix.new]).collect()
        }
        Goal::Try(_) => vec![],
    }
}

fn over_bytes(goal: &Goal, known: &Knowledge) -> Option<Question> {
    let holds: Vec<ExprId> = kept(goal, known).iter().map(|step| step.holds).collect();
    let (run, wants) = match goal {
        Goal::Flip(flip) => (flip.run, wanted(flip, known)),
        Goal::Differ(differ) => (differ.run, differ.question.differs),
        Goal::Try(_) => return None,
    };
    Some(Question { run, places: (0..holds.len()).collect(), holds, wants, over_numbers: false })
}

/// What must hold for a flip.
pub fn wanted(flip: &Flip, known: &Knowledge) -> ExprId {
    flip.wants.unwrap_or_else(|| known.step(flip).others[flip.other])
}

fn over_numbers(goal: &Goal, known: &Knowledge) -> Option<Question> {
    let (run, wants) = match goal {
        _ if asking(goal)?.exact => return None,
        Goal::Flip(flip) => (flip.run, *known.step(flip).written.as_ref()?.others.get(flip.other)?),
        Goal::Differ(differ) => (differ.run, differ.question.over_numbers?),
        Goal::Try(_) => return None,
    };
    let holds = |(place, step): (usize, &Step)| Some((place, step.holds_over_numbers()?));
    let (places, holds) = (0..).zip(kept(goal, known)).filter_map(holds).unzip();
    Some(Question { run, places, holds, wants, over_numbers: true })
}
