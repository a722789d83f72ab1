//! Threads that answer questions, several at once.
//!
//! In: questions as constraints ([`Prepared`]), each with the number of a solver session. Out: their answers, in the order of the questions.
//!
//! A session is a stack of solver layers with what it remembers (models, unsatisfiable cores). There are as many sessions whatever the number of
//! threads, a question goes to the session of what it is about, and each session answers its questions in their order: so answers do not depend on
//! the number of threads, nor on which of them is faster.
//!
//! Always holds: while questions are under way nobody changes the pool of expressions, and afterwards nobody else holds it; no more threads work
//! at a time, solvers and workers together, than there are permits.

use crate::inputs::{Changes, Names};
use crate::permits::Permits;
use crate::Settings;
use parallax_execute::TestCase;
use parallax_solve::{Constraint, Limit, Pool, Query, Solver, Stack, Unknown, Var};
use std::collections::HashMap;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;
use std::time::Instant;

/// Sessions that there are.
const SESSIONS: usize = 8;

/// The expressions of the search, and the names of their variables.
#[derive(Default)]
pub struct Terms {
    pub pool: Pool,
    pub names: Names,
}

/// What became of a question.
pub enum Answer {
    Sat(Changes),
    /// The numbers of conditions that already contradict what is wanted.
    Unsat(Vec<usize>),
    Unknown,
}

/// An answer, and the solver's steps.
pub struct Solved {
    pub answer: Answer,
    pub steps: u64,
    /// The clock ended it, not its limit of steps.
    pub is_late: bool,
}

/// A question, ready for the solver.
pub struct Prepared {
    /// What is tried one after the other until there is an answer; the last is the question itself, those before it want more.
    pub attempts: Vec<Vec<Constraint>>,
    /// The numbers of the conditions that the constraints are.
    pub numbers: Vec<usize>,
    pub test: TestCase,
    /// The size of the formula.
    pub cost: u64,
    /// What it is about: equal for questions that are alike.
    pub about: u64,
    /// Of all attempts together.
    pub limit: Limit,
}

impl Prepared {
    fn solve(&self, terms: &Terms, solver: &mut Stack) -> Solved {
        let until = Instant::now() + self.limit.time;
        let mut solved = Solved { answer: Answer::Unknown, steps: 0, is_late: false };
        for constraints in &self.attempts {
            let time = until.saturating_duration_since(Instant::now());
            let limit = Limit { steps: self.limit.steps.saturating_sub(solved.steps), time };
            let (answer, is_late) = self.check(constraints, terms, solver, &limit);
            solved.answer = answer;
            solved.steps += solver.spent();
            solved.is_late |= is_late;
            if matches!(solved.answer, Answer::Sat(_)) {
                solved.is_late = false;
                break;
            }
        }
        solved
    }

    /// One attempt, and whether the clock ended it.
    fn check(
        &self,
        constraints: &[Constraint],
        Terms { pool, names }: &Terms,
        solver: &mut Stack,
        limit: &Limit,
    ) -> (Answer, bool) {
        let seed = |var: Var| names.byte(&self.test, var.input, var.offset);
        let query = Query::new(pool, constraints, &seed);
        match solver.check(&query, limit) {
            parallax_solve::Answer::Sat(model) => {
                let values = model.changes(&query).into_iter().map(|(v, b)| ((v.input, v.offset), b));
                (Answer::Sat(names.changes(&self.test, values)), false)
            }
            parallax_solve::Answer::Unsat(core) => (
                Answer::Unsat(core.into_iter().filter_map(|i| self.numbers.get(i).copied()).collect()),
                false,
            ),
            parallax_solve::Answer::Unknown(why) => (Answer::Unknown, why == Unknown::Late),
        }
    }
}

/// A question on its way.
struct Job {
    number: usize,
    session: usize,
    prepared: Prepared,
    terms: Arc<Terms>,
}

/// See the module.
pub struct Solvers {
    inboxes: Vec<Sender<Job>>,
    results: Receiver<(usize, Solved)>,
    sessions: usize,
}

impl Solvers {
    /// `threads`: at most so many.
    pub fn start(threads: usize, settings: &Settings, permits: &Arc<Permits>) -> Solvers {
        // What is recorded is numbered by one session.
        let sessions = if settings.record.is_some() { 1 } else { SESSIONS };
        let (outbox, results) = channel();
        let start = |_| {
            let (sender, inbox) = channel();
            let (outbox, permits) = (outbox.clone(), permits.clone());
            let settings = parallax_solve::Settings { record: settings.record.clone(), ..Default::default() };
            std::thread::spawn(move || work(&inbox, &outbox, &settings, &permits));
            sender
        };
        let inboxes = (0..threads.clamp(1, sessions)).map(start).collect();
        Solvers { inboxes, results, sessions }
    }

    /// The answers to all questions, in their order; no answer where a thread was lost.
    pub fn solve(&self, terms: &Arc<Terms>, questions: Vec<Prepared>) -> Vec<Solved> {
        let mut solved: Vec<Option<Solved>> = questions.iter().map(|_| None).collect();
        let mut under_way = 0;
        for (number, prepared) in questions.into_iter().enumerate() {
            let session = (prepared.about % self.sessions as u64) as usize;
            let job = Job { number, session, prepared, terms: terms.clone() };
            under_way += usize::from(self.inboxes[session % self.inboxes.len()].send(job).is_ok());
        }
        for _ in 0..under_way {
            let Ok((number, answer)) = self.results.recv() else { break };
            solved[number] = Some(answer);
        }
        let lost = || Solved { answer: Answer::Unknown, steps: 0, is_late: true };
        solved.into_iter().map(|answer| answer.unwrap_or_else(lost)).collect()
    }
}

fn work(
    inbox: &Receiver<Job>,
    outbox: &Sender<(usize, Solved)>,
    settings: &parallax_solve::Settings,
    permits: &Permits,
) {
    let mut sessions: HashMap<usize, Stack> = HashMap::new();
    while let Ok(Job { number, session, prepared, terms }) = inbox.recv() {
        let stack = sessions.entry(session).or_insert_with(|| parallax_solve::standard_stack(settings));
        let permit = permits.take_first();
        let solved = prepared.solve(&terms, stack);
        drop(permit);
        // Whoever gets the last answer is the only one that has the expressions.
        drop((prepared, terms));
        if outbox.send((number, solved)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_trace::format::Op;
    use parallax_trace::request::Source;
    use std::time::Duration;

    /// The first two bytes of standard input, as a number, times themselves are each of these.
    fn squares(terms: &mut Terms, wanted: &[u64]) -> Vec<Prepared> {
        let input = terms.names.number(&Source::Stdin);
        let byte = |terms: &mut Terms, offset| {
            let byte = terms.pool.byte(Var { input, offset });
            terms.pool.zext(byte, 32)
        };
        let (high, low) = (byte(terms, 0), byte(terms, 1));
        let factor = terms.pool.constant(32, 256);
        let high = terms.pool.binary(Op::Mul, high, factor);
        let number = terms.pool.binary(Op::Add, high, low);
        let square = terms.pool.binary(Op::Mul, number, number);
        let prepared = |(about, wanted): (u64, &u64)| Prepared {
            attempts: vec![vec![Constraint::is(terms.pool.eq_const(square, *wanted))]],
            numbers: vec![],
            test: TestCase { stdin: b"ab".to_vec(), ..TestCase::default() },
            cost: 1,
            about,
            limit: Limit { steps: 50_000_000, time: Duration::from_secs(60) },
        };
        (0..).zip(wanted).map(prepared).collect()
    }

    fn answers(threads: usize) -> Vec<(bool, u64)> {
        let solvers = Solvers::start(threads, &Settings::default(), &Arc::new(Permits::new(2)));
        let mut terms = Arc::new(Terms::default());
        let mut all = Vec::new();
        for round in 1..4u64 {
            let wanted: Vec<u64> = (0..20).map(|n| (n * 300 + round) * (n * 300 + round) + n % 2).collect();
            let questions = squares(Arc::get_mut(&mut terms).expect("no question is under way"), &wanted);
            let solved = solvers.solve(&terms, questions);
            all.extend(solved.iter().map(|s| (matches!(s.answer, Answer::Sat(_)), s.steps)));
        }
        all
    }

    #[test]
    fn answers_and_what_they_cost_do_not_depend_on_the_number_of_threads() {
        let alone = answers(1);
        assert!(alone.iter().enumerate().all(|(n, (sat, _))| *sat == (n % 20 % 2 == 0)), "{alone:?}");
        assert!(alone == answers(2) && alone == answers(32));
    }
}
