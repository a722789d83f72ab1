//! What a verification has test cases run with: the laboratory of a comparison.
//!
//! In: test cases. Out: traces of the symbolic builds, with how the runs ended and what of them is not to be believed; verdicts about the native
//! versions.
//!
//! Always holds: a symbolic build that did not do what its native version does on the same input is said to have been cut, so that nothing is
//! concluded from its trace.

use crate::lab::VersionsLab;
use crate::natives::NoRun;
use parallax_execute::{Interrupt, Outcome, Run, TestCase};
use parallax_oracle::{Runner, Which};
use parallax_report::kept::ending;
use parallax_search::{Cost, Harness, HarnessError, Side, Traced, Verdict};
use parallax_trace::synth::Synth;
use parallax_verify::{Bench, Ended, Seen};

/// See the module.
pub struct Lab {
    pub lab: VersionsLab,
    /// Native comparisons.
    pub runs: u64,
    pub interrupt: Interrupt,
}

impl Bench for Lab {
    fn trace(&mut self, side: Side, test: &TestCase) -> Result<Seen, HarnessError> {
        match self.lab.observed(side, test) {
            Ok((run, traced)) => self.seen(side, test, &run, traced),
            Err(NoRun::Impossible(reason)) => Ok(unseen(reason, true)),
            Err(NoRun::OutOfTime) => Ok(unseen("the time was up".to_owned(), false)),
            Err(NoRun::Broken(error)) => self.broken(&error.to_string()),
        }
    }

    fn judge(&mut self, test: &TestCase) -> Result<Verdict, HarnessError> {
        self.runs += 1;
        match self.lab.judge(test) {
            Err(_) if self.interrupt.is_set() => Ok(Verdict::Unusable { reason: INTERRUPTED.to_owned() }),
            judged => judged,
        }
    }
}

/// Why a run that an interrupt ended shows nothing.
const INTERRUPTED: &str = "interrupted";

impl Lab {
    /// A run that an interrupt ended was not made; anything else that breaks a laboratory ends the verification.
    fn broken(&self, error: &str) -> Result<Seen, HarnessError> {
        match self.interrupt.is_set() {
            true => Ok(unseen(INTERRUPTED.to_owned(), false)),
            false => Err(HarnessError(error.to_owned())),
        }
    }

    fn seen(&mut self, side: Side, test: &TestCase, run: &Run, traced: Traced) -> Result<Seen, HarnessError> {
        let mut ended = match (&run.outcome, ending(&run.outcome).2) {
            (Outcome::Signaled(signal), _) => Ended::Signal(*signal),
            (_, Some(limit)) => Ended::Cut(format!("a version reached a limit ({limit})")),
            _ if run.stdout.truncated || run.stderr.truncated => {
                Ended::Cut("the output of a version was cut (--max-output)".to_owned())
            }
            _ => Ended::Exited,
        };
        let which = if side == Side::Old { Which::Old } else { Which::New };
        let native = match self.lab.natives.run(which, test) {
            Ok(native) => native,
            Err(NoRun::OutOfTime) => return Ok(unseen("the time was up".to_owned(), false)),
            Err(NoRun::Impossible(reason)) => return Ok(unseen(reason, true)),
            Err(NoRun::Broken(error)) => return self.broken(&error.to_string()),
        };
        let rules = self.lab.shared.rules.now();
        if !matches!(ended, Ended::Cut(_)) && !rules.differing(run, &native).is_empty() {
            ended =
                Ended::Cut("the symbolic build of a version did not do what the native one does".to_owned());
        }
        let lines = match side {
            Side::Old => Vec::new(),
            Side::New => self.lab.shared.reached.lines(&traced.trace),
        };
        Ok(Seen { traced, ended, was_made: true, lines })
    }
}

/// A run that was not made.
fn unseen(reason: String, was_made: bool) -> Seen {
    let trace = Synth::new(Vec::new()).trace();
    let traced = Traced { trace, inputs: Vec::new(), digest: 0, cost: Cost::default() };
    Seen { traced, ended: Ended::Cut(reason), was_made, lines: Vec::new() }
}
