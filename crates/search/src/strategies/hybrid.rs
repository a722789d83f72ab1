//! `hybrid`: what did something new when only its coverage was looked at is traced (Majumdar and Sen 2007; Stephens et al. 2016).
//!
//! Departs from both in tracing every such test case, those first that executed new code, came closer to the change or infected the state.

use super::{About, GlimpsedTest, Proposals, Strategy};
use crate::goal::{Goal, Try};
use crate::knowledge::writer::Glimpsed;

pub struct Hybrid;

impl Strategy for Hybrid {
    fn about(&self) -> About {
        About {
            name: "hybrid",
            summary: "Traces test cases that did something new when only their coverage was looked at.",
            paper: "Majumdar and Sen 2007; Stephens et al. 2016",
        }
    }

    fn glimpsed(&mut self, run: &GlimpsedTest, out: &mut Proposals) {
        let (of, made_by) = (run.made.of, run.made.by);
        let goal = Try { of, made_by, is_rerun: true, ..Try::new(run.test.clone()) };
        out.add(Goal::Try(goal), false, [u64::from(run.what != Glimpsed::Striking), 0, 0]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use crate::knowledge::Made;
    use parallax_execute::TestCase;

    #[test]
    fn what_is_striking_is_traced_first() {
        let mut out = Proposals::default();
        for (text, what) in
            [("a", Glimpsed::Something), ("b", Glimpsed::Striking), ("c", Glimpsed::Something)]
        {
            let test = TestCase { stdin: text.into(), ..TestCase::default() };
            Hybrid.glimpsed(&GlimpsedTest { test: &test, made: Made::default(), what }, &mut out);
        }
        assert_eq!(laboratory::inputs(out.list), ["b", "a", "c"]);
        assert!(Laboratory::new().known.runs.is_empty());
    }
}
