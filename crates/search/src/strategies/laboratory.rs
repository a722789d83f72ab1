//! A scripted laboratory for the tests of strategies: runs are written down, and nothing is started.

use super::*;
use crate::expressions::ExprId;
use crate::goal::RunId;
use crate::guide::Guide;
use crate::joint::{self, Alignment};
use crate::knowledge::Novelty;
use crate::known::Known;
use crate::path::{Path, Printed, Step, Ways};
use crate::question::Question;
use crate::words::Compared;
use crate::Memory;
use crate::Pair;
use parallax_plan::{Destination, Plan, VersionPlan};
use parallax_trace::request::Source;
use parallax_trace::sites::{ProgramMap, SiteInfo, SiteKind};
use std::time::{Duration, Instant};

pub struct Laboratory {
    pub known: Knowledge<'static>,
    pub expressions: Expressions,
    settings: Settings,
    budget: Budget,
    random: fastrand::Rng,
}

impl Laboratory {
    pub fn new() -> Laboratory {
        Laboratory::with_plan(Plan::default())
    }

    pub fn with_plan(plan: Plan) -> Laboratory {
        Laboratory::with_map(ProgramMap::default(), plan)
    }

    /// With changed code in one block, which all sites up to 9 are in.
    pub fn with_change_at(block: u32) -> Laboratory {
        let site = SiteInfo {
            kind: SiteKind::Branch,
            block,
            instruction: 0,
            line: 0,
            column: 0,
            cases: vec![],
            callee: None,
        };
        let map = ProgramMap { sites: vec![site; 10], ..ProgramMap::default() };
        let changed = Destination { block: Some(block), edges: vec![], distances: vec![], control: vec![] };
        let version = VersionPlan { destinations: vec![changed], ..VersionPlan::default() };
        Laboratory::with_map(map, Plan { versions: Pair::new(version.clone(), version), ..Plan::default() })
    }

    pub fn with_map(map: ProgramMap, plan: Plan) -> Laboratory {
        let settings = Settings::default();
        // For the whole test: a few bytes.
        let (map, plan): (&'static ProgramMap, &'static Plan) =
            (Box::leak(Box::new(map)), Box::leak(Box::new(plan)));
        let guide = Guide::new(Pair::new(map, map), plan, true);
        let budget = Budget {
            deadline: Instant::now() + Duration::from_secs(600),
            runs: None,
            interrupt: parallax_execute::Interrupt::new(),
            memory: Memory { most: u64::MAX, used: || 0, trim: || () },
        };
        Laboratory {
            known: Knowledge::new(guide, Known::default()),
            expressions: Expressions::new(true),
            random: fastrand::Rng::with_seed(settings.random_seed),
            settings,
            budget,
        }
    }

    /// Is byte `offset` of standard input this one?
    pub fn is_byte(&mut self, offset: u32, value: u8) -> ExprId {
        self.expressions.is_byte(&Source::Stdin, offset, value)
    }

    /// A condition at `site` about one byte of standard input.
    pub fn step(&mut self, site: u32, offset: u32, value: u8, taken: bool) -> Step {
        let is = self.is_byte(offset, value);
        let is_not = self.expressions.negated(is);
        let (holds, other) = if taken { (is, is_not) } else { (is_not, is) };
        let step = crate::path::tests::branch(site, taken, 0);
        let ways = Ways { others: vec![other], ..(*step.ways).clone() };
        Step { holds, ways: ways.into(), ..step }
    }

    /// A byte of output that is a constant, or a byte of standard input.
    pub fn printed(&mut self, byte: Result<u8, u32>) -> Printed {
        let exact = self.expressions.printed(&Source::Stdin, byte);
        Printed { exact, over_numbers: Some(exact) }
    }

    /// A run on standard input `text` on which both versions met these conditions.
    pub fn run(&mut self, text: &str, steps: &[Step]) -> RunFacts {
        let path = Path { steps: steps.to_vec(), ..Path::default() };
        self.run_of(text, Pair::new(path.clone(), path))
    }

    /// The same with a path for each version. It brought news, and was the first to execute something.
    pub fn run_of(&mut self, text: &str, paths: Pair<Path>) -> RunFacts {
        let test = TestCase { stdin: text.into(), ..TestCase::default() };
        let id = RunId(self.known.runs.len());
        let alignment: Alignment = joint::align(&paths.old, &paths.new);
        let novelty = Novelty { news: true, first: true, ..Novelty::default() };
        self.known.by_test.insert(test.clone(), id);
        self.known.corpus.all.push(test.clone());
        let (last, made) = (Pair::default(), Made::default());
        self.known.runs.push(Run { test, paths, depth: 0, last, novelty, generation: 0, made });
        RunFacts {
            id,
            is_worth: true,
            is_seed: id.0 == 0,
            aim: None,
            shape_of: None,
            compared: Compared::new(),
            fresh: vec![],
            alignment,
        }
    }

    /// A run was made from the first one.
    pub fn came_from_first(&mut self, run: &RunFacts) {
        let of = (run.id.0 > 0).then_some(RunId(0));
        self.known.runs[run.id.0].made.of = of;
    }

    fn see(&mut self) -> Context<'_> {
        Context {
            known: &self.known,
            expressions: &mut self.expressions,
            random: &mut self.random,
            settings: &self.settings,
            budget: &self.budget,
        }
    }

    /// What a strategy proposes because of a run.
    pub fn learn(&mut self, strategy: &mut dyn Strategy, run: &RunFacts) -> Vec<Proposal> {
        let mut out = Proposals::default();
        strategy.learn(run, &mut self.see(), &mut out);
        out.list
    }

    /// What it proposes because of an answer.
    pub fn answered(&mut self, strategy: &mut dyn Strategy, goal: &Goal, answer: &Answer) -> Vec<Proposal> {
        let question = Question::of(goal, &self.known).expect("a goal that asks something");
        let test = match answer {
            Answer::Sat(changes) => {
                Some(crate::inputs::with_changes(&self.known.run(question.run).test, changes))
            }
            _ => None,
        };
        let answered = Answered { goal, question: &question, answer, test: test.as_ref() };
        let mut out = Proposals::default();
        strategy.answered(&answered, &mut self.see(), &mut out);
        out.list
    }

    pub fn make(&mut self, strategy: &mut dyn Strategy) -> Option<TestCase> {
        strategy.make(&mut self.see()).map(|next| next.test)
    }

    /// The flips of a run in the new version.
    pub fn flips(&self, run: &RunFacts) -> Vec<Flip> {
        self.known.flips(run.id, crate::Side::New, &[])
    }
}

/// The standard inputs of the test cases among proposals, best first.
pub fn inputs(mut proposals: Vec<Proposal>) -> Vec<String> {
    proposals.sort_by_key(|proposal| proposal.score);
    let text = |proposal: Proposal| match proposal.goal {
        Goal::Try(next) => Some(String::from_utf8_lossy(&next.test.stdin).into_owned()),
        _ => None,
    };
    proposals.into_iter().filter_map(text).collect()
}

/// The flips among proposals.
pub fn flips(proposals: Vec<Proposal>) -> Vec<Flip> {
    let flip = |proposal: Proposal| match proposal.goal {
        Goal::Flip(flip) => Some(flip),
        _ => None,
    };
    proposals.into_iter().filter_map(flip).collect()
}
